package buffers

import (
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// mostParts is how many parts a buffer may have. Buffers with more are not followed.
const mostParts = 1 << 16

// piece is one of the buffers of a call.
type piece struct {
	memory.Part
	there    bool
	from, to uint64 // its bounds
	list     *side  // if not nil, arrays describe several parts, and the buffer has no type yet
	tidy     bool   // no byte is there twice
	// mine is one more than the number of the process's own part if that part is already in its place (MPI_IN_PLACE).
	// Otherwise it is 0.
	mine int
}

// beganCollective follows the buffers of a collective, or of a call that reads or writes a file.
func (b *Buffers) beganCollective(th *track.Thread, p *plan, c *event.Call, v *track.View) {
	pr := th.Process
	l := lending{th: th, plan: p, args: c.Raw(), keep: p.keeps(len(pr.Threads), !open(c))}
	if l.keep || pr.Lent.Busy() || !p.single(pr, c.Raw(), v) {
		b.lendCollective(&l, c, v)
	}
}

// repeated follows a blocking collective that has the same arguments as an earlier one, except for the addresses of its
// buffers.
func (b *Buffers) repeated(e track.CollectiveRepeated) {
	x, p, busy := e.Extents, &b.plans[function(e.Record)], e.Thread.Process.Lent.Busy()
	if p.sides == nil {
		x.Known, x.Sure = true, true
		return
	}
	c, err := event.ParseCall(e.Record)
	if err != nil {
		return
	}
	if !x.Known {
		*x = p.extents(e.Thread.Process, &c, e.View)
	}
	if busy || !x.Apart(p.send.Handle(e.Record), p.recv.Handle(e.Record)) {
		b.beganCollective(e.Thread, p, &c, e.View)
	}
}

// extents works out where the buffers of a collective begin and end.
func (p *plan) extents(pr *track.Process, c *event.Call, v *track.View) memory.Extents {
	x := memory.Extents{Known: true}
	s, r, kept := p.pieces(pr, c, v)
	twice := false
	if r.there && !r.tidy {
		_, twice = r.Twice()
	}
	x.Sure = !twice && !kept.there
	if s.there && r.there {
		x.Send, x.Recv = [2]uint64{s.from - s.Base, s.to - s.Base}, [2]uint64{r.from - r.Base, r.to - r.Base}
	}
	return x
}

// single reports whether only one of the buffers of a call is significant, and that buffer cannot contain a byte twice.
func (p *plan) single(pr *track.Process, rec []byte, v *track.View) bool {
	s := &p.sides.recv
	switch {
	case p.sides.recv.param < 0:
		s = &p.sides.send
	case p.sides.send.param < 0:
	case v == nil || v.Split != 0 || !p.root.Exists() || int32(p.root.Int(rec)) == v.Me:
		return false
	case p.fn.Params[p.sides.recv.param].AtRoot:
		return true // the root only sends
	}
	if s.times == listed || !s.typ.Exists() {
		return false
	}
	d := pr.Type(s.typ.Handle(rec))
	return d != nil && d.Permanent
}

// lendCollective follows the buffers of a collective, or of a call that reads or writes a file.
func (b *Buffers) lendCollective(l *lending, c *event.Call, v *track.View) {
	pr := l.th.Process
	s, r, kept := l.plan.pieces(pr, c, v)
	busy := l.keep || pr.Lent.Busy()
	clash := false
	if busy && r.there && r.mine > 0 && r.list == nil {
		kept = r.leave(v)
	}
	if s.there && r.there && s.from < r.to && r.from < s.to && max(s.from, r.from) >= memory.Lowest {
		clash = build(pr, c, &s) && build(pr, c, &r) && b.lendWithin(l, &s.Part, &r.Part)
	}
	if s.there && busy && !clash && build(pr, c, &s) {
		b.lend(l, &s.Part)
	}
	if kept.there && busy {
		look := *l
		look.keep = false
		b.lend(&look, &kept.Part)
	}
	if r.there && (busy || !r.tidy) && build(pr, c, &r) {
		b.lend(l, &r.Part)
	}
}

// pieces returns the buffers of a call: the data that it sends, the data that it receives, and the data that it reads
// from the receive buffer before it writes the result there (MPI_IN_PLACE).
func (p *plan) pieces(pr *track.Process, c *event.Call, v *track.View) (s, r, kept piece) {
	sides, rec := p.sides, c.Raw()
	part, ok := pr.PartOn(v, c)
	if !ok {
		return
	}
	place, hasPlace := pr.InPlace()
	means := func(s *side) bool {
		return s.param >= 0 && collargs.Significant(c, s.param, part, place, hasPlace)
	}
	inPlace := func(s *side) bool { return hasPlace && s.buf.Handle(rec) == place }
	if means(&sides.send) && !(part.Between && part.Root && sides.recv.param >= 0) && !inPlace(&sides.send) {
		s = newPiece(pr, c, v, &sides.send)
		s.Write = sides.bcast && !part.Root
		if s.Write { // the buffer receives the data
			return piece{}, s, kept
		}
	}
	first := sides.exscan && (v == nil || v.Me == 0)
	if means(&sides.recv) && !first && !inPlace(&sides.recv) {
		r = newPiece(pr, c, v, &sides.recv)
		r.Write = true
		if n := sides.send.times; sides.send.param >= 0 && inPlace(&sides.send) && (n == ofAll || n == perMember) {
			from := sides.send
			from.buf = sides.recv.buf
			kept = newPiece(pr, c, v, &from)
		} else if n == once && sides.recv.times != once && sides.send.param >= 0 && inPlace(&sides.send) &&
			v != nil && v.Split == 0 {
			r.mine = int(v.Me) + 1
		}
	}
	return s, r, kept
}

// newPiece works out one of the buffers of a call.
func newPiece(pr *track.Process, c *event.Call, v *track.View, s *side) (b piece) {
	rec := c.Raw()
	b.Base = s.buf.Handle(rec)
	if s.times == listed {
		b.measure(pr, c, v, s)
		return b
	}
	d := pr.Type(s.typ.Handle(rec))
	if d == nil {
		return b
	}
	b.Type, b.Count, b.tidy = d.Type, s.count.Int(rec), d.Permanent
	switch s.times {
	case once:
	case ofAll, ofMine:
		counts, ok := c.In(s.counts)
		if !ok || v == nil {
			return piece{}
		}
		b.Count = 0
		from, to := v.Group(v.Me)
		for i := range counts.Len() {
			if s.times == ofAll || i == int(v.Me-from) {
				b.Count += counts.At(i)
			}
		}
		if counts.Len() != int(to-from) {
			return piece{}
		}
	case perPeer, perMember:
		if v == nil {
			return piece{}
		}
		n := int64(v.Peers)
		if s.times == perMember {
			from, to := v.Group(v.Me)
			n = int64(to - from)
		}
		b.Count *= n
	case perSource, perDest:
		neighbours, known := v.Neighbours(s.times == perSource)
		if !known {
			return piece{}
		}
		for _, n := range neighbours {
			if n < 0 { // MPI does not touch the part of MPI_PROC_NULL
				return b.skipping(neighbours)
			}
		}
		b.Count *= int64(len(neighbours))
	}
	return b.whole()
}

// leave removes the process's own part from the buffer that gathers the data of all processes, and returns the part.
// MPI only reads it.
func (b *piece) leave(v *track.View) (mine piece) {
	n, me := int64(v.Peers), int64(b.mine-1)
	each := b.Count / n
	ext := each * b.Type.Extent()
	typ, err := datatype.Hindexed([]int64{me * each, (n - 1 - me) * each}, []int64{0, (me + 1) * ext}, b.Type)
	if err != nil || each <= 0 {
		return mine
	}
	mine = *b
	mine.Base, mine.Count, mine.Write = b.Base+uint64(me*ext), each, false
	b.Type, b.Count = typ, 1
	*b = b.whole()
	return mine.whole()
}

// whole works out the bounds of a piece.
func (b piece) whole() piece {
	b.from, b.to = b.Bounds()
	b.there = b.from < b.to
	return b
}

// skipping returns a piece that contains b once for each neighbour except MPI_PROC_NULL.
func (b piece) skipping(neighbours []int32) piece {
	if len(neighbours) > mostParts || b.Count <= 0 || b.Count > 1<<31 {
		return piece{}
	}
	var lens, at []int64
	for i, n := range neighbours {
		if n >= 0 {
			lens, at = append(lens, b.Count), append(at, int64(i)*b.Count*b.Type.Extent())
		}
	}
	typ, err := datatype.Hindexed(lens, at, b.Type)
	if err != nil {
		return piece{}
	}
	b.Type, b.Count = typ, 1
	return b.whole()
}
