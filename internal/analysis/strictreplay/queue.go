package strictreplay

import (
	"math/bits"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// kind says what an item does when its thread comes to it.
type kind uint8

const (
	block  kind = iota // an operation begins, and the thread goes on when it is complete
	begin              // an operation begins
	finish             // the thread goes on when an operation is complete
	drop               // nobody will wait for an operation
	enter              // a collective is entered
	join               // it is entered, and the thread goes on when all have
	leave              // the thread goes on when all have entered it
	peek               // the thread goes on when a message has been sent
	doubt              // what follows may have come otherwise; polled: for ever
)

// item is something that a thread does.
type item struct {
	kind   kind
	polled bool // it would have done something else rather than wait
	begun  bool // the first half of block or join is done
	listed bool // in the list of those who wait for a collective
	waived bool // it passes though its message might have gone to another receive
	fn     mpiapi.FuncID
	site   uint32 // of the call, with fn: enough to show it
	me     int32
	at     uint64 // number of the call in the thread
	op     *match.Op
	ext    *ext
	// Of a collective, or the communicator of a probe. The member me is the thread's process.
	comm *comm
	pos  uint64
	// Of a join: as many calls like it follow, each at the next position, and this number of calls after the one
	// before.
	more, stride uint32
}

// ext is what only some items have.
type ext struct {
	call match.Call // a copy, where there is no operation that has it
	// The message that was seen by a probe: it is received by seen, nil as long as that is not known.
	source, tag int32
	seen        *match.Op

	next *ext
}

// thread is the queue of what a thread does, in a circular buffer.
type thread struct {
	*track.Thread
	process *process
	items   []item // a power of two
	first   int32
	n       int32
	more    int32  // calls in the queue beyond one for each item
	limit   int32  // of the calls at which a look is taken
	peeks   int32  // probes in the queue whose receive is not known yet
	queued  bool   // in Engine.work
	lazy    bool   // only a join is queued, and has begun: that it has passed is seen when somebody asks
	resting bool   // see rest.go
	left    int32  // operations until it rests
	since   uint64 // the call at which it began to rest
	marked  uint64 // the call at the head at the last look
	node           // for looks: see knot.go
}

const (
	glance  = 1024 // length of a queue at which a look is taken at what is stuck
	longest = 8192 // at which half of it is let pass
)

// head returns the item that the thread has come to; there is one.
func (t *thread) head() *item { return &t.items[t.first] }

// at returns the i-th item of the queue.
func (t *thread) at(i int) *item { return &t.items[(int(t.first)+i)&(len(t.items)-1)] }

// length returns the number of calls in the queue.
func (t *thread) length() int { return int(t.n) + int(t.more) }

// push adds an empty item to the queue.
func (e *Engine) push(t *thread) *item {
	if t.lazy {
		if e.clearJoin(t); t.n > 0 {
			t.list()
		}
	}
	if int(t.n) == len(t.items) {
		grown := e.spare.take(max(1, 2*len(t.items)))
		for i := range int(t.n) {
			grown[i] = *t.at(i)
		}
		clear(t.items)
		e.spare.give(t.items)
		t.items, t.first = grown, 0
	}
	it := t.at(int(t.n))
	t.n++
	e.news++
	return it
}

func (e *Engine) pop(t *thread) {
	it := t.head()
	t.more -= int32(it.more)
	t.lazy = false
	*it = item{}
	t.first = (t.first + 1) & int32(len(t.items)-1)
	if t.n--; t.n == 0 {
		t.limit = glance
		if len(t.items)*len(e.threads) > kept {
			e.spare.give(t.items)
			t.items, t.first = nil, 0
		}
	}
}

// kept is the number of items that all threads together may have room for while their queues are empty.
const kept = 1 << 16

// spare has empty items for queues, by the logarithm of their number: at most as many as glance.
type spare [11][][]item

func (s *spare) take(n int) []item {
	if i := bits.Len(uint(n)) - 1; i < len(s) && len(s[i]) > 0 {
		last := len(s[i]) - 1
		items := s[i][last]
		s[i][last] = nil
		s[i] = s[i][:last]
		return items
	}
	return make([]item, n)
}

func (s *spare) give(items []item) {
	if i := bits.Len(uint(len(items))) - 1; i >= 0 && i < len(s) {
		s[i] = append(s[i], items)
	}
}

// open reports whether the call at the head has not returned in the run.
func (t *thread) open() bool { return t.Open.Func != nil && t.head().at == t.Calls }

// newExt returns an empty ext.
func (e *Engine) newExt() *ext {
	x := e.freeExt
	if x == nil {
		return new(ext)
	}
	e.freeExt = x.next
	*x = ext{call: match.Call{Raw: x.call.Raw[:0]}}
	return x
}

func (e *Engine) release(it *item) {
	if x := it.ext; x != nil {
		if x.seen != nil {
			e.matcher.Forget(x.seen)
		}
		x.seen = nil
		x.next = e.freeExt
		e.freeExt = x
	}
}

// add enters what a thread does next.
func (e *Engine) add(t *thread, it item) {
	*e.push(t) = it
	if t.n == 1 {
		e.wake(t)
		e.drain()
	}
	if t.length() >= int(t.limit) {
		e.crowded(t)
	}
}

// crowded deals with a queue that has become long.
func (e *Engine) crowded(t *thread) {
	if t.lazy {
		e.clearJoin(t)
	}
	if e.looking || t.length() < int(t.limit) {
		return
	}
	// A look costs as much as there are threads, so it is worth while only after so many calls.
	if t.length() >= longest || e.news >= seldom*len(e.threads) {
		e.resolveKnots()
	}
	if t.length() >= longest {
		for t.length() > longest/2 {
			e.force(t)
		}
	}
	if t.length() >= int(t.limit) {
		t.limit = min(2*t.limit, longest)
	}
}

// seldom is how many calls of each thread, on average, are queued between looks that are not for a queue being full.
const seldom = 8
