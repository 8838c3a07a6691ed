package match

import "slices"

// owedLimit is the largest number of receives of a mailbox that may wait for a receive whose message is not known. If
// there are more, matching is given up for the mailbox: the message may never become known, and all waiting receives
// are kept.
const owedLimit = 4096

// owe counts a receive that the program has completed and that is not matched yet.
func (m *Matcher) owe(op *Op) {
	b := &op.Comm.boxes[op.Me]
	if b.any.head == nil {
		return // it will be matched when the sender's record is read
	}
	op.owed = true
	l := b.waiting()
	if l.owed++; l.owed > owedLimit {
		m.lose(b)
	}
}

// Doubt says that op was cancelled and then freed (MPI standard, section 3.8.4), so that no record will say whether it
// sent or received its message. What depends on that is not known either.
func (m *Matcher) Doubt(op *Op) {
	switch {
	case op.Matched && !op.queued && op.partner == nil, op.Removed:
		return
	case op.Send:
		m.lose(&op.Comm.boxes[op.Peer])
		return
	case op.wildcard:
		return
	}
	b := &op.Comm.boxes[op.Me]
	p := b.pair(op.Peer, len(op.Comm.Members))
	if op.partner != nil {
		m.undo(op)
		op.queued = true
	} else if !op.queued {
		return // it was not posted, as nothing is matched there
	} else {
		p.recvs.drop(op)
	}
	op.wildcard = true
	b.any.insert(op)
	b.mark(p)
	m.rescan(b, p)
}

// Free releases an operation whose request was freed while it was active. No record will say when it completes. The
// program cannot cancel it any more.
func (m *Matcher) Free(op *Op) {
	if !op.Send && op.Tentative && (op.queued && !op.wildcard || op.partner != nil) {
		switch p := op.Comm.boxes[op.Me].pair(op.Peer, len(op.Comm.Members)); {
		case p.tentativeBefore(op.seq):
			m.Doubt(op) // which message it gets depends on them
		case op.partner != nil:
			m.Confirm(op)
		default:
			op.Tentative = false
		}
	}
	m.Release(op)
}

// tentativeBefore reports whether receives posted before position seq may still be cancelled.
func (p *pair) tentativeBefore(seq uint64) bool {
	for r := p.recvs.head; r != nil && r.seq < seq; r = r.next {
		if r.Tentative {
			return true
		}
	}
	return slices.ContainsFunc(p.tentative, func(r *Op) bool { return r.seq < seq })
}

// Unknown reports whether matching is given up where op was posted.
func (op *Op) Unknown() bool {
	c := op.Comm
	to := op.Me
	if op.Send {
		to = op.Peer
	}
	return c.Unmatchable() || c.boxes[to].lost()
}

// Lose notes that no record will show which message the receive op got. So the messages of later receives are not known
// either.
func (m *Matcher) Lose(op *Op) { m.lose(&op.Comm.boxes[op.Me]) }

// lose gives up matching for a mailbox, and forgets the operations in it.
func (m *Matcher) lose(b *mailbox) {
	old := *b
	*b = mailbox{behind: lost}
	forget := func(l *list) {
		for op := l.head; op != nil; {
			next := op.next
			op.next, op.wildcard, op.owed = nil, false, false
			m.dequeued(op)
			op = next
		}
	}
	each := func(p *pair) {
		forget(&p.sends)
		forget(&p.recvs)
		for _, r := range p.tentative {
			s := r.partner
			r.partner = nil
			if m.Replayer != nil {
				m.Replayer.Unlink(s, r)
			}
			m.dequeued(s)
		}
	}
	forget(&old.any)
	for i := range old.dense {
		each(&old.dense[i])
	}
	for _, p := range old.sparse {
		each(p)
	}
}
