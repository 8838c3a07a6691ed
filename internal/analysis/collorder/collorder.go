// Package collorder finds collectives of different communicators that are entered in orders that can deadlock, whether
// or not they did in this run.
//
// The rule: a correct program does not deadlock whether or not its collectives synchronise (MPI standard, chapter 6,
// "Correctness"; Falzone et al., Collective Error Detection for MPI Collective Operations, leave the check to future
// work). So the program's calls are executed again in a simulation. In it, a blocking collective ends only when all
// members have entered it. The order in which threads advance does not change which threads can go on, so there is one
// outcome. Collectives that wait for each other in a circle in the simulation are in the wrong order.
//
// The records of some threads are read long before those of others. So it is normal that threads are held up in the
// simulation; it means something only if there is a circle. Successive calls on one communicator are kept as one item.
// A program with one communicator costs next to nothing. Other programs cost a constant time per call.
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
	busy    []*thread // threads that may have more to do than to stay in their current collective
	ready   []*comm   // communicators whose next collective all members have entered
	epoch   uint64    // of Advance
	waiting int       // items in all queues
	limit   int       // of waiting; when it is reached, Advance is called
	several bool      // there is, or is about to be, more than one communicator
}

// kind is what the simulation needs to know of a function.
type kind struct {
	blocks bool // it may return only after all members have entered
	makes  bool // it makes a communicator, window or file
	ends   bool // it frees its communicator, window or file
	passes bool // it works on a gathering, which exists as long as a thread is in it
}

// item is a sequence of calls of a thread on one communicator.
type item struct {
	comm   *comm
	me     int32
	blocks bool
	from   uint64      // position of the first call
	to     uint64      // position after the last call
	call   *match.Call // all calls look the same; nil as long as there is only one communicator
}

// thread is a thread of the program, as far as the simulation has advanced.
type thread struct {
	id     ring.ThreadID
	queue  []item // from head on: the current item, and the items after it
	head   int
	passed uint64 // number of items that it has left
	inside *comm  // the communicator of the head, if the thread has entered that item
	busy   bool

	recent *match.Call            // the last call that was kept
	calls  map[uint32]*match.Call // the last call that was kept, by call site

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
	done    uint64 // collectives that all members have entered
	behind  int    // members that have not entered the next collective; valid if epoch is the simulation's
	epoch   uint64
	freed   int  // members that have freed it
	crossed int  // circles in which it was found
	unclear bool // it cannot be seen which call belongs to which collective
}

// circles is the number of crossings in which a communicator is found before it is ignored.
const circles = 100

// free reports whether c does not hold up any thread.
func (c *comm) free() bool { return c.unclear || c.crossed >= circles }

// member is a process in a communicator.
type member struct {
	arrived uint64  // collectives that it has entered and left
	next    uint64  // position of the collective that it will enter next, as far as its records have been read
	owner   *thread // the thread that makes its calls
}

// advanceAt is the number of items in queues at which Enter calls Advance by itself.
const advanceAt = 1 << 16

// New returns an empty simulation.
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

// kindOf works out the kind of a function. Libraries implement some blocking collectives as local calls, and programs
// call them in any order. The same is true of the first half of a split collective. Such calls are not taken to block.
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

// Enter notes that the thread of a call enters the collective at a position of c as member me. It keeps a copy of the
// call, or nothing of it.
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
	if last != nil && last.comm.of == c && last.to == position && last.blocks == k.blocks && last.call == kept &&
		!k.ends {
		last.to++
		last.comm.members[me].next = last.to
		return
	}
	s.append(t, c, me, position, kept, k)
}

// Distrust says that a call on c failed. Whether the call took part in a collective is not known. From now on, c holds
// up no thread.
func (s *Simulation) Distrust(c *match.Comm) {
	if d := s.comms[c]; d != nil {
		d.unclear = true
	}
}

// append begins a new sequence of calls.
func (s *Simulation) append(t *thread, c *match.Comm, me int32, position uint64, call *match.Call, k kind) {
	d := s.comms[c]
	if d == nil {
		d = &comm{of: c, members: make([]member, len(c.Members))}
		s.comms[c] = d
		s.several = s.several || len(s.comms) > 1
	}
	m := &d.members[me]
	if m.next != position || m.owner != nil && m.owner != t {
		d.unclear = true // several threads of a process take turns; which of them is next is not determined
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

// keep returns a copy of a call. If an equal call from the same place was copied before, it returns that copy.
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
