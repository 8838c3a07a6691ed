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

// Supply says what is on its way for a demand.
type Supply uint8

// The supplies.
const (
	Unmet   Supply = iota // nothing
	Short                 // less than what the receives need that are served before it or with it: one of them gets nothing
	Shared                // enough, but some of it may be for other receives
	Enough                // and it is for no other receive
	Unknown               // matching is given up there
)

// covered reports whether the receive r takes all that d asks for.
func (d *Demand) covered(r *Op) bool {
	return (r.Peer == Any || r.Peer == d.Source) && compatible(r.Tag, d.Tag)
}

// covers reports whether d asks for all that the receive r takes.
func (d *Demand) covers(r *Op) bool {
	return (d.Source == Any || d.Source == r.Peer) && compatible(d.Tag, r.Tag)
}

// Supply compares d with the messages that are on their way to its member. By the order of matching (MPI standard, section
// 3.5), what a thread has posted earlier takes the messages first that it accepts; and of several receives that are all
// needed each takes one. So where fewer messages can be had than there are such receives, one of them goes without (Hall's
// condition). from is the source that any further message must come from, Any for all members; senders are those whose
// messages d may get.
func (d *Demand) Supply() (s Supply, from int32, senders []int32) {
	c := d.Comm
	if c.Opaque || c.World != nil && c.World.Unsure {
		return Unknown, d.Source, nil
	}
	b := &c.boxes[d.Me]
	if b.lost() {
		return Unknown, d.Source, nil
	}
	if !c.Candidate(d.Me, d.Source, d.Tag) && !b.cancelling() {
		return Unmet, d.Source, nil
	}
	seq := uint64(math.MaxUint64)
	if d.Op != nil {
		seq = d.Op.seq
	}
	need := 0
	if d.Op == nil {
		need = 1
	}
	from = d.Source
	var first, others []*Op
	c.Posted(d.Me, func(r *Op) {
		switch {
		case r == d.Op, !r.Cancelling && d.Needed[r] && d.covers(r):
			need++
		case !r.Cancelling && r.seq < seq && r.Call.Thread == d.Thread && d.covered(r):
			need += 1 + int(r.repeats)
			first = append(first, r)
			if r.Peer == Any {
				from = Any
			}
		default:
			others = append(others, r)
		}
	})
	own, all, shared := 0, 0, false
	offer := func(send *Op) {
		mine := (d.Source == Any || d.Source == send.Me) && compatible(d.Tag, send.Tag)
		early := slices.ContainsFunc(first, func(r *Op) bool { return r.accepts(send) })
		if mine || early {
			all += 1 + int(send.repeats)
		}
		if mine {
			own++
			shared = shared || early || slices.ContainsFunc(others, func(r *Op) bool { return r.accepts(send) })
			if !slices.Contains(senders, send.Me) {
				senders = append(senders, send.Me)
			}
		}
	}
	each := func(p *pair) {
		for send := p.sends.head; send != nil; send = send.next {
			offer(send)
		}
		for _, r := range p.tentative {
			if r.Cancelling { // if it is, what it seems to have got goes to another
				offer(r.partner)
			}
		}
	}
	if from == Any {
		b.each(func(_ int32, p *pair) { each(p) })
	} else if p := b.existing(from); p != nil {
		each(p)
	}
	switch {
	case own == 0:
		return Unmet, d.Source, nil
	case all < need:
		return Short, from, senders
	case shared:
		return Shared, from, senders
	}
	return Enough, from, senders
}

// cancelling reports whether a receive that has its message may still turn out to be cancelled, as MPI_Cancel was called
// for it.
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
