package strictreplay

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// Knot is a potential deadlock: a circle of threads, each of which waits for the next, under semantics that the
// standard allows. In the run, all of them have gone on.
type Knot struct {
	Waits   []Wait
	Largest int64 // size in bytes of the largest message of the run so far that is known to have been buffered
}

// Wait describes a thread of a knot. It waits for the next call of the next thread in the knot.
type Wait struct {
	Thread *track.Thread
	// Call is the call that the thread is in. For a collective, it may be the call of another member. Place is always
	// the thread's own call, but may contain only the function and the call site.
	Call, Place match.Call
	// Op is the operation that the call waits for; nil for a collective. Begun: an earlier call, Op.Call, began the
	// operation. Probe: the call waits for the message that Op receives later.
	Op           *match.Op
	Begun, Probe bool
	Buffered     bool // a send of the standard mode that was complete in the run before its receive had begun
	// Comm is the communicator of a collective. Nonblocking: the call waits for a collective that an earlier call
	// began.
	Comm        *match.Comm
	Nonblocking bool
}

// node is the state of a thread during a look at the stuck threads.
type node struct {
	stuck   bool // no known event would release the thread
	dead    bool // the thread will make no more calls
	on      *thread
	slot    *slot
	rev     []*thread // threads that wait for this one
	slots   []*slot   // collectives that this thread keeps from being complete
	visited int       // number of the search for cycles that visited the thread, from 1 on; 0 if none did
}

// Tick notes that a tenth of a second has passed. It examines the threads that have been stuck since the last tick.
func (e *Engine) Tick() {
	if e.broken || e.lost() {
		return
	}
	stale := false
	e.clearJoins()
	for _, t := range e.threads {
		if t == nil || t.n == 0 {
			continue
		}
		at := t.head().at
		stale = stale || t.marked == at
		t.marked = at
	}
	if stale {
		e.resolveKnots()
	}
}

// End examines the threads that are stuck at the end of the run.
func (e *Engine) End() {
	if !e.broken && !e.lost() {
		e.resolveKnots()
	}
}

// lost reports whether calls are missing in the records. If so, it ends the replay.
func (e *Engine) lost() bool {
	for _, w := range e.tracker.Worlds {
		e.broken = e.broken || w.Unsure
	}
	if e.broken {
		e.threads, e.processes, e.work = nil, nil, nil
	}
	return e.broken
}

// resolveKnots finds the knots and publishes them. It then lets calls pass that the standard allows to pass, until no
// thread is stuck.
func (e *Engine) resolveKnots() {
	if e.looking {
		return
	}
	e.looking = true
	for sound := true; ; {
		list := e.cycles(e.stuck(sound))
		moved := len(e.work) > 0
		for _, c := range list {
			if sound {
				e.publishKnot(c)
			}
			e.letPassCycle(c)
		}
		e.drain()
		if len(list) == 0 && !moved && !sound {
			break
		}
		sound = len(list) > 0 || moved
	}
	e.looking = false
}

// stuck returns the threads that nothing can release any more.
//
// If sound is true, the result holds for every run of the program that may differ from this one. So processes that are
// doubted, that poll, or that choose one of several ways count as free. So do processes that wait for a process that
// has ended. If sound is false, the result holds if every message is received by the receive that got it in the run.
func (e *Engine) stuck(sound bool) []*thread {
	e.looks++
	e.news = 0
	e.clearJoins()
	list := e.list[:0]
	for _, t := range e.threads {
		if t == nil {
			continue
		}
		t.node = node{rev: t.rev[:0], slots: t.slots[:0]}
		if t.n == 0 {
			t.dead = !sound && (t.Process.Ended != nil || t.Process.Finalizing)
			continue
		}
		if !t.open() && !(sound && t.process.doubted) && e.waits(t, sound) {
			t.stuck = true
			list = append(list, t)
		}
	}
	free := e.free[:0]
	for _, t := range list {
		switch {
		case t.slot == nil && t.on.free():
			free = append(free, t)
		case t.slot == nil:
			t.on.rev = append(t.on.rev, t)
		case !e.held(t):
			free = append(free, t)
		}
	}
	for len(free) > 0 {
		t := free[len(free)-1]
		free = free[:len(free)-1]
		if !t.stuck {
			continue
		}
		t.stuck = false
		free = append(free, t.rev...)
		for _, s := range t.slots {
			if s.need--; s.need == 0 {
				free = append(free, s.inside...)
			}
		}
	}
	e.list, e.free = list, free
	left := list[:0]
	for _, t := range list {
		if t.stuck {
			left = append(left, t)
		}
	}
	return left
}

// free reports whether a thread may still make calls.
func (t *thread) free() bool { return !t.stuck && !t.dead }

// held reports whether a thread is in a collective that some members can no longer enter.
func (e *Engine) held(t *thread) bool {
	s, x := t.slot, t.head()
	if s.look != e.looks {
		s.look, s.need, s.blame, s.inside = e.looks, 0, nil, s.inside[:0]
		for m, n := range x.comm.pos {
			if n > x.pos {
				continue
			}
			if u := e.single(x.comm.Comm, int32(m)); u != nil && !u.free() {
				s.need++
				u.slots = append(u.slots, s)
			}
		}
	}
	if s.need == 0 {
		return false
	}
	s.inside = append(s.inside, t)
	return true
}

// single returns the thread of a member's process. It is nil if the process has several threads, or is not seen.
func (e *Engine) single(c *match.Comm, m int32) *thread {
	if m < 0 || int(m) >= len(c.Members) {
		return nil
	}
	p := e.tracker.ProcessOf(c.World, int(c.Members[m]))
	if p == nil || len(p.Threads) != 1 {
		return nil
	}
	return e.threads[p.Threads[0].ID]
}

// waits works out what the head of a thread waits for: another thread (on), or a collective that others must enter
// (slot). It returns false if this is not known, or if the head waits for nothing.
func (e *Engine) waits(t *thread, sound bool) bool {
	it := t.head()
	if sound && it.polled {
		return false
	}
	switch it.kind {
	case block, finish:
		if unknown(it.op.Comm) {
			it.op.Replay.Ready = true
			e.wake(t)
			return false
		}
		if complete(it.op) {
			return !sound && e.hindrance(t, it)
		}
		return e.operation(t, it.op, sound)
	case peek:
		return it.ext.seen != nil && !complete(it.ext.seen) && e.operation(t, it.ext.seen, sound)
	case join, leave:
		if unknown(it.comm.Comm) {
			e.wake(t)
		} else if it.pos >= it.comm.base {
			t.slot = it.comm.slot(it.pos)
		}
	}
	return t.slot != nil
}

// hindrance works out which thread a receive waits for if an earlier receive could take its message. If the message of
// the earlier receive is not known, and may never be, the receive passes, and the process is doubted from then on.
func (e *Engine) hindrance(t *thread, it *item) bool {
	w := t.process.inTheWay(it.op)
	switch {
	case it.op.Send || w == nil: // the earlier receive was cancelled
		e.wake(t)
	case w.Replay.Partner != nil:
		t.on = e.threads[w.Replay.Partner.Call.Thread]
		return true
	default:
		it.waived = true
		e.doubt(t.process)
		e.wake(t)
	}
	return false
}

// operation works out which thread an operation waits for that cannot complete.
func (e *Engine) operation(t *thread, op *match.Op, sound bool) bool {
	p := op.Replay.Partner
	switch {
	case sound && !op.Send && op.AnySource:
		return false // another message may come
	case p != nil:
		t.on = e.threads[p.Call.Thread]
	case !op.Send || op.Expected():
		return false // its partner will be known later
	default:
		t.on = e.single(op.Comm, op.Peer)
	}
	if t.on == nil || sound && op.Send && t.on.process.takes(op) {
		return false
	}
	return true
}

// takes reports whether an open receive of the process could take a send. An open receive has begun, its message has
// not been sent, and it is from any source or will be cancelled.
func (p *process) takes(send *match.Op) bool {
	return slices.ContainsFunc(p.open, func(w *match.Op) bool {
		return w.Comm == send.Comm && (w.AnySource || w.Peer == send.Me) && (w.AnyTag || w.Tag == send.Tag)
	})
}

// next returns the thread that a stuck thread waits for.
func (e *Engine) next(t *thread) *thread {
	if t.slot == nil {
		return t.on
	}
	s, x := t.slot, t.head()
	if s.blame == nil {
		for m, n := range x.comm.pos {
			if n > x.pos {
				continue
			}
			u := e.single(x.comm.Comm, int32(m))
			if u == nil || u.free() {
				continue
			}
			// Prefer a thread that waits for a thread in the same collective. This gives a short cycle.
			if s.blame == nil || u.on != nil && u.on.slot == s {
				s.blame = u
				if u.on != nil && u.on.slot == s {
					break
				}
			}
		}
	}
	return s.blame
}

// cycles returns the circles in which threads wait for each other. It also returns the last stuck thread of each chain
// that leads to a thread which will make no more calls.
func (e *Engine) cycles(stuck []*thread) (list [][]*thread) {
	for i, start := range stuck {
		var path []*thread
		t := start
		for t != nil && t.visited == 0 && t.stuck {
			t.visited = i + 1
			path = append(path, t)
			t = e.next(t)
		}
		switch {
		case t != nil && t.stuck && t.visited == i+1:
			list = append(list, fromLowest(path[slices.Index(path, t):]))
		case t != nil && t.dead:
			list = append(list, path[len(path)-1:])
		}
	}
	return list
}

// fromLowest rotates a circle so that it begins with the lowest rank.
func fromLowest(circle []*thread) []*thread {
	at := 0
	for i, t := range circle {
		if t.Process.Rank < circle[at].Process.Rank {
			at = i
		}
	}
	if at == 0 {
		return circle
	}
	return slices.Concat(circle[at:], circle[:at])
}
