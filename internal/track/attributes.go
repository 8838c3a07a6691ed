package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// noDelete are MPI's functions that do nothing when an attribute is deleted.
var noDelete = []string{"MPI_COMM_NULL_DELETE_FN", "MPI_TYPE_NULL_DELETE_FN", "MPI_WIN_NULL_DELETE_FN"}

// attribute follows calls on attributes (section 7.7): whether functions of the program run inside of MPI when objects
// are freed, be it by MPI_Finalize. What they call is not recorded.
func (p *Process) attribute(c *event.Call) {
	at := slices.IndexFunc(c.Func.Params, func(q mpiapi.Param) bool { return q.Kind == mpiapi.Keyval })
	if c.Func.Params[at].Dir == mpiapi.In {
		p.Callbacks = p.Callbacks || p.deleting[c.Int(at)]
		return
	}
	const deleteFn = 1 // parameter of all that make keys, after the one for copying
	fn := c.Int(deleteFn)
	if fn != 0 && !slices.ContainsFunc(noDelete, func(s string) bool { return p.names.isConst(s, fn) }) {
		if p.deleting == nil {
			p.deleting = make(map[int64]bool)
		}
		p.deleting[c.After(at)] = true
	}
}
