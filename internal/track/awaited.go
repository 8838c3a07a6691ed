package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// handles returns the requests that a wait or test is given; ok is false if they are not known.
func (pr *Process) handles(p *plan, c *event.Call) (list []uint64, ok bool) {
	switch p.act {
	case wait, test, requestStatus:
		return []uint64{p.requestBefore.Handle(c.Raw())}, true
	case waitall, waitany, waitsome, testall, testany, testsome:
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
func (t *Tracker) Collectives(th *Thread) (reqs []*Request, all bool) {
	if th.Open.Func == nil {
		return nil, false
	}
	p, c, pr := &t.plans[th.Open.Func.ID], &th.Open.Call, th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		r := pr.find(h, pr.variable(p, c, i))
		if r != nil && r.Active && r.Kind == CollectiveRequest && !r.Persistent {
			reqs = append(reqs, r)
		}
	}
	return reqs, p.act == wait || p.act == waitall
}

// Pending returns the requests that an open wait of thread th waits for, in the order of its arguments, and whether
// all of them must complete (MPI_Wait, MPI_Waitall) rather than any. Null, inactive and unknown requests are left out;
// ok is false if an unknown one among them makes it impossible to say what the call waits for, or if the call is no
// wait.
func (t *Tracker) Pending(th *Thread) (reqs []*Request, all, ok bool) {
	if th.Open.Func == nil {
		return nil, false, false
	}
	p := &t.plans[th.Open.Func.ID]
	if p.fn.Class != mpiapi.Wait {
		return nil, false, false
	}
	all = p.act == wait || p.act == waitall
	reqs, ok = th.Process.pending(p, &th.Open.Call, all)
	return reqs, all, ok
}

// pending returns the active ones of the requests that a wait or test is given. ok is false if they are not known, or one
// of which one would be enough.
func (pr *Process) pending(p *plan, c *event.Call, all bool) (reqs []*Request, ok bool) {
	handles, ok := pr.handles(p, c)
	if !ok {
		return nil, false
	}
	for i, h := range handles {
		if h == pr.requestNull {
			continue
		}
		r := pr.find(h, pr.variable(p, c, i))
		switch {
		case r == nil:
			ok = ok && all // one unknown among those that must all complete doesn't free the others
		case r.Active:
			reqs = append(reqs, r)
		}
	}
	return reqs, ok
}

// confirmTruncated settles the receives that a call waits or tests for and that, one or more of them, are too short for their
// messages, so that the process is about to end: they can't be cancelled any more.
func (t *Tracker) confirmTruncated(th *Thread) {
	if !th.failedWith("MPI_ERR_TRUNCATE") && !th.failedWith("MPI_ERR_IN_STATUS") {
		return
	}
	if th.Open.Func == nil {
		return
	}
	p, c, pr := &t.plans[th.Open.Func.ID], &th.Open.Call, th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		r := pr.find(h, pr.variable(p, c, i))
		if r == nil {
			continue
		}
		for _, op := range r.Ops {
			if op != nil && op.Tentative && op.Peer != match.Any {
				t.Match.Confirm(op)
			}
		}
	}
}

// Waiting describes the operations of a blocking call that thread th is in: its send and receive, nil if it has none.
func (th *Thread) Waiting() (ops [2]*match.Op) { return th.ops }

// Consumed returns the receive of the message that the call under way consumes: MPI_Mrecv or MPI_Imrecv. It is nil if there
// is none.
func (th *Thread) Consumed() *match.Op { return th.taken }

// Joined returns the communicator and position of the collective that thread th is in, or has just returned from, nil if
// its last call is none.
func (th *Thread) Joined() (*View, uint64) { return th.view, th.pos }

// InCollective returns the communicator and position of the collective that thread th is in, nil if it is in none.
func (th *Thread) InCollective() (*View, uint64) {
	if th.Open.Func == nil {
		return nil, 0
	}
	return th.view, th.pos
}
