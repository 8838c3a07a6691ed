package match

import (
	"github.com/mpivet/mpivet/internal/mpiapi"
)

// Variant is one way in which members called a collective. If all is well a collective has one.
type Variant struct {
	Func mpiapi.FuncID
	// Root is the root's member number, None where the call names none.
	Root  int32
	Call  Call // of the first member that called it so
	Count int  // members that called it so
	// Members that called it so; for the first variant it is filled in only when there are several.
	Members []int32
}

// slot is a collective that some members have entered.
type slot struct {
	arrived  int
	first    Variant
	variants []Variant // further ones
}

// Collective is a position in the sequence of collectives of a communicator, as far as its members have entered it.
type Collective struct {
	Comm     *Comm
	Position uint64
	Variants []Variant // in the order of arrival
	Missing  []int32   // members that have not entered it
	// FollowUp: the members already disagreed on an earlier position, so this is likely a consequence.
	FollowUp bool
}

// Enter notes that member me enters a collective on c. It returns the position in c's sequence. root is None for
// collectives without one. Collectives on a communicator are matched by their order alone (section 6.12 of MPI 4.0,
// "Correctness").
func (m *Matcher) Enter(c *Comm, me int32, f mpiapi.FuncID, root int32, call *Call) uint64 {
	n := c.pos[me]
	c.pos[me] = n + 1
	if c.Opaque || c.World != nil && c.World.Unsure {
		return n
	}
	s := c.slot(n)
	s.arrived++
	switch {
	case s.arrived == 1:
		s.first.Func, s.first.Root, s.first.Count = f, root, 1
		s.first.Call.Thread = call.Thread
		s.first.Call.Raw = append(s.first.Call.Raw[:0], call.Raw...)
	case s.first.Func == f && s.first.Root == root:
		s.first.Count++
	default:
		if s.differ(c, me, f, root, call) {
			m.obs.Disagree(c, n)
		}
	}
	if s.arrived == len(c.Members) {
		m.complete(c, s, n)
	}
	return n
}

// differ enters a call that is not like the first. A member in the root's group of an inter-communicator that is not
// the root names no root, which goes with any. It reports whether that makes another variant.
func (s *slot) differ(c *Comm, me int32, f mpiapi.FuncID, root int32, call *Call) bool {
	agrees := func(v *Variant) bool {
		return v.Func == f && (v.Root == root || c.Split != 0 && (v.Root == None || root == None))
	}
	join := func(v *Variant) {
		v.Count++
		if v.Root == None && root != None {
			v.Root = root
			v.Call = call.Clone()
		}
	}
	if agrees(&s.first) {
		join(&s.first)
		return false
	}
	for i := range s.variants {
		if v := &s.variants[i]; agrees(v) {
			join(v)
			v.Members = append(v.Members, me)
			return false
		}
	}
	s.variants = append(s.variants, Variant{Func: f, Root: root, Call: call.Clone(), Count: 1, Members: []int32{me}})
	return true
}

func (m *Matcher) complete(c *Comm, s *slot, n uint64) {
	m.Collectives++
	if len(s.variants) == 0 {
		c.Desynchronised = false
		m.good.Comm, m.good.Position = c, n
		m.good.Variants = append(m.good.Variants[:0], s.first)
		m.obs.Collective(&m.good)
	} else {
		view := c.view(s, n)
		c.Desynchronised = operationsDiffer(&view)
		m.obs.Collective(&view)
		s.variants = nil
		if len(c.odd) == oddLimit {
			copy(c.odd, c.odd[1:])
			c.odd = c.odd[:oddLimit-1]
		}
		c.odd = append(c.odd, view)
	}
	// Members enter in order, so what is complete is the oldest.
	s.arrived = 0
	c.base++
}

func operationsDiffer(v *Collective) bool {
	for _, w := range v.Variants {
		if w.Func != v.Variants[0].Func {
			return true
		}
	}
	return false
}

// slot returns the place of position n in the circular buffer of collectives that are not complete.
func (c *Comm) slot(n uint64) *slot {
	if n-c.base >= uint64(len(c.slots)) {
		grown := make([]slot, max(4, 2*len(c.slots)))
		for i := range c.slots {
			at := c.base + uint64(i)
			grown[at&uint64(len(grown)-1)] = c.slots[at&uint64(len(c.slots)-1)]
		}
		c.slots = grown
	}
	return &c.slots[n&uint64(len(c.slots)-1)]
}

// view describes s for an observer.
func (c *Comm) view(s *slot, n uint64) Collective {
	v := Collective{Comm: c, Position: n, FollowUp: c.Desynchronised}
	first := s.first
	first.Call = first.Call.Clone()
	if len(s.variants) > 0 {
		odd := make(map[int32]bool)
		for _, w := range s.variants {
			for _, r := range w.Members {
				odd[r] = true
			}
		}
		for r := range c.pos {
			if c.pos[r] > n && !odd[int32(r)] {
				first.Members = append(first.Members, int32(r))
			}
		}
	}
	v.Variants = append(append(v.Variants, first), s.variants...)
	for r := range c.pos {
		if c.pos[r] <= n {
			v.Missing = append(v.Missing, int32(r))
		}
	}
	return v
}

// oddLimit is how many collectives that all have entered, but not alike, a communicator remembers.
const oddLimit = 8

// At returns the collective at position n as far as it is entered. It is false if all members have entered it alike, or
// none has.
func (c *Comm) At(n uint64) (Collective, bool) {
	for i := range c.odd {
		if c.odd[i].Position == n {
			return c.odd[i], true
		}
	}
	if n < c.base || n-c.base >= uint64(len(c.slots)) {
		return Collective{}, false
	}
	s := c.slot(n)
	if s.arrived == 0 {
		return Collective{}, false
	}
	return c.view(s, n), true
}
