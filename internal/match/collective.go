package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/group"
)

// Variant is one way in which members called a collective. There may be several variants without an error: the root
// passes arguments that others need not pass.
type Variant struct {
	Entry
	Call  Call // of the first member of the variant
	Count int  // number of members that called it in this way
	// Members are the members that called it in this way. For the first variant, they are filled in only if there are
	// several variants.
	Members []int32

	digest uint64
}

// moved is the data that a member of a pairwise operation sends and receives. There may be as many parts as members,
// and one moved for each member, so both types are small.
type moved struct {
	call  Call
	parts []part
	group group.Group
}

// part is a Part without pointers.
type part struct {
	peer  int32 // the member that the data go to; ^peer if they come from there
	typ   int32 // index in the slot's list of types
	count int64
}

// slot is a collective that some members have entered.
type slot struct {
	arrived   int
	first     Variant
	from      *Entry    // the Entry that first is a copy of, if it is a kept one
	variants  []Variant // further variants
	crowded   bool      // members were left out of the variants
	other     bool      // members are in different operations
	claimed   bool      // a member says that it is the root
	conflicts AspectSet
	sum       uint64
	unsure    bool
	moved     []moved // by member, for a pairwise operation
	clashes   []Clash
	types     []*Datatype // datatypes that occur in the parts
	numbers   map[*Datatype]int32
}

// variantLimit is the number of variants that are distinguished.
const variantLimit = 64

// Mismatch is a pair of members that do not agree on the data between them.
type Mismatch struct {
	From, To         int32
	Sent, Expected   Side
	Sender, Receiver Call
}

// Collective is a position in the sequence of collectives of a communicator, as far as its members have entered it.
type Collective struct {
	Comm     *Comm
	Position uint64
	Variants []Variant // in the order of arrival
	Missing  []int32   // members that have not entered it, in ascending order
	// Different: not all members that have entered it are in the same operation. Conflicts: other aspects in which they
	// disagree.
	Different bool
	Conflicts AspectSet
	// Uneven: all members have entered a pairwise operation, and the parts sent and expected differ. Mismatches are the
	// pairs that differ. They may still be compatible, as signatures of different languages are.
	Uneven     bool
	Mismatches []Mismatch
	// Clashes are the members that name groups which must not be used together.
	Clashes []Clash
	// FollowUp: the members already disagreed on an earlier position, so this is likely a consequence.
	FollowUp bool
}

// Agreed reports whether there is no error in the collective as far as it is entered.
func (c *Collective) Agreed() bool { return !c.Different && c.Conflicts == 0 && !c.Uneven }

// apart are the aspects in which members must agree to meet in the same operation and follow the same path through it.
const apart AspectSet = 1<<Root | 1<<Leader | 1<<High | 1<<HighOther | 1<<Topology

// Meets reports whether the members of two variants meet: whether they are in the same operation with the same root and
// the other aspects of apart.
func (v *Variant) Meets(w *Variant) bool { return v.Func == w.Func && v.conflict(&w.Entry)&apart == 0 }

// Apart reports whether members do not meet because of the arguments that they pass.
func (c *Collective) Apart() bool { return c.Conflicts&apart != 0 }

// Claimed reports whether member m itself says that it is the root. On an inter-communicator, it must do so with
// MPI_ROOT.
func (c *Collective) Claimed(m int32) bool {
	return slices.ContainsFunc(c.Variants, func(v Variant) bool {
		return v.Root == m && (len(c.Variants) == 1 || slices.Contains(v.Members, m))
	})
}

// Enter notes that member me enters a collective on c. It returns the position in c's sequence. Collectives on a
// communicator are matched only by their order (section 6.12 of MPI 4.0, "Correctness"). Enter keeps only copies of e
// and call.
func (m *Matcher) Enter(c *Comm, me int32, e *Entry, call Call) uint64 {
	n := c.pos[me]
	c.pos[me] = n + 1
	if c.Unmatchable() {
		return n
	}
	s := c.slot(n)
	s.arrived++
	c.open++
	d := e.digest()
	switch {
	case s.arrived == 1:
		s.begin(e, d, call)
	case s.first.digest == d:
		s.first.Count++
	default:
		if s.differ(e, d, me, call) {
			m.Events.disagreed(c, n)
		}
	}
	if e.Pairwise {
		s.addParts(c, e, me, call)
	}
	s.claimed = s.claimed || e.Root == me
	if s.arrived == 1 && s.conflicts != 0 {
		m.Events.disagreed(c, n) // the call violates the standard by itself
	}
	if s.arrived == len(c.Members) {
		if c.Split != 0 && !s.claimed && s.named() && !s.conflicts.Has(Root) {
			s.conflicts |= 1 << Root
			m.Events.disagreed(c, n)
		}
		if s.clashes = s.clash(c, e); len(s.clashes) > 0 {
			s.conflicts |= 1 << Groups
			m.Events.disagreed(c, n)
		}
		m.complete(c, s, n)
	}
	return n
}

// named reports whether a member names a root.
func (s *slot) named() bool {
	return s.first.Values[Root] != 0 || slices.ContainsFunc(s.variants,
		func(v Variant) bool { return v.Values[Root] != 0 })
}

func (s *slot) begin(e *Entry, d uint64, call Call) {
	if e.kept == 0 || s.from != e {
		s.first.Entry, s.first.digest = *e, d
		s.first.Parts = nil
		if s.from = nil; e.kept != 0 {
			s.from = e
		}
	}
	s.first.Count = 1
	s.first.Call.Thread = call.Thread
	s.first.Call.Raw = append(s.first.Call.Raw[:0], call.Raw...)
	s.crowded, s.other, s.claimed, s.conflicts, s.sum, s.unsure, s.clashes = false, false, false, 0, 0, false, nil
	s.conflicts |= e.alone()
	s.types, s.variants = s.types[:0], s.variants[:0]
	clear(s.numbers)
}

// differ adds a call that differs from the first. It reports whether this causes a new disagreement.
func (s *slot) differ(e *Entry, d uint64, me int32, call Call) bool {
	for i := range s.variants {
		if v := &s.variants[i]; v.digest == d {
			v.Count++
			v.Members = append(v.Members, me)
			return false
		}
	}
	if len(s.variants) >= variantLimit {
		s.crowded = true
		last := &s.variants[len(s.variants)-1] // the last variant represents all further ones
		last.Count++
		last.Members = append(last.Members, me)
		return false
	}
	other, conflicts := s.other, s.conflicts
	s.conflicts |= e.alone()
	s.compareEntries(e, &s.first.Entry)
	for i := range s.variants {
		s.compareEntries(e, &s.variants[i].Entry)
	}
	// Reuse the memory of a variant of an earlier collective.
	if n := len(s.variants); n < cap(s.variants) {
		s.variants = s.variants[:n+1]
	} else {
		s.variants = append(s.variants, Variant{})
	}
	v := &s.variants[len(s.variants)-1]
	v.Entry, v.digest, v.Count = *e, d, 1
	v.Parts = nil
	v.Members = append(v.Members[:0], me)
	v.Call.Thread = call.Thread
	v.Call.Raw = append(v.Call.Raw[:0], call.Raw...)
	return s.other != other || s.conflicts != conflicts
}

func (s *slot) compareEntries(e, o *Entry) {
	if e.Func != o.Func {
		s.other = true
		return
	}
	s.conflicts |= e.conflict(o)
}

func (s *slot) addParts(c *Comm, e *Entry, me int32, call Call) {
	s.sum += e.Sum
	s.unsure = s.unsure || e.Unsure
	if len(s.moved) != len(c.Members) {
		s.moved = make([]moved, len(c.Members))
	}
	m := &s.moved[me]
	m.call.Thread, m.call.Raw = call.Thread, append(m.call.Raw[:0], call.Raw...)
	m.group = e.Group
	m.parts = slices.Grow(m.parts[:0], len(e.Parts))
	for i := range e.Parts {
		p := &e.Parts[i]
		k := part{peer: p.Peer, typ: s.typ(p.Type), count: p.Count}
		if !p.Out {
			k.peer = ^p.Peer
		}
		m.parts = append(m.parts, k)
	}
}

// typ returns the index of a type in the slot's list.
func (s *slot) typ(t *Datatype) int32 {
	if n := len(s.types); n > 0 && s.types[n-1] == t {
		return int32(n - 1)
	}
	n, ok := s.numbers[t]
	if !ok {
		n = int32(len(s.types))
		s.types = append(s.types, t)
		if s.numbers == nil {
			s.numbers = make(map[*Datatype]int32)
		}
		s.numbers[t] = n
	}
	return n
}

func (m *Matcher) complete(c *Comm, s *slot, n uint64) {
	m.Collectives++
	uneven := s.sum != 0 && !s.unsure && !s.other && s.conflicts&(1<<Root) == 0
	if !s.other && s.conflicts == 0 && !uneven {
		c.Desynchronised = false
		if m.Events.CollectiveMatched.Wanted() {
			m.good.Comm, m.good.Position = c, n
			m.good.Variants = append(m.good.Variants[:0], s.first)
			m.Events.CollectiveMatched.Publish(&m.good)
		}
	} else {
		view := c.view(s, n)
		view.Uneven = uneven
		if uneven {
			view.Mismatches = s.mismatches(nil)
		}
		c.Desynchronised = view.Different
		if !view.Agreed() {
			m.Events.CollectiveMismatched.Publish(&view)
		}
		m.Events.CollectiveMatched.Publish(&view)
		if len(c.odd) == oddLimit {
			copy(c.odd, c.odd[1:])
			c.odd = c.odd[:oddLimit-1]
		}
		c.odd = append(c.odd, view)
	}
	// Members enter collectives in order, so the complete collective is the oldest.
	s.arrived = 0
	c.base++
	c.open -= int32(len(c.Members))
}

// mismatchLimit is the maximum number of pairs that are reported for one collective.
const mismatchLimit = 256

// mismatches finds the pairs whose parts do not agree. There may be several parts between the same two members, for
// example for neighbours in a topology. It is not known whether their order is the same on both sides, so they are
// compared in the given order. If present is not nil, only pairs are compared of which both members are present.
func (s *slot) mismatches(present func(member int32) bool) []Mismatch {
	type pair struct{ from, to int32 }
	sent, expected := map[pair][]Side{}, map[pair][]Side{}
	var order []pair
	for me := range s.moved {
		for _, p := range s.moved[me].parts {
			k, of := pair{int32(me), p.peer}, sent
			if p.peer < 0 {
				k, of = pair{^p.peer, int32(me)}, expected
			}
			if present != nil && !(present(k.from) && present(k.to)) {
				continue
			}
			if len(sent[k]) == 0 && len(expected[k]) == 0 {
				order = append(order, k)
			}
			of[k] = append(of[k], Side{Count: p.count, Type: s.types[p.typ]})
		}
	}
	slices.SortFunc(order, func(a, b pair) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	})
	var out []Mismatch
	for _, k := range order {
		for i := range max(len(sent[k]), len(expected[k])) {
			var a, b Side
			if i < len(sent[k]) {
				a = sent[k][i]
			}
			if i < len(expected[k]) {
				b = expected[k][i]
			}
			if a == b || len(out) == mismatchLimit {
				continue
			}
			out = append(out, Mismatch{
				From: k.from, To: k.to, Sent: a, Expected: b, Sender: s.moved[k.from].call.Clone(),
				Receiver: s.moved[k.to].call.Clone(),
			})
		}
	}
	return out
}

// slot returns the slot of position n in the circular buffer of collectives that are not complete.
func (c *Comm) slot(n uint64) *slot {
	if n-c.base >= uint64(len(c.slots)) {
		if len(c.slots) == 0 && c.reg != nil && len(c.reg.spare) > 0 {
			last := len(c.reg.spare) - 1
			c.slots, c.reg.spare = c.reg.spare[last], c.reg.spare[:last]
			return &c.slots[n&uint64(len(c.slots)-1)]
		}
		grown := make([]slot, max(1, 2*len(c.slots)))
		for i := range c.slots {
			at := c.base + uint64(i)
			grown[at&uint64(len(grown)-1)] = c.slots[at&uint64(len(c.slots)-1)]
		}
		c.slots = grown
	}
	return &c.slots[n&uint64(len(c.slots)-1)]
}

// view describes s for subscribers.
func (c *Comm) view(s *slot, n uint64) Collective {
	v := Collective{
		Comm: c, Position: n, FollowUp: c.Desynchronised, Different: s.other, Conflicts: s.conflicts,
		Clashes: s.clashes,
	}
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
	v.Variants = append(v.Variants, first)
	for i := range s.variants {
		w := s.variants[i]
		w.Call, w.Members = w.Call.Clone(), slices.Clone(w.Members)
		v.Variants = append(v.Variants, w)
	}
	for r := range c.pos {
		if c.pos[r] <= n {
			v.Missing = append(v.Missing, int32(r))
		}
	}
	return v
}

// SoFar returns the collective at position n as At does. If data move between pairs of members, and not all members
// have entered, it also compares the parts of the members that have entered. Its cost is proportional to the number of
// their parts.
func (c *Comm) SoFar(n uint64) (Collective, bool) {
	v, ok := c.At(n)
	if !ok || n < c.base || v.Different || v.Conflicts.Has(Root) {
		return v, ok
	}
	if s := c.slot(n); s.sum != 0 && !s.unsure && len(s.moved) > 0 {
		v.Mismatches = s.mismatches(func(member int32) bool { return c.pos[member] > n })
		v.Uneven = len(v.Mismatches) > 0
	}
	return v, true
}

// Complete reports whether all members have entered the collective at position n.
func (c *Comm) Complete(n uint64) bool { return n < c.base }

// oddLimit is the number of collectives with different entries that a communicator remembers after all members have
// entered.
const oddLimit = 64

// At returns the collective at position n as far as it is entered. The result is false if all members have entered it
// alike, or if no member has entered it.
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
