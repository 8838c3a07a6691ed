package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

func enterStart(t *Tracker, th *Thread, p *plan, c *event.Call) { t.startRequests(th, p, c) }

func leaveStart(t *Tracker, th *Thread, p *plan, _ *event.Call, rc int32) {
	if rc != 0 {
		for _, r := range th.started {
			t.notStarted(th, r, p.act == mpiapi.ActStartall)
		}
	}
	th.started = th.started[:0]
}

// startRequest activates a persistent request (section 3.9).
func (rs *requests) startRequest(th *Thread, v, handle uint64, rec []byte) {
	r := th.Process.findRequest(handle, v)
	if r == nil || !r.Persistent || r.Active {
		return
	}
	r.Active, r.Cancelled, r.Started, r.Known = true, false, true, false
	r.list.waived, r.list.released = nil, nil
	th.started = append(th.started, r)
	r.countStart(1)
	if r.Partitioned != nil {
		r.Partitioned.startRound()
	}
	p := &rs.plans[r.Made.Func()]
	switch p.act {
	case mpiapi.ActSendInit:
		r.Ops[0] = rs.messages.postSend(th, p, r.Made.Raw)
		if match.Mode(p.mode) == match.Buffered && r.Ops[0] != nil {
			rs.Events.BufferedSent.Publish(BufferedSent{th, r.Ops[0], th.Process.View(p.comm.Handle(r.Made.Raw))})
		}
	case mpiapi.ActRecvInit:
		r.Ops[0] = rs.messages.postRecv(th, p, r.Made.Raw, nil)
	}
	if op := r.Ops[0]; op != nil && rs.Replay != nil {
		rs.Replay.Begin(th, op)
	}
	if e := &rs.Events.RequestStarted; e.Wanted() {
		e.Publish(RequestStarted{th, r, rec})
	}
}

// notStarted takes back the start of a persistent request: the call failed. If the call had other requests to start, it
// is unknown which of them it started.
func (rs *requests) notStarted(th *Thread, r *Request, unsure bool) {
	for i, op := range r.Ops {
		if op == nil {
			continue
		}
		if unsure {
			rs.Match.Doubt(op)
		} else {
			rs.Match.Withdraw(op)
		}
		rs.Match.Release(op)
		r.Ops[i] = nil
	}
	rs.requestOver(th, r)
	r.countStart(-1)
	if r.Partitioned != nil {
		r.Partitioned.Round--
	}
	r.Active = false
}

// enterStart follows MPI_Start and MPI_Startall before they change anything. It publishes the buffered sends that they
// begin, and the requests that they cannot start.
func (rs *requests) enterStart(th *Thread, p *plan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	odd := false
	base := p.request.Handle(rec)
	if p.act == mpiapi.ActStart {
		odd = !rs.startable(th, c, pr.findRequest(p.requestBefore.Handle(rec), base))
	} else {
		list, _ := c.In(p.requests)
		pr.requestTable.pass++
		for i := range list.Len() {
			r := pr.findRequest(list.Handle(i), base+uint64(i)*pr.requestSize)
			if !rs.startable(th, c, r) || r.list.pass == pr.requestTable.pass {
				odd = true
			} else {
				r.list.pass = pr.requestTable.pass
			}
		}
	}
	if odd {
		rs.Events.OddRequests.Publish(Call{th, c})
	}
}

// startRequests follows MPI_Start and MPI_Startall.
func (rs *requests) startRequests(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	base := p.request.Handle(rec)
	if base == 0 || p.act == mpiapi.ActStartall && c.Int(0) < 0 {
		rs.Events.OddArguments.Publish(Call{th, c})
	}
	if p.act == mpiapi.ActStart {
		rs.startRequest(th, base, p.requestBefore.Handle(rec), rec)
		return
	}
	list, _ := c.In(p.requests)
	for i := range list.Len() {
		rs.startRequest(th, base+uint64(i)*th.Process.requestSize, list.Handle(i), rec)
	}
}

// startable reports whether a call may start a request, which is nil if it is not known. If the call begins a buffered
// send, it publishes that.
func (rs *requests) startable(th *Thread, c *event.Call, r *Request) bool {
	if r == nil || !r.Persistent || r.Active {
		return false
	}
	e := &rs.Events.BufferedSending
	if r.Kind == SendRequest && mpiapi.ByID(r.Made.Func()).Base == mpiapi.IDBsendInit && e.Wanted() {
		if args, err := event.ParseCall(r.Made.Raw); err == nil {
			e.Publish(BufferedSending{th, c, &args})
		}
	}
	return true
}

// Starting describes the message that a persistent request would send or receive if it were started: the process's view
// of the communicator, the member at the other end and the tag, or match.Any. ok is false for other requests.
func (rs *requests) Starting(pr *Process, r *Request) (v *View, send bool, peer, tag int32, ok bool) {
	p, rec := &rs.plans[r.Made.Func()], r.Made.Raw
	switch p.act {
	case mpiapi.ActSendInit:
		if v = pr.View(p.comm.Handle(rec)); v == nil {
			return nil, false, 0, 0, false
		}
		peer, ok = v.peer(p.sends.peer.Int(rec))
		return v, true, peer, int32(p.sends.tag.Int(rec)), ok
	case mpiapi.ActRecvInit:
		v, peer, tag, ok = pr.probing(p, rec)
		return v, false, peer, tag, ok
	}
	return nil, false, 0, 0, false
}
