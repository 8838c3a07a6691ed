package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// requestTable has the requests of a process by handle. MPI libraries give several requests one handle (of sends that are
// complete at once), so a handle has a list. Handles come again and again: lists stay when they are empty.
type requestTable struct {
	lists  map[uint64]*requestList
	recent []*requestList // by handle: lists used last; 8 or 64 of them, none before the first
	vars   map[requestVar]*Request
	holders
	doubtful bool   // which requests are over can't be told any more, see Process.RequestsUncertain
	forgets  bool   // handles that were requests are not all known any more
	pass     uint64 // number of the array that is looked through

	Active  int    // requests that are not freed or completed
	notice  int    // number of them that is told next
	numbers uint64 // of requests made
}

// requestList are the requests that have one handle, nearly always one.
type requestList struct {
	handle         uint64
	oldest, newest *Request
	n              int

	// released: RequestOver was published for this request and all older ones. waived: no thread is taken to wait
	// for this request, nor for an older one. Both are nil if that is so for none. They save a walk through all requests of
	// the handle whenever one of them is over.
	released, waived *Request

	last       *Request // that was taken out, as long as it has lastNumber: its room is used again
	lastNumber uint64

	pass uint64 // number of the array that has the handle

	// Waited for while there were others, so that it may be one of those that is complete: told with the last of them.
	owed []owed
}

// owed is an operation that a thread has waited for, as far as can be told.
type owed struct {
	th   *Thread
	op   *match.Op // nil for a nonblocking collective
	view *View
	pos  uint64
}

// maxOwed is the number of operations of one handle above which nobody is taken to wait for them.
const maxOwed = 64

type requestVar struct {
	handle, variable uint64
}

// add enters the request that a call returned.
func (t *Tracker) add(pr *Process, r *Request, th *Thread, p *plan, rec []byte) {
	r.Handle, r.Var = p.requestAfter.Handle(rec), p.request.Handle(rec)
	if r.Handle == pr.requestNull {
		for _, op := range r.Ops {
			if op != nil {
				t.dropOp(th, op)
			}
		}
		t.recycle(r)
		return
	}
	pr.numbers++
	r.Number = pr.numbers
	r.Operation = event.Operation(th.Index, th.Calls)
	r.Made.Thread = th.ID
	r.Made.Keep(rec)
	pr.requestTable.hold(r, pr.Active)
	pr.requestTable.push(r)
	if pr.Active++; pr.Active >= pr.notice {
		pr.notice *= 2
		t.Events.Crowded.Publish(Crowded{pr, mpiapi.Request})
	}
	if pr.numbers&0xfff == 0 {
		pr.requestTable.tidy(pr.Active)
	}
	r.Held, th.Held = th.Held, memory.Held{}
	if e := &t.Events.RequestMade; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
}

// newRequest returns an empty request, with the room of one that is over.
func (t *Tracker) newRequest() *Request {
	r := t.free
	if r == nil {
		return new(Request)
	}
	t.free = r.next
	*r = Request{Made: match.Call{Raw: r.Made.Raw[:0]}}
	return r
}

// find returns the request that the handle in variable v stands for, nil if there is none.
func (pr *Process) find(handle, v uint64) *Request {
	if handle == pr.requestNull {
		return nil
	}
	return pr.requestTable.find(handle, v)
}

// remove takes out a request that is over; it is used again for another.
func (t *Tracker) remove(th *Thread, r *Request) {
	pr := th.Process
	if e := &t.Events.RequestGone; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
	pr.requestTable.take(r)
	pr.Active--
	t.recycle(r)
}

func (t *Tracker) recycle(r *Request) {
	r.next = t.free
	t.free = r
}

// requestOver publishes that the operation of a request is over.
func (t *Tracker) requestOver(th *Thread, r *Request) {
	if e := &t.Events.RequestOver; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
}

// requestsOver publishes that the operation of a request is over, and that those of all requests with the same handle may
// be.
func (t *Tracker) requestsOver(th *Thread, r *Request) {
	e := &t.Events.RequestOver
	if !e.Wanted() {
		return
	}
	e.Publish(RequestEvent{th, r})
	if l := r.list; l.shared() {
		for q := l.newest; q != l.released; q = q.prev {
			e.Publish(RequestEvent{th, q})
		}
		l.released = l.newest
	}
}

// startRequest activates a persistent request (section 3.9).
func (t *Tracker) startRequest(th *Thread, v, handle uint64, rec []byte) {
	r := th.Process.find(handle, v)
	if r == nil || !r.Persistent || r.Active {
		return
	}
	r.Active, r.Cancelled, r.Started, r.Known = true, false, true, false
	r.list.waived, r.list.released = nil, nil
	th.started = append(th.started, r)
	r.count(1)
	if r.Partitioned != nil {
		r.Partitioned.start()
	}
	p := &t.plans[r.Made.Func()]
	switch p.act {
	case sendInit:
		r.Ops[0] = t.postSend(th, p, r.Made.Raw)
		if match.Mode(p.mode) == match.Buffered && r.Ops[0] != nil {
			t.Events.BufferedSent.Publish(BufferedSent{th, r.Ops[0]})
		}
	case recvInit:
		r.Ops[0] = t.postRecv(th, p, r.Made.Raw, nil)
	}
	if op := r.Ops[0]; op != nil && t.Replay != nil {
		t.Replay.Begin(th, op)
	}
	if e := &t.Events.RequestStarted; e.Wanted() {
		e.Publish(RequestStarted{th, r, rec})
	}
}

// notStarted takes back that a persistent request was started: the call failed. If it had others to start, nobody knows
// which it did start.
func (t *Tracker) notStarted(th *Thread, r *Request, unsure bool) {
	for i, op := range r.Ops {
		if op == nil {
			continue
		}
		if unsure {
			t.Match.Doubt(op)
		} else {
			t.Match.Withdraw(op)
		}
		t.Match.Release(op)
		r.Ops[i] = nil
	}
	t.requestOver(th, r)
	r.count(-1)
	if r.Partitioned != nil {
		r.Partitioned.Round--
	}
	r.Active = false
}

// enterCancel follows MPI_Cancel: from here on, it is not known whether the operation takes part (section 3.8.4).
func (t *Tracker) enterCancel(th *Thread, p *plan, rec []byte) {
	r := th.Process.find(p.requestBefore.Handle(rec), p.request.Handle(rec))
	if r == nil || r.list.shared() {
		r = &Request{}
	}
	for i, op := range r.Ops {
		if op != nil {
			op.Cancelling = true
		}
		if t.Replay != nil && (op != nil || i == 0) {
			t.Replay.Cancel(th, op)
		}
	}
}

// drop forgets a request without completing it: MPI_Request_free. Its operations go on.
func (t *Tracker) drop(th *Thread, r *Request, call []byte) {
	if l := r.list; t.Replay != nil && l.shared() {
		// It is any of them that is not waited for.
		t.waiveAll(th, l, r, call)
	}
	for i, op := range r.Ops {
		if op != nil {
			t.Match.Over(op)
			if r.Cancelled {
				t.Match.Doubt(op)
			}
			t.dropOp(th, op)
			r.Ops[i] = nil
		}
	}
	t.leaveRounds(r)
	if r.Partitioned != nil {
		t.Match.Release(r.Partitioned.Op)
	}
	t.requestOver(th, r)
	t.remove(th, r)
}

func (t *Tracker) dropOp(th *Thread, op *match.Op) {
	if t.Replay != nil {
		t.Replay.Drop(th, op)
	}
	t.Match.Free(op)
}

// finish completes a request.
func (t *Tracker) finish(th *Thread, r *Request, s event.Status, have bool, how Completion, call []byte) {
	pr := th.Process
	t.requestsOver(th, r)
	for _, op := range r.Ops {
		if op == nil {
			continue
		}
		if r.Kind == BothRequest && op.Send {
			// The status is that of the receive.
		} else {
			t.settle(pr, op, s, have)
			if !op.Send && have && !op.Removed {
				t.Match.Confirm(op)
			}
		}
	}
	if t.Replay != nil {
		t.tell(th, r, how, call)
	}
	for i, op := range r.Ops {
		if op != nil {
			t.Match.Over(op)
			t.Match.Release(op)
			r.Ops[i] = nil
		}
	}
	r.Active = false
	if r.Overwritten != nil {
		pr.requestTable.copied(r)
	}
	if !r.Persistent {
		t.remove(th, r)
	}
}

// completed follows what a wait or test brought. A failed one completes those requests that the statuses tell of.
func (t *Tracker) completed(th *Thread, p *plan, c *event.Call, rc int32) {
	pr, rec := th.Process, c.Raw()
	if rc != 0 {
		pr.requestTable.doubtful = true
		t.Events.RequestsVague.Publish(RequestsVague{Process: pr})
	}
	if rc != 0 && th.Failure != nil && th.Failure.Refused {
		t.abandon(th, p, c)
		return
	}
	statuses, known := c.Statuses(p.status)
	base := p.request.Handle(rec)
	how := t.completion(th, p, c)
	one := func(i int, handle uint64, at int) {
		v := base + uint64(i)*pr.requestSize
		r := pr.find(handle, v)
		if r == nil || !r.Active {
			if r == nil && rc == 0 && c.State == event.Complete && handle != pr.requestNull {
				t.Events.StrayHandle.Publish(StrayHandle{th, c, i, handle})
			}
			return
		}
		var s event.Status
		have := known && at < statuses.Len()
		if have {
			s = statuses.At(at)
			have = rc == 0 || p.act != wait && p.act != test || s.Error != 0
		}
		t.finish(th, r, s, have, how, rec)
	}
	if rc != 0 && !th.tellsWhich(p, rc) {
		return
	}
	switch p.act {
	case wait:
		one(0, p.requestBefore.Handle(rec), 0)
	case test:
		if p.flag.Int(rec) != 0 {
			one(0, p.requestBefore.Handle(rec), 0)
		}
	case requestStatus:
		if r := pr.find(p.requestBefore.Handle(rec), 0); r != nil && p.flag.Int(rec) != 0 {
			// It completes the operation but not the request.
			r.Known = true
			t.requestsOver(th, r)
			s, have := statusAt(c, p.status, 0)
			for _, op := range r.Ops {
				if op != nil && !op.Send {
					t.settle(pr, op, s, have)
				}
			}
			if t.Replay != nil {
				t.any(th, r.list, Polled, rec)
			}
		}
	case testall, waitall:
		if p.act == testall && p.flag.Int(rec) == 0 {
			return
		}
		reqs, _ := c.In(p.requests)
		for i := range reqs.Len() {
			if rc != 0 {
				if s, have := statusAt(c, p.status, i); have && pr.names.isError(s.Error, "MPI_ERR_PENDING") {
					continue
				}
			}
			one(i, reqs.Handle(i), i)
		}
	case testany, waitany:
		i := p.index.Int(rec)
		reqs, _ := c.In(p.requests)
		if p.act == testany && p.flag.Int(rec) == 0 || i < 0 || i >= int64(reqs.Len()) {
			return
		}
		one(int(i), reqs.Handle(int(i)), 0)
	case testsome, waitsome:
		n := p.outCount.Int(rec)
		reqs, _ := c.In(p.requests)
		indices, _ := c.Out(p.indices)
		for k := 0; k < indices.Len() && int64(k) < n; k++ {
			if i := int(indices.At(k)); i >= 0 && i < reqs.Len() {
				one(i, reqs.Handle(i), k)
			}
		}
	}
}

// tellsWhich reports whether a wait or test that has failed with rc says which operations it has completed: by the errors
// in its statuses or, if it completes one, by its index. That is not valid if the error is about the arguments.
func (th *Thread) tellsWhich(p *plan, rc int32) bool {
	is := func(class string) bool { return th.failedWith(class) || th.Process.names.isError(rc, class) }
	switch p.act {
	case wait, test:
		return true
	case waitany, testany:
		return is("MPI_ERR_TRUNCATE")
	}
	return is("MPI_ERR_IN_STATUS")
}

// abandon forgets the nonblocking collectives that a call was to complete, but was refused for: they can't be expected to
// complete.
func (t *Tracker) abandon(th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		if r := pr.find(h, pr.variable(p, c, i)); r != nil && r.Kind == CollectiveRequest && !r.Persistent {
			if t.Replay != nil {
				t.waive(th, r.list, c.Raw())
			}
			t.requestOver(th, r)
			t.remove(th, r)
		}
	}
}
