package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// noDelete are MPI's functions that do nothing when an attribute is deleted.
var noDelete = []string{"MPI_COMM_NULL_DELETE_FN", "MPI_TYPE_NULL_DELETE_FN", "MPI_WIN_NULL_DELETE_FN"}

// callbacks says which functions of the program MPI may call. What these functions call is not recorded.
type callbacks struct {
	Callbacks   bool           // when objects are freed: the program has set attributes with such functions
	Handlers    bool           // the program has set an error handler that may be its own function
	FileHandler bool           // the program has set an error handler for files
	ownHandlers bool           // the program has set an error handler that may return
	deleting    map[int64]bool // keys whose attributes a function of the program deletes
}

// followAttribute follows calls on attributes (section 7.7). It notes whether functions of the program run inside MPI
// when objects are freed, even by MPI_Finalize. The calls of these functions are not recorded.
func (b *callbacks) followAttribute(n *names, c *event.Call) {
	at := slices.IndexFunc(c.Func.Params, func(q mpiapi.Param) bool { return q.Kind == mpiapi.Keyval })
	if c.Func.Params[at].Dir == mpiapi.In {
		b.Callbacks = b.Callbacks || b.deleting[c.Int(at)]
		return
	}
	const deleteFn = 1 // the parameter of all functions that make keys, after the one for copying
	fn := c.Int(deleteFn)
	if fn != 0 && !slices.ContainsFunc(noDelete, func(s string) bool { return n.isConst(s, fn) }) {
		if b.deleting == nil {
			b.deleting = make(map[int64]bool)
		}
		b.deleting[c.After(at)] = true
	}
}
