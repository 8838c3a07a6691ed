package causal

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
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
	at     uint64 // number of the call in the thread
	op     *match.Op
	ext    *ext
	// Of a collective, or the communicator of a probe. The member me is the thread's process.
	comm     *comm
	pos      uint64
	me, root int32
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
	first   int
	n       int
	limit   int    // of n at which a look is taken
	marked  uint64 // the call at the head at the last look
	peeks   int    // probes in the queue whose receive is not known yet
	queued  bool   // in Engine.work
	resting bool   // see rest.go
	left    int    // operations until it rests
	since   uint64 // the call at which it began to rest
	node           // for looks: see knot.go
}

const (
	glance  = 1024 // length of a queue at which a look is taken at what is stuck
	longest = 8192 // at which half of it is let pass
)

// head returns the item that the thread has come to; there is one.
func (t *thread) head() *item { return &t.items[t.first] }

// at returns the i-th item of the queue.
func (t *thread) at(i int) *item { return &t.items[(t.first+i)&(len(t.items)-1)] }

func (t *thread) push(it item) { *t.next() = it }

// next adds an empty item to the queue.
func (t *thread) next() *item {
	if t.n == len(t.items) {
		grown := make([]item, max(4, 2*len(t.items)))
		for i := range t.n {
			grown[i] = *t.at(i)
		}
		t.items, t.first = grown, 0
	}
	it := &t.items[(t.first+t.n)&(len(t.items)-1)]
	t.n++
	return it
}

func (t *thread) pop() {
	t.items[t.first] = item{}
	t.first = (t.first + 1) & (len(t.items) - 1)
	if t.n--; t.n == 0 {
		t.limit = glance
		if len(t.items) > glance {
			t.items, t.first = nil, 0
		}
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
	t.push(it)
	if t.n == 1 {
		e.wake(t)
		e.drain()
	}
	if t.n >= t.limit {
		e.crowded(t)
	}
}

// crowded deals with a queue that has become long.
func (e *Engine) crowded(t *thread) {
	if e.looking {
		return
	}
	e.look()
	if t.n >= longest {
		for t.n > longest/2 {
			e.force(t)
		}
	}
	if t.n >= t.limit {
		t.limit = min(2*t.limit, longest)
	}
}
