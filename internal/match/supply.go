package match

import (
	"math"
	"slices"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Demand is what a thread waits to receive or to see: a receive that it has posted or, if Op is nil, a probe.
type Demand struct {
	Op          *Op
	Comm        *Comm
	Me          int32
	Source, Tag int32 // or Any
	Thread      ring.ThreadID
	// Needed are the receives that the thread waits for all together, if they are several.
	Needed map[*Op]bool
}

// Demand returns the demand of a receive.
func (op *Op) Demand() Demand {
	return Demand{Op: op, Comm: op.Comm, Me: op.Me, Source: op.Peer, Tag: op.Tag, Thread: op.Call.Thread}
}

// Supply says whether enough messages are on their way for a demand.
type Supply uint8

// The supplies.
const (
	Unmet Supply = iota // no message
	// fewer messages than the demand and the receives before it or with it need: one of them gets none
	Short
	Shared  // enough messages, but some of them may be for other receives
	Enough  // enough messages, and none of them is for another receive
	Unknown // matching is given up for the mailbox
)

// covered reports whether the receive r accepts every message that d asks for.
func (d *Demand) covered(r *Op) bool {
	return (r.Peer == Any || r.Peer == d.Source) && compatible(r.Tag, d.Tag)
}

// covers reports whether d asks for every message that the receive r accepts.
func (d *Demand) covers(r *Op) bool {
	return (d.Source == Any || d.Source == r.Peer) && compatible(d.Tag, r.Tag)
}

// accepts reports whether d asks for messages like s.
func (d *Demand) accepts(s *Op) bool {
	return (d.Source == Any || d.Source == s.Me) && compatible(d.Tag, s.Tag)
}

// Supply compares d with the messages that have been sent to its member and are not received. By the order of matching
// (MPI standard, section 3.5), receives that a thread has posted earlier take the messages first that they accept. Of
// several receives that must all complete, each takes one message. So if there are fewer messages than such receives,
// one of the receives gets none (Hall's condition). from is the source that any further message must come from, Any if
// every member can send it. senders are the members whose messages d may get.
func (d *Demand) Supply() (s Supply, from int32, senders []int32) {
	c := d.Comm
	if c.Unmatchable() {
		return Unknown, d.Source, nil
	}
	b := &c.boxes[d.Me]
	if b.lost() {
		return Unknown, d.Source, nil
	}
	if !c.Candidate(d.Me, d.Source, d.Tag) && !b.cancelling() {
		return Unmet, d.Source, nil
	}
	rivals := d.rivals()
	var o offers
	b.eachOffer(rivals.from, func(send *Op) { o.count(d, rivals, send) })
	switch {
	case o.own == 0:
		return Unmet, d.Source, nil
	case o.all < rivals.need:
		return Short, rivals.from, o.senders
	case o.shared:
		return Shared, rivals.from, o.senders
	}
	return Enough, rivals.from, o.senders
}

// rivals are the receives that are posted at the member of a demand.
type rivals struct {
	need   int   // messages that the demand needs: its own and those of earlier receives that take theirs first
	from   int32 // the source of these messages, Any if not all of them have the same
	first  []*Op // receives that take their messages before the demand
	others []*Op // receives that may take a message before the demand or after it
}

func (d *Demand) rivals() *rivals {
	v := &rivals{from: d.Source}
	posted := uint64(math.MaxUint64)
	if d.Op == nil {
		v.need = 1
	} else {
		posted = d.Op.seq
	}
	d.Comm.Posted(d.Me, func(r *Op) {
		switch {
		case r == d.Op, !r.Cancelling && d.Needed[r] && d.covers(r):
			v.need++
		case !r.Cancelling && r.seq < posted && r.Call.Thread == d.Thread && d.covered(r):
			v.need += 1 + int(r.repeats)
			v.first = append(v.first, r)
			if r.Peer == Any {
				v.from = Any
			}
		default:
			v.others = append(v.others, r)
		}
	})
	return v
}

// offers counts the messages that a demand, or a receive that comes before it, may get.
type offers struct {
	own     int  // kinds of messages that the demand accepts
	all     int  // messages that the demand or an earlier receive accepts
	shared  bool // another receive accepts some of the demand's messages
	senders []int32
}

func (o *offers) count(d *Demand, v *rivals, send *Op) {
	takes := func(r *Op) bool { return r.accepts(send) }
	mine, early := d.accepts(send), slices.ContainsFunc(v.first, takes)
	if mine || early {
		o.all += 1 + int(send.repeats)
	}
	if !mine {
		return
	}
	o.own++
	o.shared = o.shared || early || slices.ContainsFunc(v.others, takes)
	if !slices.Contains(o.senders, send.Me) {
		o.senders = append(o.senders, send.Me)
	}
}

// eachOffer calls f for each message from a source (or Any) that a receive may still get. That includes a message that
// is matched with a receive for which MPI_Cancel was called: if the receive is cancelled, another one gets the message.
func (b *mailbox) eachOffer(from int32, f func(send *Op)) {
	offer := func(p *pair) {
		for send := p.sends.head; send != nil; send = send.next {
			f(send)
		}
		for _, r := range p.tentative {
			if r.Cancelling {
				f(r.partner)
			}
		}
	}
	if from == Any {
		b.each(func(_ int32, p *pair) { offer(p) })
	} else if p := b.existing(from); p != nil {
		offer(p)
	}
}

// cancelling reports whether a receive has its message and may still turn out to be cancelled, because MPI_Cancel was
// called for it.
func (b *mailbox) cancelling() (found bool) {
	some := func(p *pair) bool { return slices.ContainsFunc(p.tentative, func(r *Op) bool { return r.Cancelling }) }
	for i := range b.dense {
		found = found || some(&b.dense[i])
	}
	for _, p := range b.sparse {
		found = found || some(p)
	}
	return found
}
