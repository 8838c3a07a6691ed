package track

import (
	"iter"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// GivenRequest is a request that is an argument of a call.
type GivenRequest struct {
	Index            int // in the array of the call; GivenRequests has -1 where there is none
	Handle, Variable uint64
}

// GivenRequests returns the requests that a call is given, in the order of its arguments. A variable is 0 where the
// handle is passed by value.
func (t *Tracker) GivenRequests(pr *Process, c *event.Call) iter.Seq[GivenRequest] {
	p, rec := &t.plans[c.Func.ID], c.Raw()
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
			if !yield(GivenRequest{i, list.Handle(i), pr.variable(p, c, i)}) {
				return
			}
		}
	}
}

// Awaited returns the requests that a wait or test is given. It is false if the function is neither, or if its record
// does not have all of them.
func (t *Tracker) Awaited(pr *Process, c *event.Call) ([]GivenRequest, bool) {
	p := &t.plans[c.Func.ID]
	handles, ok := pr.handles(p, c)
	list := make([]GivenRequest, len(handles))
	for i, h := range handles {
		list[i] = GivenRequest{Index: i, Handle: h, Variable: pr.variable(p, c, i)}
	}
	return list, ok
}

// Request returns the request that a call is given, nil if it is not known. Several requests may have one handle:
// then it is the one that was stored last in that very variable, else the oldest.
func (p *Process) Request(g GivenRequest) *Request { return p.find(g.Handle, g.Variable) }

// RequestsWith returns how many requests that are not over have a handle.
func (rt *requestTable) RequestsWith(handle uint64) int {
	if l := rt.list(handle, false); l != nil {
		return l.n
	}
	return 0
}

// FormerRequest reports whether a handle was a request and is none any more. It returns the call that made the
// request, which is empty if it is not known any more.
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
	return handle != p.requestNull && !p.Callbacks && !p.Handlers && !p.requestTable.forgets && p.requestTable.list(handle, false) == nil
}

// RequestsUncertain reports whether requests may have been made or completed without a record: a wait or test has
// failed and does not say which requests it has completed, or functions of the program have run inside of MPI.
func (p *Process) RequestsUncertain() bool { return p.requestTable.doubtful || p.Callbacks }

// enterStart follows MPI_Start and MPI_Startall before they change anything. It publishes that they begin buffered
// sends, and that they are given a request that they can't start.
func (t *Tracker) enterStart(th *Thread, p *plan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	odd := false
	base := p.request.Handle(rec)
	if p.act == start {
		odd = !t.startable(th, c, pr.find(p.requestBefore.Handle(rec), base))
	} else {
		list, _ := c.In(p.requests)
		pr.requestTable.pass++
		for i := range list.Len() {
			r := pr.find(list.Handle(i), base+uint64(i)*pr.requestSize)
			if !t.startable(th, c, r) || r.list.pass == pr.requestTable.pass {
				odd = true
			} else {
				r.list.pass = pr.requestTable.pass
			}
		}
	}
	if odd {
		t.Events.OddRequests.Publish(Call{th, c})
	}
}

// startRequests follows MPI_Start and MPI_Startall.
func (t *Tracker) startRequests(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	base := p.request.Handle(rec)
	if base == 0 || p.act == startall && c.Int(0) < 0 {
		t.Events.OddArguments.Publish(Call{th, c})
	}
	if p.act == start {
		t.startRequest(th, base, p.requestBefore.Handle(rec), rec)
		return
	}
	list, _ := c.In(p.requests)
	for i := range list.Len() {
		t.startRequest(th, base+uint64(i)*th.Process.requestSize, list.Handle(i), rec)
	}
}

// startable reports whether a call may start a request, which is nil if it is not known. It publishes if that begins
// a buffered send.
func (t *Tracker) startable(th *Thread, c *event.Call, r *Request) bool {
	if r == nil || !r.Persistent || r.Active {
		return false
	}
	e := &t.Events.BufferedSending
	if r.Kind == SendRequest && mpiapi.ByID(r.Made.Func()).Base == mpiapi.IDBsendInit && e.Wanted() {
		if args, err := event.ParseCall(r.Made.Raw); err == nil {
			e.Publish(BufferedSending{th, c, &args})
		}
	}
	return true
}

// Starting describes the message that a persistent request would send or receive if it were started: the process's
// view of the communicator, the member at the other end and the tag, or match.Any. ok is false if it is no such
// request.
func (t *Tracker) Starting(pr *Process, r *Request) (v *View, send bool, peer, tag int32, ok bool) {
	p, rec := &t.plans[r.Made.Func()], r.Made.Raw
	switch p.act {
	case sendInit:
		if v = pr.View(p.comm.Handle(rec)); v == nil {
			return nil, false, 0, 0, false
		}
		peer, ok = v.peer(p.dest.Int(rec))
		return v, true, peer, int32(p.tag.Int(rec)), ok
	case recvInit:
		v, peer, tag, ok = pr.probing(p, rec)
		return v, false, peer, tag, ok
	}
	return nil, false, 0, 0, false
}
