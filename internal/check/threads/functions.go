package threads

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// completes reports whether a function completes requests.
func completes(f *mpiapi.Func) bool { return f.Class == mpiapi.Wait || f.Class == mpiapi.Test }

// single reports whether a function tests one request. The standard allows two such calls at the same time.
func single(f *mpiapi.Func) bool {
	return f.Base == mpiapi.IDTest || f.Base == mpiapi.IDRequestGetStatus
}

// mostRequests is the largest number of requests of a wait that are compared with those of another one.
const mostRequests = 64

// shareRequest reports whether two calls, one of which waits, complete a request in the same variable. Equal handles
// are not enough, as MPI may have used the value again.
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
