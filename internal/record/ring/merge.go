package ring

// merge delivers the records of a process with several threads in the order of their times. So an event that happened
// before another one in the process is delivered before it.
//
// A thread takes the time of an event before it publishes the event. So the records that can be read at one moment may
// lack some that are older than others. But if an event happened before another one, it was published before the time
// of the other one was taken. So merge looks at all rings twice. Let T be the latest time that the first look finds.
// The second look shows everything that happened before any event up to T. So the events up to T can be delivered.
// Rings that appear between the two looks belong to the second look: more finds them.
//
// Events without times are older than the second thread, so they come first. A call that was under way when the second
// thread appeared has the time of its return in the ring's header.
func (p *proc) merge(b *Batch, h Handler, more func()) (n int, err error) {
	idle, err := p.firstLook(b, h)
	if err != nil || idle && !p.gone {
		return 0, err
	}
	limit := p.seen
	if p.gone {
		limit = forever // no event can come in between any more
	} else {
		more()
	}
	if err := p.secondLook(); err != nil {
		return 0, err
	}
	for budget := chunk * len(p.rings); n < budget; {
		first, until := p.earliest(limit)
		if first == nil {
			break
		}
		before := first.bytes
		err = first.run(b, h, first.done2, first.head2, true, until)
		first.release()
		n += int(first.bytes - before)
		if err == nil {
			first.when, first.ready, err = first.next(first.done2, first.head2)
		}
		if err != nil {
			return n, p.lost(first, err)
		}
		if first.bytes == before {
			break // cannot happen: the earliest event can be delivered
		}
	}
	return n, nil
}

// firstLook stores in p.seen the latest time in any ring. It reports whether all rings are empty.
func (p *proc) firstLook(b *Batch, h Handler) (idle bool, err error) {
	idle = true
	for _, c := range p.rings {
		c.repeat(b, h)
		done, head, err := c.look()
		if err != nil {
			return false, p.lost(c, err)
		}
		if head == c.pos && !(c.open && c.returned(done, false)) {
			continue
		}
		idle = false
		p.seen = max(p.seen, c.latest(done, head))
	}
	return idle, nil
}

// secondLook stores in each ring's cursor how far it can be read now, and the time of its next event.
func (p *proc) secondLook() (err error) {
	for _, c := range p.rings {
		if p.pause != nil {
			p.pause()
		}
		if c.done2, c.head2, err = c.look(); err != nil {
			return p.lost(c, err)
		}
		if c.when, c.ready, err = c.next(c.done2, c.head2); err != nil {
			return p.lost(c, err)
		}
	}
	return nil
}

// earliest returns the ring with the earliest next event, nil if there is none up to limit. That ring may be read until
// another ring has an earlier event, at until.
func (p *proc) earliest(limit uint64) (first *cursor, until uint64) {
	until = limit
	for _, c := range p.rings {
		switch {
		case !c.ready:
		case first == nil:
			first = c
		case c.when < first.when:
			until = min(until, first.when)
			first = c
		default:
			until = min(until, c.when)
		}
	}
	if first == nil || first.when > limit {
		return nil, 0
	}
	return first, until
}
