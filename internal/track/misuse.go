package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// RequestError is what is wrong with a call that is given a request (MPI standard, chapters 3 and 4).
type RequestError struct {
	Wrong RequestMisuse
	Made  match.Call // the call that made the request, empty if that is not known
	Index int        // of the request in an array, -1 if it is in none
}

// RequestMisuse says what is wrong with the use of a request.
type RequestMisuse uint8

// The misuses.
const (
	ActiveStart     RequestMisuse = iota // started while it is active
	TransientStart                       // started, but not persistent
	NullRequest                          // MPI_REQUEST_NULL where a request is needed
	OverRequest                          // complete or freed before: the handle is a copy
	RepeatedRequest                      // more than once in an array, and gone after the first
	UnknownRequest                       // no call returned it
	InactiveCancel                       // cancelled while nothing is under way
	Irrevocable                          // freed or cancelled, though its operation can be neither
	InactiveReady                        // a partition is ready of a message that is not started
	NoPartitionedSend
	NoPartitionedReceive
	NotGeneralized
	PrematureFree // a receive is freed while it is under way
	NeverStarted  // a persistent request is freed that was never started
)

// judgement says when the requests that a function is given are looked at.
type judgement uint8

const (
	unjudged  judgement = iota
	always              // when it is called
	ifPending           // if it is seen under way, or has failed: else when it has completed them
)

var judgements = map[action]judgement{
	start: always, startall: always, requestFree: always, cancel: always, pready: always, parrived: always, grequestComplete: always,
	wait: ifPending, waitall: ifPending, waitany: ifPending, waitsome: ifPending,
	test: ifPending, testall: ifPending, testany: ifPending, testsome: ifPending, requestStatus: ifPending,
}

func (t *Tracker) misusedRequest(th *Thread, rec []byte, e RequestError) {
	if e.Wrong != PrematureFree && e.Wrong != NeverStarted {
		th.Explained = ByRequest
	}
	t.Events.WrongRequest.Publish(WrongRequest{th, th.call(rec), &e})
}

// judgeRequests looks at the requests that a call is given. It tells of the first that is wrong.
func (t *Tracker) judgeRequests(th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	if pr.Lost || th.Failure != nil && th.Failure.Refused {
		return
	}
	if p.requests < 0 {
		if e, ok := pr.judge(p, p.requestBefore.Handle(c.Raw()), p.request.Handle(c.Raw())); !ok {
			e.Index = -1
			t.misusedRequest(th, c.Raw(), e)
		}
		return
	}
	list, _ := c.In(p.requests)
	pr.reqs.pass++
	for i := range list.Len() {
		e, ok := pr.judge(p, list.Handle(i), pr.variable(p, c, i))
		if ok && (p.act == waitall || p.act == testall || p.act == startall) && pr.repeated(list.Handle(i), p.act == startall) {
			e, ok = RequestError{Wrong: RepeatedRequest, Made: pr.find(list.Handle(i), 0).Made}, false
		}
		if !ok {
			e.Index = i
			t.misusedRequest(th, c.Raw(), e)
			return
		}
	}
}

// repeated counts a handle of the array that is looked through, and reports whether it stands there more often than there
// are requests: the others are gone by then, or active. Persistent ones may be waited for again.
func (pr *Process) repeated(handle uint64, starting bool) bool {
	l := pr.reqs.list(handle, false)
	if handle == pr.requestNull || l == nil || l.n == 0 || !starting && l.oldest.Persistent || pr.vague() {
		return false
	}
	if l.pass != pr.reqs.pass {
		l.pass, l.times = pr.reqs.pass, 0
	}
	l.times++
	return l.times > l.n
}

// judge looks at one request that a call is given.
func (pr *Process) judge(p *plan, handle, v uint64) (e RequestError, ok bool) {
	r := pr.find(handle, v)
	if r != nil {
		e.Made = r.Made
	}
	wrong := func(w RequestMisuse) (RequestError, bool) {
		e.Wrong = w
		return e, false
	}
	switch {
	case handle == pr.requestNull:
		if p.judged == always && p.act != parrived {
			return wrong(NullRequest)
		}
		return e, true
	case r == nil:
		if pr.vague() {
			return e, true
		}
		if made, over := pr.reqs.over(handle); over {
			e.Made = made
			return wrong(OverRequest)
		}
		return e, true // it may be any
	}
	f := mpiapi.ByID(r.Made.Func())
	switch {
	case r.list.n > 1 && r.Var != v:
		return e, true // it may be another
	case p.act == grequestComplete && f.Class != mpiapi.RequestOp:
		return wrong(NotGeneralized)
	case pr.vague():
		return e, true
	}
	switch p.act {
	case start, startall:
		switch {
		case !r.Persistent:
			return wrong(TransientStart)
		case r.Active:
			return wrong(ActiveStart)
		}
	case requestFree, cancel:
		switch {
		case f.Class == mpiapi.Icollective && f.Arg(mpiapi.TheFile) < 0 && f.Arg(mpiapi.NewComm) < 0 || f.Class == mpiapi.RMA ||
			f.Class == mpiapi.CollectiveInit && (p.act == cancel || r.Active):
			return wrong(Irrevocable)
		case p.act == cancel && r.Persistent && !r.Active:
			return wrong(InactiveCancel)
		}
	case pready:
		switch {
		case f.ID != mpiapi.IDPsendInit:
			return wrong(NoPartitionedSend)
		case !r.Active:
			return wrong(InactiveReady)
		}
	case parrived:
		if f.ID != mpiapi.IDPrecvInit {
			return wrong(NoPartitionedReceive)
		}
	}
	return e, true
}

// vague reports whether requests may have been made or completed without a record: a wait or test has failed and does not
// say which it has completed, or functions of the program have run inside of MPI.
func (pr *Process) vague() bool { return pr.reqs.doubtful || pr.Callbacks }

// over reports whether a handle was a request, and is none any more; made is the call that made it, if that is known still.
func (rt *requestTable) over(handle uint64) (made match.Call, ok bool) {
	l := rt.list(handle, false)
	if l == nil || l.n > 0 || l.last == nil {
		return made, false
	}
	if l.last.Number == l.lastNumber {
		made = l.last.Made
	}
	return made, true
}

// stray looks at the i-th handle of a wait or test that has completed it, though it stands for no request.
func (t *Tracker) stray(th *Thread, p *plan, c *event.Call, i int, handle uint64) {
	pr := th.Process
	made, over := pr.reqs.over(handle)
	if !over || pr.Lost || pr.vague() {
		return
	}
	e := RequestError{Wrong: OverRequest, Made: made, Index: -1}
	if p.requests >= 0 {
		e.Index = i
		list, _ := c.In(p.requests)
		for k := range min(i, list.Len()) {
			if list.Handle(k) == handle {
				e.Wrong = RepeatedRequest
			}
		}
	}
	if th.Explained != Unexplained {
		return // one of the call is enough
	}
	t.misusedRequest(th, c.Raw(), e)
}

// judgeFree looks at a request that MPI_Request_free has freed.
func (t *Tracker) judgeFree(th *Thread, r *Request, rec []byte) {
	e := RequestError{Made: r.Made, Index: -1}
	switch {
	case th.Process.Lost || th.Process.vague():
		return
	case r.Persistent && !r.Started:
		e.Wrong = NeverStarted
	case r.Active && !r.Cancelled && !r.Known && r.receives():
		e.Wrong = PrematureFree
	default:
		return
	}
	t.misusedRequest(th, rec, e)
}

// receives reports whether an active request waits for a message.
func (r *Request) receives() bool {
	switch r.Kind {
	case RecvRequest:
		return r.Ops[0] != nil
	case BothRequest:
		return r.Ops[1] != nil
	}
	return r.Made.Func() == mpiapi.IDPrecvInit
}

// unknownRequest tells that a call failed for a request that no call returned.
func (t *Tracker) unknownRequest(th *Thread, call match.Call) {
	pr := th.Process
	if th.Explained != Unexplained || pr.Lost || !th.failedWith("MPI_ERR_REQUEST") || t.plans[call.Func()].judged == unjudged {
		return
	}
	if e, ok := t.Unknown(th, call); ok {
		t.misusedRequest(th, call.Raw, e)
	}
}

// Unknown returns the first request that a call is given and that no call returned; ok is false if there is none.
func (t *Tracker) Unknown(th *Thread, call match.Call) (e RequestError, ok bool) {
	p, pr := &t.plans[call.Func()], th.Process
	unknown := func(handle uint64) bool {
		return handle != pr.requestNull && pr.reqs.list(handle, false) == nil
	}
	if p.judged == unjudged || pr.Callbacks || pr.Handlers || pr.reqs.forgets {
		return e, false
	}
	if p.requests < 0 {
		return RequestError{Wrong: UnknownRequest, Index: -1}, unknown(p.requestBefore.Handle(call.Raw))
	}
	c, err := event.ParseCall(call.Raw)
	if err != nil {
		return e, false
	}
	list, _ := c.In(p.requests)
	for i := range list.Len() {
		if unknown(list.Handle(i)) {
			return RequestError{Wrong: UnknownRequest, Index: i}, true
		}
	}
	return e, false
}

// aboutRequest reports whether an error class may be about a request.
func (p *Process) aboutRequest(class int32) bool {
	switch p.ErrorClass(class) {
	case "MPI_ERR_REQUEST", "MPI_ERR_ARG", "MPI_ERR_OTHER", "MPI_ERR_INTERN", "MPI_ERR_UNKNOWN", "MPI_ERR_IN_STATUS", "":
		return true
	}
	return false
}

// Starting describes the message that a persistent request would send or receive if it were started: the process's view of
// the communicator, the member at the other end and the tag, or match.Any. ok is false if it is no such request.
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
