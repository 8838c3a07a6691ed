package track

import (
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/buffers"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// hands is what a function hands to MPI that is no point-to-point message: a collective, or one that reads or writes a file.
type hands struct {
	send, recv side
	exscan     bool // its result means nothing to the first process
	bcast      bool // its one buffer is written but for the root's
}

// side is one of the buffers. Its parameter is -1 if there is none.
type side struct {
	param                 int
	buf, count, typ       slot
	times                 multiple
	counts, displs, types int  // arrays, -1 if there is none
	bytes                 bool // displacements are in bytes
}

// multiple says how often a buffer has what count and datatype say.
type multiple uint8

const (
	once      multiple = iota
	perPeer            // for every process that data come from or go to
	perMember          // for every process of the local group
	perSource          // for every neighbour
	perDest
	listed // arrays say what there is for each process
	ofAll  // the sum of an array
	ofMine // the process's own element of an array
)

// movements are how often the buffers of collectives have what their counts say.
var movements = map[string][2]multiple{
	"MPI_Gather": {once, perPeer}, "MPI_Gatherv": {once, listed}, "MPI_Scatter": {perPeer, once}, "MPI_Scatterv": {listed, once},
	"MPI_Allgather": {once, perPeer}, "MPI_Allgatherv": {once, listed}, "MPI_Alltoall": {perPeer, perPeer},
	"MPI_Alltoallv": {listed, listed}, "MPI_Alltoallw": {listed, listed}, "MPI_Reduce_scatter": {ofAll, ofMine},
	"MPI_Reduce_scatter_block": {perMember, once},
	"MPI_Neighbor_allgather":   {once, perSource}, "MPI_Neighbor_allgatherv": {once, listed},
	"MPI_Neighbor_alltoall": {perDest, perSource}, "MPI_Neighbor_alltoallv": {listed, listed}, "MPI_Neighbor_alltoallw": {listed, listed},
}

// mostParts is how many parts a buffer may have that is made of several, to be looked at.
const mostParts = 1 << 16

// planHands works out what a function hands over.
func (p *plan) planHands() {
	f := p.fn
	p.sendBuf, p.recvBuf = p.address(mpiapi.SendBuf), p.address(mpiapi.RecvBuf)
	switch p.act {
	case isend, irecv, isendrecv, imrecv, icollective, otherRequest:
		p.lends = true
	}
	name := strings.TrimSuffix(f.Blocking(), "_c")
	p.lends = p.lends || strings.HasSuffix(name, "_begin")
	p.ends = strings.HasSuffix(name, "_end")
	for i := range f.Params {
		p.runs = p.runs || f.Params[i].Frees() || f.Params[i].Kind == mpiapi.Keyval
	}
	switch {
	case f.Arg(mpiapi.SendBuf) < 0 && f.Arg(mpiapi.RecvBuf) < 0:
		return
	case f.Class == mpiapi.IO || f.Base == mpiapi.IDReduceLocal:
	case f.Class != mpiapi.Collective && f.Class != mpiapi.Icollective && f.Class != mpiapi.CollectiveInit:
		return
	}
	if p.ends {
		return
	}
	h := &hands{exscan: name == "MPI_Exscan", bcast: name == "MPI_Bcast"}
	times := movements[name]
	h.send = newSide(f, times[0], mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendDispls, mpiapi.SendType)
	h.recv = newSide(f, times[1], mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvDispls, mpiapi.RecvType)
	p.hands = h
}

func newSide(f *mpiapi.Func, n multiple, buf, count, displs, typ mpiapi.Role) side {
	s := side{param: f.Arg(buf), times: n, counts: -1, displs: -1, types: -1}
	if s.param < 0 {
		return s
	}
	arg := func(roles ...mpiapi.Role) int {
		for _, r := range roles {
			if i := f.Arg(r); i >= 0 {
				return i
			}
		}
		return -1
	}
	value := func(i int) slot { return slot{At: f.Params[i].Layout.At, Wide: f.Params[i].Layout.Wide} }
	s.buf = slot{At: f.Params[s.param].Layout.At, Wide: true}
	// Reductions have one count and one datatype for both sides.
	i := arg(count, mpiapi.SendCount, mpiapi.RecvCount)
	if f.Params[i].Length == "" {
		s.count = value(i)
	} else {
		s.counts = i
	}
	if i = arg(typ, mpiapi.SendType, mpiapi.RecvType); f.Params[i].Length == "" {
		s.typ = value(i)
	} else {
		s.types = i
	}
	if i = arg(displs); i >= 0 {
		s.displs = i
		s.bytes = s.types >= 0
	}
	return s
}

// piece is what a call has for one of its buffers.
type piece struct {
	buffers.Part
	there    bool
	from, to uint64
	list     *side // it is made of several parts, and has no type yet
	tidy     bool  // no byte is there twice
	mine     int   // one more than the number of the part that is the process's own, and in its place already; 0: none is
}

// handCall follows the buffers of a collective, or of a call that reads or writes a file.
func (t *Tracker) handCall(th *Thread, p *plan, c *event.Call, v *View) {
	h := handing{th: th, p: p, args: c.Raw(), keep: th.keeps(p, c)}
	if h.keep || th.Process.holds() || !th.Process.alone(p, c.Raw(), v) {
		t.handCollective(&h, c, v)
	}
}

// alone reports whether only one of the buffers of a call means anything, and can't have a byte twice.
func (pr *Process) alone(p *plan, rec []byte, v *View) bool {
	f, hs := p.fn, p.hands
	s := &hs.recv
	switch {
	case hs.recv.param < 0:
		s = &hs.send
	case hs.send.param < 0:
	case v == nil || v.Split != 0 || p.root.At == 0 || int32(p.root.Int(rec)) == v.Me:
		return false
	case f.Params[hs.recv.param].AtRoot:
		return true // it sends
	}
	if s.times == listed || s.typ.At == 0 {
		return false
	}
	d := pr.Type(s.typ.Handle(rec))
	return d != nil && d.Permanent
}

func (t *Tracker) handCollective(h *handing, c *event.Call, v *View) {
	s, r, all := t.pieces(h.th, h.p, c, v)
	pr := h.th.Process
	busy := h.keep || pr.holds()
	clash := false
	if busy && r.there && r.mine > 0 && r.list == nil {
		all = r.leave(v)
	}
	if s.there && r.there && s.from < r.to && r.from < s.to && max(s.from, r.from) >= buffers.Lowest {
		clash = pr.build(c, &s) && pr.build(c, &r) && t.handWithin(h, &s.Part, &r.Part)
	}
	if s.there && busy && !clash && pr.build(c, &s) {
		t.hand(h, &s.Part)
	}
	if all.there && busy { // what is taken from the receive buffer before the result is put there
		look := *h
		look.keep = false
		t.hand(&look, &all.Part)
	}
	if r.there && (busy || !r.tidy) && pr.build(c, &r) {
		t.hand(h, &r.Part)
	}
}

// pieces returns what a call hands over: what it sends, what it receives, and what of the place where it receives it only
// reads.
func (t *Tracker) pieces(th *Thread, p *plan, c *event.Call, v *View) (s, r, all piece) {
	pr, hs, rec := th.Process, p.hands, c.Raw()
	part, ok := pr.PartOn(v, c)
	if !ok {
		return
	}
	means := func(side *side) bool {
		return side.param >= 0 && collargs.Significant(c, side.param, part, pr.inPlace, pr.hasInPlace)
	}
	inPlace := func(side *side) bool { return pr.hasInPlace && side.buf.Handle(rec) == pr.inPlace }
	if means(&hs.send) && !(part.Between && part.Root && hs.recv.param >= 0) && !inPlace(&hs.send) {
		s = t.piece(pr, c, v, &hs.send)
		s.Write = hs.bcast && !part.Root
		if s.Write { // it is received
			return piece{}, s, all
		}
	}
	first := hs.exscan && (v == nil || v.Me == 0)
	if means(&hs.recv) && !first && !inPlace(&hs.recv) {
		r = t.piece(pr, c, v, &hs.recv)
		r.Write = true
		if n := hs.send.times; hs.send.param >= 0 && inPlace(&hs.send) && (n == ofAll || n == perMember) {
			from := hs.send
			from.buf = hs.recv.buf
			all = t.piece(pr, c, v, &from)
		} else if n == once && hs.recv.times != once && hs.send.param >= 0 && inPlace(&hs.send) && v != nil && v.Split == 0 {
			r.mine = int(v.Me) + 1
		}
	}
	return s, r, all
}

// piece works out one of the buffers of a call.
func (t *Tracker) piece(pr *Process, c *event.Call, v *View, s *side) (b piece) {
	rec := c.Raw()
	b.Base = s.buf.Handle(rec)
	if s.times == listed {
		pr.list(c, v, s, &b)
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
		if v == nil || v.topology == nil {
			return piece{}
		}
		neighbours := v.topology.neighbours(s.times == perSource)
		for _, n := range neighbours {
			if n < 0 { // there is a place for MPI_PROC_NULL, which nobody touches
				return b.skipping(neighbours)
			}
		}
		b.Count *= int64(len(neighbours))
	}
	return b.whole()
}

// leave takes the process's own part, which is only read, out of what it gathers from all, and returns it.
func (b *piece) leave(v *View) (mine piece) {
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

// whole works out where a piece is.
func (b piece) whole() piece {
	b.from, b.to = b.Bounds()
	b.there = b.from < b.to
	return b
}

func (t *topology) neighbours(sources bool) []int32 {
	if sources {
		return t.sources
	}
	return t.destinations
}

// skipping returns b for each of the neighbours, but for those that are none.
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

// list finds out about a buffer that arrays describe without making a type of it: where it is, and whether its parts lie one
// behind the other.
func (pr *Process) list(c *event.Call, v *View, s *side, b *piece) {
	b.list, b.tidy = s, true
	if pr.plainList(c, s, b) {
		return
	}
	if !pr.parts(c, v, s, func(at, count int64, d *match.Datatype) bool {
		from, to := datatype.Buffer{Base: b.Base + uint64(at), Count: count, Type: d.Of()}.Bounds()
		if from >= to {
			return true
		}
		b.tidy = b.tidy && d.Permanent && from >= b.to
		if !b.there || from < b.from {
			b.from = from
		}
		b.to, b.there = max(b.to, to), true
		return true
	}) {
		b.there = false
	}
}

// plainList is list for the usual case: one predefined datatype, and displacements that can't be too far.
func (pr *Process) plainList(c *event.Call, s *side, b *piece) bool {
	if s.types >= 0 || c.Func.Params[s.counts].Elements.Kind != mpiapi.BySize {
		return false
	}
	d := pr.Type(s.typ.Handle(c.Raw()))
	counts, ok1 := c.In(s.counts)
	displs, ok2 := c.In(s.displs)
	if d == nil || !d.Permanent || d.TrueLB != 0 || d.TrueUB != d.Extent() || !ok1 || !ok2 || counts.Wide() || displs.Wide() ||
		displs.Len() < counts.Len() || counts.Len() > mostParts {
		return false
	}
	size := uint64(d.Extent())
	for i := range counts.Len() {
		n := counts.At(i)
		if n <= 0 {
			if n < 0 {
				b.there = false
				return true
			}
			continue
		}
		from := b.Base + uint64(displs.At(i))*size
		to := from + uint64(n)*size
		b.tidy = b.tidy && from >= b.to
		if !b.there || from < b.from {
			b.from = from
		}
		b.to, b.there = max(b.to, to), true
	}
	return true
}

// parts goes through the parts of a buffer that arrays describe: displacement in bytes, count and datatype, nil if there is
// nothing. It reports whether they are known.
func (pr *Process) parts(c *event.Call, v *View, s *side, f func(at, count int64, d *match.Datatype) bool) bool {
	counts, ok1 := c.In(s.counts)
	displs, ok2 := c.In(s.displs)
	if !ok1 || !ok2 || counts.Len() > mostParts || displs.Len() < counts.Len() {
		return false
	}
	var one *match.Datatype
	var types event.Array
	if s.types < 0 {
		one = pr.Type(s.typ.Handle(c.Raw()))
	} else if types, ok1 = c.In(s.types); !ok1 || types.Len() < counts.Len() {
		return false
	}
	var neighbours []int32
	if n := c.Func.Params[s.counts].Elements; n.Kind == mpiapi.ByInDegree || n.Kind == mpiapi.ByOutDegree {
		if v == nil || v.topology == nil {
			return false
		}
		neighbours = v.topology.neighbours(n.Kind == mpiapi.ByInDegree)
	}
	for i := range counts.Len() {
		n := counts.At(i)
		if n < 0 {
			return false
		}
		if n == 0 || i < len(neighbours) && neighbours[i] < 0 {
			if !f(0, 0, nil) {
				return false
			}
			continue
		}
		d, at := one, displs.At(i)
		if s.types >= 0 {
			d = pr.Type(types.Handle(i))
		}
		if d == nil || d.Size < 0 {
			return false
		}
		if !s.bytes {
			const most = 1 << 30
			if at > most || at < -most || d.Extent() > most || d.Extent() < -most {
				return false
			}
			at *= d.Extent()
		}
		if !f(at, n, d) {
			return false
		}
	}
	return true
}

// build makes the type of a buffer that arrays describe. It reports whether it is known.
func (pr *Process) build(c *event.Call, b *piece) bool {
	if b.list == nil || b.Type != nil {
		return b.Type != nil
	}
	var v *View
	if i := c.Func.Arg(mpiapi.TheComm); i >= 0 {
		v = pr.View(c.Handle(i))
	}
	var lens, at []int64
	var types []*datatype.Type
	var one *datatype.Type
	if !pr.parts(c, v, b.list, func(displ, count int64, d *match.Datatype) bool {
		old := memory
		if d != nil {
			old, one = d.Type, d.Type
		}
		if len(lens) == b.mine-1 {
			count = 0
		}
		lens, at, types = append(lens, count), append(at, displ), append(types, old)
		return true
	}) {
		return false
	}
	var err error
	if b.list.types < 0 && one != nil {
		b.Type, err = datatype.Hindexed(lens, at, one)
	} else {
		b.Type, err = datatype.Struct(lens, at, types)
	}
	if err != nil || b.Type == nil || b.Type.Size < 0 {
		b.Type = nil
		return false
	}
	b.Count = 1
	return true
}
