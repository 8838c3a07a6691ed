package collargs

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// filler works out the entry of one call.
type filler struct {
	plan       *Plan
	entry      *match.Entry
	call       *event.Call
	memo       *Memo
	process    Process
	member     *Member
	inPlace    uint64
	hasInPlace bool
	atRoot     bool // this member is the root
	absent     bool // the member is in the root's group, but is not the root: it passed MPI_PROC_NULL
}

func (f *filler) inter() bool { return f.member.Comm.Split != 0 }

// second reports whether the member is in the second group of an inter-communicator.
func (f *filler) second() bool { return f.inter() && int(f.member.Me) >= f.member.Comm.Split }

// fillRoot resolves the root (section 6.2.3 for inter-communicators).
func (f *filler) fillRoot() {
	c, v := f.member.Comm, int64(int32(f.call.Int(f.plan.root)))
	if f.inter() {
		if self, ok := f.process.Constant("MPI_ROOT"); ok && v == self {
			f.atRoot = true
			f.setRoot(f.member.Me)
			return
		}
		if null, ok := f.process.Constant("MPI_PROC_NULL"); ok && v == null {
			f.absent = true
			return
		}
	}
	if v < 0 || v >= int64(c.Peers(f.member.Me)) {
		f.absent = true // invalid: it is not a member's number
		f.entry.Values[match.Root] = 1<<40 | uint64(uint32(v))
		return
	}
	root := c.PeerBase(f.member.Me) + int32(v)
	f.atRoot = root == f.member.Me
	f.setRoot(root)
}

func (f *filler) setRoot(m int32) {
	f.entry.Root = m
	f.entry.Values[match.Root] = uint64(m) + 1
}

// takesPart reports whether the member's arguments are significant. They are not if it passes MPI_PROC_NULL as the
// root.
func (f *filler) takesPart() bool { return !f.absent }

// passes reports whether parameter i is MPI_IN_PLACE.
func (f *filler) passes(i int) bool {
	return i >= 0 && f.hasInPlace && f.call.Addr(i) == f.inPlace
}

// checkInPlace checks where MPI_IN_PLACE is passed (column inplace). On an inter-communicator, it is not allowed at
// all.
func (f *filler) checkInPlace() {
	p, e := f.plan, f.entry
	if p.data == none {
		return
	}
	place, other := f.passes(p.place), f.passes(p.other)
	if p.fn.InPlace == mpiapi.InPlaceAll && !f.inter() {
		e.Values[match.InPlace] = 1
		if place {
			e.Values[match.InPlace] = 2
		}
	}
	if !place && !other || !f.takesPart() {
		return
	}
	switch {
	case f.inter() || p.fn.InPlace == mpiapi.NotInPlace:
		e.Misplaced = true
	case p.fn.InPlace == mpiapi.InPlaceRoot && place && !f.atRoot:
		e.Misplaced = true
	default:
		e.Misplaced = other && (!p.fn.Params[p.other].AtRoot || f.atRoot)
	}
	if e.Misplaced {
		e.Values[match.InPlace] = 0 // one mistake at a time
	}
}

func (f *filler) side(count, typ int) match.Side {
	return match.Side{Count: f.call.Int(count), Type: f.process.Type(f.call.Handle(typ))}
}

func (f *filler) sendSide() match.Side { return f.side(f.plan.sendCount, f.plan.sendType) }
func (f *filler) recvSide() match.Side { return f.side(f.plan.recvCount, f.plan.recvType) }

// data notes that the member sends or expects data with this signature. The data go to or come from all members.
func (f *filler) data(a match.Aspect, s match.Side) {
	v := f.memo.value(s)
	e := f.entry
	switch {
	case v == 0:
	case e.Values[a] == 0:
		e.Values[a], e.Sides[a-match.Data] = v, s
	case e.Values[a] != v:
		e.Other, e.Torn = s, true
	}
}

func (f *filler) everybody() {
	if f.takesPart() {
		f.data(match.Data, f.sendSide())
	}
}

func (f *filler) toRoot() {
	if !f.takesPart() {
		return
	}
	if !(f.atRoot && (f.inter() || f.passes(f.plan.sendBuf))) {
		f.data(match.Data, f.sendSide())
	}
	if f.atRoot {
		f.data(match.Data, f.recvSide())
	}
}

func (f *filler) fromRoot() {
	if !f.takesPart() {
		return
	}
	if f.atRoot {
		f.data(match.Data, f.sendSide())
	}
	if !(f.atRoot && (f.inter() || f.passes(f.plan.recvBuf))) {
		f.data(match.Data, f.recvSide())
	}
}

// ways returns the aspects of the data that the member's group sends and receives.
func (f *filler) ways() (send, recv match.Aspect) {
	switch {
	case !f.inter():
		return match.Data, match.Data
	case f.second():
		return match.DataBack, match.Data
	}
	return match.Data, match.DataBack
}

func (f *filler) allToAll() {
	send, recv := f.ways()
	if !f.passes(f.plan.sendBuf) {
		f.data(send, f.sendSide())
	}
	f.data(recv, f.recvSide())
}

func (f *filler) block() {
	s := f.side(f.plan.recvCount, f.plan.sendType)
	if f.inter() { // both groups reduce the same number of elements; each group distributes them among its own members
		from, to := f.member.Comm.Group(f.member.Me)
		s.Count *= int64(to - from)
	}
	f.data(match.Data, s)
}

// counts returns an array of counts at entry.
func (f *filler) counts(i int) (event.Array, bool) { return f.call.In(i) }

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// vector notes the counts of MPI_Reduce_scatter. All members of a group must pass the same counts.
func (f *filler) vector() {
	counts, ok := f.counts(f.plan.recvCount)
	typ := f.process.Type(f.call.Handle(f.plan.sendType))
	if !ok || typ == nil {
		return
	}
	h := uint64(counts.Len()) + 1
	for i := range counts.Len() {
		v := f.memo.value(match.Side{Count: counts.At(i), Type: typ})
		if v == 0 {
			return
		}
		h = mix(h, v)
	}
	a := match.Counts
	if f.second() {
		a = match.CountsBack
	}
	f.entry.Values[a] = h
	f.entry.Sides[0] = match.Side{Count: sum(counts), Type: typ}
	if f.inter() { // both groups reduce the same number of elements
		f.data(match.Data, f.entry.Sides[0])
	}
}

func sum(a event.Array) (n int64) {
	for i := range a.Len() {
		n += a.At(i)
	}
	return n
}

// part notes the data that go to, or come from, one member.
func (f *filler) part(peer int32, out bool, s match.Side) {
	e := f.entry
	if peer < 0 || e.Unsure {
		return
	}
	v := f.memo.value(s)
	switch v {
	case 0:
		e.Unsure = true
		return
	case empty:
		return
	}
	if out {
		e.Sum += mix(mix(mix(v, uint64(f.member.Me)+1), uint64(peer)+1), 1)
	} else {
		e.Sum -= mix(mix(mix(v, uint64(peer)+1), uint64(f.member.Me)+1), 1)
	}
	e.Parts = append(e.Parts, match.Part{Peer: peer, Out: out, Side: s})
}

// sides calls each for the elements of an array of counts, with one datatype for all elements or with an array of
// datatypes.
func (f *filler) sides(count, typ int, each func(i int, s match.Side)) {
	counts, ok := f.counts(count)
	if !ok {
		f.entry.Unsure = true
		return
	}
	if f.plan.fn.Params[typ].Length == "" {
		t := f.process.Type(f.call.Handle(typ))
		for i := range counts.Len() {
			each(i, match.Side{Count: counts.At(i), Type: t})
		}
		return
	}
	types, ok := f.call.In(typ)
	if !ok || types.Len() < counts.Len() {
		f.entry.Unsure = true
		return
	}
	for i := range counts.Len() {
		if counts.At(i) != 0 {
			each(i, match.Side{Count: counts.At(i), Type: f.process.Type(types.Handle(i))})
		}
	}
}

func (f *filler) toRootParts() {
	e := f.entry
	e.Pairwise = true
	if !f.takesPart() {
		return
	}
	base := f.member.Comm.PeerBase(f.member.Me)
	own := f.atRoot && (f.inter() || f.passes(f.plan.sendBuf))
	if !own {
		f.part(e.Root, true, f.sendSide())
	}
	if f.atRoot {
		f.sides(f.plan.recvCount, f.plan.recvType, func(i int, s match.Side) {
			if peer := base + int32(i); peer != f.member.Me || !own {
				f.part(peer, false, s)
			}
		})
	}
}

func (f *filler) fromRootParts() {
	e := f.entry
	e.Pairwise = true
	if !f.takesPart() {
		return
	}
	base := f.member.Comm.PeerBase(f.member.Me)
	own := f.atRoot && (f.inter() || f.passes(f.plan.recvBuf))
	if f.atRoot {
		f.sides(f.plan.sendCount, f.plan.sendType, func(i int, s match.Side) {
			if peer := base + int32(i); peer != f.member.Me || !own {
				f.part(peer, true, s)
			}
		})
	}
	if !own {
		f.part(e.Root, false, f.recvSide())
	}
}

// gatherParts notes the parts of MPI_Allgatherv. Within a group, all members pass the same vector of the data that they
// receive. So each member needs to compare only its own part of the vector with the data that it sends.
func (f *filler) gatherParts() {
	e, c := f.entry, f.member.Comm
	if f.inter() {
		e.Pairwise = true
		base := c.PeerBase(f.member.Me)
		for i := range c.Peers(f.member.Me) {
			f.part(base+int32(i), true, f.sendSide())
		}
		f.sides(f.plan.recvCount, f.plan.recvType, func(i int, s match.Side) { f.part(base+int32(i), false, s) })
		return
	}
	h, known := uint64(1), true
	f.sides(f.plan.recvCount, f.plan.recvType, func(i int, s match.Side) {
		v := f.memo.value(s)
		known = known && v != 0
		h = mix(h, v)
		if int32(i) != f.member.Me {
			return
		}
		e.Sides[0] = s
		if !f.passes(f.plan.sendBuf) {
			e.Other = f.sendSide()
			w := f.memo.value(e.Other)
			e.Torn = v != 0 && w != 0 && v != w
		}
	})
	if known && !e.Unsure {
		e.Values[match.Counts] = h
	}
}

func (f *filler) pairs() {
	p, e := f.plan, f.entry
	e.Pairwise = true
	base := f.member.Comm.PeerBase(f.member.Me)
	count, typ := p.sendCount, p.sendType
	if f.passes(p.sendBuf) {
		count, typ = p.recvCount, p.recvType // the received data replace the sent data
	}
	f.sides(count, typ, func(i int, s match.Side) { f.part(base+int32(i), true, s) })
	f.sides(p.recvCount, p.recvType, func(i int, s match.Side) { f.part(base+int32(i), false, s) })
}

// neighbours notes the data that go along the edges of the topology (section 8.6).
func (f *filler) neighbours() {
	p, e := f.plan, f.entry
	e.Pairwise = true
	if !f.member.Known {
		e.Unsure = true
		return
	}
	along := func(peers []int32, out bool, count, typ int) {
		if p.fn.Params[count].Length == "" {
			for _, peer := range peers {
				f.part(peer, out, f.side(count, typ))
			}
			return
		}
		f.sides(count, typ, func(i int, s match.Side) {
			if i < len(peers) {
				f.part(peers[i], out, s)
			}
		})
	}
	along(f.member.Destinations, true, p.sendCount, p.sendType)
	along(f.member.Sources, false, p.recvCount, p.recvType)
}
