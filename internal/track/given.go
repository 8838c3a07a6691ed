package track

import (
	"iter"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
)

// GivenRequest is a request that is an argument of a call.
type GivenRequest struct {
	Index            int // in the array of the call; GivenRequests returns -1 if there is no array
	Handle, Variable uint64
}

// GivenRequests returns the requests among the arguments of a call, in their order. The address of the variable is 0 if
// the handle is passed by value.
func (rs *requests) GivenRequests(pr *Process, c *event.Call) iter.Seq[GivenRequest] {
	p, rec := &rs.plans[c.Func.ID], c.Raw()
	return func(yield func(GivenRequest) bool) {
		if p.requests < 0 {
			g := GivenRequest{Index: -1, Handle: p.requestBefore.Handle(rec)}
			if p.request.Exists() {
				g.Variable = p.request.Handle(rec)
			}
			yield(g)
			return
		}
		list, _ := c.In(p.requests)
		for i := range list.Len() {
			if !yield(GivenRequest{i, list.Handle(i), pr.requestVariable(p, c, i)}) {
				return
			}
		}
	}
}

// Awaited returns the requests among the arguments of a wait or test. It returns false for other functions, and if the
// record does not have all of the requests.
func (rs *requests) Awaited(pr *Process, c *event.Call) ([]GivenRequest, bool) {
	p := &rs.plans[c.Func.ID]
	handles, ok := pr.handles(p, c)
	list := make([]GivenRequest, len(handles))
	for i, h := range handles {
		list[i] = GivenRequest{Index: i, Handle: h, Variable: pr.requestVariable(p, c, i)}
	}
	return list, ok
}

// Request returns the request in the arguments of a call, nil if it is not known. If several requests have its handle,
// it is the one that was stored last in that variable, or else the oldest one.
func (p *Process) Request(g GivenRequest) *Request { return p.findRequest(g.Handle, g.Variable) }

// RequestsWith returns how many incomplete requests have a handle.
func (rt *requestTable) RequestsWith(handle uint64) int {
	if l := rt.list(handle, false); l != nil {
		return l.n
	}
	return 0
}

// FormerRequest reports whether a handle was a request and is not one any more. It returns the call that made the
// request; the call is empty if it is not known any more.
func (rt *requestTable) FormerRequest(handle uint64) (made match.Call, ok bool) {
	l := rt.list(handle, false)
	if l == nil || l.n > 0 || l.last == nil {
		return made, false
	}
	if l.last.Number == l.lastNumber {
		made = l.last.Made
	}
	return made, true
}

// NeverRequest reports whether it is certain that no call has returned a handle as a request.
func (p *Process) NeverRequest(handle uint64) bool {
	return handle != p.requestNull && !p.Callbacks && !p.Handlers && !p.requestTable.forgets &&
		p.requestTable.list(handle, false) == nil
}

// RequestsUncertain reports whether requests may have been made or completed without a record. That is so if a wait or
// test has failed and does not say which requests it has completed, or if functions of the program have run inside MPI.
func (p *Process) RequestsUncertain() bool { return p.requestTable.doubtful || p.Callbacks }
