package track

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// handles returns the requests among the arguments of a wait or test. ok is false if they are not known.
func (pr *Process) handles(p *plan, c *event.Call) (list []uint64, ok bool) {
	switch p.act {
	case mpiapi.ActWait, mpiapi.ActTest, mpiapi.ActRequestStatus:
		return []uint64{p.requestBefore.Handle(c.Raw())}, true
	case mpiapi.ActWaitall, mpiapi.ActWaitany, mpiapi.ActWaitsome, mpiapi.ActTestall, mpiapi.ActTestany,
		mpiapi.ActTestsome, mpiapi.ActRequestStatusAll, mpiapi.ActRequestStatusAny, mpiapi.ActRequestStatusSome:
		a, complete := c.In(p.requests)
		for i := range a.Len() {
			list = append(list, a.Handle(i))
		}
		return list, complete
	}
	return nil, false
}

// Collectives returns the nonblocking collectives that the open wait or test of thread th may complete, and whether it
// returns only when all of them are complete (MPI_Wait, MPI_Waitall).
func (rs *requests) Collectives(th *Thread) (reqs []*Request, all bool) {
	if th.Open.Func == nil {
		return nil, false
	}
	p, c, pr := &rs.plans[th.Open.Func.ID], &th.Open.Call, th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		r := pr.findRequest(h, pr.requestVariable(p, c, i))
		if r != nil && r.Active && r.Kind == CollectiveRequest && !r.Persistent {
			reqs = append(reqs, r)
		}
	}
	return reqs, p.act == mpiapi.ActWait || p.act == mpiapi.ActWaitall
}

// Pending returns the requests that an open wait of thread th waits for, in the order of its arguments, and whether all
// of them must complete (MPI_Wait, MPI_Waitall) or only one. Null, inactive and unknown requests are left out. ok is
// false if an unknown one makes it impossible to say what the call waits for, or if the call is not a wait.
func (rs *requests) Pending(th *Thread) (reqs []*Request, all, ok bool) {
	if th.Open.Func == nil {
		return nil, false, false
	}
	p := &rs.plans[th.Open.Func.ID]
	if p.fn.Class != mpiapi.Wait {
		return nil, false, false
	}
	all = p.act == mpiapi.ActWait || p.act == mpiapi.ActWaitall
	reqs, ok = th.Process.pending(p, &th.Open.Call, all)
	return reqs, all, ok
}

// pending returns the active requests among the arguments of a wait or test. ok is false if they are not known, or if
// one of them is enough and one of them is unknown.
func (pr *Process) pending(p *plan, c *event.Call, all bool) (reqs []*Request, ok bool) {
	handles, ok := pr.handles(p, c)
	if !ok {
		return nil, false
	}
	for i, h := range handles {
		if h == pr.requestNull {
			continue
		}
		r := pr.findRequest(h, pr.requestVariable(p, c, i))
		switch {
		case r == nil:
			ok = ok && all // if all must complete, an unknown one does not release the others
		case r.Active:
			reqs = append(reqs, r)
		}
	}
	return reqs, ok
}
