package causal

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// comm is what the replay knows of a communicator, window or file.
type comm struct {
	*match.Comm
	base  uint64   // position of the oldest collective that not all have entered
	slots []slot   // it and those behind it, circular, a power of two
	pos   []uint64 // per member: collectives entered
}

// slot is a collective that not all members have entered.
type slot struct {
	entered  int
	blocking int // of those, members that do not go on before they have left it
	doubted  bool
	waiting  []*thread
	sample   match.Call // of one of them
	// For looks: see knot.go.
	look  uint64
	need  int
	blame *thread
}

// comm returns what is known of a communicator.
func (e *Engine) comm(c *match.Comm) *comm {
	if k, ok := c.Replay.(*comm); ok {
		return k
	}
	k := &comm{Comm: c, pos: make([]uint64, len(c.Members))}
	c.Replay = k
	return k
}

// slot returns the place of position n, which not all have entered.
func (c *comm) slot(n uint64) *slot {
	if n-c.base >= uint64(len(c.slots)) {
		size := max(4, 2*len(c.slots))
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

// unknown reports whether nothing can be said of what happens on c.
func unknown(c *match.Comm) bool { return c.Opaque || c.World != nil && c.World.Unsure }

// Enter implements track.Replay.
func (e *Engine) Enter(th *track.Thread, v *track.View, position uint64, root int32, blocking bool, call []byte) {
	if e.broken {
		return
	}
	t := e.threads[th.ID]
	if unknown(v.Comm) {
		e.add(t, item{kind: doubt, at: th.Calls})
		return
	}
	c := e.comm(v.Comm)
	fn := mpiapi.FuncID(binary.LittleEndian.Uint16(call[ring.OffKind:]))
	if t.resting && blocking && everybody(v.Comm, fn) {
		e.rested(t)
	}
	if t.n == 0 {
		e.enter(t, c, v.Me, position, th.Calls, blocking, fn)
		if !blocking || position < c.base {
			if blocking {
				e.leave(t, c, position, th.Calls)
			}
			e.drain()
			return
		}
	}
	it := item{kind: enter, at: th.Calls, fn: fn, site: binary.LittleEndian.Uint32(call[ring.OffSite:])}
	it.comm, it.pos, it.me, it.root = c, position, v.Me, root
	if blocking {
		it.kind, it.begun = join, t.n == 0
	}
	e.add(t, it)
	if blocking && position >= c.base {
		// One call is enough to show those of all members: their call stacks come from their sites.
		if s := c.slot(position); len(s.sample.Raw) == 0 {
			s.sample.Thread = th.ID
			s.sample.Keep(call)
		}
	}
}

// enter has a thread enter a collective.
func (e *Engine) enter(t *thread, c *comm, me int32, position, at uint64, blocking bool, fn mpiapi.FuncID) {
	for _, l := range e.listeners {
		if l.Entered != nil {
			l.Entered(t.Thread, at, c.Comm, position)
		}
	}
	c.pos[me] = max(c.pos[me], position+1)
	if position < c.base {
		return // cannot be
	}
	s := c.slot(position)
	s.entered++
	if blocking {
		s.blocking++
	}
	s.doubted = s.doubted || t.process.doubted
	if s.entered < len(c.Members) {
		return
	}
	if e.doubts > 0 {
		e.resolve(c, s, fn)
	}
	for _, w := range s.waiting {
		e.wake(w)
	}
	clear(s.waiting)
	*s = slot{waiting: s.waiting[:0], sample: match.Call{Raw: s.sample.Raw[:0]}}
	c.base++
}

// synchronising collectives end for nobody before all have entered them, whatever MPI makes of it.
var synchronising = map[mpiapi.FuncID]bool{mpiapi.IDBarrier: true, mpiapi.IDAllreduce: true, mpiapi.IDAllgather: true}

// everybody reports whether a collective synchronises a whole world.
func everybody(c *match.Comm, fn mpiapi.FuncID) bool {
	return c.World != nil && c.Split == 0 && len(c.Members) == c.World.Size && synchronising[fn]
}

// resolve ends doubts where all processes of a world are known to have been in a collective at the same time: there the
// run and the replay are at the same point. Any other collective spreads them.
func (e *Engine) resolve(c *comm, s *slot, fn mpiapi.FuncID) {
	sure := s.blocking == len(c.Members) && everybody(c.Comm, fn)
	if !sure && !s.doubted {
		return
	}
	for _, r := range c.Members {
		p := e.tracker.ProcessOf(c.World, int(r))
		if p == nil || int(p.Proc.ID) >= len(e.processes) || e.processes[p.Proc.ID] == nil {
			continue
		}
		switch q := e.processes[p.Proc.ID]; {
		case !sure:
			e.suspect(q)
		case q.doubted && !q.always && !q.resting:
			q.doubted = false
			e.doubts--
			e.told(q, false)
		}
	}
}

// left reports whether a thread may leave the collective that it is in.
func (e *Engine) left(t *thread, it *item) bool {
	c, n := it.comm, it.pos
	if n >= c.base && !unknown(c.Comm) {
		s := c.slot(n)
		if !it.listed {
			it.listed = true
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
	t, c := e.threads[th.ID], e.comm(v.Comm)
	if t.n == 0 && position < c.base {
		e.leave(t, c, position, th.Calls)
		return
	}
	it := item{kind: leave, polled: how != track.Awaited, at: th.Calls, ext: e.newExt()}
	it.comm, it.pos, it.me, it.root = c, position, v.Me, match.None
	it.ext.call.Thread = th.ID
	it.ext.call.Keep(call)
	e.add(t, it)
}
