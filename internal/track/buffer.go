package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// BufferError is what is wrong with a call that concerns the buffer for buffered sends (MPI standard, section 3.6).
type BufferError struct {
	Wrong BufferMisuse
	// Message is how long the message of a buffered send is, in bytes; -1 if that is not known. Overhead is what every
	// message needs besides, MPI_BSEND_OVERHEAD.
	Message, Overhead int64
	Size              int64      // of the buffer that is attached, or is to be
	Attached          match.Call // the call that attached the buffer which is there, empty if there is none
	// Earlier are the bytes that earlier messages of the process to itself take, which it certainly has not received.
	Earlier int64
}

// BufferMisuse says what is wrong with the use of the buffer.
type BufferMisuse uint8

// The misuses.
const (
	NoBuffer      BufferMisuse = iota // a buffered send without one
	TooLong                           // the message alone does not fit
	BufferFull                        // the message does not fit besides others
	AttachedTwice                     // a second buffer is attached
	NotAttached                       // there is none to detach
	NegativeSize                      // of a buffer that is attached
	UselessSize                       // of a buffer in which no message has room
)

// attached is the buffer of a process.
type attached struct {
	size int64
	call match.Call
	own  []ownSend // to the process itself
	held held
}

// ownSend is a buffered send of a process to itself that it may not have received yet.
type ownSend struct {
	op   *match.Op
	size int64
}

// overhead returns MPI_BSEND_OVERHEAD, 0 if it is not known.
func (p *Process) overhead() int64 {
	n, _ := p.names.constant("MPI_BSEND_OVERHEAD")
	return n
}

func (t *Tracker) misused(th *Thread, rec []byte, e BufferError) {
	th.Explained = ByBuffer
	e.Overhead = th.Process.overhead()
	if b := t.buffers[th.Process]; b != nil {
		e.Attached = b.call
	}
	t.Events.WrongBuffer.Publish(WrongBuffer{th, th.call(rec), &e})
}

// sendBuffered looks whether there is room for a buffered send that begins by the call in rec; p and args are the plan and
// the record of the call that says what is sent, which for a persistent request is an earlier one.
func (t *Tracker) sendBuffered(th *Thread, rec []byte, p *plan, args []byte) {
	pr := th.Process
	v := pr.View(p.comm.Handle(args))
	if v == nil || pr.Lost {
		return
	}
	if _, ok := v.peer(p.dest.Int(args)); !ok {
		return // MPI_PROC_NULL takes no room
	}
	e := BufferError{Message: messageSize(pr, p, args)}
	b := t.buffers[pr]
	if b == nil {
		e.Wrong = NoBuffer
		t.misused(th, rec, e)
		return
	}
	if e.Size = b.size; e.Message < 0 {
		return
	}
	need := e.Message + pr.overhead()
	e.Earlier = t.ownUnreceived(b)
	switch {
	case need > b.size:
		e.Wrong = TooLong
	case need+e.Earlier > b.size && !pr.Multiple && len(pr.Threads) == 1:
		e.Wrong = BufferFull
	default:
		return
	}
	t.misused(th, rec, e)
}

// messageSize returns how many bytes a send has, which is the least that MPI_Pack_size may return; -1 if it is not known.
func messageSize(pr *Process, p *plan, args []byte) int64 {
	op := match.Op{Count: p.count.Int(args), Type: pr.Type(p.typ.Handle(args))}
	if n, ok := op.Use().Bytes(); ok && op.Count >= 0 {
		return n
	}
	return -1
}

// ownUnreceived returns how much room is taken by messages that the process has sent itself and not received.
func (t *Tracker) ownUnreceived(b *attached) (n int64) {
	kept := b.own[:0]
	for _, s := range b.own {
		if s.op.Matched || s.op.Removed || s.op.Unknown() || s.op.Expected() {
			t.Match.Forget(s.op)
			continue
		}
		kept = append(kept, s)
		n += s.size
	}
	b.own = kept
	return n
}

// keepOwn remembers a buffered send of a process to itself.
func (t *Tracker) keepOwn(th *Thread, op *match.Op) {
	b := t.buffers[th.Process]
	if op == nil || b == nil || op.Peer != op.Me || op.Matched {
		return
	}
	if n, ok := op.Use().Bytes(); ok {
		op.Retain()
		b.own = append(b.own, ownSend{op, n + th.Process.overhead()})
	}
}

// useBuffer looks at a call that concerns the buffer when it is made.
func (t *Tracker) useBuffer(th *Thread, p *plan, c *event.Call) {
	rec, pr := c.Raw(), th.Process
	switch p.act {
	case bufferAttach, bufferDetach:
		t.enterBuffer(th, p, c)
	case start:
		if q, args := t.bufferedRequest(pr, p.request.Handle(rec), p.requestBefore.Handle(rec)); q != nil {
			t.sendBuffered(th, rec, q, args)
		}
	case startall:
		base := p.request.Handle(rec)
		reqs, _ := c.In(p.requests)
		for i := range reqs.Len() {
			if q, args := t.bufferedRequest(pr, base+uint64(i)*pr.requestSize, reqs.Handle(i)); q != nil {
				t.sendBuffered(th, rec, q, args)
			}
		}
	default:
		t.sendBuffered(th, rec, p, rec)
	}
}

// enterBuffer follows MPI_Buffer_attach and MPI_Buffer_detach when they are called.
func (t *Tracker) enterBuffer(th *Thread, p *plan, c *event.Call) {
	b := t.buffers[th.Process]
	if th.Process.Lost {
		return
	}
	if p.act == bufferDetach {
		if b == nil {
			t.misused(th, c.Raw(), BufferError{Wrong: NotAttached, Message: -1})
		}
		return
	}
	switch size := bufferSize(c); {
	case size < 0:
		t.misused(th, c.Raw(), BufferError{Wrong: NegativeSize, Message: -1, Size: size})
	case b != nil:
		t.misused(th, c.Raw(), BufferError{Wrong: AttachedTwice, Message: -1, Size: size})
	case size < th.Process.overhead():
		t.misused(th, c.Raw(), BufferError{Wrong: UselessSize, Message: -1, Size: size})
	}
}

func bufferSize(c *event.Call) int64 { return c.Int(c.Func.Param("size")) }

// leaveBuffer follows them when they have returned successfully.
func (t *Tracker) leaveBuffer(th *Thread, p *plan, c *event.Call) {
	if b := t.buffers[th.Process]; b != nil {
		for _, s := range b.own {
			t.Match.Forget(s.op)
		}
		th.Process.release(&b.held)
		delete(t.buffers, th.Process)
	}
	if p.act == bufferAttach {
		b := &attached{size: bufferSize(c), call: th.call(c.Raw())}
		t.buffers[th.Process] = b
		t.attach(th, p, c, b)
	}
}

// bufferFull tells that MPI itself found no room for a buffered send, which only it can know where other processes have
// to receive what is in the buffer.
func (t *Tracker) bufferFull(th *Thread, call match.Call, f *Failure) {
	if f == nil || th.Explained != Unexplained || !th.failedWith("MPI_ERR_BUFFER") {
		return
	}
	p := &t.plans[call.Func()]
	e := BufferError{Wrong: BufferFull, Message: -1}
	switch {
	case p.buffered():
		e.Message = messageSize(th.Process, p, call.Raw)
	case p.act != start && p.act != startall:
		return
	}
	if b := t.buffers[th.Process]; b != nil {
		e.Size = b.size
	}
	t.misused(th, call.Raw, e)
}

// buffered reports whether a call begins a send of the buffered mode.
func (p *plan) buffered() bool {
	return (p.act == send || p.act == isend) && match.Mode(p.mode) == match.Buffered
}

// bufferedRequest returns the plan and record of the call that made the persistent request in a variable, if it is one for
// buffered sends that may be started.
func (t *Tracker) bufferedRequest(pr *Process, v, handle uint64) (*plan, []byte) {
	r := pr.find(handle, v)
	if r == nil || !r.Persistent || r.Active || mpiapi.ByID(r.Made.Func()).Base != mpiapi.IDBsendInit {
		return nil, nil
	}
	return &t.plans[r.Made.Func()], r.Made.Raw
}
