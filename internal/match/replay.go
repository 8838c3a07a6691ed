package match

// Replay is the state of an operation in package strictreplay. Only that package uses it.
type Replay struct {
	Partner *Op // the other side of the message, once it is known
	// Begun: the operation has begun in the replay. Ready: its partner has begun. Over: the operation is complete in
	// the replay, or nothing will wait for it.
	Begun, Ready, Over bool

	// Moment is when the operation began, in the numbers of package happensbefore. Done is when a synchronous send was
	// complete. Both are for package race.
	Moment, Done uint64

	retained int32 // calls of Retain without Forget: until it is 0, the Op is not reused
}

// Replayer gets the operations of a run in the order of the records. Package strictreplay implements it.
type Replayer interface {
	// Quick: a blocking send or receive whose call has returned was posted. If partner is not nil, op is matched with
	// it, and op is only valid until Quick returns (see Own). Otherwise op may be kept.
	Quick(op, partner *Op)
	// Rests reports whether Quick need not be called for op.
	Rests(op *Op) bool
	// Link: r gets the message of s. It is called as soon as that is known, also if r may still be cancelled.
	Link(s, r *Op)
	// Unlink: r does not get the message of s after all, because r or another receive was cancelled.
	Unlink(s, r *Op)
}

// Own returns a copy of an operation that was passed to Quick. The copy may be kept.
func (m *Matcher) Own(op *Op) *Op {
	n := m.NewOp()
	n.setMessage(op)
	n.Matched, n.held = true, false
	n.setCall(op)
	return n
}

// Retain prevents that op is reused, until Forget has been called as often. Its Call stays valid.
func (op *Op) Retain() {
	if op.Replay.retained == 0 && !op.queued {
		op.copyCall()
	}
	op.Replay.retained++
}

// Forget undoes one Retain.
func (m *Matcher) Forget(op *Op) {
	op.Replay.retained--
	if op.Replay.retained == 0 && !op.held && !op.queued {
		m.recycle(op)
	}
}

// copyCall copies the call of op, so that it stays valid after the batch.
func (op *Op) copyCall() {
	if len(op.room) > 0 && len(op.Call.Raw) > 0 && &op.room[0] == &op.Call.Raw[0] {
		return
	}
	c := Call{Thread: op.Call.Thread, Raw: op.room}
	c.Keep(op.Call.Raw)
	op.Call, op.room = c, c.Raw
}
