// Package buffer has the check of the buffer for buffered sends.
package buffer

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// Checks are the checks of this family.
var Checks = []*check.Check{Insufficient}

//go:embed insufficient.md
var insufficientDoc string

// Insufficient finds buffered sends for which the attached buffer has no room, and calls that attach or detach it
// wrongly (MPI standard, section 3.6).
var Insufficient = &check.Check{
	ID:       "LOCAL:BUFFER:INSUFFICIENT",
	Severity: finding.Error,
	Title:    "a buffered send finds no room in the attached buffer",
	Doc:      insufficientDoc,
	Start: func(x *check.Run) {
		r := &room{x: x, buffers: make(map[holder]*attached)}
		attach, detach := having(mpiapi.ActBufferAttach), having(mpiapi.ActBufferDetach)
		ends := append(having(mpiapi.ActCommFree), having(mpiapi.ActEndSession)...)
		x.Track.CallEntered.On(x.Owner, r.ending, ends...)
		x.Track.CallEntered.On(x.Owner, r.attaching, attach...)
		x.Track.CallEntered.On(x.Owner, r.detaching, detach...)
		x.Track.CallLeft.On(x.Owner, r.attached, attach...)
		x.Track.CallLeft.On(x.Owner, r.detached, detach...)
		x.Track.BufferedSending.On(x.Owner, r.sending)
		x.Track.BufferedSent.On(x.Owner, r.sent)
		x.Track.CallFailed.Early(x.Owner, r.failed)
	},
}

// room follows the buffers that processes have attached.
type room struct {
	x       *check.Run
	buffers map[holder]*attached // those that are attached now
}

// holder is what a buffer is attached to.
type holder struct {
	process *track.Process
	owner   track.BufferOwner
}

// attached is a buffer.
type attached struct {
	size      int64      // in bytes
	automatic bool       // MPI takes as much memory as it needs
	call      match.Call // the call that attached it
	own       []ownSend  // to the process itself
}

// having returns the functions with an act.
func having(act mpiapi.Act) (list []mpiapi.FuncID) {
	for _, f := range mpiapi.Funcs() {
		if f.Act == act {
			list = append(list, f.ID)
		}
	}
	return list
}

// ownSend is a buffered send of a process to itself that it may not have received yet.
type ownSend struct {
	op   *match.Op
	size int64 // of the message and its overhead, in bytes
}

// overhead returns MPI_BSEND_OVERHEAD, 0 if it is not known.
func overhead(p *track.Process) int64 {
	n, _ := p.Constant("MPI_BSEND_OVERHEAD")
	return n
}

// holderOf returns what a call attaches a buffer to, or detaches it from.
func holderOf(c track.Call) (h holder, ok bool) {
	owner, ok := c.Thread.Process.BufferOwner(c.Call)
	return holder{c.Thread.Process, owner}, ok
}

// serving returns the buffer for sends on a communicator, nil if there is none (MPI standard 4.1, section 3.6): that of
// the communicator, else of its session, else of the process. ok is false if the session is not known.
func (r *room) serving(p *track.Process, v *track.View) (b *attached, ok bool) {
	if b := r.buffers[holder{p, track.OfComm(v)}]; b != nil {
		return b, true
	}
	if !v.FromWorld() {
		for h := range r.buffers {
			if h.process == p && h.owner.IsSession() {
				return nil, false
			}
		}
	}
	return r.buffers[holder{process: p}], true
}

// attaching checks a call that attaches a buffer.
func (r *room) attaching(c track.Call) {
	p := c.Thread.Process
	h, ok := holderOf(c)
	if p.Lost || !ok {
		return
	}
	switch size, other := sizeOf(c), r.buffers[h]; {
	case other != nil:
		r.report(c, problem{what: attachedTwice, message: -1, size: size, buffer: other})
	case p.AutomaticBuffer(c.Call):
	case size < 0:
		r.report(c, problem{what: negativeSize, message: -1, size: size})
	case size < overhead(p):
		r.report(c, problem{what: uselessSize, message: -1, size: size})
	}
}

// sizeOf returns the size of a buffer that a call attaches.
func sizeOf(c track.Call) int64 { return c.Call.Int(c.Call.Func.Param("size")) }

// detaching checks a call that detaches a buffer.
func (r *room) detaching(c track.Call) {
	if h, ok := holderOf(c); ok && !h.process.Lost && r.buffers[h] == nil {
		r.report(c, problem{what: notAttached, message: -1})
	}
}

// attached follows a call that attaches a buffer when it has returned.
func (r *room) attached(c track.Call) {
	if h, ok := holderOf(c); ok && c.Call.RC() == 0 {
		r.forget(h)
		r.buffers[h] = &attached{size: sizeOf(c), automatic: h.process.AutomaticBuffer(c.Call), call: c.Kept()}
	}
}

// detached follows a call that detaches a buffer when it has returned.
func (r *room) detached(c track.Call) {
	if h, ok := holderOf(c); ok && c.Call.RC() == 0 {
		r.forget(h)
	}
}

// ending follows calls that free a communicator or finalize a session, and so detach its buffer.
func (r *room) ending(c track.Call) {
	if len(r.buffers) == 0 {
		return
	}
	p := c.Thread.Process
	if owner, ok := p.EndingOwner(c.Call); ok {
		r.forget(holder{p, owner})
	}
}

// forget forgets a buffer.
func (r *room) forget(h holder) {
	if b := r.buffers[h]; b != nil {
		for _, s := range b.own {
			r.x.Tracker.Match.Forget(s.op)
		}
		delete(r.buffers, h)
	}
}

// sending checks whether there is room for a buffered send that a call is about to begin.
func (r *room) sending(e track.BufferedSending) {
	p, args := e.Thread.Process, e.Arguments
	v := p.View(args.Handle(args.Func.Arg(mpiapi.TheComm)))
	if v == nil || p.Lost {
		return
	}
	if dest := args.Int(args.Func.Arg(mpiapi.Dest)); dest < 0 || dest >= int64(v.Peers) {
		return // MPI_PROC_NULL takes no room.
	}
	call := track.Call{Thread: e.Thread, Call: e.Call}
	b, ok := r.serving(p, v)
	if !ok || b != nil && b.automatic {
		return
	}
	d := problem{message: messageSize(p, args), buffer: b}
	if b == nil {
		d.what = noBuffer
		r.report(call, d)
		return
	}
	if d.size = b.size; d.message < 0 {
		return
	}
	need := d.message + overhead(p)
	d.earlier = r.unreceived(b)
	switch {
	case need > b.size:
		d.what = tooLong
	case need+d.earlier > b.size && !p.Multiple && len(p.Threads) == 1:
		d.what = bufferFull
	default:
		return
	}
	r.report(call, d)
}

// messageSize returns how many bytes a send has, -1 if unknown. MPI_Pack_size cannot return less.
func messageSize(p *track.Process, args *event.Call) int64 {
	f := args.Func
	op := match.Op{Count: args.Int(f.Arg(mpiapi.SendCount)), Type: p.Type(args.Handle(f.Arg(mpiapi.SendType)))}
	if n, ok := op.Use().Bytes(); ok && op.Count >= 0 {
		return n
	}
	return -1
}

// unreceived returns how many bytes of the buffer hold messages that the process has sent to itself and not received.
func (r *room) unreceived(b *attached) (n int64) {
	kept := b.own[:0]
	for _, s := range b.own {
		if s.op.Matched || s.op.Removed || s.op.Unknown() || s.op.Expected() {
			r.x.Tracker.Match.Forget(s.op)
			continue
		}
		kept = append(kept, s)
		n += s.size
	}
	b.own = kept
	return n
}

// sent remembers a buffered send of a process to itself.
func (r *room) sent(e track.BufferedSent) {
	op := e.Op
	if e.View == nil || op.Peer != op.Me || op.Matched {
		return
	}
	b, _ := r.serving(e.Thread.Process, e.View)
	if b == nil || b.automatic {
		return
	}
	if n, ok := op.Use().Bytes(); ok {
		op.Retain()
		b.own = append(b.own, ownSend{op, n + overhead(e.Thread.Process)})
	}
}

// failed reports that MPI itself found no room for a buffered send. Only MPI knows which messages in the buffer other
// processes have received.
func (r *room) failed(e track.CallFailed) {
	th := e.Thread
	if e.Failure == nil || th.Explained != track.Unexplained ||
		th.Process.ErrorClass(e.Failure.Class) != "MPI_ERR_BUFFER" {
		return
	}
	c, err := event.ParseCall(e.Call.Raw)
	if err != nil {
		return
	}
	d := problem{what: bufferFull, message: -1}
	switch c.Func.Base {
	case mpiapi.IDBsend, mpiapi.IDIbsend:
		d.message = messageSize(th.Process, &c)
	case mpiapi.IDStart, mpiapi.IDStartall:
	default:
		return
	}
	d.buffer = r.buffers[holder{process: th.Process}] // for MPI_Start, which has no communicator
	if i := c.Func.Arg(mpiapi.TheComm); i >= 0 {
		if v := th.Process.View(c.Handle(i)); v != nil {
			d.buffer, _ = r.serving(th.Process, v)
		}
	}
	if d.buffer != nil {
		d.size = d.buffer.size
	}
	r.report(track.Call{Thread: th, Call: &c}, d)
}
