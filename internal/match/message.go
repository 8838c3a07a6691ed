package match

import "slices"

// Matcher matches the messages and collectives of a run.
type Matcher struct {
	Messages    uint64 // matched so far
	Collectives uint64 // matched so far
	// Replayer, if it is set before the first operation, is told of operations and may keep them.
	Replayer Replayer
	// Sums: the processes make sums of the data of messages.
	Sums bool
	// Events: subscribe before the first operation.
	Events Events

	free    *Op
	scratch Op
	good    Collective // for subscribers: a collective that all agree on
}

// New returns a matcher of nothing so far.
func New() *Matcher { return new(Matcher) }

// Scratch returns an Op to fill in for PostScratch, the exported fields down to Call but for Matched, Removed and
// Tentative. There is only one.
func (m *Matcher) Scratch() *Op { return &m.scratch }

// PostScratch posts what Scratch has been filled with: Post and Release of an operation that is over. Where it finds
// its partner at once, as nearly always one of the two does, nothing is copied.
func (m *Matcher) PostScratch() {
	op := &m.scratch
	c := op.Comm
	if !c.Opaque && (c.World == nil || !c.World.Unsure) {
		to, from := op.Peer, op.Me
		if !op.Send {
			to, from = from, to
		}
		b := &c.boxes[to]
		p := b.pair(from, len(c.Members))
		mine, others := &p.recvs, &p.sends
		if op.Send {
			mine, others = others, mine
		}
		q := others.head
		switch {
		case b.any.head != nil || b.lost():
		case q == nil:
			if mine.tail != nil && m.rests(op) && mine.tail.again(op) {
				b.seq++
				return
			}
			n := m.NewOp()
			n.Send, n.Mode, n.Comm, n.Me, n.Peer, n.Tag = op.Send, op.Mode, c, op.Me, op.Peer, op.Tag
			n.Count, n.Type, n.At = op.Count, op.Type, op.At
			n.held, n.queued = false, true
			n.room = append(n.room[:0], op.Call.Raw...)
			n.Call = Call{Thread: op.Call.Thread, Raw: n.room}
			b.seq++
			n.seq = b.seq
			mine.push(n)
			if m.Replayer != nil {
				m.Replayer.Quick(n, nil)
			}
			return
		case !q.Tentative && (q.Tag == op.Tag || q.Tag == Any):
			m.Messages++
			p.taken++
			counted := q.repeats > 0 && m.rests(op)
			if !counted {
				q = m.take(others, nil, q)
				q.Matched = true
			}
			if op.Send {
				m.message(op, q)
			} else {
				m.message(q, op)
			}
			op.Exchange = nil
			if counted {
				q.advance()
				return
			}
			if m.Replayer != nil {
				m.Replayer.Quick(op, q)
			}
			m.dequeued(q)
			return
		}
	}
	n := m.NewOp()
	n.Send, n.Mode, n.Comm, n.Me, n.Peer, n.Tag = op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag
	n.Count, n.Type, n.Call, n.At = op.Count, op.Type, op.Call, op.At
	m.Post(n)
	if m.Replayer != nil {
		m.Replayer.Quick(n, nil)
	}
	m.Release(n)
}

// Post enters an operation into matching. Non-overtaking (MPI standard, section 3.5): of the sends from one member
// that a receive accepts it takes the first, of the receives that accept a send the first posted. A receive from any
// source takes part once Resolve says which message it got; until then what it might take waits for it.
func (m *Matcher) Post(op *Op) {
	c := op.Comm
	if c.Opaque || c.World != nil && c.World.Unsure {
		return
	}
	if op.Send {
		m.postSend(op, &c.boxes[op.Peer])
		return
	}
	b := &c.boxes[op.Me]
	if b.lost() {
		return
	}
	b.seq++
	op.seq = b.seq
	if op.Peer == Any {
		op.wildcard = true
		op.enqueue()
		b.any.push(op)
		return
	}
	p := b.pair(op.Peer, len(c.Members))
	if b.any.head != nil {
		op.enqueue()
		p.recvs.push(op)
		b.mark(p)
		m.rescan(b, p)
		return
	}
	var prev *Op
	for s := p.sends.head; s != nil; prev, s = s, s.next {
		if compatible(op.Tag, s.Tag) { // no earlier receive accepts it, or it would not be here
			m.matched(b, p, m.take(&p.sends, prev, s), op)
			return
		}
	}
	op.enqueue()
	p.recvs.push(op)
}

func (m *Matcher) postSend(op *Op, b *mailbox) {
	if b.lost() {
		return
	}
	p := b.pair(op.Me, len(op.Comm.Members))
	b.seq++
	op.seq = b.seq
	if b.any.head != nil {
		op.enqueue()
		p.sends.push(op)
		b.mark(p)
		m.rescan(b, p)
		return
	}
	var prev *Op
	for r := p.recvs.head; r != nil; prev, r = r, r.next {
		if compatible(r.Tag, op.Tag) {
			m.matched(b, p, op, m.take(&p.recvs, prev, r))
			return
		}
	}
	op.enqueue()
	p.sends.push(op)
}

// rescan matches what can be matched between one sender and the owner of b. A send waits when a receive whose message is
// not known yet was posted before the receive that would take it.
func (m *Matcher) rescan(b *mailbox, p *pair) {
	if p.recvs.head == nil || p.sends.head == nil {
		return
	}
	open := 0 // sends that may be free for some receive
	for s := p.sends.head; s != nil; s = s.next {
		s.tried = false
		open++
	}
	var prev *Op
	for r := p.recvs.head; r != nil && open > 0; {
		next := r.next
		var ps *Op
		taken := false
		for s := p.sends.head; s != nil; ps, s = s, s.next {
			if !compatible(r.Tag, s.Tag) {
				continue
			}
			if s.tried || b.claims(r.seq, s) {
				// The first message that r accepts may belong to an earlier receive. Then r takes another, so that nothing
				// it accepts is free for later receives.
				for ; s != nil; s = s.next {
					if !s.tried && compatible(r.Tag, s.Tag) {
						s.tried = true
						open--
					}
				}
				break
			}
			if s.repeats == 0 {
				open--
			}
			if taken = r.repeats == 0; !taken {
				next = r
			}
			m.matched(b, p, m.take(&p.sends, ps, s), m.take(&p.recvs, prev, r))
			break
		}
		if !taken && next != r {
			prev = r
		}
		r = next
	}
}

// Resolve says what a receive from any source got, as its status told.
func (m *Matcher) Resolve(op *Op, source, tag int32) {
	if !op.wildcard {
		return
	}
	b := &op.Comm.boxes[op.Me]
	op.wildcard = false
	b.any.drop(op)
	op.Peer, op.Tag = source, tag
	p := b.pair(source, len(op.Comm.Members))
	p.recvs.insert(op)
	b.mark(p)
	m.settle(b)
}

// settle matches what waited for a receive from any source that is no longer in the way.
func (m *Matcher) settle(b *mailbox) {
	l := b.late()
	dirty := l.dirty
	for _, p := range dirty {
		m.rescan(b, p)
	}
	if b.any.head == nil {
		for _, p := range dirty {
			p.dirty = false
		}
		l.dirty = l.dirty[:0]
	}
}

// Withdraw takes back an operation that was cancelled, or that failed before it took part. It has no effect on a receive
// that is matched for good; a send that seems to be shows that it is not known what went to its receiver. What a tentative
// receive seemed to have got goes to the next.
func (m *Matcher) Withdraw(op *Op) {
	if op.partner != nil {
		b, p := m.undo(op)
		defer m.rescan(b, p)
	}
	if op.Matched && op.Send && !op.Removed {
		// What seemed to get it got another message, or none.
		m.lose(&op.Comm.boxes[op.Peer])
	}
	if op.Matched || op.Removed {
		return
	}
	op.Removed = true
	if !op.queued {
		return
	}
	if op.Send {
		op.Comm.boxes[op.Peer].pair(op.Me, len(op.Comm.Members)).sends.drop(op)
	} else {
		b := &op.Comm.boxes[op.Me]
		if op.wildcard {
			op.wildcard = false
			b.any.drop(op)
			m.settle(b)
		} else {
			b.pair(op.Peer, len(op.Comm.Members)).recvs.drop(op)
		}
	}
	m.dequeued(op)
}

// matched puts s and r together, which are in no list any more.
func (m *Matcher) matched(b *mailbox, p *pair, s, r *Op) {
	s.Matched, r.Matched = true, true
	m.Messages++
	p.taken++
	if r.owed {
		r.owed = false
		b.behind.owed--
	}
	if m.Replayer != nil {
		m.Replayer.Link(s, r)
	}
	if r.AnySource || r.AnyTag {
		b.took(s, r)
	}
	if r.Tentative {
		if !s.queued {
			s.enqueue()
		}
		if !r.queued {
			r.enqueue()
		}
		r.queued = false
		r.partner, r.at = s, len(p.tentative)
		p.tentative = append(p.tentative, r)
		return
	}
	m.message(s, r)
	if s.queued {
		m.dequeued(s)
	}
	if r.queued {
		m.dequeued(r)
	}
}

// message tells that r got the message of s.
func (m *Matcher) message(s, r *Op) {
	if m.Sums {
		m.link(s, r)
	}
	m.Events.message(s, r)
}

// undo takes the message away from a receive that turned out to be cancelled, and from those posted later that have
// not completed either. They are to be matched anew.
func (m *Matcher) undo(op *Op) (b *mailbox, p *pair) {
	b = &op.Comm.boxes[op.Me]
	p = b.pair(op.Peer, len(op.Comm.Members))
	var undone []*Op
	p.tentative = slices.DeleteFunc(p.tentative, func(r *Op) bool {
		if r.seq >= op.seq {
			undone = append(undone, r)
		}
		return r.seq >= op.seq
	})
	for i, r := range p.tentative {
		r.at = i
	}
	for _, r := range undone {
		s := r.partner
		r.partner = nil
		r.Matched, s.Matched = false, false
		if m.Replayer != nil {
			m.Replayer.Unlink(s, r)
		}
		m.Messages--
		p.taken--
		p.sends.insert(s)
		if r != op {
			r.queued = true
			p.recvs.insert(r)
		}
	}
	if b.any.head != nil {
		b.mark(p)
	}
	return b, p
}
