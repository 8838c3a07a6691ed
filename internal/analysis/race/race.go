// Package race finds receives from MPI_ANY_SOURCE that could have got another message than they did, and replays what
// the receiver did afterwards as if they had.
//
// A receive could have got the message of another sender if it accepts the message's tag, if it was posted before the
// receive that took the message in this run, and if nothing makes the message come after the receive's completion
// (package before). Each receiver and communicator has an inbox: its receives in the order in which they were posted,
// each with its message. So a race is found when the later receive has got its message, and looking back over a few
// receives is all that it takes.
package race

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/analysis/happensbefore"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Send is a message.
type Send struct {
	Member int32 // of the communicator: who sent it
	Tag    int32
	Count  int64
	Type   *match.Datatype
	Call   match.Call
	Begun  happensbefore.Moment
	// Done is when a synchronous send had completed, so that its receive had begun to take it; At is 0 if that is not
	// known, and for others.
	Done happensbefore.Moment
}

// Receive is a receive that was posted.
type Receive struct {
	Source, Tag int32 // as the program wrote them: a member of the communicator, or match.Any
	Count       int64
	Type        *match.Datatype
	Call        match.Call
	Begun, Done happensbefore.Moment
	Got         *Send // in this run
	// Coming tells when the message was sent that it will get, if that is known; nil: it never is.
	Coming func() (sent happensbefore.Moment, ok bool)

	in   *inbox
	site *site
	over bool
}

// Outcome is what happens if a receive gets another message.
type Outcome uint8

// The outcomes.
const (
	Harmless Outcome = iota // nothing, or nothing is known
	Misfit                  // a receive gets a message of another type, or one that is too long
	Stuck                   // a receive gets no message
)

// Race is a receive that may get either of two messages.
type Race struct {
	Comm    *match.Comm
	Receive *Receive // from MPI_ANY_SOURCE
	Other   *Send    // what it could have got instead
	Taker   *Receive // what got Other in this run
	Outcome Outcome  // in the other order, if the program makes the same calls there
	Victim  *Receive // what goes wrong then
	Message *Send    // what Victim gets then, nil if nothing
	// Proven: the program can't tell the two orders apart before it goes wrong, as far as it knows from MPI.
	Proven bool
}

const (
	window    = 64    // receives of an inbox that are remembered
	queued    = 4096  // receives of an inbox that may wait for one posted before them
	thorough  = 64    // pairs looked at for each receive in the source; of the others those whose numbers are powers of two
	abreast   = 8     // other orders of an inbox that are followed at a time
	followed  = 20000 // receives that one is followed for
	onTheWay  = 64    // messages that may be left over in one
	differing = 256   // receives that may have got another message in one
	heldBack  = 64    // receives that may wait in one
	someSites = 4096  // receives in the source that are told apart
)

// StatusOf returns where the program wants to be told what a receive has got, 0 if it does not want to; known is false
// if it is not known whether it does.
type StatusOf func(r *Receive) (address uint64, known bool)

// Detector finds races.
type Detector struct {
	log     *happensbefore.Log
	found   func(*Race)
	status  StatusOf
	inboxes map[inboxKey]*inbox
	order   []*inbox
	sites   map[siteKey]*site
}

type inboxKey struct {
	comm   *match.Comm
	member int32
}

type siteKey struct {
	thread ring.ThreadID
	site   uint32
}

// site is a receive in the source, of one thread.
type site struct {
	pairs uint64 // that were looked at, or not for being too many
}

// New returns a detector that asks log for orders and hands found what it finds: each race when it is known how the
// other order ends.
func New(log *happensbefore.Log, status StatusOf, found func(*Race)) *Detector {
	return &Detector{log: log, found: found, status: status, inboxes: make(map[inboxKey]*inbox), sites: make(map[siteKey]*site)}
}

// Wanted reports whether the receives of a member that name their source are followed: it has received from
// MPI_ANY_SOURCE lately. Earlier receives need not be known: later receives cannot match their messages, and they match
// in the order in which their source has sent.
func (d *Detector) Wanted(c *match.Comm, member int32) bool {
	in := d.inbox(c, member)
	return in != nil && !in.resting
}

func (d *Detector) inbox(c *match.Comm, member int32) *inbox {
	if len(d.order) == 0 {
		return nil // nearly always
	}
	return d.inboxes[inboxKey{c, member}]
}

// Posted enters a receive of a member, in the order in which they are posted. It is the detector's from now on.
func (d *Detector) Posted(c *match.Comm, member int32, r *Receive) {
	k := inboxKey{c, member}
	in := d.inboxes[k]
	if in == nil {
		in = &inbox{d: d, comm: c, member: member, named: make(map[int32]uint64)}
		d.inboxes[k] = in
		d.order = append(d.order, in)
	}
	r.in, r.site = in, d.site(r.Call)
	in.add(r)
	if len(in.queue)-in.head > queued { // it will never complete, or nobody told
		in.next().over = true
		in.trials = nil
	}
}

// Completed notes that a receive has got its message. Those that were posted before it and would have taken the message
// have got theirs by then, too.
func (d *Detector) Completed(r *Receive, s *Send) {
	r.Got, r.Done, r.over = s, d.log.Now(r.Begun.Proc), true
	in := r.in
	for i := in.head; i < min(len(in.queue), in.head+window) && in.queue[i] != r; i++ {
		if p := in.queue[i]; !p.over && p.Coming != nil && p.accepts(s) {
			if m, ok := p.Coming(); ok {
				d.log.Learn(r.Begun.Proc, m)
			}
		}
	}
	in.drain()
}

// Removed notes that a receive was cancelled, or that nobody will know what it got.
func (d *Detector) Removed(r *Receive) {
	r.over = true
	r.in.drain()
}

// Names notes that a member has sent to another, or asked for its messages only.
func (d *Detector) Names(c *match.Comm, member, other int32) {
	if in := d.inbox(c, member); in != nil && !in.resting {
		in.named[other] = d.log.Now(0).At
	}
}

// Probed notes that a member has looked for messages: it may do what it finds fit from now on.
func (d *Detector) Probed(c *match.Comm, member int32) {
	if in := d.inbox(c, member); in != nil {
		in.probed = d.log.Now(0).At
	}
}

// Finish says that the run is over. quiet tells whether a member of a communicator is known to send nothing more.
func (d *Detector) Finish(quiet func(c *match.Comm, member int32) bool) {
	for _, in := range d.order {
		for _, t := range in.trials {
			t.finish(quiet)
		}
		in.trials = nil
	}
}

func (d *Detector) site(c match.Call) *site {
	k := siteKey{thread: c.Thread}
	if len(c.Raw) >= layout.RecordSiteAt+4 {
		k.site = binary.LittleEndian.Uint32(c.Raw[layout.RecordSiteAt:])
	}
	s := d.sites[k]
	if s == nil {
		if len(d.sites) >= someSites {
			k = siteKey{}
			if s = d.sites[k]; s != nil {
				return s
			}
		}
		s = new(site)
		d.sites[k] = s
	}
	return s
}

// accepts reports whether a receive takes a message of that sender and tag.
func (r *Receive) accepts(s *Send) bool {
	return (r.Source == match.Any || r.Source == s.Member) && (r.Tag == match.Any || r.Tag == s.Tag)
}

// Compare tells whether a message may be received so.
func Compare(s *Send, r *Receive) datatype.Comparison {
	return datatype.Compare(datatype.Use{Type: s.Type.Of(), Count: s.Count}, datatype.Use{Type: r.Type.Of(), Count: r.Count}, false)
}

// fits reports whether a receive may take a message, as far as is known.
func fits(s *Send, r *Receive) bool {
	switch Compare(s, r).Verdict {
	case datatype.Mismatch, datatype.TooLong:
		return false
	}
	return true
}
