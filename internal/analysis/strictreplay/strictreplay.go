// Package strictreplay goes through the run a second time, in an order in which causes come before effects, and under
// the strictest semantics that the standard allows: a standard send completes when its receive has begun (MPI standard,
// section 3.4: it may be synchronous), and a collective when all have entered it (chapter 6: it may synchronise). It is
// an online topological sort of what the threads did: each has a queue of its calls, and the first of them passes as
// soon as what it waits for has happened in this replay.
//
// What remains stuck though everything that it waits for is known is a potential deadlock: see Knot. What the replay
// has passed up to there is a way that the program may take, with the messages matched as they were, so the deadlock
// can be reached. To keep that so:
//
//   - A receive takes the message that it got in the run. Where it has MPI_ANY_SOURCE, was seen by a probe or was completed
//     by one of several ways, it waits for that very message, but is never part of a knot unless nothing else could come.
//   - What has to be let pass for the replay to go on is a send of the standard mode, which the standard allows to be
//     buffered, or a collective that it allows to be left early: the replay stays a way that the program may take.
//   - Where that does not help, or something is not known, the process is doubted: it does not take part in knots, and nor
//     does who gets messages from it, until a collective that synchronises the whole of MPI_COMM_WORLD: up to there, the
//     replay is then taken to have gone as the run did.
//
// What has passed is forgotten. A queue is bounded: what stands at its head is let pass when it is full.
package strictreplay

import (
	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Listener is told what happens in the replay, causes before effects; nil is nothing. What it is handed is valid only
// until it returns. Of an operation, Call.Thread is its thread, At the number of its call there, Comm, Me and Peer are
// who takes part (of a receive, whose message it got, if that is known yet; AnySource and AnyTag say what it asked
// for), and Call is the call that began it.
type Listener struct {
	// Began: a send or receive begins.
	Began func(op *match.Op)
	// Received: a receive has completed with its message; at is the number of the call that completed it, in the
	// receive's thread or, if the process has several, that of whichever thread did so.
	Received func(recv, send *match.Op, th *track.Thread, at uint64)
	// Synchronized: a synchronous send has completed, so that its receive had begun. at is the number of the call that
	// completed it.
	Synchronized func(send, recv *match.Op, th *track.Thread, at uint64)
	// Dropped: an operation will not be told to complete, as it was cancelled, or nobody waits for it.
	Dropped func(op *match.Op)
	// Probed: a thread has seen the message that recv gets later.
	Probed func(recv, send *match.Op, th *track.Thread)
	// Doubted: what a process knows of others when it does what comes next is unknown, or known again, since it was in
	// a collective with all of them.
	Doubted func(p *track.Process, unknown bool)
	// Met: all members have entered the collective at a position of a communicator, window or file. blocked: they, or
	// some, were in it up to then and have left it by this.
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

	work    []*thread // whose head may pass now
	freeExt *ext
	spare   spare
	doubted []*process // in no order
	broken  bool       // records were lost: nothing is replayed any more
	looks   uint64     // at what is stuck
	news    int        // calls that were queued since the last one
	looking bool
	lucky   bool      // which message a receive gets is a matter of luck
	list    []*thread // room for looks
	free    []*thread
	knot    Knot
	largest int64 // bytes of a message that is known to have been buffered

	listeners []*Listener
	began     []func(*match.Op) // of those that want it

	// Knots are potential deadlocks. An event is valid until the subscriber returns.
	Knots stream.Topic[*Knot]
}

// process is what the engine knows of a process.
type process struct {
	*track.Process
	threads []*thread
	doubted bool
	at      int         // in Engine.doubted
	always  bool        // for the rest of the run
	resting bool        // it is doubted as long as its thread rests
	open    []*match.Op // receives from any source, or to be cancelled, that have begun, and whose sends have not
}

// New returns an engine for a run that t tracks and m matches.
func New(t *track.Tracker, m *match.Matcher) *Engine {
	return &Engine{tracker: t, matcher: m, stamina: usual}
}

// Listen has l told what happens.
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
		// In which order its threads do things is not known.
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
	e.doubt(t.process) // as to what it waits for, too
	e.add(t, item{kind: doubt, polled: always, at: th.Calls})
}

// Cancel implements track.Replay. What comes before in the replay is as if nothing were cancelled: a receive may still
// get a message, so nobody is stuck with one that it would take. Which receive a send gets is not known then.
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

// doubt doubts a process for what it does itself.
func (e *Engine) doubt(p *process) {
	e.suspect(p)
	e.setUnknown(p, true)
}

// suspect doubts a process for what another does.
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

// setUnknown tells that it is unknown what a process knows of others, or known again.
func (e *Engine) setUnknown(p *process, unknown bool) {
	for _, l := range e.listeners {
		if l.Doubted != nil {
			l.Doubted(p.Process, unknown)
		}
	}
}

// infect doubts p if it takes part in what q does.
func (e *Engine) infect(p, q *process) {
	if q.doubted {
		e.suspect(p)
	}
}

// thread returns a thread, without what it has passed.
func (e *Engine) thread(id ring.ThreadID) *thread {
	t := e.threads[id]
	if t.lazy {
		e.clearJoin(t)
	}
	return t
}

func (e *Engine) processOf(id ring.ThreadID) *process { return e.threads[id].process }
