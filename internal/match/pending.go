package match

import (
	"maps"
	"slices"
)

// each calls f for the pairs of a mailbox, by source.
func (b *mailbox) each(f func(from int32, p *pair)) {
	for i := range b.dense {
		f(int32(i), &b.dense[i])
	}
	if len(b.sparse) == 0 {
		return
	}
	for _, from := range slices.Sorted(maps.Keys(b.sparse)) {
		f(from, b.sparse[from])
	}
}

// Pending calls f for each message that was sent on c and that no posted receive has got or may get, in the order of
// receivers and senders. For equal messages, it may pass the same Op several times.
func (c *Comm) Pending(f func(send *Op)) {
	if c.Unmatchable() {
		return
	}
	for to := range c.boxes {
		b := &c.boxes[to]
		b.each(func(_ int32, p *pair) {
			for s := p.sends.head; s != nil; s = s.next {
				if s.Expected() {
					continue
				}
				for range 1 + s.repeats {
					f(s)
				}
			}
		})
	}
}

// Posted calls f for each receive that member me has posted on c and that is not matched. Of equal receives that follow
// each other, it may pass only the first.
func (c *Comm) Posted(me int32, f func(recv *Op)) {
	b := &c.boxes[me]
	for r := b.any.head; r != nil; r = r.next {
		f(r)
	}
	b.each(func(_ int32, p *pair) {
		for r := p.recvs.head; r != nil; r = r.next {
			f(r)
		}
	})
}

// Received returns how many messages from one member to another were received.
func (c *Comm) Received(from, to int32) int {
	return int(c.boxes[to].pair(from, len(c.Members)).taken)
}

// Partner returns the message that a tentative receive is matched with, nil if there is none.
func (op *Op) Partner() *Op { return op.partner }

// InOrder returns the communicators, windows and files in use, in the order in which they were made.
func (r *Registry) InOrder() []*Comm {
	return slices.SortedFunc(maps.Values(r.comms), func(a, b *Comm) int { return int(a.number - b.number) })
}

// Order returns the place of an operation among those posted to the same mailbox.
func (op *Op) Order() uint64 { return op.seq }
