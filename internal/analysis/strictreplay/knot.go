package strictreplay

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// Knot is a potential deadlock: threads of which each waits for the next, and the last for the first, under semantics
// that the standard allows. In the run, all of them have gone on.
type Knot struct {
	Waits   []Wait
	Largest int64 // bytes of the largest message of the run so far that is known to have been buffered
}

// Wait is what a thread of a knot waits for: what comes next in the thread of the next one.
type Wait struct {
	Thread *track.Thread
	// Call is the call that the thread is in. Of a collective, it may be that of another member. Place is the thread's
	// own, but may have nothing than the function and the call site.
	Call, Place match.Call
	// Op is the operation that the call waits for, nil for a collective. Begun: by an earlier call, Op.Call. Probe: the
	// call waits for the message that Op receives later.
	Op           *match.Op
	Begun, Probe bool
	Buffered     bool // a send of the standard mode: it was complete in the run though its receive had not begun
	// Comm is that of a collective. Nonblocking: the call waits for one that was begun before.
	Comm        *match.Comm
	Nonblocking bool
}

// node is what a look at the threads works out of one.
type node struct {
	stuck   bool // nothing is known that would release it
	dead    bool // it will do nothing any more
	on      *thread
	slot    *slot
	rev     []*thread // those that wait for it
	slots   []*slot   // those that it keeps from being complete
	visited int       // by which search for cycles, from 1
}

// Tick lets a tenth of a second pass: what is stuck since the last one is looked at.
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

// End looks at what is left at the end of the run.
func (e *Engine) End() {
	if !e.broken && !e.lost() {
		e.resolveKnots()
	}
}

// lost reports whether calls are missing in the records. Then the replay ends.
func (e *Engine) lost() bool {
	for _, w := range e.tracker.Worlds {
		e.broken = e.broken || w.Unsure
	}
	if e.broken {
		e.threads, e.processes, e.work = nil, nil, nil
	}
	return e.broken
}

// resolveKnots finds the knots, tells of them, and lets pass what the standard allows to pass of what is stuck, until
// nothing is.
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
// If sound, that is so whatever the program does where it is not bound to do what it did in the run: processes that are
// doubted, that poll or choose are free, and so is who waits for a process that has ended. If not, it is so as long as
// every message is received by the receive that got it in the run.
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

// free reports whether a thread may still do something.
func (t *thread) free() bool { return !t.stuck && !t.dead }

// held reports whether a thread is in a collective that not all may still enter.
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

// single returns the thread of a member's process, nil if that has several, or is not seen.
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

// waits works out what the head of a thread waits for: another thread, on, or that others enter a collective, slot. It
// reports false if that is not known, or nothing.
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

// hindrance works out whom a receive waits for that another one is in the way of. Where that one's message is not
// known, and may never be, the receive passes, and what follows is doubted.
func (e *Engine) hindrance(t *thread, it *item) bool {
	w := t.process.inTheWay(it.op)
	switch {
	case it.op.Send || w == nil: // it was cancelled
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

// operation works out whom an operation waits for that can't complete.
func (e *Engine) operation(t *thread, op *match.Op, sound bool) bool {
	p := op.Replay.Partner
	switch {
	case sound && !op.Send && op.AnySource:
		return false // another message may come
	case p != nil:
		t.on = e.threads[p.Call.Thread]
	case !op.Send || op.Expected():
		return false // which message it gets, or who gets it, will be known later
	default:
		t.on = e.single(op.Comm, op.Peer)
	}
	if t.on == nil || sound && op.Send && t.on.process.takes(op) {
		return false
	}
	return true
}

// takes reports whether a receive from any source, or to be cancelled, that has begun, and whose message has not been
// sent, could take a send.
func (p *process) takes(send *match.Op) bool {
	return slices.ContainsFunc(p.open, func(w *match.Op) bool {
		return w.Comm == send.Comm && (w.AnySource || w.Peer == send.Me) && (w.AnyTag || w.Tag == send.Tag)
	})
}

// next returns the thread that a stuck one waits for.
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
			if s.blame == nil || u.on != nil && u.on.slot == s { // a short way back
				s.blame = u
				if u.on != nil && u.on.slot == s {
					break
				}
			}
		}
	}
	return s.blame
}

// cycles returns the circles in which threads wait for each other, and the ends of chains that lead to a thread that
// will do nothing any more.
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

// fromLowest turns a circle so that it begins with the lowest rank.
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
