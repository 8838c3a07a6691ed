package memory

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// buffer is a buffer that a call passes to MPI, or has passed before, and that cannot be accessed.
type buffer struct {
	thread *track.Thread
	call   match.Call // has the buffer among its arguments
	event.Unreachable
	// typ and count describe the contents of the buffer. typ is nil if they are unknown.
	typ   *match.Datatype
	count int64
	fault bool // the access killed the process
	// in is the call in which the process died, if that is another one than call.
	in match.Call
}

// sides are the roles of the buffers of messages and simple collectives, each with its count and datatype.
var sides = [...][3]mpiapi.Role{
	{mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType},
	{mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType},
}

// single reports whether these parameters are one count and one datatype for the whole buffer.
func single(f *mpiapi.Func, count, typ int) bool {
	return count >= 0 && typ >= 0 && f.Params[count].Length == "" && f.Params[typ].Length == ""
}

// unreachable describes a buffer that the library in the process has found to be inaccessible.
func unreachable(e track.Unreachable) buffer {
	th := e.Thread
	c, f := &th.Open.Call, th.Open.Func
	b := buffer{thread: th, call: openCall(th), Unreachable: e.Buffer}
	for _, s := range sides {
		if count, typ := f.Arg(s[1]), f.Arg(s[2]); single(f, count, typ) {
			b.typ, b.count = th.Process.Type(c.Handle(typ)), c.Int(count)
		}
		if !b.Written {
			break
		}
	}
	th.Explained = track.ByAccess
	return b
}

// openCall returns a copy of the call that a thread is in.
func openCall(th *track.Thread) match.Call { return track.Call{Thread: th, Call: &th.Open.Call}.Kept() }

// fault returns the buffer whose access killed a process inside MPI: a buffer of the call that it was in, or of a
// request. ok is false if the process died of something else.
func fault(p *track.Process) (b buffer, ok bool) {
	e := p.Ended
	signal := syscall.Signal(e.Code)
	if signal != unix.SIGSEGV && signal != unix.SIGBUS || !e.InMPI || e.SenderPID != 0 || e.FaultAddr == 0 {
		return b, false
	}
	for _, th := range p.Threads {
		if th.Open.Func == nil || e.TID != th.TID || th.Inaccessible() {
			continue
		}
		in := openCall(th)
		b, ok = faultIn(th, in, nil)
		if !ok {
			p.Requests(func(r *track.Request) {
				if !ok && r.Active {
					b, ok = faultIn(th, r.Made, r)
					b.in = in
				}
			})
		}
		if ok {
			th.Explained = track.ByAccess
			return b, true
		}
	}
	return b, false
}

// faultIn returns the buffer of a call whose access killed the process of th. ok is false if there is none. The call
// has made r; if r is nil, the process was in the call.
func faultIn(th *track.Thread, call match.Call, r *track.Request) (b buffer, ok bool) {
	c, err := event.ParseCall(call.Raw)
	if err != nil {
		return b, false
	}
	f := c.Func
	for _, s := range sides {
		buf, count, typ := f.Arg(s[0]), f.Arg(s[1]), f.Arg(s[2])
		if buf < 0 || !single(f, count, typ) {
			continue
		}
		b = buffer{thread: th, call: call, count: c.Int(count), fault: true}
		if r == nil {
			b.typ = th.Process.Type(c.Handle(typ))
		} else if op := r.Ops[0]; op != nil { // the handle may stand for another datatype by now
			b.typ = op.Type
		}
		addr := c.Addr(buf)
		if at, is := th.Process.InPlace(); b.typ.Of() == nil || is && addr == at {
			continue
		}
		at, found := datatype.FirstOverlap(
			datatype.Buffer{Base: addr, Count: b.count, Type: b.typ.Of()},
			datatype.Buffer{Base: th.Process.Ended.FaultAddr, Count: 1, Type: oneByte},
		)
		if found {
			b.Address, b.At = at.Address, uint64(at.First)
			b.Written = !strings.HasPrefix(f.Params[buf].CType, "const")
			return b, true
		}
	}
	return buffer{}, false
}

// oneByte is the type of one byte of memory.
var oneByte = datatype.Predefined("MPI_BYTE", 1)
