package preload

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// isHeld reports whether strict mode handles a function: its calls are held, or begin or complete nonblocking
// collectives.
func isHeld(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Icollective:
		return f.Coll
	case mpiapi.Wait, mpiapi.Test:
		return true
	}
	return f.Held()
}

// generateHeld returns held.c. For each function that strict mode handles, it has a function that the wrapper then
// calls instead of the real one.
func generateHeld(exported func(name string) bool) []byte {
	return generateBetween(exported, "hold", "mv_held", isHeld, (*wrapper).hold)
}

// hold writes the body of the function for strict mode.
func (w *wrapper) hold() {
	real := fmt.Sprintf("real(%s)", w.args(nil))
	switch w.Class {
	case mpiapi.Icollective:
		// The call must return without waiting for other ranks. So the call that completes the operation raises its
		// error.
		w.line("int rc = %s;", real)
		w.line("if (rc == MPI_SUCCESS)\n        mv_mark(%s);", w.Params[w.Arg(mpiapi.TheRequest)].Name)
		w.line("return rc;")
		return
	case mpiapi.Wait, mpiapi.Test:
		list, n := w.requests()
		all := 0
		if w.Act == mpiapi.ActWait || w.Act == mpiapi.ActWaitall {
			all = 1
		}
		w.line("int code = mv_hold_completion(%d, %s, %s, %d);", w.ID, list, n, all)
	default:
		w.line("int code = mv_hold(%d);", w.ID)
	}
	w.line("return code == MPI_SUCCESS ? %s : code;", real)
}
