package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// requestTable has the requests of a process by handle. MPI libraries give several requests one handle (sends that are
// complete at once), so a handle has a list. Handles are used again and again, so lists stay when they are empty.
type requestTable struct {
	lists  map[uint64]*requestList
	recent []*requestList // by handle: recently used lists; 8 or 64 of them, none before the first one
	vars   map[requestVar]*Request
	holders
	doubtful bool   // it is not known any more which requests are complete, see Process.RequestsUncertain
	forgets  bool   // not all former handles of requests are known any more
	pass     uint64 // number of the array that is being looked through

	Active  int    // requests that are not freed or completed
	notice  int    // the number of them at which the next notice is due
	numbers uint64 // of requests made

	// modified has the changes of data that incomplete operations send, by event.Operation. Processes report them when
	// they come to MPI_Finalize.
	modified map[uint64]event.Changed
}

// requestList is the list of requests with one handle, nearly always only one.
type requestList struct {
	handle         uint64
	oldest, newest *Request
	n              int

	// released: RequestOver was published for this request and all older ones. waived: no thread counts as waiting for
	// this request or an older one. Both are nil if there is no such request. They save a walk through all requests of
	// the handle whenever one of them is over.
	released, waived *Request

	last       *Request // the last one that was taken out, while it has the number lastNumber: requests are reused
	lastNumber uint64

	pass uint64 // number of the array that has the handle

	// Operations that were waited for while there were other requests, so that any of these may be complete. They are
	// reported together with the last one.
	owed []owed
}

// owed is an operation that a thread has probably waited for.
type owed struct {
	th   *Thread
	op   *match.Op // nil for a nonblocking collective
	view *View
	pos  uint64
}

// maxOwed is the number of operations of one handle above which no thread counts as waiting for them.
const maxOwed = 64

type requestVar struct {
	handle, variable uint64
}

// requests follows the requests of all processes.
type requests struct {
	*core
	messages *messages
	rounds   *rounds
	free     *Request // those that are over: they are reused
}

func succeedInit(t *Tracker, th *Thread, p *plan, c *event.Call) {
	r := t.newRequest()
	r.Kind, r.Persistent = SendRequest, true
	if p.act == mpiapi.ActRecvInit {
		r.Kind = RecvRequest
	}
	t.addRequest(th.Process, r, th, p, c.Raw())
}

func succeedPartitionedInit(t *Tracker, th *Thread, p *plan, c *event.Call) {
	r := t.newRequest()
	r.Partitioned, r.Persistent = t.initPartitioned(th, p, c.Raw()), true
	t.addRequest(th.Process, r, th, p, c.Raw())
}

func succeedOtherRequest(t *Tracker, th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	if p.fn.Class == mpiapi.RequestOp {
		pr.doubtful = true // its functions may complete others
		t.Events.RequestsVague.Publish(RequestsVague{Process: pr, Always: true})
	}
	r := t.newRequest()
	r.Active = true
	t.addRequest(pr, r, th, p, c.Raw())
}

func succeedIcollective(t *Tracker, th *Thread, p *plan, c *event.Call) {
	if !p.requestAfter.Exists() {
		return
	}
	persistent := p.fn.Class == mpiapi.CollectiveInit
	r := t.newRequest()
	r.Kind, r.Persistent, r.Active, r.View, r.Pos = CollectiveRequest, persistent, !persistent, th.view, th.pos
	switch {
	case r.View == nil:
		r.Kind = OtherRequest
	case persistent:
		r.Rounds = t.persistent[place{r.View.Comm, r.Pos}]
	}
	t.addRequest(th.Process, r, th, p, c.Raw())
}

func leaveRequestFree(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	rec := c.Raw()
	r := th.Process.findRequest(p.requestBefore.Handle(rec), p.request.Handle(rec))
	switch {
	case r == nil:
	case rc != 0:
		r.Refused = th.Explained == ByRequest
	default:
		t.Events.RequestFreed.Publish(RequestFreed{th, c, r})
		t.dropRequest(th, r, rec)
	}
}

func enterCancel(t *Tracker, th *Thread, p *plan, c *event.Call) { t.enterCancel(th, p, c.Raw()) }

func succeedCancel(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	if r := th.Process.findRequest(p.requestBefore.Handle(c.Raw()), p.request.Handle(c.Raw())); r != nil {
		r.Cancelled = true
	}
}

// addRequest enters the request that a call returned.
func (rs *requests) addRequest(pr *Process, r *Request, th *Thread, p *plan, rec []byte) {
	r.Handle, r.Var = p.requestAfter.Handle(rec), p.request.Handle(rec)
	if r.Handle == pr.requestNull {
		for _, op := range r.Ops {
			if op != nil {
				rs.dropOp(th, op)
			}
		}
		rs.recycle(r)
		return
	}
	pr.numbers++
	r.Number = pr.numbers
	r.Operation = event.Operation(th.Index, th.Calls)
	r.Made.Thread = th.ID
	r.Made.Keep(rec)
	pr.requestTable.noteHolder(r, pr.Active)
	pr.requestTable.pushRequest(r)
	if pr.Active++; pr.Active >= pr.notice {
		pr.notice *= 2
		rs.Events.Crowded.Publish(Crowded{pr, mpiapi.Request})
	}
	if pr.numbers&0xfff == 0 {
		pr.requestTable.tidy(pr.Active)
	}
	r.Held, th.Held = th.Held, memory.Held{}
	if e := &rs.Events.RequestMade; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
}

// newRequest returns an empty request. It reuses one that is over.
func (rs *requests) newRequest() *Request {
	r := rs.free
	if r == nil {
		return new(Request)
	}
	rs.free = r.next
	*r = Request{Made: match.Call{Raw: r.Made.Raw[:0]}}
	return r
}

// findRequest returns the request that the handle in variable v stands for, nil if there is none.
func (pr *Process) findRequest(handle, v uint64) *Request {
	if handle == pr.requestNull {
		return nil
	}
	return pr.requestTable.lookUp(handle, v)
}

// removeRequest takes out a request that is over. It will be reused.
func (rs *requests) removeRequest(th *Thread, r *Request) {
	pr := th.Process
	if e := &rs.Events.RequestGone; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
	pr.requestTable.takeRequest(r)
	pr.Active--
	rs.recycle(r)
}

func (rs *requests) recycle(r *Request) {
	r.next = rs.free
	rs.free = r
}

// requestOver publishes that the operation of a request is over.
func (rs *requests) requestOver(th *Thread, r *Request) {
	if e := &rs.Events.RequestOver; e.Wanted() {
		e.Publish(RequestEvent{th, r})
	}
}

// requestsOver publishes that the operation of a request is over, and that those of all requests with the same handle
// may be over.
func (rs *requests) requestsOver(th *Thread, r *Request) {
	e := &rs.Events.RequestOver
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

// enterCancel follows MPI_Cancel. From here on, it is not known whether the operation takes part (section 3.8.4).
func (rs *requests) enterCancel(th *Thread, p *plan, rec []byte) {
	r := th.Process.findRequest(p.requestBefore.Handle(rec), p.request.Handle(rec))
	if r == nil || r.list.shared() {
		r = &Request{}
	}
	for i, op := range r.Ops {
		if op != nil {
			op.Cancelling = true
		}
		if rs.Replay != nil && (op != nil || i == 0) {
			rs.Replay.Cancel(th, op)
		}
	}
}

// dropRequest forgets a request without completing it: MPI_Request_free. Its operations go on.
func (rs *requests) dropRequest(th *Thread, r *Request, call []byte) {
	if l := r.list; rs.Replay != nil && l.shared() {
		// Any of the requests with this handle may be the one that is not waited for.
		rs.dropWaits(th, l, r, call)
	}
	for i, op := range r.Ops {
		if op != nil {
			rs.Match.Over(op)
			if r.Cancelled {
				rs.Match.Doubt(op)
			}
			rs.dropOp(th, op)
			r.Ops[i] = nil
		}
	}
	rs.rounds.leaveRounds(r)
	if r.Partitioned != nil {
		rs.Match.Release(r.Partitioned.Op)
	}
	rs.requestOver(th, r)
	rs.removeRequest(th, r)
}

func (rs *requests) dropOp(th *Thread, op *match.Op) {
	if rs.Replay != nil {
		rs.Replay.Drop(th, op)
	}
	rs.Match.Free(op)
}
