package match

// Replay is where package causal, which goes through the run a second time, has what it knows of an operation. Nobody
// else looks at it.
type Replay struct {
	Partner *Op // the other side of the message, once it is known
	// Begun: the operation has begun in the replay. Ready: its partner has. Over: it has completed there, or will not be
	// waited for.
	Begun, Ready, Over bool

	// Moment and Done are when it began and, a synchronous send, was complete, as package before counts: for package race.
	Moment, Done uint64

	retained int32 // by the replay: as long as there are any, the operation is not used again for another
}

// Replayer is told of the operations of a run in the order of the records: package causal.
type Replayer interface {
	// Quick: a blocking send or receive that has returned was posted, and matches partner at once, if that is not nil. Without
	// partner, op may be kept; else it is valid only until Quick returns, see Own.
	Quick(op, partner *Op)
	// Rests: what a blocking send or receive does, posted and over like that, need not be told by Quick.
	Rests(op *Op) bool
	// Link: r gets the message of s. This is told when it is known, also of receives that may still be cancelled.
	Link(s, r *Op)
	// Unlink: r does not get the message of s, as it, or another, was cancelled.
	Unlink(s, r *Op)
}

// Own returns an operation like op, from PostScratch, that may be kept.
func (m *Matcher) Own(op *Op) *Op {
	n := m.NewOp()
	n.setMessage(op)
	n.Matched, n.held = true, false
	n.setCall(op)
	return n
}

// Retain keeps op from being used again for another operation, until as many calls of Forget. Its Call stays valid.
func (op *Op) Retain() {
	if op.Replay.retained == 0 && !op.queued {
		op.copyCall()
	}
	op.Replay.retained++
}

// Forget ends a Retain.
func (m *Matcher) Forget(op *Op) {
	op.Replay.retained--
	if op.Replay.retained == 0 && !op.held && !op.queued {
		m.recycle(op)
	}
}

// copyCall makes the call that op came from independent of the batch.
func (op *Op) copyCall() {
	if len(op.room) > 0 && len(op.Call.Raw) > 0 && &op.room[0] == &op.Call.Raw[0] {
		return
	}
	c := Call{Thread: op.Call.Thread, Raw: op.room}
	c.Keep(op.Call.Raw)
	op.Call, op.room = c, c.Raw
}
