package match

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Mode is the communication mode of a send (MPI standard, section 3.4).
type Mode = mpiapi.Mode

// The modes.
const (
	Standard    = mpiapi.StandardMode
	Buffered    = mpiapi.BufferedMode
	Synchronous = mpiapi.SynchronousMode
	Ready       = mpiapi.ReadyMode
)

// Op is one side of a message: a send begun or a receive posted.
type Op struct {
	Send    bool
	Mode    Mode
	Matched bool
	Removed bool // cancelled
	// Tentative: the receive may still be cancelled. MessageMatched is published once Confirm says that it is complete.
	Tentative bool
	// Cancelling: MPI_Cancel was called for the operation. It may still send or receive its message.
	Cancelling bool
	Comm       *Comm
	Me         int32 // the member that sends or receives
	Peer       int32 // the other member as the call names it, or Any
	Tag        int32 // or Any
	Count      int64
	Type       *Datatype // nil if unknown
	Call       Call      // the call that began the operation: the record itself while it is posted, then a copy

	// At is the number, in its thread and from 1 on, of the call that began the operation. AnySource and AnyTag: the
	// call passed MPI_ANY_SOURCE or MPI_ANY_TAG. Peer and Tag become those of the message once it is known. Package
	// strictreplay uses all three.
	At                uint64
	AnySource, AnyTag bool
	Replay            Replay
	// Exchange has the checksums of the message's data, nil if there are none.
	Exchange *Exchange

	room     []byte
	partner  *Op    // of a tentative receive: the send that it is matched with
	at       int    // its index in pair.tentative
	queued   bool   // in a mailbox
	held     bool   // by a request or by a call that has not returned
	wildcard bool   // in the mailbox's list of receives whose message is not known yet
	owed     bool   // counted in the mailbox
	tried    bool   // used by rescan
	repeats  uint32 // how many more operations it stands for: see countRepeat
	stride   uint32 // the difference between their numbers At
	seq      uint64
	next     *Op
}

// NewOp returns an Op. The caller fills in every exported field and posts it. Until Release, the caller holds the Op
// and may read it, except for Call.
func (m *Matcher) NewOp() *Op {
	op := m.free
	if op == nil {
		return &Op{held: true, room: make([]byte, 0, 2*layout.Line)}
	}
	m.free = op.next
	op.next = nil
	op.held, op.Matched, op.Removed, op.wildcard, op.owed, op.Tentative = true, false, false, false, false, false
	op.Cancelling, op.AnySource, op.AnyTag, op.Replay, op.repeats = false, false, false, Replay{}, 0
	op.Exchange = nil
	return op
}

// setMessage copies the fields that describe the message, without the call.
func (op *Op) setMessage(from *Op) {
	op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag = from.Send, from.Mode, from.Comm, from.Me, from.Peer, from.Tag
	op.Count, op.Type, op.At = from.Count, from.Type, from.At
}

// setCall copies a call, whose record is short, into the operation's own memory.
func (op *Op) setCall(from *Op) {
	op.room = append(op.room[:0], from.Call.Raw...)
	op.Call = Call{Thread: from.Call.Thread, Raw: op.room}
}

// Release says that the caller will not use op any more. It stays posted until it is matched.
func (m *Matcher) Release(op *Op) {
	op.held = false
	if s := op.partner; s != nil { // the caller gives it up before it is complete
		op.removeTentative()
		m.dequeued(s)
	}
	switch {
	case op.queued && !op.Send:
		m.owe(op)
	case !op.queued && op.Replay.retained == 0:
		m.recycle(op)
	}
}

// Confirm says that a tentative receive is complete. It can no longer lose its message.
func (m *Matcher) Confirm(op *Op) {
	op.Tentative = false
	if s := op.partner; s != nil {
		op.removeTentative()
		m.message(s, op)
		m.dequeued(s)
	}
}

// removeTentative removes a receive from pair.tentative: it will keep its message.
func (op *Op) removeTentative() {
	p := op.Comm.boxes[op.Me].pair(op.Peer, len(op.Comm.Members))
	last := len(p.tentative) - 1
	moved := p.tentative[last]
	p.tentative[op.at], moved.at = moved, op.at
	p.tentative[last] = nil
	p.tentative = p.tentative[:last]
	op.partner = nil
}

func (m *Matcher) recycle(op *Op) {
	op.Call.Raw = nil
	op.next = m.free
	m.free = op
}

// enqueue marks op as queued, and copies its call, because the record is only valid during the batch.
func (op *Op) enqueue() {
	op.queued = true
	op.copyCall()
}

// dequeued notes that op has left its mailbox.
func (m *Matcher) dequeued(op *Op) {
	op.queued = false
	if !op.held && op.Replay.retained == 0 {
		m.recycle(op)
	}
}
