package threads

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// completes reports whether a function completes requests.
func completes(f *mpiapi.Func) bool { return f.Class == mpiapi.Wait || f.Class == mpiapi.Test }

// single reports whether a function tests for one request. The standard allows two such calls at once.
func single(f *mpiapi.Func) bool {
	return f.Base == mpiapi.IDTest || f.Base == mpiapi.IDRequestGetStatus
}

// mostRequests is up to how many requests of a wait are compared with those of another.
const mostRequests = 64

// shareRequest reports whether two calls, one of which waits, complete a request in one and the same variable. The handle alone
// does not say that, as MPI may have used its value again.
func (o *order) shareRequest(a, b track.Call) bool {
	if !completes(b.Call.Func) || single(a.Call.Func) || single(b.Call.Func) {
		return false
	}
	pr := a.Thread.Process
	mine, ok1 := o.x.Tracker.Awaited(pr, a.Call)
	theirs, ok2 := o.x.Tracker.Awaited(pr, b.Call)
	if !ok1 || !ok2 || len(mine) > mostRequests || len(theirs) > mostRequests {
		return false
	}
	for _, g := range mine {
		r := pr.Request(g)
		if r == nil || !r.Active {
			continue
		}
		for _, h := range theirs {
			if g.Handle == h.Handle && g.Variable == h.Variable {
				return true
			}
		}
	}
	return false
}
