// Package buffers follows which memory of each process MPI holds, and finds memory that is in use twice. A buffer
// belongs to MPI from the call that passes it until the operation is complete (MPI standard, sections 2.3 and 3.7.2).
// So the calls show which buffers are in use. These are the buffers of messages (message.go), of collectives and files
// (collective.go), of persistent and partitioned requests (request.go), and the buffer for buffered sends.
//
// Nearly every call of a program passes through here. Three things keep that cheap:
//
//   - A call that passes the same buffer as the last time is recognised by one comparison (package memory).
//   - The fast paths of package track publish nothing about a message while MPI holds no memory and the call itself
//     cannot use a byte twice.
//   - The memory that an operation holds is recorded in the request or thread itself (memory.Held), not in a map.
package buffers

import (
	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Clash is a byte that is in use twice (MPI standard, sections 2.3, 3.7.2, 3.10 and 5.1.11).
type Clash struct {
	Thread *track.Thread
	Call   match.Call // the call that passes the memory of Second
	// First was in use before. If Within is set, First is the send buffer of the same call. If Itself is set, the
	// call's buffer has the byte twice, and First and Second are the same.
	First, Second  Use
	At             datatype.Overlap // the byte's position in First and in Second
	Within, Itself bool
}

// Reads reports whether both operations only read the byte.
func (c *Clash) Reads() bool { return !c.First.Write && !c.Second.Write }

// Use is a buffer that MPI uses.
type Use struct {
	// Call has the buffer among its arguments. For a persistent request, it is the call that made the request, and By
	// is the call that started it. By is empty if that is not known.
	Call, By match.Call
	Param    int // the buffer's parameter in Call
	memory.Part
}

// Buffers knows which memory of each process MPI holds.
type Buffers struct {
	// Clashes: memory is in use twice. The event is valid until the subscriber returns. Two uses that only read the
	// memory clash only if [Buffers.WatchReads] was called.
	Clashes stream.Topic[*Clash]

	plans  []plan // by mpiapi.FuncID
	reads  bool
	others map[*track.Process]*others
}

// others is memory of a process that MPI holds without a request or an open call.
type others struct {
	attached map[track.BufferOwner]*holding // the buffers for buffered sends
	splits   []*holding                     // split collectives of files
}

// holding is a call that has returned, and the memory that MPI still holds because of it.
type holding struct {
	call match.Call
	view *track.View // the file of a split collective
	held memory.Held
}

// Fact is the memory that MPI holds.
var Fact = &analysis.Fact[*Buffers]{
	Name: "buffers in use",
	Start: func(r *analysis.Run) *Buffers {
		b := &Buffers{others: make(map[*track.Process]*others)}
		b.subscribe(&r.Tracker.Events, r.Owner)
		return b
	},
}

func (b *Buffers) subscribe(e *track.Events, o *stream.Owner) {
	var attach, splits, ends []mpiapi.FuncID
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(b.plans) {
			b.plans = append(b.plans, plan{})
		}
		p := &b.plans[f.ID]
		*p = newPlan(f)
		switch {
		case f.Act == mpiapi.ActBufferAttach, f.Act == mpiapi.ActBufferDetach:
			attach = append(attach, f.ID)
		case f.Act == mpiapi.ActCommFree, f.Act == mpiapi.ActEndSession:
			ends = append(ends, f.ID)
		case p.begins, p.ends, f.Base == mpiapi.IDFileClose:
			splits = append(splits, f.ID)
		}
	}
	e.OperationBegan.On(o, b.began)
	e.CollectiveRepeated.On(o, b.repeated)
	e.MessagePassed.On(o, b.passed)
	e.OperationLeft.On(o, func(th *track.Thread) { giveBack(th.Process, &th.Held) })
	e.RequestStarted.On(o, b.started)
	e.PartitionReady.On(o, b.ready)
	e.RequestOver.On(o, func(e track.RequestEvent) { giveBack(e.Thread.Process, &e.Request.Held) })
	e.RequestsVague.On(o, vague)
	e.CallLeft.On(o, b.leftAttach, attach...)
	e.CallEntered.On(o, b.enteredEnd, ends...)
	e.CallLeft.On(o, b.leftSplit, splits...)
}

// WatchReads makes Clashes also report memory that two operations only read.
func (b *Buffers) WatchReads() { b.reads = true }

// Clashed reports whether another operation uses the memory of a request, too, and one of the two writes it.
func Clashed(r *track.Request) bool { return r.Held.Clashed }

// keep moves the memory that the thread's call has passed to MPI to a request.
func keep(r *track.Request, th *track.Thread) { r.Held, th.Held = th.Held, memory.Held{} }

// giveBack notes that the program has got memory back from MPI.
func giveBack(p *track.Process, h *memory.Held) {
	if *h != (memory.Held{}) {
		p.Lent.GiveBack(h)
	}
}

// vague gives back all memory of a process, because it is not known any more which of its operations are complete.
func vague(e track.RequestsVague) {
	p := e.Process
	if p.Lent.Busy() {
		p.Requests(func(r *track.Request) { giveBack(p, &r.Held) })
		for _, th := range p.Threads {
			giveBack(p, &th.Held)
		}
	}
	if e.Always {
		lent(p).Unknown = true
	}
}

// lent returns the memory of a process that MPI holds. It is made when it is first needed.
func lent(p *track.Process) *memory.Lent {
	if p.Lent == nil {
		p.Lent = memory.NewLent()
	}
	return p.Lent
}

// other returns the memory of a process that MPI holds without a request or an open call.
func (b *Buffers) other(p *track.Process) *others {
	o := b.others[p]
	if o == nil {
		o = new(others)
		b.others[p] = o
	}
	return o
}

// kept returns a copy of the call in a record.
func kept(th *track.Thread, rec []byte) match.Call {
	c := match.Call{Thread: th.ID}
	c.Keep(rec)
	return c
}

// lending is a call that lends memory to MPI.
type lending struct {
	th   *track.Thread
	plan *plan  // of the function that has the arguments
	args []byte // the record of that function's call
	by   []byte // the record of the call that lends the memory, if that is another call
	keep bool   // MPI holds the memory beyond the call, or other threads may act during the call
}

// use describes a buffer of the call.
func (l *lending) use(part *memory.Part) Use {
	u := Use{Call: kept(l.th, l.args), Param: l.plan.param(part.Write), Part: *part}
	if l.by != nil {
		u.By = kept(l.th, l.by)
	}
	return u
}

// lend checks whether MPI already uses a buffer that a call passes, and remembers the buffer.
func (b *Buffers) lend(l *lending, part *memory.Part) {
	p := l.th.Process
	if part.Count <= 0 || p.Lost {
		return
	}
	if !l.keep && !p.Lent.Busy() {
		if part.Write {
			if at, twice := part.Twice(); twice {
				b.clash(l, &Clash{First: l.use(part), Second: l.use(part), At: at, Itself: true})
			}
		}
		return
	}
	m := lent(p)
	if m.Unknown {
		return
	}
	b.lendIn(l, &m.All, &l.th.Held.All, part)
	if b.reads && !part.Write {
		b.lendIn(l, &m.Reads, &l.th.Held.Reads, part)
	}
}

// lendIn does the work of lend in one of the two sets of the process.
func (b *Buffers) lendIn(l *lending, s *memory.Set, held *memory.Hold, part *memory.Part) {
	var c *memory.Clash
	if l.keep {
		var one memory.Hold
		if one, c = s.Hold(part); one != 0 {
			*held = s.Join(*held, one)
		}
	} else {
		c = s.Look(part)
	}
	if c == nil {
		return
	}
	th := l.th
	th.Held.Clashed = th.Held.Clashed || l.keep && s == &th.Process.Lent.All
	found := Clash{Second: l.use(part), At: c.At, Itself: c.With == 0}
	if found.First = found.Second; !found.Itself {
		var ok bool
		if found.First, ok = b.holder(th.Process, s, c); !ok {
			return
		}
	}
	b.clash(l, &found)
}

// holder describes the buffer that another one clashes with. ok is false if it is not known which call passed it.
func (b *Buffers) holder(p *track.Process, s *memory.Set, c *memory.Clash) (u Use, ok bool) {
	m := p.Lent
	has := func(h *memory.Held) bool { return s.Has(h.In(m, s), c.With) }
	number := ^uint64(0)
	p.Requests(func(r *track.Request) {
		if !has(&r.Held) {
			return
		}
		r.Held.Clashed = r.Held.Clashed || s == &m.All
		if r.Number < number {
			number, u.Call = r.Number, r.Made.Clone()
		}
	})
	unknown := func() bool { return len(u.Call.Raw) == 0 }
	for _, th := range p.Threads {
		if unknown() && th.Open.Func != nil && has(&th.Held) {
			u.Call = kept(th, th.Open.Call.Raw())
		}
	}
	if o := b.others[p]; o != nil {
		for _, h := range o.attached { // one at most has it: their memory does not overlap
			if unknown() && has(&h.held) {
				u.Call = h.call
			}
		}
		for _, split := range o.splits {
			if unknown() && has(&split.held) {
				u.Call = split.call
			}
		}
	}
	if unknown() {
		return u, false
	}
	u.Part, u.Param = c.Other, b.plans[u.Call.Func()].param(c.Other.Write)
	return u, true
}

// clash publishes a clash.
func (b *Buffers) clash(l *lending, c *Clash) {
	rec := l.args
	if l.by != nil {
		rec = l.by
	}
	l.th.Held.Clashed = l.th.Held.Clashed || c.Within && l.keep // MPI itself overwrites what it sends
	c.Thread, c.Call = l.th, kept(l.th, rec)
	b.Clashes.Publish(c)
}

// lendWithin checks whether two buffers of one call overlap, and publishes a clash if they do.
func (b *Buffers) lendWithin(l *lending, send, recv *memory.Part) bool {
	fromA, toA := send.Bounds()
	fromB, toB := recv.Bounds()
	if fromA >= toB || fromB >= toA || fromA >= toA || fromB >= toB || max(fromA, fromB) < memory.Lowest {
		return false
	}
	at, ok := datatype.FirstOverlap(send.Buffer, recv.Buffer)
	if ok {
		b.clash(l, &Clash{First: l.use(send), Second: l.use(recv), At: at, Within: true})
	}
	return ok
}

// leftAttach follows calls that attach and detach a buffer for buffered sends (MPI standard, section 3.6).
func (b *Buffers) leftAttach(c track.Call) {
	th, f := c.Thread, c.Call.Func
	owner, ok := th.Process.BufferOwner(c.Call)
	if !ok || c.Call.RC() != 0 {
		return
	}
	o := b.other(th.Process)
	o.detach(th.Process, owner)
	if f.Act != mpiapi.ActBufferAttach || th.Process.AutomaticBuffer(c.Call) {
		return
	}
	outer := th.Held
	th.Held = memory.Held{}
	b.lend(&lending{th: th, plan: &b.plans[f.ID], args: c.Call.Raw(), keep: true}, &memory.Part{
		Buffer: datatype.Buffer{
			Base: c.Call.Addr(f.Param("buffer")), Count: c.Call.Int(f.Param("size")), Type: bytes,
		},
		Write: true,
	})
	if o.attached == nil {
		o.attached = make(map[track.BufferOwner]*holding)
	}
	o.attached[owner] = &holding{call: c.Kept(), held: th.Held}
	th.Held = outer
}

// enteredEnd follows calls that free a communicator or finalize a session. They detach its buffer.
func (b *Buffers) enteredEnd(c track.Call) {
	p := c.Thread.Process
	o := b.others[p]
	if o == nil || len(o.attached) == 0 {
		return
	}
	if owner, ok := p.EndingOwner(c.Call); ok {
		o.detach(p, owner)
	}
}

// detach notes that a buffer for buffered sends is not attached any more.
func (o *others) detach(p *track.Process, owner track.BufferOwner) {
	if h := o.attached[owner]; h != nil {
		giveBack(p, &h.held)
		delete(o.attached, owner)
	}
}

// bytes is the type of memory that has no datatype.
var bytes = datatype.Predefined("MPI_BYTE", 1)

// leftSplit follows the beginning and the end of a split collective (MPI standard, section 14.4.5): MPI holds the
// buffer in between.
func (b *Buffers) leftSplit(c track.Call) {
	th := c.Thread
	p, rc := &b.plans[c.Call.Func.ID], c.Call.RC()
	v, _ := th.Joined()
	if v == nil || !p.begins && !p.ends && rc != 0 { // MPI_File_close has failed
		return
	}
	o := b.other(th.Process)
	for i, s := range o.splits {
		if s.view == v {
			giveBack(th.Process, &s.held)
			o.splits = append(o.splits[:i], o.splits[i+1:]...)
			break
		}
	}
	if p.begins && rc == 0 {
		o.splits = append(o.splits, &holding{call: c.Kept(), view: v, held: th.Held})
		th.Held = memory.Held{}
	}
}

// open reports whether a call has not returned.
func open(c *event.Call) bool { return c.State == event.Open }
