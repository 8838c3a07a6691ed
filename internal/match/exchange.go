package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Content has the checksums of the data on one side of a message: one for each of consecutive blocks. All blocks have
// the same length, except for the last one.
type Content struct {
	Bytes  uint64 // 0: there are no checksums
	Blocks []uint64

	room [1]uint64 // most messages have one block
}

func (d *Content) set(bytes uint64, blocks []uint64) {
	d.Bytes = bytes
	d.Blocks = append(d.room[:0], blocks...)
}

// Exchange is a message with the checksums of both sides. An Op has one once there is a checksum or a match.
type Exchange struct {
	Send, Recv     Op // copies, with the calls
	Sent, Received Content

	linked bool // Send and Recv are known
	over   bool // the send is complete
	void   bool // the checksums must not be compared
}

// Differs returns the number of the first block that did not arrive as it was sent.
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
	const least = layout.SumBlocks * layout.SumBlock
	size := (max(e.Sent.Bytes, 1) + least - 1) / least * layout.SumBlock
	first = uint64(i) * size
	return first, min(first+size, e.Sent.Bytes) - 1
}

// exchange returns op.Exchange, which it makes if need be.
func (op *Op) exchange() *Exchange {
	if op.Exchange == nil {
		op.Exchange = new(Exchange)
	}
	return op.Exchange
}

// Sum notes the checksums of the data that an operation sends, or has received.
func (m *Matcher) Sum(op *Op, bytes uint64, blocks []uint64) {
	e := op.exchange()
	if op.Send {
		e.Sent.set(bytes, blocks)
	} else {
		e.Received.set(bytes, blocks)
	}
	m.publishDamage(e)
}

// Void says that the checksums of an operation's message must not be compared, because the program has changed the data
// or another operation has used the memory.
func (m *Matcher) Void(op *Op) { op.exchange().void = true }

// Over says that a send is complete or given up. If the program had changed the data, Void would have been called
// before.
func (m *Matcher) Over(op *Op) {
	if m.Sums && op.Send {
		m.endOperation(op)
	}
}

func (m *Matcher) endOperation(op *Op) {
	e := op.exchange()
	e.over = true
	m.publishDamage(e)
}

// link notes that r got the message of s.
func (m *Matcher) link(s, r *Op) {
	e := s.exchange()
	if other := r.Exchange; other != nil && other != e {
		e.Received.set(other.Received.Bytes, other.Received.Blocks)
		e.void = e.void || other.void
	}
	r.Exchange = e
	e.Send, e.Recv, e.linked = s.detached(), r.detached(), true
	m.publishDamage(e)
}

// detached returns a copy of op that stays valid when op is used again.
func (op *Op) detached() Op {
	return Op{
		Send: op.Send, Mode: op.Mode, Comm: op.Comm, Me: op.Me, Peer: op.Peer, Tag: op.Tag, Count: op.Count,
		Type: op.Type,
		Call: Call{op.Call.Thread, slices.Clone(op.Call.Raw)}, AnySource: op.AnySource, AnyTag: op.AnyTag,
	}
}

// publishDamage publishes a message whose checksums are complete and differ.
func (m *Matcher) publishDamage(e *Exchange) {
	if !e.linked || !e.over || e.void || e.Received.Bytes == 0 {
		return
	}
	if _, differs := e.Differs(); differs {
		e.void = true // publish it only once
		m.Events.DataDamaged.Publish(e)
	}
}
