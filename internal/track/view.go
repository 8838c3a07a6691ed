package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// View is a communicator, window or file as seen by one process.
type View struct {
	*match.Comm
	Handle uint64
	Me     int32 // the process's member number
	Base   int32 // member number of rank 0 as a peer
	Peers  int32 // number of ranks that can be peers
	Name   string
	Made   match.Call // the call that made it, empty if predefined

	again    *[repeats]repeat // the last collectives, by call site; nil if there were few
	topology *topology        // nil if it has none, or an unknown one
}

// peer turns a rank given as source or destination into a member number. ok is false for MPI_PROC_NULL and for ranks
// outside the communicator.
func (v *View) peer(rank int64) (int32, bool) {
	if rank < 0 || rank >= int64(v.Peers) {
		return 0, false
	}
	return v.Base + int32(rank), true
}

// ViewOf returns the communicator, window or file that a call works on, nil if it is not known or if there is none.
func (k *core) ViewOf(pr *Process, c *event.Call) *View {
	return pr.viewOf(&k.plans[c.Func.ID], c.Raw())
}

// InOrder reports whether calls of a function take a place in the order of collectives of a communicator, window or
// file. Collectives over all processes of the program, and MPI_Comm_join, do not.
func InOrder(f *mpiapi.Func) bool { return f.Over() >= 0 }

// Ordered returns the communicator, window or file in whose order of collectives a call takes a place. It is nil if the
// call takes no place, or if the communicator is not known. Calls that make a communicator from a group take no place.
func (k *core) Ordered(pr *Process, c *event.Call) *View {
	p := &k.plans[c.Func.ID]
	if !p.collective || p.gathers {
		return nil
	}
	return pr.viewOf(p, c.Raw())
}

// viewOf returns the communicator, window or file that a call works on.
func (ct *commTable) viewOf(p *plan, rec []byte) *View {
	switch {
	case p.win.At != 0 && p.newWin.At == 0 || p.act == mpiapi.ActWinFree:
		return ct.wins[p.win.Handle(rec)]
	case p.file.At != 0 && p.newFile.At == 0 || p.act == mpiapi.ActFileClose:
		return ct.files[p.file.Handle(rec)]
	case p.comm.At != 0:
		return ct.View(p.comm.Handle(rec))
	}
	return nil
}
