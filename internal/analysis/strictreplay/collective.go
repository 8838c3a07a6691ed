package strictreplay

import (
	"encoding/binary"
	"math"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// comm is the state of a communicator, window or file in the replay.
type comm struct {
	*match.Comm
	base  uint64   // position of the oldest collective that not all members have entered
	slots []slot   // that collective and the later ones, circular; the length is a power of two
	pos   []uint64 // per member: number of collectives entered
	// What slots and pos begin with. Most communicators of one process need no more.
	firstSlot [1]slot
	firstPos  [1]uint64
}

// slot is a collective that not all members have entered.
type slot struct {
	entered  int32 // number of members that have entered
	blocking int32 // of those, members that do not go on before they have left the collective
	inRun    int32 // of the blocking members, those that go on by themselves: see Engine.complete
	ends     int32 // joins whose last call this is, and that have begun and not passed
	noted    bool  // the following fields are known, from the first call that was read
	mixed    bool  // not all members call the same function with the same root
	doubted  bool
	fn       mpiapi.FuncID
	root     int32 // a member; match.None if the call names no root
	waiting  []*thread
	sample   match.Call // a blocking call of one member
	// For looks at stuck threads: see knot.go.
	look   uint64
	need   int
	blame  *thread
	inside []*thread
}

// comm returns the state of a communicator.
func (e *Engine) comm(c *match.Comm) *comm {
	if k, ok := c.Replay.(*comm); ok {
		return k
	}
	k := &comm{Comm: c}
	k.slots, k.pos = k.firstSlot[:], k.firstPos[:]
	if n := len(c.Members); n > len(k.pos) {
		k.pos = make([]uint64, n)
	}
	c.Replay = k
	return k
}

// slot returns the slot of position n. Not all members have entered that collective.
func (c *comm) slot(n uint64) *slot {
	if n-c.base >= uint64(len(c.slots)) {
		size := max(1, 2*len(c.slots))
		for n-c.base >= uint64(size) {
			size *= 2
		}
		grown := make([]slot, size)
		for i := range c.slots {
			at := c.base + uint64(i)
			grown[at&uint64(len(grown)-1)] = c.slots[at&uint64(len(c.slots)-1)]
		}
		c.slots = grown
	}
	return &c.slots[n&uint64(len(c.slots)-1)]
}

// unknown reports whether the events on c cannot be followed.
func unknown(c *match.Comm) bool { return c.Opaque || c.World != nil && c.World.Unsure }

// Enter implements track.Replay.
func (e *Engine) Enter(th *track.Thread, v *track.View, position uint64, root int32, blocking bool, call []byte) {
	if e.broken {
		return
	}
	t := e.threads[th.ID]
	if unknown(v.Comm) {
		e.add(e.thread(th.ID), item{kind: doubt, at: th.Calls})
		return
	}
	c := e.comm(v.Comm)
	fn := mpiapi.FuncID(binary.LittleEndian.Uint16(call[layout.RecordKindAt:]))
	if t.resting && blocking && everybody(v.Comm, fn) {
		e.rested(t)
	}
	if position >= c.base {
		c.slot(position).note(th.ID, fn, root, blocking, call)
	}
	site := binary.LittleEndian.Uint32(call[layout.RecordSiteAt:])
	if blocking && t.n > 0 {
		last := t.at(int(t.n) - 1)
		if last.kind == join && last.fn == fn && last.site == site && last.comm == c && last.me == v.Me &&
			e.prolong(t, last, position) {
			return
		}
	}
	if t.lazy {
		e.clearJoin(t)
	}
	it := item{kind: enter, at: th.Calls, fn: fn, site: site, me: v.Me, comm: c, pos: position}
	if blocking {
		it.kind = join
	} else if t.n == 0 {
		e.enter(t, &it)
		e.drain()
		return
	}
	e.add(t, it)
}

// note stores facts about a collective from one of its calls.
func (s *slot) note(id ring.ThreadID, fn mpiapi.FuncID, root int32, blocking bool, call []byte) {
	if !s.noted {
		s.noted, s.fn, s.root = true, fn, root
	}
	s.mixed = s.mixed || s.fn != fn || s.root != root
	if blocking && len(s.sample.Raw) == 0 {
		// One call is enough to show the calls of all members: their call stacks come from their sites.
		s.sample.Thread = id
		s.sample.Keep(call)
	}
}

// prolong adds another call of the same kind to a join, the last item of a thread. The call must be at the next
// position. The number of calls since the last call of the join must be the same as between the calls in the join.
func (e *Engine) prolong(t *thread, it *item, position uint64) bool {
	c, last := it.comm, it.last()
	if position != last+1 {
		return false
	}
	if it.begun && last < c.base {
		// The join has passed. The thread has nothing else to do, so it enters the next collective.
		t.more -= int32(it.more)
		it.pos, it.at, it.more, it.stride = position, t.Calls, 0, 0
		if e.enter(t, it); len(e.work) > 0 {
			e.drain()
		}
		return true
	}
	stride := t.Calls - it.at - uint64(it.more)*uint64(it.stride)
	if it.more > 0 && stride != uint64(it.stride) || stride > math.MaxUint32 || it.listed {
		return false
	}
	if it.begun {
		c.slot(position).ends++
		c.slot(last).ends--
	}
	it.stride = uint32(stride)
	it.more++
	t.more++
	e.news++
	if t.length() >= int(t.limit) {
		e.crowded(t)
	}
	return true
}

// joins reports whether a thread that has something queued has begun the join at its head.
func (t *thread) joins() bool { return t.head().kind == join && t.head().begun }

// last returns the position of the last call of a join.
func (it *item) last() uint64 { return it.pos + uint64(it.more) }

// passed removes the given number of calls from a join that has more calls.
func (t *thread) passed(it *item, calls uint64) {
	it.pos += calls
	it.at += calls * uint64(it.stride)
	it.more -= uint32(calls)
	t.more -= int32(calls)
}

// enter makes a thread enter a collective.
func (e *Engine) enter(t *thread, it *item) {
	c := it.comm
	c.reached(it.me, it.pos)
	if it.pos < c.base {
		return // this cannot happen
	}
	if it.kind == join {
		c.slot(it.last()).ends++
	}
	s := c.slot(it.pos)
	s.entered++
	if it.kind == join {
		s.blocking++
		s.inRun++
	}
	s.doubted = s.doubted || t.process.doubted
	if int(s.entered) == len(c.Members) {
		e.complete(c)
	}
}

// reached notes that a member has entered a collective.
func (c *comm) reached(me int32, position uint64) { c.pos[me] = max(c.pos[me], position+1) }

// quit removes a thread from the threads that go on by themselves, because the engine lets its call pass.
func (c *comm) quit(it *item) {
	c.slot(it.pos).inRun--
	c.slot(it.last()).ends--
}

// complete ends the oldest collective, which all members have entered. Threads whose next call is of the same kind
// thereby enter the next collective. The queues of these threads are updated only when they are read: see clearJoin.
func (e *Engine) complete(c *comm) {
	for s := c.slot(c.base); int(s.entered) == len(c.Members); s = c.slot(c.base) {
		if len(e.doubted) > 0 {
			e.resolve(c, s)
		}
		for _, l := range e.listeners {
			if l.Met != nil {
				l.Met(c.Comm, c.base, s.blocking > 0)
			}
		}
		for _, w := range s.waiting {
			e.wake(w)
		}
		clear(s.waiting)
		clear(s.inside)
		on := s.inRun - s.ends
		*s = slot{waiting: s.waiting[:0], inside: s.inside[:0], sample: match.Call{Raw: s.sample.Raw[:0]}}
		c.base++
		if on > 0 {
			n := c.slot(c.base)
			n.entered += on
			n.blocking += on
			n.inRun += on
			n.doubted = n.doubted || len(e.doubted) > 0 && e.doubtful(c)
		}
	}
}

// doubtful reports whether a doubted process has entered the oldest collective by a join.
func (e *Engine) doubtful(c *comm) bool {
	for _, p := range e.doubted {
		for _, t := range p.threads {
			if t.n == 0 || !t.joins() {
				continue
			}
			if it := t.head(); it.comm == c && it.pos <= c.base && c.base <= it.last() {
				return true
			}
		}
	}
	return false
}

// clearJoin removes the calls that have passed from the join that a thread is in.
func (e *Engine) clearJoin(t *thread) {
	it := t.head()
	c := it.comm
	switch {
	case c.base <= it.pos:
	case c.base <= it.last():
		t.passed(it, c.base-it.pos)
		c.reached(it.me, it.pos)
	default:
		c.reached(it.me, it.last())
		e.pop(t)
	}
}

// clearJoins does this for all threads.
func (e *Engine) clearJoins() {
	for _, t := range e.threads {
		if t == nil || t.n == 0 {
			continue
		}
		if t.joins() && (t.n == 1 || t.head().last() >= t.head().comm.base) { // otherwise it is in Engine.work
			e.clearJoin(t)
		}
	}
}

// joined reports whether a thread has left all collectives of a join that has begun.
func (t *thread) joined(it *item) bool {
	c := it.comm
	if it.last() < c.base || unknown(c.Comm) {
		c.reached(it.me, it.last())
		return true
	}
	if t.n == 1 {
		t.lazy = true
	} else if !it.listed {
		t.list()
	}
	return false
}

// list makes the engine wake a thread when all calls of the join at its head have passed.
func (t *thread) list() {
	it := t.head()
	it.listed, t.lazy = true, false
	s := it.comm.slot(it.last())
	s.waiting = append(s.waiting, t)
}

// everybody reports whether a collective brings all processes of a world to one point of the run (column resync).
func everybody(c *match.Comm, fn mpiapi.FuncID) bool {
	if c.World == nil || c.Split != 0 || len(c.Members) != c.World.Size {
		return false
	}
	f := mpiapi.ByID(fn)
	return f.Resync && f.Class == mpiapi.Collective
}

// resolve ends doubts if all processes of a world are known to have been in a collective at the same time: the run and
// the replay are then at the same point. Any other collective spreads the doubts.
func (e *Engine) resolve(c *comm, s *slot) {
	if int(s.blocking) == len(c.Members) && !s.mixed && everybody(c.Comm, s.fn) {
		for i := len(e.doubted) - 1; i >= 0; i-- { // trust moves the last element to index i
			if p := e.doubted[i]; p.World == c.World && !p.always && !p.resting {
				e.trust(p)
			}
		}
		return
	}
	if !s.doubted || len(e.doubted) == len(e.processes) {
		return
	}
	for _, r := range c.Members {
		if p := e.tracker.ProcessOf(c.World, int(r)); p != nil && int(p.Proc.ID) < len(e.processes) &&
			e.processes[p.Proc.ID] != nil {
			e.suspect(e.processes[p.Proc.ID])
		}
	}
}

// mayLeave reports whether a thread may leave the nonblocking collective that it waits for.
func (e *Engine) mayLeave(t *thread, it *item) bool {
	c, n := it.comm, it.pos
	if n >= c.base && !unknown(c.Comm) {
		if !it.listed {
			it.listed = true
			s := c.slot(n)
			s.waiting = append(s.waiting, t)
		}
		return false
	}
	e.leave(t, c, n, it.at)
	return true
}

func (e *Engine) leave(t *thread, c *comm, position, at uint64) {
	for _, l := range e.listeners {
		if l.Left != nil {
			l.Left(t.Thread, at, c.Comm, position)
		}
	}
}

// Leave implements track.Replay.
func (e *Engine) Leave(th *track.Thread, v *track.View, position uint64, how track.Completion, call []byte) {
	if e.broken || unknown(v.Comm) {
		return
	}
	t, c := e.thread(th.ID), e.comm(v.Comm)
	if t.n == 0 && position < c.base {
		e.leave(t, c, position, th.Calls)
		return
	}
	it := item{kind: leave, polled: how != track.Awaited, at: th.Calls, ext: e.newExt()}
	it.comm, it.pos, it.me = c, position, v.Me
	it.ext.call.Thread = th.ID
	it.ext.call.Keep(call)
	e.add(t, it)
}
