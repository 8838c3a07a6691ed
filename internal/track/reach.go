package track

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Inaccessible is a buffer that a call hands to MPI, or has handed to it, and that can't be accessed.
type Inaccessible struct {
	event.Unreachable
	// Type and Count are what is in the buffer; Type is nil if that is not known.
	Type  *match.Datatype
	Count int64
	// Fault: the process died of the access, and this is where.
	Fault bool
	// In is the call that it died in, if that is not the one that handed over the buffer; else it is empty.
	In match.Call
}

// Inaccessible reports whether the call that the thread is in was given a buffer that can't be accessed, which was told.
func (th *Thread) Inaccessible() bool { return th.Explained == ByAccess }

// unreachable tells of a buffer that can't be accessed.
func (t *Tracker) unreachable(th *Thread, u event.Unreachable) {
	i := Inaccessible{Unreachable: u}
	c, f := &th.Open.Call, th.Open.Func
	for _, s := range sides {
		if count, typ := f.Arg(s[1]), f.Arg(s[2]); count >= 0 && typ >= 0 && f.Params[count].Length == "" && f.Params[typ].Length == "" {
			i.Type, i.Count = th.Process.Type(c.Handle(typ)), c.Int(count)
		}
		if !u.Written {
			break
		}
	}
	th.Explained = ByAccess
	t.Events.Unreachable.Publish(Unreachable{th, th.call(th.Open.Call.Raw()), &i})
}

// sides are the roles of the buffers of messages and simple collectives, each with those of its count and datatype.
var sides = [...][3]mpiapi.Role{
	{mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType},
	{mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType},
}

// faulted tells of the buffer, if there is one, that a process died of the access to, inside MPI: one of the call that it was
// in, or of a request.
func (t *Tracker) faulted(p *Process) {
	e := p.Ended
	if s := syscall.Signal(e.Code); e.Kind != ring.Signaled || s != unix.SIGSEGV && s != unix.SIGBUS || !e.InMPI || e.SenderPID != 0 || e.FaultAddr == 0 {
		return
	}
	for _, th := range p.Threads {
		if th.Open.Func == nil || e.TID != th.TID || th.Inaccessible() {
			continue
		}
		in := th.call(th.Open.Call.Raw())
		if t.faultIn(th, in, match.Call{}, nil) {
			return
		}
		told := false
		p.Requests(func(r *Request) {
			if !told && r.Active {
				told = t.faultIn(th, r.Made, in, r)
			}
		})
	}
}

// faultIn tells of the buffer of a call that the process of th died of the access to, and reports whether there is one. The
// call has made r, or is under way if r is nil.
func (t *Tracker) faultIn(th *Thread, call, in match.Call, r *Request) bool {
	c, err := event.ParseCall(call.Raw)
	if err != nil {
		return false
	}
	f := c.Func
	for _, s := range sides {
		buf, count, typ := f.Arg(s[0]), f.Arg(s[1]), f.Arg(s[2])
		if buf < 0 || count < 0 || typ < 0 || f.Params[count].Length != "" || f.Params[typ].Length != "" {
			continue
		}
		i := Inaccessible{Count: c.Int(count), Fault: true, In: in}
		if r == nil {
			i.Type = th.Process.Type(c.Handle(typ))
		} else if op := r.Ops[0]; op != nil { // the handle may be another datatype's by now
			i.Type = op.Type
		}
		addr := c.Addr(buf)
		if at, is := th.Process.InPlace(); i.Type.Of() == nil || is && addr == at {
			continue
		}
		at, ok := datatype.FirstOverlap(
			datatype.Buffer{Base: addr, Count: i.Count, Type: i.Type.Of()},
			datatype.Buffer{Base: th.Process.Ended.FaultAddr, Count: 1, Type: oneByte},
		)
		if !ok {
			continue
		}
		i.Address, i.At, i.Written = at.Address, uint64(at.First), !strings.HasPrefix(f.Params[buf].CType, "const")
		th.Explained = ByAccess
		t.Events.Unreachable.Publish(Unreachable{th, call, &i})
		return true
	}
	return false
}

// oneByte is the type of a byte of memory.
var oneByte = datatype.Predefined("MPI_BYTE", 1)
