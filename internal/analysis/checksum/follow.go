package checksum

import (
	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/buffers"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Sums assigns the checksums that processes report to the operations that they belong to. Checksums of messages go to
// package match, which compares them.
type Sums struct {
	// Summed: there are checksums of a collective. The event is valid until the subscriber returns.
	Summed stream.Topic[*Summed]
	// Modified: data changed while an operation read them. The event is valid until the subscriber returns.
	Modified stream.Topic[*Modification]

	tracker    *track.Tracker
	owner      *stream.Owner
	subscribed bool // to the events that are needed once there are checksums
	making     map[ring.ThreadID]making
	moving     map[*track.Process]map[uint64]*moving // nonblocking and persistent operations, by number
	scratch    match.Call
	blocks     []uint64 // room for checksums
}

// making is a message that a call makes.
type making struct {
	number uint64
	call   uint64 // the number of the call in its thread
}

// moving is a nonblocking or persistent operation whose process computes checksums of its data: a message, or a
// collective.
type moving struct {
	message bool
	request *track.Request // of a message; nil until the call that makes it has returned

	view       *track.View // of a collective
	pos, round uint64
	call       match.Call // the call that made the collective
}

// Summed has checksums of the data that the call at a position of a communicator sends or has received.
type Summed struct {
	View     *track.View
	Position uint64
	Call     match.Call
	Sums     *event.Sums
}

// Modification is data that changed while an operation read them.
type Modification struct {
	Thread    *track.Thread
	Operation match.Call // the call that made the operation
	Completed match.Call // the call that completes it and has not returned; equals Operation for a blocking call
	Blocking  bool
	event.Changed
	// View and Position are the place of a collective. Round is the number of the start of a persistent collective.
	View            *track.View
	Position, Round uint64
	// Type and Count describe the data that a message sends. Type is nil if it is not known, and for collectives.
	Type  *match.Datatype
	Count int64
}

// Fact is the checksums of data.
var Fact = &analysis.Fact[*Sums]{
	Name: "sums of data",
	Start: func(r *analysis.Run) *Sums {
		s := &Sums{
			tracker: r.Tracker, owner: r.Owner,
			making: make(map[ring.ThreadID]making), moving: make(map[*track.Process]map[uint64]*moving),
		}
		r.Tracker.Events.SumsSeen.On(r.Owner, s.seen)
		r.Tracker.Events.ChangeSeen.On(r.Owner, s.changed)
		return s
	},
}

// subscribe subscribes to the events of requests. Runs without checksums do not have this cost.
func (s *Sums) subscribe() {
	if s.subscribed {
		return
	}
	s.subscribed = true
	s.tracker.Match.Sums = true
	s.tracker.Events.RequestMade.On(s.owner, func(e track.RequestEvent) {
		number := s.made(e.Thread)
		if number == 0 {
			return
		}
		if m := s.moving[e.Thread.Process][number]; m != nil {
			m.request, e.Request.Sums = e.Request, number
		}
		delete(s.making, e.Thread.ID)
	})
	s.tracker.Events.RequestGone.On(s.owner, func(e track.RequestEvent) {
		if e.Request.Sums != 0 {
			delete(s.moving[e.Thread.Process], e.Request.Sums)
		}
	})
}

// made returns the number of the message that the open call of a thread makes. It is 0 if the call makes none.
func (s *Sums) made(th *track.Thread) uint64 {
	if m := s.making[th.ID]; m.call == th.Calls {
		return m.number
	}
	return 0
}

// make notes that the open call of a thread makes a message.
func (s *Sums) make(th *track.Thread, number uint64) {
	if old, ok := s.making[th.ID]; ok { // the earlier call failed
		delete(s.moving[th.Process], old.number)
	}
	s.making[th.ID] = making{number, th.Calls}
	s.enter(th.Process, number, &moving{message: true})
}

func (s *Sums) enter(p *track.Process, number uint64, m *moving) {
	if s.moving[p] == nil {
		s.moving[p] = make(map[uint64]*moving)
	}
	s.moving[p][number] = m
}

// seen follows checksums of the data of a thread's open call, or of the operation that this call starts or completes.
func (s *Sums) seen(e track.SumsSeen) {
	s.subscribe()
	th, pr, sums := e.Thread, e.Thread.Process, e.Sums
	view, pos := th.Joined()
	f := th.Open.Func
	if sums.Made && view == nil && f.Class < mpiapi.Collective {
		s.make(th, sums.Operation)
	}
	if m := s.moving[pr][sums.Operation]; sums.Blocks || sums.Void || m != nil && m.message {
		s.sumMessage(th, sums)
		return
	}
	if sums.Operation == 0 {
		if view != nil {
			s.scratch.Keep(th.Open.Call.Raw())
			s.scratch.Thread = th.ID
			s.Summed.Publish(&Summed{view, pos, s.scratch, sums})
		}
		return
	}
	if sums.Made && view != nil {
		s.enter(pr, sums.Operation, &moving{view: view, pos: pos, call: openCall(th)})
	}
	m := s.moving[pr][sums.Operation]
	if m != nil {
		m.round = sums.Round
	}
	if sums.Over {
		delete(s.moving[pr], sums.Operation)
	}
	if m == nil || sums.Made && f.Class == mpiapi.CollectiveInit || sums.Over && !sums.Received && !sums.Failed {
		return
	}
	s.Summed.Publish(&Summed{m.view, m.pos, m.call, sums})
}

// openCall returns a copy of the open call of a thread.
func openCall(th *track.Thread) match.Call { return track.Call{Thread: th, Call: &th.Open.Call}.Kept() }

// messageOf returns the send, or the receive, of the message that a record of a thread describes. The message belongs
// to the thread's open call, or to the operation with the given number. The result is nil if the message is not known.
func (s *Sums) messageOf(th *track.Thread, number uint64, send bool) *match.Op {
	ops := th.Waiting()
	switch m := s.moving[th.Process][number]; {
	case number == 0 || number == s.made(th):
		if th.Open.Func.Class == mpiapi.Mrecv && th.Open.Func.Arg(mpiapi.TheRequest) < 0 && !send { // MPI_Mrecv
			return th.Consumed()
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

func (s *Sums) sumMessage(th *track.Thread, sums *event.Sums) {
	op := s.messageOf(th, sums.Operation, !sums.Received)
	if op == nil {
		return
	}
	if sums.Void {
		s.tracker.Match.Void(op)
		return
	}
	if sums.Len() == 0 {
		return
	}
	s.blocks = s.blocks[:0]
	bytes := uint64(0)
	for i := range sums.Len() {
		b := sums.At(i)
		s.blocks = append(s.blocks, b.Value)
		bytes += b.Bytes
	}
	s.tracker.Match.Sum(op, bytes, s.blocks)
}

// changed follows data that changed while an operation read them. The open call of the thread completes this operation.
func (s *Sums) changed(e track.ChangeSeen) {
	th := e.Thread
	m := Modification{Thread: th, Changed: *e.Change, Completed: openCall(th)}
	if op := s.messageOf(th, m.Changed.Operation, true); op != nil {
		s.tracker.Match.Void(op)
		m.Type, m.Count = op.Type, op.Count
	}
	switch k := s.moving[th.Process][m.Changed.Operation]; {
	case m.Changed.Operation == 0:
		m.Operation, m.Blocking = m.Completed, true
	case k == nil:
		if !unsummed(th.Process, &m) {
			return
		}
	case k.message && k.request == nil:
		return
	case k.message:
		m.Operation = k.request.Made
	default:
		m.Operation, m.View, m.Position, m.Round = k.call, k.view, k.pos, k.round
	}
	s.Modified.Publish(&m)
}

// unsummed finds an operation whose data had no checksum before they changed. found is false if another operation may
// have changed the data: that is a clash of buffers.
func unsummed(p *track.Process, m *Modification) (found bool) {
	p.Requests(func(r *track.Request) {
		if r.Operation != m.Changed.Operation || buffers.Clashed(r) {
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
