package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Content is what is known of the data of one side of a message: the sums of consecutive blocks of them, which are equally long
// but for the last.
type Content struct {
	Bytes  uint64 // 0: nothing is known
	Blocks []uint64

	room [1]uint64 // most messages have one block
}

func (d *Content) set(bytes uint64, blocks []uint64) {
	d.Bytes = bytes
	d.Blocks = append(d.room[:0], blocks...)
}

// Exchange is a message whose data are summed up on both sides: an Op's, from when something is known of it.
type Exchange struct {
	Send, Recv     Op // copies, with the calls
	Sent, Received Content

	linked bool // Send and Recv are known
	over   bool // the sender may use its buffer again
	void   bool // nothing follows from the sums
}

// Differs returns the number of the first block that is not what was sent.
func (e *Exchange) Differs() (block int, differs bool) {
	if e.Sent.Bytes == 0 || e.Sent.Bytes != e.Received.Bytes || len(e.Sent.Blocks) != len(e.Received.Blocks) {
		return 0, false
	}
	for i, s := range e.Sent.Blocks {
		if s != e.Received.Blocks[i] {
			return i, true
		}
	}
	return 0, false
}

// Block returns the first and the last byte of a block.
func (e *Exchange) Block(i int) (first, last uint64) {
	const least = ring.SumBlocks * ring.SumBlock
	size := (max(e.Sent.Bytes, 1) + least - 1) / least * ring.SumBlock
	first = uint64(i) * size
	return first, min(first+size, e.Sent.Bytes) - 1
}

// exchange returns what is known of op's message, to enter more.
func (op *Op) exchange() *Exchange {
	if op.Exchange == nil {
		op.Exchange = new(Exchange)
	}
	return op.Exchange
}

// Sum enters the sums of the data that an operation sends, or has received.
func (m *Matcher) Sum(op *Op, bytes uint64, blocks []uint64) {
	e := op.exchange()
	if op.Send {
		e.Sent.set(bytes, blocks)
	} else {
		e.Received.set(bytes, blocks)
	}
	m.look(e)
}

// Void says that nothing follows from the sums of an operation's message: its data have changed, or others used their
// memory.
func (m *Matcher) Void(op *Op) { op.exchange().void = true }

// Over says that a send is complete, or given up: that its data have not changed is known by then.
func (m *Matcher) Over(op *Op) {
	if m.Sums && op.Send {
		m.over(op)
	}
}

func (m *Matcher) over(op *Op) {
	e := op.exchange()
	e.over = true
	m.look(e)
}

// link notes that a message went from s to r.
func (m *Matcher) link(s, r *Op) {
	e := s.exchange()
	if other := r.Exchange; other != nil && other != e {
		e.Received.set(other.Received.Bytes, other.Received.Blocks)
		e.void = e.void || other.void
	}
	r.Exchange = e
	e.Send, e.Recv, e.linked = s.alone(), r.alone(), true
	m.look(e)
}

// alone returns a copy of op that does not depend on it.
func (op *Op) alone() Op {
	return Op{
		Send: op.Send, Mode: op.Mode, Comm: op.Comm, Me: op.Me, Peer: op.Peer, Tag: op.Tag, Count: op.Count, Type: op.Type,
		Call: Call{op.Call.Thread, slices.Clone(op.Call.Raw)}, AnySource: op.AnySource, AnyTag: op.AnyTag,
	}
}

// look tells of a message that is complete, if it is not what was sent.
func (m *Matcher) look(e *Exchange) {
	if !e.linked || !e.over || e.void || e.Received.Bytes == 0 {
		return
	}
	if _, differs := e.Differs(); differs {
		e.void = true // it is told once
		m.Events.DataDamaged.Publish(e)
	}
}
