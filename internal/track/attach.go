package track

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// BufferOwner is what a buffer for buffered sends is attached to (MPI standard 4.1, section 3.6): a communicator or a
// session of a process. It is zero for the buffer of the process itself.
type BufferOwner struct {
	comm    *View
	session uint64 // handle
}

// OfComm returns the owner of the buffer of a communicator.
func OfComm(v *View) BufferOwner { return BufferOwner{comm: v} }

// IsSession reports whether the owner is a session.
func (o BufferOwner) IsSession() bool { return o.session != 0 }

// BufferOwner returns what a call attaches a buffer to, or detaches it from. ok is false if the communicator is not
// known.
func (p *Process) BufferOwner(c *event.Call) (o BufferOwner, ok bool) {
	if i := c.Func.Arg(mpiapi.TheComm); i >= 0 {
		o.comm = p.View(c.Handle(i))
		return o, o.comm != nil
	}
	if i := c.Func.Param("session"); i >= 0 {
		o.session = c.Handle(i)
	}
	return o, true
}

// EndingOwner returns the communicator that a call is about to free, or the session that it is about to finalize. ok is
// false if it is not known.
func (p *Process) EndingOwner(c *event.Call) (o BufferOwner, ok bool) {
	if i := c.Func.Param("session"); i >= 0 {
		o.session = uint64(c.Before(i))
		return o, o.session != 0
	}
	if i := c.Func.Arg(mpiapi.TheComm); i >= 0 {
		o.comm = p.View(uint64(c.Before(i)))
	}
	return o, o.comm != nil
}

// AutomaticBuffer reports whether a call attaches MPI_BUFFER_AUTOMATIC: MPI itself takes memory as it needs it.
func (p *Process) AutomaticBuffer(c *event.Call) bool {
	automatic, ok := p.Constant("MPI_BUFFER_AUTOMATIC")
	return ok && c.Addr(c.Func.Param("buffer")) == uint64(automatic)
}
