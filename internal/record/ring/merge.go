package ring

// merge delivers the records of a process of several threads in the order of their times, which keeps whatever
// happened before something else in the process before it.
//
// A thread takes the time of an event before it publishes the event, so the records that can be seen at a moment may
// lack some that are older than others. But what happened before an event was published before that event's time was
// taken. So after all rings have been looked at once, with T the latest time seen, a second look at all of them shows
// everything that happened before any event up to T, and those can be delivered. Rings that appear between the looks
// belong to the second: more finds them.
//
// Events without times are from before there was a second thread: they come first. A call that was under way then has
// the time of its return beside its record.
func (p *proc) merge(b *Batch, h Handler, more func()) (n int, err error) {
	idle := true
	for _, c := range p.rings {
		c.repeat(b, h)
		done, head, err := c.look()
		if err != nil {
			return 0, p.lost(c, err)
		}
		if head == c.pos && !(c.open && c.returned(done, false)) {
			continue
		}
		idle = false
		p.seen = max(p.seen, c.latest(done, head))
	}
	if idle && !p.gone {
		return 0, nil
	}
	limit := p.seen
	if p.gone {
		limit = forever // nothing can come in between any more
	} else {
		more()
	}
	for _, c := range p.rings {
		if p.pause != nil {
			p.pause()
		}
		if c.done2, c.head2, err = c.look(); err != nil {
			return 0, p.lost(c, err)
		}
		if c.when, c.ready, err = c.next(c.done2, c.head2); err != nil {
			return 0, p.lost(c, err)
		}
	}
	for budget := chunk * len(p.rings); n < budget; {
		// The ring with the earliest event goes on until another one has an earlier.
		var first *cursor
		until := limit
		for _, c := range p.rings {
			if !c.ready {
				continue
			}
			if first == nil || c.when < first.when {
				if first != nil {
					until = min(until, first.when)
				}
				first = c
			} else {
				until = min(until, c.when)
			}
		}
		if first == nil || first.when > limit {
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
			break // cannot happen: an event that is ready is delivered
		}
	}
	return n, nil
}
