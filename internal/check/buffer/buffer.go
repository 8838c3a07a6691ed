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
		r := &room{x: x, buffers: make(map[*track.Process]*attached)}
		attach := []mpiapi.FuncID{mpiapi.IDBufferAttach, mpiapi.IDBufferAttachC}
		detach := []mpiapi.FuncID{mpiapi.IDBufferDetach, mpiapi.IDBufferDetachC}
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
	buffers map[*track.Process]*attached // of the processes that have one
}

// attached is the buffer of a process.
type attached struct {
	size int64      // in bytes
	call match.Call // the call that attached it
	own  []ownSend  // to the process itself
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

// attaching checks a call of MPI_Buffer_attach.
func (r *room) attaching(c track.Call) {
	if c.Thread.Process.Lost {
		return
	}
	switch size := sizeOf(c); {
	case size < 0:
		r.report(c, problem{what: negativeSize, message: -1, size: size})
	case r.buffers[c.Thread.Process] != nil:
		r.report(c, problem{what: attachedTwice, message: -1, size: size})
	case size < overhead(c.Thread.Process):
		r.report(c, problem{what: uselessSize, message: -1, size: size})
	}
}

// sizeOf returns the size that is passed to MPI_Buffer_attach.
func sizeOf(c track.Call) int64 { return c.Call.Int(c.Call.Func.Param("size")) }

// detaching checks a call of MPI_Buffer_detach.
func (r *room) detaching(c track.Call) {
	if p := c.Thread.Process; !p.Lost && r.buffers[p] == nil {
		r.report(c, problem{what: notAttached, message: -1})
	}
}

// attached follows MPI_Buffer_attach when it has returned.
func (r *room) attached(c track.Call) {
	if c.Call.RC() == 0 {
		r.forget(c.Thread.Process)
		r.buffers[c.Thread.Process] = &attached{size: sizeOf(c), call: c.Kept()}
	}
}

// detached follows MPI_Buffer_detach when it has returned.
func (r *room) detached(c track.Call) {
	if c.Call.RC() == 0 {
		r.forget(c.Thread.Process)
	}
}

// forget forgets the buffer of a process.
func (r *room) forget(p *track.Process) {
	if b := r.buffers[p]; b != nil {
		for _, s := range b.own {
			r.x.Tracker.Match.Forget(s.op)
		}
		delete(r.buffers, p)
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
	d := problem{message: messageSize(p, args)}
	b := r.buffers[p]
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
	b, op := r.buffers[e.Thread.Process], e.Op
	if b == nil || op.Peer != op.Me || op.Matched {
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
	if b := r.buffers[th.Process]; b != nil {
		d.size = b.size
	}
	r.report(track.Call{Thread: th, Call: &c}, d)
}
