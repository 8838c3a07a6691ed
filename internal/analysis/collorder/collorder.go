// Package collorder finds collectives of different communicators that are entered in orders in which they can block
// each other, whether or not they did so in the run at hand.
//
// The rule: a correct program does not deadlock whether or not its collectives synchronise (MPI standard, chapter 6,
// "Correctness"; Falzone et al., Collective Error Detection for MPI Collective Operations, leave the check to future
// work). So the program's calls are executed once more, in a simulation in which a blocking collective ends only when
// all members have entered it. Who goes first makes no difference to who can go on, so there is one outcome; and
// collectives that wait for each other in a circle there are in the wrong order.
//
// The records of some threads are read long before those of others. So threads that are held up in the simulation are
// nothing unusual, and mean something only if there is a circle. Calls in a row on one communicator are kept as one:
// a program with one communicator costs next to nothing, others a constant time per call.
package collorder

import (
	"bytes"
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Simulation executes the collectives of a run as if they synchronised.
type Simulation struct {
	kinds   []kind // by function
	threads []*thread
	comms   map[*match.Comm]*comm
	busy    []*thread // those that may have more to do than to stay in the collective that they are in
	ready   []*comm   // those whose next collective all members have entered
	epoch   uint64    // of Advance
	waiting int       // items in queues
	limit   int       // of waiting that is worth an Advance
	several bool      // there is, or is about to be, more than one communicator
}

// kind is what matters of a function.
type kind struct {
	blocks bool // it may not return before all have entered
	makes  bool // it makes a communicator, window or file
	ends   bool // it frees its own
	passes bool // it works on a gathering, which is there for as long as somebody is in it
}

// item is a row of calls of a thread on one communicator.
type item struct {
	comm   *comm
	me     int32
	blocks bool
	from   uint64      // position of the first
	to     uint64      // and behind the last
	call   *match.Call // all look the same; nil as long as there is only one communicator
}

// thread is a thread of the program, as far as the simulation has come.
type thread struct {
	id     ring.ThreadID
	queue  []item // from head on: what it is at, and what comes then
	head   int
	passed uint64 // items that it is through with
	inside *comm  // of the head, if it has entered that
	busy   bool

	recent *match.Call            // the last that was made
	calls  map[uint32]*match.Call // by call site, the last that was made there

	idle ticks
	plan agenda
}

// ticks counts how long a thread has been held up.
type ticks struct {
	passed uint64
	n      int
}

// comm is a communicator, window or file.
type comm struct {
	of      *match.Comm
	members []member
	done    uint64 // collectives that all have entered
	behind  int    // members that have not entered the next one, if epoch is the simulation's
	epoch   uint64
	freed   int  // members that have freed it
	crossed int  // circles that it was part of
	unclear bool // which call comes to which collective is not to be seen
}

// circles is how many crossings a communicator is found in before it is left alone.
const circles = 100

// free reports whether c holds nobody up.
func (c *comm) free() bool { return c.unclear || c.crossed >= circles }

// member is a process in a communicator.
type member struct {
	arrived uint64  // collectives that it has entered and left behind
	next    uint64  // position of the one that it will enter next, as far as its records are read
	owner   *thread // that makes its calls
}

// advanceAt is how many items are worth an Advance that nobody has asked for.
const advanceAt = 1 << 16

// New returns a simulation of nothing so far.
func New() *Simulation {
	s := &Simulation{comms: make(map[*match.Comm]*comm), limit: advanceAt}
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(s.kinds) {
			s.kinds = append(s.kinds, kind{})
		}
		s.kinds[f.ID] = kindOf(f)
	}
	return s
}

// kindOf works out what matters of a function. Programs call some blocking collectives in any order, as libraries
// implement them as local calls; so are the first halves of split collectives. That they may wait is held against nobody.
func kindOf(f *mpiapi.Func) kind {
	k := kind{
		blocks: f.Class == mpiapi.Collective && f.Waits != mpiapi.SeldomWait && f.Split != mpiapi.SplitBegin,
		ends:   f.EndsObject(), passes: f.ByGroup,
	}
	for i := range f.Params {
		p := &f.Params[i]
		makes := p.Role == mpiapi.NewComm || p.Pointer && (p.Role == mpiapi.TheWin || p.Role == mpiapi.TheFile)
		k.makes = k.makes || makes && !k.ends
	}
	return k
}

// Enter notes that the thread of a call enters the collective at a position of c as member me. Of the call a copy is
// kept, if anything.
func (s *Simulation) Enter(c *match.Comm, me int32, position uint64, call *match.Call) {
	if c.Size() < 2 {
		return
	}
	k := s.kinds[call.Func()]
	s.several = s.several || k.makes
	t := s.thread(call.Thread)
	var last *item
	if len(t.queue) > t.head {
		last = &t.queue[len(t.queue)-1]
	}
	var kept *match.Call
	if s.several {
		kept = t.keep(call)
	}
	if k.passes && c.Idle() {
		defer delete(s.comms, c)
	}
	if last != nil && last.comm.of == c && last.to == position && last.blocks == k.blocks && last.call == kept && !k.ends {
		last.to++
		last.comm.members[me].next = last.to
		return
	}
	s.append(t, c, me, position, kept, k)
}

// Distrust says that a call on c failed: whether it took part is not known. From now on c holds nobody up.
func (s *Simulation) Distrust(c *match.Comm) {
	if d := s.comms[c]; d != nil {
		d.unclear = true
	}
}

// append begins a new row of calls.
func (s *Simulation) append(t *thread, c *match.Comm, me int32, position uint64, call *match.Call, k kind) {
	d := s.comms[c]
	if d == nil {
		d = &comm{of: c, members: make([]member, len(c.Members))}
		s.comms[c] = d
		s.several = s.several || len(s.comms) > 1
	}
	m := &d.members[me]
	if m.next != position || m.owner != nil && m.owner != t {
		d.unclear = true // several threads of a process take turns: which of them is next is up to them
	}
	m.next, m.owner = position+1, t
	t.queue = append(t.queue, item{d, me, k.blocks, position, position + 1, call})
	if !t.busy {
		t.busy = true
		s.busy = append(s.busy, t)
	}
	if k.ends {
		if d.freed++; d.freed == len(d.members) {
			delete(s.comms, c)
		}
	}
	if s.waiting++; s.waiting >= s.limit {
		s.Advance()
		s.limit = max(advanceAt, 2*s.waiting)
	}
}

func (s *Simulation) thread(id ring.ThreadID) *thread {
	for int(id) >= len(s.threads) {
		s.threads = append(s.threads, nil)
	}
	t := s.threads[id]
	if t == nil {
		t = &thread{id: id}
		s.threads[id] = t
	}
	return t
}

// keep returns a copy of a call; of a call that looks like the last one from the same place, the copy made then.
func (t *thread) keep(call *match.Call) *match.Call {
	if t.recent != nil && bytes.Equal(t.recent.Raw, call.Raw) {
		return t.recent
	}
	site := binary.LittleEndian.Uint32(call.Raw[layout.RecordSiteAt:])
	k := t.calls[site]
	if k == nil || !bytes.Equal(k.Raw, call.Raw) {
		clone := call.Clone()
		k = &clone
		if t.calls == nil {
			t.calls = make(map[uint32]*match.Call)
		}
		t.calls[site] = k
	}
	t.recent = k
	return k
}
