// Package strictreplay replays the run in an order in which causes come before effects, and under the strictest
// semantics that the standard allows. A standard send completes when its receive has begun (MPI standard, section 3.4:
// it may be synchronous). A collective completes when all members have entered it (chapter 6: it may synchronise). The
// replay is an online topological sort of the threads' calls. Each thread has a queue of its calls. The first call of a
// queue passes as soon as the event that it waits for has happened in the replay.
//
// A call that remains stuck although everything that it waits for is known is part of a potential deadlock: see Knot.
// The calls that have passed up to then are an execution that the program may take, with the messages matched as in the
// run. So the deadlock can be reached. Three rules keep this true:
//
//   - A receive takes the message that it got in the run. This also holds for a receive from MPI_ANY_SOURCE, a message
//     that was seen by a probe, and a call that may complete in one of several ways. Such a call is never part of a
//     knot, unless no other message can come.
//   - If all threads are stuck, the engine lets a call pass so that the replay goes on. This call is a send of the
//     standard mode, which the standard allows to be buffered, or a collective that the standard allows to be left
//     early. So the replay remains a possible execution.
//   - If this is not enough, or something is not known, the process is doubted. A doubted process does not take part in
//     knots. Processes that receive messages from it are doubted, too. The doubt ends with a collective that
//     synchronises the whole of MPI_COMM_WORLD. Up to there, the replay is then taken to have gone as the run did.
//
// Calls that have passed are forgotten. The length of a queue is bounded: when a queue is full, the engine lets its
// head pass.
package strictreplay

import (
	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Listener has functions that the engine calls for events in the replay, causes before effects. A function may be nil.
// The arguments are valid only until the function returns. For an operation, Call is the call that began it,
// Call.Thread is the thread, and At is the number of the call in the thread. Comm, Me and Peer are the participants.
// Peer of a receive is the sender of its message, if that is known already; AnySource and AnyTag say what the receive
// asked for.
type Listener struct {
	// Began: a send or receive begins.
	Began func(op *match.Op)
	// Received: a receive has completed with its message. at is the number of the call that completed it. th is the
	// thread of that call: the receive's thread, or another thread of its process.
	Received func(recv, send *match.Op, th *track.Thread, at uint64)
	// Synchronized: a synchronous send has completed, so its receive has begun. at is the number of the call that
	// completed the send.
	Synchronized func(send, recv *match.Op, th *track.Thread, at uint64)
	// Dropped: the completion of an operation will not be reported, because it was cancelled, or no call waits for it.
	Dropped func(op *match.Op)
	// Probed: a thread has seen the message that recv gets later.
	Probed func(recv, send *match.Op, th *track.Thread)
	// Doubted: from now on it is unknown what a process knows of others, or, after a collective of all processes, it is
	// known again.
	Doubted func(p *track.Process, unknown bool)
	// Met: all members have entered the collective at a position of a communicator, window or file. blocked: some or
	// all of them were waiting in it, and leave it now.
	Met func(c *match.Comm, position uint64, blocked bool)
	// Left: a thread has completed a nonblocking collective that all members have entered before.
	Left func(th *track.Thread, at uint64, c *match.Comm, position uint64)
}

// Engine replays a run. It is a track.Replay.
type Engine struct {
	tracker *track.Tracker
	matcher *match.Matcher
	stamina

	threads   []*thread  // by ring.ThreadID
	processes []*process // by ring.ProcID

	work    []*thread // threads whose head may pass now
	freeExt *ext
	spare   spare
	doubted []*process // in arbitrary order
	broken  bool       // records were lost: nothing is replayed any more
	looks   uint64     // number of looks at stuck threads
	news    int        // calls that were queued since the last look
	looking bool
	lucky   bool      // the program has receives whose message depends on timing, or ready sends
	list    []*thread // reused by looks
	free    []*thread
	knot    Knot
	largest int64 // size in bytes of the largest message that is known to have been buffered

	listeners []*Listener
	began     []func(*match.Op) // the Began functions that are not nil

	// Knots are potential deadlocks. An event is valid until the subscriber returns.
	Knots stream.Topic[*Knot]
}

// process is the state of a process in the replay.
type process struct {
	*track.Process
	threads []*thread
	doubted bool
	at      int         // index in Engine.doubted
	always  bool        // it is doubted for the rest of the run
	resting bool        // it is doubted as long as its thread rests
	open    []*match.Op // receives from any source, or to be cancelled, that have begun and whose sends have not
}

// New returns an engine for a run that t tracks and m matches.
func New(t *track.Tracker, m *match.Matcher) *Engine {
	return &Engine{tracker: t, matcher: m, stamina: usual}
}

// Listen makes the engine call the functions of l.
func (e *Engine) Listen(l *Listener) {
	e.listeners = append(e.listeners, l)
	if l.Began != nil {
		e.began = append(e.began, l.Began)
	}
}

// Fact is the replay of a run under the strictest semantics.
var Fact = &analysis.Fact[*Engine]{
	Name: "replay under strict semantics",
	Start: func(r *analysis.Run) *Engine {
		e := New(r.Tracker, r.Tracker.Match)
		r.Tracker.Replay, r.Tracker.Match.Replayer = e, e
		r.Tracker.Events.Tick.On(r.Owner, func(struct{}) { e.Tick() })
		r.Tracker.Events.RunOver.On(r.Owner, func(struct{}) { e.End() })
		return e
	},
}

// Start implements track.Replay.
func (e *Engine) Start(th *track.Thread) {
	for int(th.Process.Proc.ID) >= len(e.processes) {
		e.processes = append(e.processes, nil)
	}
	p := e.processes[th.Process.Proc.ID]
	if p == nil {
		p = &process{Process: th.Process}
		e.processes[th.Process.Proc.ID] = p
	}
	t := &thread{Thread: th, process: p, limit: glance, left: int32(e.full)}
	p.threads = append(p.threads, t)
	for int(th.ID) >= len(e.threads) {
		e.threads = append(e.threads, nil)
	}
	e.threads[th.ID] = t
	if len(p.threads) > 1 {
		// The order of the calls of different threads is not known.
		e.doubt(p)
		p.always = true
	}
}

// Doubt implements track.Replay.
func (e *Engine) Doubt(th *track.Thread, always bool) {
	if e.broken {
		return
	}
	t := e.thread(th.ID)
	e.doubt(t.process) // what it waits for now is doubted, too
	e.add(t, item{kind: doubt, polled: always, at: th.Calls})
}

// Cancel implements track.Replay. Before this call, the replay treats the receive as if it were not cancelled: it may
// still get a message. So no other receive is stuck whose message this receive could take. After the call, it is not
// known which receive a send matches.
func (e *Engine) Cancel(th *track.Thread, op *match.Op) {
	if e.broken {
		return
	}
	if op == nil || op.Send {
		e.Doubt(th, false)
		return
	}
	if r := &op.Replay; r.Begun && !r.Ready && !r.Over && !op.AnySource {
		pr := e.processOf(op.Call.Thread)
		pr.open = append(pr.open, op)
	}
	e.add(e.thread(th.ID), item{kind: doubt, at: th.Calls})
}

// doubt doubts a process because of its own actions.
func (e *Engine) doubt(p *process) {
	e.suspect(p)
	e.setUnknown(p, true)
}

// suspect doubts a process because of another process.
func (e *Engine) suspect(p *process) {
	if !p.doubted {
		p.doubted, p.at = true, len(e.doubted)
		e.doubted = append(e.doubted, p)
	}
}

// trust ends the doubt of a process.
func (e *Engine) trust(p *process) {
	last := e.doubted[len(e.doubted)-1]
	e.doubted[p.at], last.at = last, p.at
	e.doubted[len(e.doubted)-1] = nil
	e.doubted = e.doubted[:len(e.doubted)-1]
	p.doubted = false
	e.setUnknown(p, false)
}

// setUnknown reports to the listeners that it is unknown what a process knows of others, or that it is known again.
func (e *Engine) setUnknown(p *process, unknown bool) {
	for _, l := range e.listeners {
		if l.Doubted != nil {
			l.Doubted(p.Process, unknown)
		}
	}
}

// infect doubts p if q is doubted. p takes part in an action of q.
func (e *Engine) infect(p, q *process) {
	if q.doubted {
		e.suspect(p)
	}
}

// thread returns a thread after removing the calls that have passed from its queue.
func (e *Engine) thread(id ring.ThreadID) *thread {
	t := e.threads[id]
	if t.lazy {
		e.clearJoin(t)
	}
	return t
}

func (e *Engine) processOf(id ring.ThreadID) *process { return e.threads[id].process }
