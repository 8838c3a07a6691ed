// Package race finds receives from MPI_ANY_SOURCE that could have got another message than they did. It then replays
// the receiver's later receives as if they had.
//
// A receive could have got the message of another sender under three conditions: it accepts the message's tag; it was
// posted before the receive that took the message in this run; and nothing orders the send of the message after the
// receive's completion (package happensbefore). Each receiver and communicator has an inbox: its receives in the order
// in which they were posted, each with its message. So a race is found when the later receive has got its message. For
// that, it is enough to examine the few receives before it.
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
	Member int32 // the sender: a member of the communicator
	Tag    int32
	Count  int64
	Type   *match.Datatype
	Call   match.Call
	Begun  happensbefore.Moment
	// Done is the time at which a synchronous send had completed, so that its receive had begun to take it. At is 0 if
	// that is not known, and for other sends.
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
	// Coming returns the time at which the message that the receive will get was sent, and whether that is known. If it
	// is nil, the time is never known.
	Coming func() (sent happensbefore.Moment, ok bool)

	in   *inbox
	site *site
	over bool
}

// Outcome is the result if a receive gets another message.
type Outcome uint8

// The outcomes.
const (
	Harmless Outcome = iota // no error, or no error is known
	Misfit                  // a receive gets a message of another type, or one that is too long
	Stuck                   // a receive gets no message
)

// Race is a receive that may get either of two messages.
type Race struct {
	Comm    *match.Comm
	Receive *Receive // from MPI_ANY_SOURCE
	Other   *Send    // the message that it could have got instead
	Taker   *Receive // the receive that got Other in this run
	Outcome Outcome  // in the other order, if the program makes the same calls in it
	Victim  *Receive // the receive that fails in the other order
	Message *Send    // the message that Victim gets in the other order; nil if it gets none
	// Proven: the program cannot distinguish the two orders before the failure, as far as MPI reports to it.
	Proven bool
}

const (
	window = 64   // receives of an inbox that are remembered
	queued = 4096 // receives of an inbox that may wait for a receive posted before them
	// thorough is the number of pairs that are all examined for each receive in the source. Of the further pairs, those
	// whose numbers are powers of two are examined.
	thorough  = 64
	abreast   = 8     // trials of an inbox that are followed at a time
	followed  = 20000 // receives for which a trial is followed
	onTheWay  = 64    // messages that may be left over in a trial
	differing = 256   // receives that may have got another message in a trial
	heldBack  = 64    // receives that may wait in a trial
	someSites = 4096  // receives in the source that are distinguished
)

// StatusOf returns the address of the status of a receive. It is 0 if the program ignores the status. known is false if
// it is not known whether the program ignores it.
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

// site is the place of a receive in the source, for one thread.
type site struct {
	pairs uint64 // pairs that were examined, or skipped because there were too many
}

// New returns a detector. It asks log for orders, and calls found for each race when the outcome of the other order is
// known.
func New(log *happensbefore.Log, status StatusOf, found func(*Race)) *Detector {
	return &Detector{
		log: log, found: found, status: status,
		inboxes: make(map[inboxKey]*inbox), sites: make(map[siteKey]*site),
	}
}

// Wanted reports whether the receives of a member that name their source are followed. This is the case if the member
// has recently received from MPI_ANY_SOURCE. Earlier receives need not be known: later receives cannot match their
// messages, and they match in the order in which their source has sent.
func (d *Detector) Wanted(c *match.Comm, member int32) bool {
	in := d.inbox(c, member)
	return in != nil && !in.resting
}

func (d *Detector) inbox(c *match.Comm, member int32) *inbox {
	if len(d.order) == 0 {
		return nil // this is nearly always the case
	}
	return d.inboxes[inboxKey{c, member}]
}

// Posted adds a receive of a member. It must be called in the order in which the receives are posted. The detector
// keeps r.
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
	if len(in.queue)-in.head > queued { // the receive will never complete, or its completion was not reported
		in.next().over = true
		in.trials = nil
	}
}

// Completed notes that a receive has got its message. Receives that were posted before it and would have taken the
// message have got theirs by then, too.
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

// Removed notes that a receive was cancelled, or that its message will never be known.
func (d *Detector) Removed(r *Receive) {
	r.over = true
	r.in.drain()
}

// Names notes that a member has sent to another member, or has posted a receive that names it as the source.
func (d *Detector) Names(c *match.Comm, member, other int32) {
	if in := d.inbox(c, member); in != nil && !in.resting {
		in.named[other] = d.log.Now(0).At
	}
}

// Probed notes that a member has probed for messages. From now on, it may act on what it finds.
func (d *Detector) Probed(c *match.Comm, member int32) {
	if in := d.inbox(c, member); in != nil {
		in.probed = d.log.Now(0).At
	}
}

// Finish ends the search at the end of the run. quiet reports whether a member of a communicator is known to send
// nothing more.
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

// accepts reports whether a receive takes a message with the sender and tag of s.
func (r *Receive) accepts(s *Send) bool {
	return (r.Source == match.Any || r.Source == s.Member) && (r.Tag == match.Any || r.Tag == s.Tag)
}

// Compare compares the datatypes and counts of a message and a receive.
func Compare(s *Send, r *Receive) datatype.Comparison {
	return datatype.Compare(
		datatype.Use{Type: s.Type.Of(), Count: s.Count}, datatype.Use{Type: r.Type.Of(), Count: r.Count}, false,
	)
}

// fits reports whether a receive may take a message, as far as is known.
func fits(s *Send, r *Receive) bool {
	switch Compare(s, r).Verdict {
	case datatype.Mismatch, datatype.TooLong:
		return false
	}
	return true
}
