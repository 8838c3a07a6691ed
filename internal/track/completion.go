package track

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// leaveWait follows a wait or test that has returned.
func leaveWait(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	t.completeRequests(th, p, c, rc)
}

// finishRequest completes a request.
func (rs *requests) finishRequest(th *Thread, r *Request, s event.Status, have bool, how Completion, call []byte) {
	pr := th.Process
	rs.requestsOver(th, r)
	for _, op := range r.Ops {
		if op == nil {
			continue
		}
		if r.Kind == BothRequest && op.Send {
			// The status is that of the receive.
		} else {
			rs.messages.applyStatus(pr, op, s, have)
			if !op.Send && have && !op.Removed {
				rs.Match.Confirm(op)
			}
		}
	}
	if rs.Replay != nil {
		rs.replayCompletion(th, r, how, call)
	}
	for i, op := range r.Ops {
		if op != nil {
			rs.Match.Over(op)
			rs.Match.Release(op)
			r.Ops[i] = nil
		}
	}
	r.Active = false
	if r.Overwritten != nil {
		pr.requestTable.noteCopied(r)
	}
	if !r.Persistent {
		rs.removeRequest(th, r)
	}
}

// completing is a wait or test that has returned, with its results.
type completing struct {
	th       *Thread
	p        *plan
	c        *event.Call
	rc       int32
	statuses event.Statuses
	known    bool // the statuses are recorded
	how      Completion
}

// completeRequests follows the results of a wait or test. A failed call completes the requests whose statuses say so.
func (rs *requests) completeRequests(th *Thread, p *plan, c *event.Call, rc int32) {
	pr, rec := th.Process, c.Raw()
	if rc != 0 {
		pr.doubtful = true
		rs.Events.RequestsVague.Publish(RequestsVague{Process: pr})
		if th.Failure != nil && th.Failure.Refused {
			rs.abandonRequests(th, p, c)
			return
		}
	}
	d := completing{th: th, p: p, c: c, rc: rc, how: rs.completion(th, p, c)}
	d.statuses, d.known = c.Statuses(p.status)
	if rc != 0 && !th.tellsWhich(p, rc) {
		return
	}
	switch p.act {
	case mpiapi.ActWait:
		rs.complete(&d, 0, p.requestBefore.Handle(rec), 0)
	case mpiapi.ActTest, mpiapi.ActRequestStatus:
		if p.flag.Int(rec) != 0 {
			rs.complete(&d, 0, p.requestBefore.Handle(rec), 0)
		}
	case mpiapi.ActWaitall:
		rs.completeAll(&d)
	case mpiapi.ActTestall, mpiapi.ActRequestStatusAll:
		if p.flag.Int(rec) != 0 {
			rs.completeAll(&d)
		}
	case mpiapi.ActWaitany:
		rs.completeIndex(&d)
	case mpiapi.ActTestany, mpiapi.ActRequestStatusAny:
		if p.flag.Int(rec) != 0 {
			rs.completeIndex(&d)
		}
	case mpiapi.ActWaitsome, mpiapi.ActTestsome, mpiapi.ActRequestStatusSome:
		rs.completeSome(&d)
	}
}

// complete completes the i-th request of a wait or test. at is the index of its status.
func (rs *requests) complete(d *completing, i int, handle uint64, at int) {
	pr := d.th.Process
	r := pr.findRequest(handle, pr.requestVariable(d.p, d.c, i))
	if d.p.fn.ReportsStatus() {
		rs.markKnown(d, r, at)
		return
	}
	if r == nil || !r.Active {
		if r == nil && d.rc == 0 && d.c.State == event.Complete && handle != pr.requestNull {
			rs.Events.StrayHandle.Publish(StrayHandle{d.th, d.c, i, handle})
		}
		return
	}
	var s event.Status
	have := d.known && at < d.statuses.Len()
	if have {
		s = d.statuses.At(at)
		have = d.rc == 0 || d.p.act != mpiapi.ActWait && d.p.act != mpiapi.ActTest || s.Error != 0
	}
	rs.finishRequest(d.th, r, s, have, d.how, d.c.Raw())
}

// completeAll follows MPI_Waitall, and an MPI_Testall that has completed its requests. If the call has failed, requests
// stay pending that have neither failed nor completed.
func (rs *requests) completeAll(d *completing) {
	reqs, _ := d.c.In(d.p.requests)
	for i := range reqs.Len() {
		if d.rc != 0 {
			s, have := statusAt(d.c, d.p.status, i)
			if have && d.th.Process.names.isError(s.Error, "MPI_ERR_PENDING") {
				continue
			}
		}
		rs.complete(d, i, reqs.Handle(i), i)
	}
}

// completeIndex follows MPI_Waitany, and an MPI_Testany that has completed a request.
func (rs *requests) completeIndex(d *completing) {
	i := d.p.index.Int(d.c.Raw())
	reqs, _ := d.c.In(d.p.requests)
	if i >= 0 && i < int64(reqs.Len()) {
		rs.complete(d, int(i), reqs.Handle(int(i)), 0)
	}
}

// completeSome follows MPI_Waitsome and MPI_Testsome.
func (rs *requests) completeSome(d *completing) {
	n := d.p.outCount.Int(d.c.Raw())
	reqs, _ := d.c.In(d.p.requests)
	indices, _ := d.c.Out(d.p.indices)
	for k := 0; k < indices.Len() && int64(k) < n; k++ {
		if i := int(indices.At(k)); i >= 0 && i < reqs.Len() {
			rs.complete(d, i, reqs.Handle(i), k)
		}
	}
}

// markKnown follows MPI_Request_get_status and its forms for several requests, if they report that an operation is
// complete. They complete the operation, but not the request. at is the index of its status.
func (rs *requests) markKnown(d *completing, r *Request, at int) {
	if r == nil || !r.Active {
		return
	}
	r.Known = true
	rs.requestsOver(d.th, r)
	s, have := statusAt(d.c, d.p.status, at)
	for _, op := range r.Ops {
		if op != nil && !op.Send {
			rs.messages.applyStatus(d.th.Process, op, s, have)
		}
	}
	if rs.Replay != nil {
		rs.replayOneOf(d.th, r.list, Polled, d.c.Raw())
	}
}

// tellsWhich reports whether a wait or test that has failed with rc shows which operations it has completed: by the
// errors in its statuses or, if it completes one, by its index. If the error is about the arguments, these are not
// valid.
func (th *Thread) tellsWhich(p *plan, rc int32) bool {
	is := func(class string) bool { return th.failedWith(class) || th.Process.names.isError(rc, class) }
	switch p.act {
	case mpiapi.ActWait, mpiapi.ActTest:
		return true
	case mpiapi.ActWaitany, mpiapi.ActTestany, mpiapi.ActRequestStatusAny:
		return is("MPI_ERR_TRUNCATE")
	}
	return is("MPI_ERR_IN_STATUS")
}

// abandonRequests forgets the nonblocking collectives that a refused call should have completed: they may never
// complete.
func (rs *requests) abandonRequests(th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		r := pr.findRequest(h, pr.requestVariable(p, c, i))
		if r != nil && r.Kind == CollectiveRequest && !r.Persistent {
			if rs.Replay != nil {
				rs.dropOwed(th, r.list, c.Raw())
			}
			rs.requestOver(th, r)
			rs.removeRequest(th, r)
		}
	}
}

// completion returns in what way a wait or test that has returned completes its requests.
func (rs *requests) completion(th *Thread, p *plan, c *event.Call) Completion {
	if rs.Replay == nil {
		return Awaited
	}
	switch p.act {
	case mpiapi.ActWait, mpiapi.ActWaitall:
		return Awaited
	case mpiapi.ActWaitany, mpiapi.ActWaitsome:
		active := 0
		handles, ok := c.In(p.requests)
		for i := range handles.Len() {
			r := th.Process.findRequest(handles.Handle(i), th.Process.requestVariable(p, c, i))
			if r != nil && r.Active {
				active++
			}
		}
		if ok && active == 1 {
			return Awaited
		}
		return Chosen
	}
	return Polled
}
