package match

import "github.com/mpivet/mpivet/internal/record/ring"

// Mode is the communication mode of a send (MPI standard, section 3.4).
type Mode uint8

// The modes.
const (
	Standard Mode = iota
	Buffered
	Synchronous
	Ready
)

// Op is one side of a message: a send begun or a receive posted.
type Op struct {
	Send    bool
	Mode    Mode
	Matched bool
	Removed bool // cancelled
	// Tentative receives may still be cancelled: that they are matched is told when Confirm says that they completed.
	Tentative bool
	// Cancelling: MPI_Cancel was called for it. It may take part all the same.
	Cancelling bool
	Comm       *Comm
	Me         int32 // member that did it
	Peer       int32 // member it names, or Any
	Tag        int32 // or Any
	Count      int64
	Type       *Datatype // nil if unknown
	Call       Call      // where it came from: the record itself while it is posted, then a copy

	// At is the number of the call in its thread, from 1, that began the operation. AnySource, AnyTag: the receive was given
	// MPI_ANY_SOURCE, MPI_ANY_TAG, whatever Peer and Tag say now that it is known what it got. They are for package causal.
	At                uint64
	AnySource, AnyTag bool
	Replay            Replay
	// Exchange is what is known of the data of the message, nil if nothing is.
	Exchange *Exchange

	room     []byte
	partner  *Op    // of a tentative receive that is matched
	at       int    // in its pair's list of those
	queued   bool   // in a mailbox
	held     bool   // by a request or a call under way
	wildcard bool   // in the mailbox's list of receives whose message is not known yet
	owed     bool   // counted in the mailbox
	tried    bool   // by the pass under way
	repeats  uint32 // so many more like it have been posted behind it: see again
	stride   uint32 // between their numbers At
	seq      uint64
	next     *Op
}

// NewOp returns an Op to fill in and post, every exported field of it. The caller holds the Op, and may look at it but
// for Call, until Release.
func (m *Matcher) NewOp() *Op {
	op := m.free
	if op == nil {
		return &Op{held: true, room: make([]byte, 0, 2*ring.Line)}
	}
	m.free = op.next
	op.next = nil
	op.held, op.Matched, op.Removed, op.wildcard, op.owed, op.Tentative = true, false, false, false, false, false
	op.Cancelling, op.AnySource, op.AnyTag, op.Replay, op.repeats = false, false, false, Replay{}, 0
	op.Exchange = nil
	return op
}

// setMessage copies what a call says of its message, without the call.
func (op *Op) setMessage(from *Op) {
	op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag = from.Send, from.Mode, from.Comm, from.Me, from.Peer, from.Tag
	op.Count, op.Type, op.At = from.Count, from.Type, from.At
}

// setCall copies a call, whose record is short, into the operation's own memory.
func (op *Op) setCall(from *Op) {
	op.room = append(op.room[:0], from.Call.Raw...)
	op.Call = Call{Thread: from.Call.Thread, Raw: op.room}
}

// Release says that the caller will not look at op any more. It stays posted until it is matched.
func (m *Matcher) Release(op *Op) {
	op.held = false
	if s := op.partner; s != nil { // given up before it completed
		op.settled()
		m.dequeued(s)
	}
	switch {
	case op.queued && !op.Send:
		m.owe(op)
	case !op.queued && op.Replay.retained == 0:
		m.recycle(op)
	}
}

// Confirm says that a tentative receive has completed: it got its message for good.
func (m *Matcher) Confirm(op *Op) {
	op.Tentative = false
	if s := op.partner; s != nil {
		op.settled()
		m.message(s, op)
		m.dequeued(s)
	}
}

// settled takes a tentative receive out of those that may be undone.
func (op *Op) settled() {
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

// enqueue keeps what op needs beyond the record that it came in.
func (op *Op) enqueue() {
	op.queued = true
	op.copyCall()
}

// dequeued notes that op left its mailbox.
func (m *Matcher) dequeued(op *Op) {
	op.queued = false
	if !op.held && op.Replay.retained == 0 {
		m.recycle(op)
	}
}
