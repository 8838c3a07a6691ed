package match

// Unpaired calls f for the sends to member `to` and the receives of that member that are not matched. The other side
// must be the member `from`, or any member if from is Any. Receives from any source whose message is not known are
// always included. Of equal operations that follow each other, it may pass only the first.
func (c *Comm) Unpaired(to, from int32, f func(*Op)) {
	b := &c.boxes[to]
	if b.lost() {
		return
	}
	each := func(l list) {
		for op := l.head; op != nil; op = op.next {
			f(op)
		}
	}
	each(b.any)
	if from != Any {
		if p := b.existing(from); p != nil {
			each(p.sends)
			each(p.recvs)
		}
		return
	}
	b.each(func(_ int32, p *pair) {
		each(p.sends)
		each(p.recvs)
	})
}

// existing returns the pair of a sender and the owner of b, nil if there have been no operations.
func (b *mailbox) existing(from int32) *pair {
	if b.dense != nil {
		return &b.dense[from]
	}
	return b.sparse[from]
}

// Exchanged returns how many messages member `from` has sent to member `to`, and how many receives member `to` has
// posted for messages from that member. Both are 0 if that is not known.
func (c *Comm) Exchanged(from, to int32) (sent, received int) {
	b := &c.boxes[to]
	p := b.existing(from)
	if p == nil || b.lost() {
		return 0, 0
	}
	length := func(l list) (n int) {
		for op := l.head; op != nil; op = op.next {
			n += 1 + int(op.repeats)
		}
		return n
	}
	return int(p.taken) + length(p.sends), int(p.taken) + length(p.recvs)
}

// Taking is a message that a receive from any source, or with any tag, has got.
type Taking struct {
	From, Tag int32
	Call      Call // the receive
}

// takings are the last few messages that a member's receives with a wildcard got.
type takings struct {
	list [4]Taking // the last one before next, circular
	next int
}

// noteTaking notes that r, a receive with a wildcard, got the message of s.
func (b *mailbox) noteTaking(s, r *Op) {
	if b.lost() {
		return
	}
	l := b.waiting()
	if l.took == nil {
		l.took = new(takings)
	}
	t := l.took
	k := &t.list[t.next]
	t.next = (t.next + 1) % len(t.list)
	k.From, k.Tag, k.Call.Thread = s.Me, s.Tag, r.Call.Thread
	k.Call.Keep(r.Call.Raw)
}

// Taken returns the last message from member `from`, with a tag (or Any), that a receive of member `to` with a wildcard
// got. It returns nil if there is none among the last few messages.
func (c *Comm) Taken(from, to, tag int32) *Taking {
	b := c.boxes[to].behind
	if b == nil || b.took == nil {
		return nil
	}
	t := b.took
	n := len(t.list)
	for i := range n {
		if k := &t.list[(t.next+n-1-i)%n]; k.From == from && len(k.Call.Raw) > 0 && compatible(tag, k.Tag) {
			return k
		}
	}
	return nil
}
