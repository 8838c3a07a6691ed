package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/buffers"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Overlap is a byte that two buffers have in common which MPI has at the same time (MPI standard, sections 2.3, 3.7.2, 3.10
// and 5.1.11).
type Overlap struct {
	// First is what MPI had before the call. Within: it is handed over by the call itself, as what it sends. Where a buffer
	// has a byte twice, both are the same.
	First, Second  Handed
	At             datatype.Overlap // its position in First and in Second
	Within, Itself bool
}

// Reads reports whether both operations only read.
func (o *Overlap) Reads() bool { return !o.First.Write && !o.Second.Write }

// Handed is a buffer that MPI has.
type Handed struct {
	// Call has the arguments: for a persistent request, it is that which made it, and By that which has started it, empty if that
	// is not known.
	Call, By match.Call
	Param    int // the buffer among those of Call
	buffers.Part
}

// ownership is what a process has handed to MPI.
type ownership struct {
	all, reads buffers.Set
	// off: functions of the program complete requests inside of MPI, so that nobody knows what is over.
	off bool
}

// held is what a request, or a call under way, has of both sets.
type held struct {
	all, reads buffers.Hold
	clashed    bool // with what another one has, and one of the two is written
}

// of returns what it has of one of the sets of its process.
func (h *held) of(o *ownership, s *buffers.Set) buffers.Hold {
	if s == &o.reads {
		return h.reads
	}
	return h.all
}

// holds reports whether a process has anything under way that holds memory.
func (pr *Process) holds() bool {
	o := pr.owned
	return o != nil && (o.all.Holds() > 0 || o.reads.Holds() > 0)
}

// release takes note that MPI has given memory back.
func (pr *Process) release(h *held) {
	if *h != (held{}) {
		pr.owned.giveBack(h)
	}
}

func (o *ownership) giveBack(h *held) {
	o.all.Release(h.all)
	if h.reads != 0 {
		o.reads.Release(h.reads)
	}
	*h = held{}
}

// releaseAll takes note that nobody knows what is under way still.
func (pr *Process) releaseAll() {
	if !pr.holds() {
		return
	}
	pr.Requests(func(r *Request) { pr.release(&r.held) })
	for _, th := range pr.Threads {
		pr.release(&th.held)
	}
}

// releaseShared takes note that a request is complete, or another one of the same handle: a program may have swapped the
// variables that they are in.
func (pr *Process) releaseShared(r *Request) {
	pr.release(&r.held)
	if l := r.list; l.shared() {
		for q := l.newest; q != l.released; q = q.prev {
			pr.release(&q.held)
		}
		l.released = l.newest
	}
}

// hold gives a request the memory that its thread's call has handed over.
func (r *Request) hold(th *Thread) {
	r.held, th.held = th.held, held{}
	if r.list != nil {
		r.list.released = nil
	}
}

// handing is a call that hands memory to MPI.
type handing struct {
	th   *Thread
	p    *plan  // of the function that has the arguments
	args []byte // its record
	by   []byte // the record of the call, where that is another one
	keep bool   // the memory is MPI's beyond the call, or others may do something meanwhile
}

// keeps reports whether memory that a call hands over has to be kept in mind: because it is MPI's when the call has returned,
// or because another thread may do something before.
func (th *Thread) keeps(p *plan, c *event.Call) bool {
	return p.lends || c.State == event.Open && len(th.Process.Threads) > 1
}

// handMessage follows the buffers of a message that a call sends or receives.
func (t *Tracker) handMessage(th *Thread, p *plan, c *event.Call) {
	if !t.Owns {
		return
	}
	op, o := th.ops[0], th.Process.owned
	if p.lends && o != nil && op != nil && op.Type != nil && th.ops[1] == nil && !t.OwnReads && !o.off {
		buf := p.sendBuf
		if !op.Send && p.recvBuf.At != 0 {
			buf = p.recvBuf
		}
		if th.held.all = o.all.Again(buf.Handle(c.Raw()), op.Count, op.Type.Type, !op.Send); th.held.all != 0 {
			return // as the last time
		}
	}
	t.handBuffers(th, p, c)
}

func (t *Tracker) handBuffers(th *Thread, p *plan, c *event.Call) {
	keep := th.keeps(p, c)
	ops := &th.ops
	if !keep && !th.Process.holds() && ops[1] == nil && (ops[0] == nil || ops[0].Send || ops[0].Type == nil || ops[0].Type.Permanent) {
		return
	}
	h := handing{th: th, p: p, args: c.Raw(), keep: keep}
	if ops[1] != nil {
		t.handBoth(&h, ops[0], ops[1])
	} else if ops[0] != nil {
		t.handOne(&h, ops[0])
	}
}

// handOne hands over the buffer of an operation.
func (t *Tracker) handOne(h *handing, op *match.Op) {
	part := buffers.Part{Buffer: datatype.Buffer{Count: op.Count, Type: op.Type.Of()}, Write: !op.Send}
	if op.Send || h.p.recvBuf.At == 0 {
		part.Base = h.p.sendBuf.Handle(h.args)
	} else {
		part.Base = h.p.recvBuf.Handle(h.args)
	}
	t.hand(h, &part)
}

// handBoth hands over the buffers of a call that sends and receives.
func (t *Tracker) handBoth(h *handing, send, recv *match.Op) {
	if send == nil || h.p.recvBuf.At == 0 { // MPI_Sendrecv_replace
		t.handOne(h, recv)
		return
	}
	a := buffers.Part{Buffer: datatype.Buffer{Base: h.p.sendBuf.Handle(h.args), Count: send.Count, Type: send.Type.Of()}}
	b := buffers.Part{Buffer: datatype.Buffer{Base: h.p.recvBuf.Handle(h.args), Count: recv.Count, Type: recv.Type.Of()}, Write: true}
	if !t.handWithin(h, &a, &b) {
		t.hand(h, &a)
	}
	t.hand(h, &b)
}

// handWithin looks whether two buffers of one call overlap.
func (t *Tracker) handWithin(h *handing, a, b *buffers.Part) bool {
	fromA, toA := a.Bounds()
	fromB, toB := b.Bounds()
	if fromA >= toB || fromB >= toA || fromA >= toA || fromB >= toB || max(fromA, fromB) < buffers.Lowest {
		return false
	}
	at, ok := datatype.FirstOverlap(a.Buffer, b.Buffer)
	if ok {
		t.overlap(h, &Overlap{First: h.handed(a), Second: h.handed(b), At: at, Within: true})
	}
	return ok
}

// hand looks whether a buffer that a call hands over is MPI's already, and keeps it in mind.
func (t *Tracker) hand(h *handing, part *buffers.Part) {
	pr := h.th.Process
	if part.Count <= 0 || pr.Lost {
		return
	}
	if !h.keep && !pr.holds() {
		if part.Write {
			if at, twice := part.Twice(); twice {
				t.overlap(h, &Overlap{First: h.handed(part), Second: h.handed(part), At: at, Itself: true})
			}
		}
		return
	}
	o := pr.owned
	switch {
	case o == nil:
		o = &ownership{reads: buffers.Set{Exclusive: true}}
		pr.owned = o
	case o.off:
		return
	}
	t.handTo(h, &o.all, &h.th.held.all, part)
	if t.OwnReads && !part.Write {
		t.handTo(h, &o.reads, &h.th.held.reads, part)
	}
}

func (t *Tracker) handTo(h *handing, s *buffers.Set, held *buffers.Hold, part *buffers.Part) {
	var c *buffers.Clash
	if h.keep {
		var one buffers.Hold
		if one, c = s.Hold(part); one != 0 {
			*held = s.Join(*held, one)
		}
	} else {
		c = s.Look(part)
	}
	if c == nil {
		return
	}
	h.th.held.clashed = h.th.held.clashed || h.keep && s == &h.th.Process.owned.all
	o := Overlap{Second: h.handed(part), At: c.At, Itself: c.With == 0}
	if o.First = o.Second; !o.Itself {
		var ok bool
		if o.First, ok = t.holder(h.th.Process, s, c); !ok {
			return
		}
	}
	t.overlap(h, &o)
}

// handed describes a buffer of the call.
func (h *handing) handed(part *buffers.Part) Handed {
	d := Handed{Call: h.th.call(h.args), Param: bufferParam(h.p.fn, part.Write), Part: *part}
	if h.by != nil {
		d.By = h.th.call(h.by)
	}
	return d
}

// bufferParam returns which parameter of a function is the buffer that is read or written.
func bufferParam(f *mpiapi.Func, write bool) int {
	i := f.Arg(mpiapi.SendBuf)
	if recv := f.Arg(mpiapi.RecvBuf); recv >= 0 && (write || i < 0) {
		i = recv
	}
	return max(i, 0) // MPI_Buffer_attach
}

// holder describes the buffer that another one clashes with.
func (t *Tracker) holder(pr *Process, s *buffers.Set, c *buffers.Clash) (d Handed, ok bool) {
	o := pr.owned
	number := ^uint64(0)
	pr.Requests(func(r *Request) {
		if !s.Has(r.held.of(o, s), c.With) {
			return
		}
		r.held.clashed = r.held.clashed || s == &o.all
		if r.Number < number {
			number, d.Call = r.Number, r.Made.Clone()
		}
	})
	for _, th := range pr.Threads {
		if len(d.Call.Raw) == 0 && th.Open.Func != nil && s.Has(th.held.of(o, s), c.With) {
			d.Call = th.call(th.Open.Call.Raw())
		}
	}
	if b := t.attached[pr]; b != nil && len(d.Call.Raw) == 0 && s.Has(b.held.of(o, s), c.With) {
		d.Call = b.call
	}
	for _, v := range pr.files {
		if v.splits != nil && len(d.Call.Raw) == 0 && s.Has(v.splits.held.of(o, s), c.With) {
			d.Call = v.splits.active
		}
	}
	if len(d.Call.Raw) == 0 {
		return d, false
	}
	d.Part, d.Param = c.Other, bufferParam(mpiapi.ByID(d.Call.Func()), c.Other.Write)
	return d, true
}

// overlap tells of an overlap.
func (t *Tracker) overlap(h *handing, o *Overlap) {
	rec := h.args
	if h.by != nil {
		rec = h.by
	}
	if o.Within && h.th.Explained == Unexplained {
		h.th.Explained = ByOverlap
	}
	h.th.held.clashed = h.th.held.clashed || o.Within && h.keep // MPI itself overwrites what it sends
	t.Events.Overlapped.Publish(Overlapped{h.th, h.th.call(rec), o})
}

// lendNothing has the process's memory not looked at any more.
func (pr *Process) lendNothing() {
	if pr.owned == nil {
		pr.owned = new(ownership)
	}
	pr.owned.off = true
}

// leaveSplit follows the beginning and the end of a split collective: in between the buffer is MPI's.
func (t *Tracker) leaveSplit(th *Thread, p *plan, rc int32) {
	if !p.lends && !p.ends || th.view == nil || th.view.splits == nil {
		return
	}
	s := th.view.splits
	th.Process.release(&s.held)
	if p.lends && rc == 0 {
		s.held, th.held = th.held, held{}
	}
}

// attached is the buffer for buffered sends that a process has attached.
type attached struct {
	call match.Call // that attached it
	held held
}

// attach follows MPI_Buffer_attach and MPI_Buffer_detach: the memory in between is MPI's.
func (t *Tracker) attach(th *Thread, p *plan, c *event.Call) {
	if !t.Owns {
		return
	}
	if b := t.attached[th.Process]; b != nil {
		th.Process.release(&b.held)
		delete(t.attached, th.Process)
	}
	if p.act == bufferDetach {
		return
	}
	size := c.Int(c.Func.Param("size"))
	h := handing{th: th, p: p, args: c.Raw(), keep: true}
	t.hand(&h, &buffers.Part{Buffer: datatype.Buffer{Base: c.Addr(0), Count: size, Type: memory}, Write: true})
	t.attached[th.Process] = &attached{call: th.call(c.Raw()), held: th.held}
	th.held = held{}
}

// memory is the type of what has none.
var memory = datatype.Predefined("MPI_BYTE", 1)

// handStarted follows the buffers of a persistent request that is started.
func (t *Tracker) handStarted(th *Thread, r *Request, p *plan, by []byte) {
	if !t.Owns {
		return
	}
	h := handing{th: th, p: p, args: r.Made.Raw, by: by, keep: true}
	switch {
	case r.Ops[0] != nil:
		t.handOne(&h, r.Ops[0])
	case p.hands != nil:
		if c, err := event.ParseCall(r.Made.Raw); err == nil {
			t.handCollective(&h, &c, r.View)
		}
	case p.act == precvInit && r.Partitioned != nil:
		t.handPartitions(&h, 0, p.partitions.Int(r.Made.Raw))
	}
	r.hold(th)
}

// handPartitions hands over n partitions of a partitioned message from the given one on. What is to be sent is the program's
// until it marks it ready (MPI standard, section 4.2).
func (t *Tracker) handPartitions(h *handing, first, n int64) {
	p, args := h.p, h.args
	buf, count, typ := p.sendBuf, p.count, p.typ
	if p.act == precvInit {
		buf, count, typ = p.recvBuf, p.recvCount, p.recvType
	}
	d := h.th.Process.Type(typ.Handle(args))
	each := count.Int(args)
	if d == nil || first < 0 || n <= 0 || each <= 0 || first+n > p.partitions.Int(args) {
		return
	}
	t.hand(h, &buffers.Part{
		Buffer: datatype.Buffer{Base: buf.Handle(args) + uint64(first*each*d.Extent()), Count: n * each, Type: d.Type},
		Write:  p.act == precvInit,
	})
}

// handReady follows a partition of a send that the program marks ready.
func (t *Tracker) handReady(th *Thread, r *Request, partition int64, by []byte) {
	if !t.Owns {
		return
	}
	h := handing{th: th, p: &t.plans[r.Made.Func()], args: r.Made.Raw, by: by, keep: true}
	outer := th.held
	th.held = r.held
	t.handPartitions(&h, partition, 1)
	r.hold(th)
	th.held = outer
}
