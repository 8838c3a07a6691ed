package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// moving is a nonblocking or persistent operation whose process makes sums of its data: a message, or a collective.
type moving struct {
	message bool
	request *Request // of a message; nil until the call has returned that makes it

	view       *View // of a collective
	pos, round uint64
	call       match.Call // that made it
}

// Modification is data that changed while an operation read them.
type Modification struct {
	Operation match.Call // the call that made it
	Completed match.Call // the call that completed it, which has not returned; Operation, if that is a blocking one
	Blocking  bool
	event.Changed
	// View and Position are the place of a collective, Round says which start of a persistent one it is.
	View            *View
	Position, Round uint64
	// Type and Count are what a message sends; Type is nil if that is not known, and for collectives.
	Type  *match.Datatype
	Count int64
}

// sums tells of sums of the data of the call that a thread is in, or of the operation that this call starts or completes.
func (t *Tracker) sums(th *Thread, s *event.Sums) {
	t.Match.Sums = true
	pr := th.Process
	if s.Made && th.view == nil && mpiapi.Collective > th.Open.Func.Class {
		th.made = s.Operation
		t.enterMoving(pr, s.Operation, &moving{message: true})
	}
	if m := pr.moving[s.Operation]; s.Blocks || s.Void || m != nil && m.message {
		t.sumMessage(th, s)
		return
	}
	if s.Operation == 0 {
		if th.view != nil {
			t.scratch.Keep(th.Open.Call.Raw())
			t.scratch.Thread = th.ID
			t.Events.SumsSeen.Publish(SumsSeen{th, th.view, th.pos, t.scratch, s})
		}
		return
	}
	if s.Made && th.view != nil {
		t.enterMoving(pr, s.Operation, &moving{view: th.view, pos: th.pos, call: th.call(th.Open.Call.Raw())})
	}
	m := pr.moving[s.Operation]
	if m != nil {
		m.round = s.Round
	}
	if s.Over {
		delete(pr.moving, s.Operation)
	}
	if m == nil || s.Made && th.Open.Func.Class == mpiapi.CollectiveInit || s.Over && !s.Received && !s.Failed {
		return
	}
	t.Events.SumsSeen.Publish(SumsSeen{th, m.view, m.pos, m.call, s})
}

func (t *Tracker) enterMoving(pr *Process, number uint64, m *moving) {
	if pr.moving == nil {
		pr.moving = make(map[uint64]*moving)
	}
	pr.moving[number] = m
}

// moves gives the message that a call has made its request.
func (t *Tracker) moves(pr *Process, th *Thread, r *Request) {
	if m := pr.moving[th.made]; m != nil {
		m.request, r.moved = r, th.made
	}
	th.made = 0
}

// messageOf returns the send, or the receive, of the message that a record of a thread is about: of the call that the thread
// is in, or of the operation with the given number. It returns nil if that is not known.
func (t *Tracker) messageOf(th *Thread, number uint64, send bool) *match.Op {
	ops := th.ops
	switch m := th.Process.moving[number]; {
	case number == 0 || number == th.made:
		if p := &t.plans[th.Open.Func.ID]; p.act == mrecv && !send {
			return th.taken
		}
	case m == nil || m.request == nil:
		return nil
	default:
		ops = m.request.Ops
	}
	for _, op := range ops {
		if op != nil && op.Send == send {
			return op
		}
	}
	return nil
}

func (t *Tracker) sumMessage(th *Thread, s *event.Sums) {
	op := t.messageOf(th, s.Operation, !s.Received)
	if op == nil {
		return
	}
	if s.Void {
		t.Match.Void(op)
		return
	}
	if s.Len() == 0 {
		return
	}
	t.blocks = t.blocks[:0]
	bytes := uint64(0)
	for i := range s.Len() {
		b := s.At(i)
		t.blocks = append(t.blocks, b.Value)
		bytes += b.Bytes
	}
	t.Match.Sum(op, bytes, t.blocks)
}

// changed tells of data that have changed while an operation read them that the call of a thread completes.
func (t *Tracker) changed(th *Thread, c *event.Changed) {
	rec := th.Open.Call.Raw()
	m := Modification{Changed: *c, Completed: th.call(rec)}
	if op := t.messageOf(th, c.Operation, true); op != nil {
		t.Match.Void(op)
		m.Type, m.Count = op.Type, op.Count
	}
	switch k := th.Process.moving[c.Operation]; {
	case c.Operation == 0:
		m.Operation, m.Blocking = m.Completed, true
	case k == nil:
		if !t.changedKept(th.Process, &m) {
			return
		}
	case k.message && k.request == nil:
		return
	case k.message:
		m.Operation = k.request.Made
	default:
		m.Operation, m.View, m.Position, m.Round = k.call, k.view, k.pos, k.round
	}
	t.Events.DataChanged.Publish(DataChanged{th, &m})
}

// changedKept finds the operation of whose data nothing was told before they changed. It reports false if another operation may
// have changed them, which is told as an overlap.
func (t *Tracker) changedKept(pr *Process, m *Modification) (found bool) {
	pr.Requests(func(r *Request) {
		if r.operation != m.Changed.Operation || r.Held.Clashed {
			return
		}
		found, m.Operation = true, r.Made
		for _, op := range r.Ops {
			if op != nil && op.Send {
				m.Type, m.Count = op.Type, op.Count
			}
		}
	})
	return found
}
