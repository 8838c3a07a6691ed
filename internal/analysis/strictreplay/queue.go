package strictreplay

import (
	"math/bits"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// kind says what an item does when it is at the head of its thread's queue.
type kind uint8

const (
	block  kind = iota // an operation begins, and the thread goes on when it is complete
	begin              // an operation begins
	finish             // the thread goes on when an operation is complete
	drop               // no call will wait for an operation
	enter              // the thread enters a collective
	join               // the thread enters a collective, and goes on when all members have entered it
	leave              // the thread goes on when all members have entered a collective that it entered before
	peek               // the thread goes on when a message has been sent
	doubt              // the calls that follow may have been different in another run; polled: for the rest of the run
)

// item is an action of a thread.
type item struct {
	kind   kind
	polled bool // the thread did not have to wait: it would have done something else
	begun  bool // the first half of block or join is done
	listed bool // the thread is in the list of threads that wait for a collective
	waived bool // the receive passes although its message might have gone to another receive
	fn     mpiapi.FuncID
	site   uint32 // of the call; fn and site are enough to show the call
	me     int32
	at     uint64 // number of the call in its thread
	op     *match.Op
	ext    *ext
	// The collective, or the communicator of a probe. The member me is the thread's process.
	comm *comm
	pos  uint64
	// For a join: more is the number of similar calls that follow, each at the next position. stride is the difference
	// between the numbers of successive calls.
	more, stride uint32
}

// ext has the fields that only some items need.
type ext struct {
	call match.Call // a copy of the call, if no operation has it
	// For a probe: the message that it saw. seen is the receive that gets the message; nil while it is not known.
	source, tag int32
	seen        *match.Op

	next *ext
}

// thread is the queue of a thread's actions, in a circular buffer.
type thread struct {
	*track.Thread
	process *process
	items   []item // the length is a power of two
	first   int32
	n       int32
	more    int32  // calls in the queue beyond one for each item
	limit   int32  // number of calls at which the stuck threads are examined
	peeks   int32  // probes in the queue whose receive is not known yet
	queued  bool   // in Engine.work
	lazy    bool   // the queue contains only a join, which has begun; it is removed lazily, when the queue is next used
	resting bool   // see rest.go
	left    int32  // number of operations until the thread rests
	since   uint64 // number of the call at which the thread began to rest
	marked  uint64 // number of the call at the head at the last look
	node           // for looks at stuck threads: see knot.go
}

const (
	glance  = 1024 // length of a queue at which the stuck threads are examined
	longest = 8192 // length at which the engine lets half of the queue pass
)

// head returns the first item of the queue. The queue must not be empty.
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

// kept is the number of items for which all threads together may keep room while their queues are empty.
const kept = 1 << 16

// spare has empty slices of items for queues, by the logarithm of their length, up to a length of glance.
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

// add appends the next item of a thread.
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

// crowded handles a queue that has become long.
func (e *Engine) crowded(t *thread) {
	if t.lazy {
		e.clearJoin(t)
	}
	if e.looking || t.length() < int(t.limit) {
		return
	}
	// A look costs time proportional to the number of threads, so it is worthwhile only after that many calls.
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

// seldom is the number of calls per thread, on average, that are queued between two looks, unless a queue is full.
const seldom = 8
