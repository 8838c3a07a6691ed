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

// long is the number of requests of one handle from which on they are looked up by variable in a map.
const long = 16

// list returns the list of a handle, nil if there is none and none is to be made.
func (rt *requestTable) list(handle uint64, create bool) *requestList {
	// Handles are multiples of a small size (pointers) or count in the low bits: mix both.
	if len(rt.recent) == 0 {
		if !create {
			return nil
		}
		rt.recent = make([]*requestList, 8) // most processes have few requests at once, and there may be a million processes
	}
	slot := &rt.recent[(handle^handle>>6^handle>>10)&uint64(len(rt.recent)-1)]
	if l := *slot; l != nil && l.handle == handle {
		return l
	}
	l := rt.lists[handle]
	if l == nil {
		if !create {
			return nil
		}
		l = &requestList{handle: handle}
		rt.lists = put(rt.lists, handle, l)
		if len(rt.lists) == 9 && len(rt.recent) == 8 {
			rt.recent = make([]*requestList, 64)
			return l
		}
	}
	*slot = l
	return l
}

// tidy forgets empty lists when they are many: a library that never uses a handle twice must not fill the memory.
func (rt *requestTable) tidy(active int) {
	if len(rt.lists) < 4*active+4000 {
		return
	}
	for h, l := range rt.lists {
		if l.n == 0 {
			delete(rt.lists, h)
			rt.forgets = true
		}
	}
	clear(rt.recent)
}

// push adds r behind the others of its handle.
func (rt *requestTable) push(r *Request) {
	l := rt.list(r.Handle, true)
	r.list, r.prev, r.next = l, l.newest, nil
	if l.oldest == nil {
		l.oldest = r
	} else {
		l.newest.next = r
	}
	l.newest = r
	l.n++
	switch {
	case l.n == long:
		if rt.vars == nil {
			rt.vars = make(map[requestVar]*Request)
		}
		for q := l.oldest; q != nil; q = q.next {
			rt.vars[requestVar{q.Handle, q.Var}] = q
		}
	case l.n > long:
		rt.vars[requestVar{r.Handle, r.Var}] = r
	}
}

// take removes r.
func (rt *requestTable) take(r *Request) {
	l := r.list
	l.last, l.lastNumber = r, r.Number
	if l.released == r {
		l.released = r.prev
	}
	if l.waived == r {
		l.waived = r.prev
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.oldest = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.newest = r.prev
	}
	r.list, r.prev, r.next = nil, nil, nil
	l.n--
	switch {
	case l.n >= long:
		if k := (requestVar{r.Handle, r.Var}); rt.vars[k] == r {
			delete(rt.vars, k)
		}
	case l.n == long-1:
		delete(rt.vars, requestVar{r.Handle, r.Var})
		for q := l.oldest; q != nil; q = q.next {
			delete(rt.vars, requestVar{q.Handle, q.Var})
		}
	}
}

// find returns the request that the handle in variable v stands for: of several the one that was stored last in that very
// variable, else the oldest, as all are alike.
func (rt *requestTable) find(handle, v uint64) *Request {
	l := rt.list(handle, false)
	if l == nil || l.n < 2 {
		if l == nil {
			return nil
		}
		return l.oldest
	}
	if l.n >= long {
		if r := rt.vars[requestVar{handle, v}]; r != nil {
			return r
		}
		return l.oldest
	}
	for r := l.newest; r != nil; r = r.prev {
		if r.Var == v {
			return r
		}
	}
	return l.oldest
}

// shared reports whether a handle may stand for any of several requests.
func (l *requestList) shared() bool { return l != nil && (l.n > 1 || len(l.owed) > 0) }

// tell tells the replay that a call has completed r, before that is taken out of its list.
//
// Of several requests with one handle nobody can say which a call completes: a program may swap or move the variables that
// they are in. So each is taken to be waited for only where the last one is, when all of them are complete. A call that might
// have gone on with something else did so because of any of them.
func (t *Tracker) tell(th *Thread, r *Request, how Completion, call []byte) {
	l := r.list
	if !l.shared() {
		for _, op := range r.Ops {
			if op != nil {
				t.Replay.Finish(th, op, how, call)
			}
		}
		if r.Kind == CollectiveRequest && !r.Persistent {
			t.Replay.Leave(th, r.View, r.Pos, how, call)
		}
		return
	}
	if how != Awaited {
		t.any(th, l, how, call)
	}
	for _, op := range r.Ops {
		if op != nil {
			op.Retain()
			l.owed = append(l.owed, owed{th: th, op: op})
		}
	}
	if r.Kind == CollectiveRequest && !r.Persistent {
		l.owed = append(l.owed, owed{th: th, view: r.View, pos: r.Pos})
	}
	switch {
	case l.n == 1:
		t.pay(th, l, how, call)
	case len(l.owed) > maxOwed:
		t.waive(th, l, call)
	}
}

// any tells the replay that a call has gone on because one of the operations of a handle is complete. If they are many, it
// tells that no thread waits for any of them.
func (t *Tracker) any(th *Thread, l *requestList, how Completion, call []byte) {
	if l.n > maxOwed {
		t.waiveAll(th, l, nil, call)
		return
	}
	t.pay(th, l, how, call)
	for r := l.oldest; r != nil; r = r.next {
		for _, op := range r.Ops {
			if op != nil {
				t.Replay.Finish(th, op, how, call)
			}
		}
	}
}

// pay tells the replay that a call has completed all that a thread has waited for of a handle.
func (t *Tracker) pay(th *Thread, l *requestList, how Completion, call []byte) {
	for i, o := range l.owed {
		switch {
		case o.op == nil:
			t.Replay.Leave(th, o.view, o.pos, how, call)
			continue
		case o.th != th: // waited for something, but not here
			t.Replay.Drop(th, o.op)
		default:
			t.Replay.Finish(th, o.op, how, call)
		}
		t.Match.Forget(o.op)
		l.owed[i].op = nil
	}
	l.owed = l.owed[:0]
}

// waive tells the replay that nobody is known to wait for what a handle has stood for.
func (t *Tracker) waive(th *Thread, l *requestList, call []byte) {
	for i, o := range l.owed {
		if o.op == nil {
			t.Replay.Leave(th, o.view, o.pos, Polled, call)
			continue
		}
		t.Replay.Drop(th, o.op)
		t.Match.Forget(o.op)
		l.owed[i].op = nil
	}
	l.owed = l.owed[:0]
}

// waiveAll tells the replay that no thread is taken to wait for the operations of a handle, complete or not. It leaves out
// those of the request rest.
func (t *Tracker) waiveAll(th *Thread, l *requestList, rest *Request, call []byte) {
	t.waive(th, l, call)
	for r := l.newest; r != l.waived; r = r.prev {
		for _, op := range r.Ops {
			if op != nil && r != rest {
				t.Replay.Drop(th, op)
			}
		}
	}
	l.waived = l.newest
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
	pr.reqs.hold(r, pr.Active)
	pr.reqs.push(r)
	if pr.Active++; pr.Active >= pr.notice {
		pr.notice *= 2
		t.Events.Crowded.Publish(Crowded{pr, mpiapi.Request})
	}
	if pr.numbers&0xfff == 0 {
		pr.reqs.tidy(pr.Active)
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
	return pr.reqs.find(handle, v)
}

// remove takes out a request that is over; it is used again for another.
func (t *Tracker) remove(th *Thread, r *Request) {
	pr := th.Process
	if e := &t.Events.RequestGone; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
	pr.reqs.take(r)
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
		pr.reqs.copied(r)
	}
	if !r.Persistent {
		t.remove(th, r)
	}
}

// completed follows what a wait or test brought. A failed one completes those requests that the statuses tell of.
func (t *Tracker) completed(th *Thread, p *plan, c *event.Call, rc int32) {
	pr, rec := th.Process, c.Raw()
	if rc != 0 {
		pr.reqs.doubtful = true
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

// variable returns the address of the i-th request that a wait or test is given.
func (pr *Process) variable(p *plan, c *event.Call, i int) uint64 {
	return p.request.Handle(c.Raw()) + uint64(i)*pr.requestSize
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
