package collorder

// Advance lets the simulated threads go on as far as their records have been read.
func (s *Simulation) Advance() {
	s.epoch++
	for _, t := range s.busy {
		s.run(t)
	}
	s.endCollectives()
	rest := s.busy[:0]
	for _, t := range s.busy {
		if t.busy = len(t.queue)-t.head > 1; t.busy {
			rest = append(rest, t)
		}
	}
	clear(s.busy[len(rest):])
	s.busy = rest
}

// endCollectives ends the collectives that all members have entered. The threads that waited there go on.
func (s *Simulation) endCollectives() {
	for len(s.ready) > 0 {
		c := s.ready[len(s.ready)-1]
		s.ready = s.ready[:len(s.ready)-1]
		if c.behind > 0 {
			continue
		}
		c.done = c.entered(0)
		for i := range c.members {
			c.done = min(c.done, c.entered(i))
		}
		c.count()
		for i := range c.members {
			if t := c.members[i].owner; t != nil && t.inside == c && len(t.queue)-t.head > 1 {
				s.run(t)
			}
		}
	}
}

// run lets a thread leave the collectives that have ended, and enter the next one. The thread stays in its last item,
// which may still grow.
func (s *Simulation) run(t *thread) {
	for t.head < len(t.queue) {
		it := &t.queue[t.head]
		c := it.comm
		s.touch(c)
		m := &c.members[it.me]
		if t.inside == nil {
			t.inside = c
			if m.arrived == c.done {
				if c.behind--; c.behind == 0 {
					s.ready = append(s.ready, c)
				}
			}
		}
		if t.head == len(t.queue)-1 || it.blocks && !c.free() && c.done < it.to {
			return
		}
		m.arrived = max(m.arrived, it.to)
		*it = item{}
		t.inside = nil
		t.head++
		t.passed++
		s.waiting--
		if t.head >= 64 && 2*t.head >= len(t.queue) {
			n := copy(t.queue, t.queue[t.head:])
			clear(t.queue[n:])
			t.queue, t.head = t.queue[:n], 0
		}
	}
}

// touch makes sure that c.behind is up to date.
func (s *Simulation) touch(c *comm) {
	if c.epoch != s.epoch {
		c.epoch = s.epoch
		c.count()
		if c.behind == 0 {
			s.ready = append(s.ready, c)
		}
	}
}

func (c *comm) count() {
	c.behind = 0
	for i := range c.members {
		if c.entered(i) == c.done {
			c.behind++
		}
	}
}

// entered returns how many collectives a member has entered in the simulation.
func (c *comm) entered(me int) uint64 {
	m := &c.members[me]
	if t := m.owner; t != nil && t.inside == c {
		return max(m.arrived, t.queue[t.head].to)
	}
	return m.arrived
}
