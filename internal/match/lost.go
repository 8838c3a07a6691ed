package match

import "slices"

// owedLimit is how many receives of a mailbox may wait behind one whose message is not known before matching is given up
// there: it may never become known, and all of them are kept until then.
const owedLimit = 4096

// owe counts a receive that the program is done with, and that is not matched yet.
func (m *Matcher) owe(op *Op) {
	b := &op.Comm.boxes[op.Me]
	if b.any.head == nil {
		return // the sender's record is only to be read
	}
	op.owed = true
	l := b.late()
	if l.owed++; l.owed > owedLimit {
		m.lose(b)
	}
}

// Doubt says that nobody will tell whether op took part: it was cancelled and then freed (MPI standard, section 3.8.4).
// What it may have sent or received can't be told any more, nor what depends on that.
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
		return // nothing is matched there
	} else {
		p.recvs.drop(op)
	}
	op.wildcard = true
	b.any.insert(op)
	b.mark(p)
	m.rescan(b, p)
}

// Free is Release of an operation that goes on though its request was freed: nobody will tell when it completes, and it
// can't be cancelled any more.
func (m *Matcher) Free(op *Op) {
	if !op.Send && op.Tentative && (op.queued && !op.wildcard || op.partner != nil) {
		switch p := op.Comm.boxes[op.Me].pair(op.Peer, len(op.Comm.Members)); {
		case p.tentativeBefore(op.seq):
			m.Doubt(op) // what those got it did not get
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

// Unknown reports whether it will not become known what op is matched with.
func (op *Op) Unknown() bool {
	c := op.Comm
	to := op.Me
	if op.Send {
		to = op.Peer
	}
	return c.Unmatchable() || c.boxes[to].lost()
}

// Lose says that it will not become known which message the receive op got, nor therefore what later ones got.
func (m *Matcher) Lose(op *Op) { m.lose(&op.Comm.boxes[op.Me]) }

// lose gives up matching what goes to a mailbox, and forgets what is there.
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
