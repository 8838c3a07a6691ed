package match

import "math"

// list is a queue of operations in the order in which they were posted.
type list struct {
	head, tail *Op
}

func (l *list) push(op *Op) {
	op.next = nil
	if l.tail == nil {
		l.head = op
	} else {
		l.tail.next = op
	}
	l.tail = op
}

// insert adds op in the order of seq.
func (l *list) insert(op *Op) {
	if l.tail == nil || l.tail.seq < op.seq {
		l.push(op)
		return
	}
	p := &l.head
	for *p != nil && (*p).seq < op.seq {
		p = &(*p).next
	}
	op.next = *p
	*p = op
}

// remove removes op. prev is the operation before op, nil if op is the first.
func (l *list) remove(prev, op *Op) {
	if prev == nil {
		l.head = op.next
	} else {
		prev.next = op.next
	}
	if l.tail == op {
		l.tail = prev
	}
	op.next = nil
}

// drop removes op. It reports whether op was in the list.
func (l *list) drop(op *Op) bool {
	var prev *Op
	for q := l.head; q != nil; prev, q = q, q.next {
		if q == op {
			l.remove(prev, q)
			return true
		}
	}
	return false
}

// pair has the operations between one sender and one receiver.
type pair struct {
	sends list
	recvs list   // receives that name this source
	dirty bool   // it is in behind.dirty
	taken uint32 // messages received
	// tentative are the receives that are matched and may still be cancelled, in any order.
	tentative []*Op
}

// mailbox is the receiving end of one member: MPI matches messages destination by destination.
type mailbox struct {
	dense  []pair          // by source, in small communicators
	sparse map[int32]*pair // in large ones
	any    list            // receives whose message is not known yet: from MPI_ANY_SOURCE, or cancelled and freed
	seq    uint64          // operations posted
	// nil if there never was such a receive, or one with a wildcard; lost if matching is given up
	behind *behind
}

// behind has the operations that wait for receives whose message is not known yet.
type behind struct {
	dirty []*pair // pairs with operations that wait
	owed  int     // receives that wait although the program has completed them
	took  *takings
}

// lost is the value of mailbox.behind if messages to the mailbox are not matched any more.
var lost = new(behind)

// lost reports whether matching is given up for the mailbox.
func (b *mailbox) lost() bool { return b.behind == lost }

// waiting returns b.behind, which it makes if need be.
func (b *mailbox) waiting() *behind {
	if b.behind == nil {
		b.behind = new(behind)
	}
	return b.behind
}

// denseLimit is the largest size of a communicator whose mailboxes have an array over all sources.
const denseLimit = 64

func (b *mailbox) pair(source int32, members int) *pair {
	if b.dense != nil {
		return &b.dense[source]
	}
	if members <= denseLimit {
		b.dense = make([]pair, members)
		return &b.dense[source]
	}
	p := b.sparse[source]
	if p == nil {
		if b.sparse == nil {
			b.sparse = make(map[int32]*pair)
		}
		p = new(pair)
		b.sparse[source] = p
	}
	return p
}

// compatible reports whether a receive with the tag want accepts a message with a tag.
func compatible(want, tag int32) bool { return want == tag || want == Any }

func (b *mailbox) mark(p *pair) {
	if !p.dirty {
		p.dirty = true
		l := b.waiting()
		l.dirty = append(l.dirty, p)
	}
}

// claims reports whether a receive whose message is not known yet, posted before position seq, accepts s.
func (b *mailbox) claims(seq uint64, s *Op) bool {
	for r := b.any.head; r != nil && r.seq < seq; r = r.next {
		if r.accepts(s) {
			return true
		}
	}
	return false
}

// accepts reports whether the receive r takes messages like s, which goes to the same mailbox.
func (r *Op) accepts(s *Op) bool {
	return (r.Peer == Any || r.Peer == s.Me) && compatible(r.Tag, s.Tag)
}

// Candidate reports whether a message has been sent to member me that a receive or probe with these arguments would
// accept, so that the receive or probe is not stuck. If it is not sure, it returns true.
func (c *Comm) Candidate(me, source, tag int32) bool {
	if c.Unmatchable() {
		return true
	}
	b := &c.boxes[me]
	if b.lost() {
		return true
	}
	has := func(p *pair) bool {
		for s := p.sends.head; s != nil; s = s.next {
			if compatible(tag, s.Tag) {
				return true
			}
		}
		return false
	}
	if source != Any {
		return has(b.pair(source, len(c.Members)))
	}
	for i := range b.dense {
		if has(&b.dense[i]) {
			return true
		}
	}
	for _, p := range b.sparse {
		if has(p) {
			return true
		}
	}
	return false
}

// Expected reports whether a receive is posted that may match the send op, so that the send is not stuck. If it is not
// sure, it returns true.
func (op *Op) Expected() bool {
	b := &op.Comm.boxes[op.Peer]
	if b.lost() || b.claims(math.MaxUint64, op) {
		return true
	}
	for r := b.pair(op.Me, len(op.Comm.Members)).recvs.head; r != nil; r = r.next {
		if compatible(r.Tag, op.Tag) {
			return true
		}
	}
	return false
}
