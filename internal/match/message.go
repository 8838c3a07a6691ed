package match

import "slices"

// Matcher matches the messages and collectives of a run.
type Matcher struct {
	Messages    uint64 // matched so far
	Collectives uint64 // matched so far
	// Replayer, if not nil, gets the operations and may keep them. Set it before the first operation.
	Replayer Replayer
	// Sums: the processes compute checksums of the data of messages.
	Sums bool
	// Events: subscribe before the first operation.
	Events Events

	free    *Op
	scratch Op
	good    Collective // passed to subscribers if all members of a collective agree
}

// New returns a matcher without operations.
func New() *Matcher { return new(Matcher) }

// Scratch returns the Op that PostScratch posts. The caller fills in the exported fields from Send to Call, without
// Matched, Removed and Tentative. There is only one scratch operation.
func (m *Matcher) Scratch() *Op { return &m.scratch }

// PostScratch posts the operation that Scratch was filled with. The operation is a blocking call that has returned, so
// this is Post and Release in one. It copies nothing if the other side of the message was posted before.
func (m *Matcher) PostScratch() {
	op := &m.scratch
	if m.postFast(op) {
		return
	}
	n := m.NewOp()
	n.setMessage(op)
	n.Call = op.Call
	m.Post(n)
	if m.Replayer != nil {
		m.Replayer.Quick(n, nil)
	}
	m.Release(n)
}

// postFast posts op if that is simple: no receive from any source is pending there, and op is matched with the oldest
// operation of the other side or with none. It reports whether it has posted op.
func (m *Matcher) postFast(op *Op) bool {
	c := op.Comm
	if c.Unmatchable() {
		return false
	}
	to, from := op.Peer, op.Me
	if !op.Send {
		to, from = from, to
	}
	b := &c.boxes[to]
	if b.any.head != nil || b.lost() {
		return false
	}
	p := b.pair(from, len(c.Members))
	same, opposite := &p.recvs, &p.sends
	if op.Send {
		same, opposite = opposite, same
	}
	q := opposite.head
	switch {
	case q == nil:
		m.queueScratch(op, b, same)
	case !q.Tentative && (q.Tag == op.Tag || q.Tag == Any):
		m.matchScratch(op, p, opposite)
	default:
		return false
	}
	return true
}

// queueScratch adds a copy of op to a list of a mailbox.
func (m *Matcher) queueScratch(op *Op, b *mailbox, l *list) {
	if l.tail != nil && m.rests(op) && l.tail.countRepeat(op) {
		b.seq++
		return
	}
	n := m.NewOp()
	n.setMessage(op)
	n.held, n.queued = false, true
	n.setCall(op)
	b.seq++
	n.seq = b.seq
	l.push(n)
	if m.Replayer != nil {
		m.Replayer.Quick(n, nil)
	}
}

// matchScratch matches op with the first operation of a list.
func (m *Matcher) matchScratch(op *Op, p *pair, l *list) {
	q := l.head
	m.Messages++
	p.taken++
	counted := q.repeats > 0 && m.rests(op)
	if !counted {
		q = m.takeFirst(l, nil, q)
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
}

// Post adds an operation and matches it. Messages do not overtake each other (MPI standard, section 3.5): a receive
// matches the first send from a member that it accepts, and a send matches the first posted receive that accepts it. A
// receive from any source is matched once Resolve says which message it got. Until then, sends that it accepts wait for
// it.
func (m *Matcher) Post(op *Op) {
	c := op.Comm
	if c.Unmatchable() {
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
		if compatible(op.Tag, s.Tag) { // no earlier receive accepts s, or s would not be in the list
			m.match(b, p, m.takeFirst(&p.sends, prev, s), op)
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
			m.match(b, p, op, m.takeFirst(&p.recvs, prev, r))
			return
		}
	}
	op.enqueue()
	p.sends.push(op)
}

// rescan matches the operations between one sender and the owner of b that can be matched. A send waits if a receive
// whose message is not known yet was posted before the receive that would take it.
func (m *Matcher) rescan(b *mailbox, p *pair) {
	if p.recvs.head == nil || p.sends.head == nil {
		return
	}
	open := 0 // sends that a receive may still get
	for s := p.sends.head; s != nil; s = s.next {
		s.tried = false
		open++
	}
	var prev *Op
	for r := p.recvs.head; r != nil && open > 0; {
		before, s := p.firstFor(r)
		switch {
		case s == nil:
			prev, r = r, r.next
		case s.tried || b.claims(r.seq, s):
			open -= s.tryFor(r)
			prev, r = r, r.next
		default:
			if s.repeats == 0 {
				open--
			}
			next := r
			if r.repeats == 0 {
				next = r.next
			}
			m.match(b, p, m.takeFirst(&p.sends, before, s), m.takeFirst(&p.recvs, prev, r))
			r = next
		}
	}
}

// firstFor returns the first send that the receive r accepts and the send before it in the list, nil if there is none.
func (p *pair) firstFor(r *Op) (before, s *Op) {
	for s = p.sends.head; s != nil && !compatible(r.Tag, s.Tag); s = s.next {
		before = s
	}
	return before, s
}

// tryFor marks the sends that the receive r accepts, from s on, as tried, and returns the number of sends that were not
// marked before. The first message that r accepts may belong to an earlier receive. Then r takes another one, so later
// receives cannot match any message that r accepts.
func (s *Op) tryFor(r *Op) (newly int) {
	for ; s != nil; s = s.next {
		if !s.tried && compatible(r.Tag, s.Tag) {
			s.tried = true
			newly++
		}
	}
	return newly
}

// Resolve says which message a receive from any source got. Source and tag are those of its status.
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
	m.rescanDirty(b)
}

// rescanDirty matches the operations that waited for a receive from any source, now that its message is known.
func (m *Matcher) rescanDirty(b *mailbox) {
	l := b.waiting()
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

// Withdraw removes an operation that was cancelled, or that failed before it was matched. It has no effect on a receive
// that cannot lose its message any more. If the operation is a send that seems to be matched, the matching of its
// receiver is wrong and is given up. The message of a tentative receive goes to the next receive.
func (m *Matcher) Withdraw(op *Op) {
	if op.partner != nil {
		b, p := m.undo(op)
		defer m.rescan(b, p)
	}
	if op.Matched && op.Send && !op.Removed {
		// The receive that it was matched with got another message, or none.
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
			m.rescanDirty(b)
		} else {
			b.pair(op.Peer, len(op.Comm.Members)).recvs.drop(op)
		}
	}
	m.dequeued(op)
}

// match matches s with r. Both must have been removed from their lists.
func (m *Matcher) match(b *mailbox, p *pair, s, r *Op) {
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
		b.noteTaking(s, r)
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

// message publishes that r got the message of s.
func (m *Matcher) message(s, r *Op) {
	if m.Sums {
		m.link(s, r)
	}
	m.Events.message(s, r)
}

// undo unmatches a receive that was cancelled, and the later receives that are not complete either. The later ones must
// be matched again.
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
