package track

import (
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Part returns the role of the process in a call: root of a collective, or not. ok is false if the call has a root and
// its communicator is not known.
func (p *Process) Part(c *event.Call) (part collargs.Part, ok bool) {
	if c.Func.Arg(mpiapi.Root) < 0 {
		return part, true
	}
	return p.PartOn(p.View(c.Handle(c.Func.Arg(mpiapi.TheComm))), c)
}

// PartOn is Part for a call whose communicator was looked up already; v is nil if it is not known.
func (p *Process) PartOn(v *View, c *event.Call) (part collargs.Part, ok bool) {
	i := c.Func.Arg(mpiapi.Root)
	if i < 0 {
		return part, true
	}
	root := int32(c.Int(i))
	switch {
	case v == nil:
		return part, false
	case v.Split == 0: // within one group
		return collargs.Part{Root: root == v.Me}, true
	}
	return collargs.Part{Root: root == p.rootSelf, Between: true, Absent: root == p.procNull}, true
}

// Significant reports whether parameter i is significant in this process (MPI standard, chapter 6). It is false if that
// is not known.
func (p *Process) Significant(c *event.Call, i int) bool {
	part, ok := p.Part(c)
	return ok && collargs.Significant(c, i, part, p.inPlace, p.hasInPlace)
}
