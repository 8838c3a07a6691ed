// Package memory keeps which memory of a process belongs to operations that are under way, and finds what two of them
// share.
//
// Programs hand the same few buffers to MPI again and again, mostly in the same order. So a set remembers parts
// beyond their use: of those that it knows no two exclude each other, and one that it knows is taken again by a
// comparison with the one that came next the last time. Only new parts are compared with others.
package memory

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// Part is memory that an operation uses: a buffer, which is only read unless Write is set.
type Part struct {
	datatype.Buffer
	Write bool
}

// Hold is what an operation holds of a set; 0 is nothing. A negative one stands for several.
type Hold int32

// Clash is why a part can't be held: it has a byte in common with another one, and they exclude each other.
type Clash struct {
	With  Hold // who has the other one; 0 if the part itself has the byte twice
	Other Part
	At    datatype.Overlap // the part's own position is the second, that of the other one the first
}

// Set is the memory of one process that is held.
type Set struct {
	// Exclusive: any two parts exclude each other. Else two that are only read do not, and a part that is written must
	// not have a byte twice.
	Exclusive bool

	slots []slot  // the first one is never used
	last  int32   // the one used last
	spare []int32 // free ones
	index []run   // those known, by their first byte
	known int     // how many these are
	busy  int     // slots that are held
	holds int

	joint      [][]Hold // by -h-1
	spareJoint []Hold
}

// run is a piece of the index, with one part at least. An insertion moves the parts of one run only. tops[i] is the
// largest end of the parts up to slots[i]; high is the largest end of all parts in earlier runs.
type run struct {
	slots []int32
	tops  []uint64
	high  uint64
}

// longest is the number of parts in one run.
const longest = 256

// place is a position in the index: before the part k of run r, or behind all of that run.
type place struct {
	r, k int
}

// slot is a part that is known.
type slot struct {
	Part
	users    int32
	next     int32 // what was used after it the last time
	from, to uint64
}

// idle is how many parts are remembered that nobody holds, if no more than that are held.
const idle = 64

// Lowest is where memory of programs may begin (the usual vm.mmap_min_addr of Linux): below are null pointers, and
// what is near them.
const Lowest = 1 << 16

// Holds returns how many parts are held.
func (s *Set) Holds() int { return s.holds }

// again returns the slot of a part if that is what came next the last time, else 0.
func (s *Set) again(base uint64, count int64, typ *datatype.Type, write bool) int32 {
	if len(s.slots) == 0 || typ == nil {
		return 0
	}
	i := s.slots[s.last].next
	q := &s.slots[i]
	if q.Base != base || q.Type != typ || q.Count != count || q.Write != write ||
		q.users > 0 && (write || s.Exclusive) {
		return 0
	}
	return i
}

// Again is Hold for a part that comes next as it did the last time, and takes no longer than to see that: it returns 0
// for any other.
func (s *Set) Again(base uint64, count int64, typ *datatype.Type, write bool) Hold {
	i := s.again(base, count, typ, write)
	if i != 0 {
		s.take(i)
	}
	return Hold(i)
}

func (s *Set) take(i int32) {
	s.last = i
	s.holds++
	q := &s.slots[i]
	if q.users++; q.users == 1 {
		s.busy++
	}
}

// Hold takes a part, until it is released, unless it clashes.
func (s *Set) Hold(p *Part) (Hold, *Clash) {
	i := s.again(p.Base, p.Count, p.Type, p.Write)
	if i == 0 {
		var c *Clash
		if i, c = s.find(p); i == 0 {
			return 0, c
		}
		s.slots[s.last].next = i
	}
	s.take(i)
	return Hold(i), nil
}

// Look reports whether a part clashes, without taking it.
func (s *Set) Look(p *Part) *Clash {
	i := s.again(p.Base, p.Count, p.Type, p.Write)
	if i == 0 {
		var c *Clash
		if i, c = s.find(p); i == 0 {
			return c
		}
		s.slots[s.last].next = i
	}
	s.last = i
	return nil
}

// Release gives back what was taken.
func (s *Set) Release(h Hold) {
	if h > 0 {
		s.holds--
		q := &s.slots[h]
		if q.users--; q.users == 0 {
			s.busy--
		}
	} else if h < 0 {
		list := s.joint[-h-1]
		s.joint[-h-1] = list[:0]
		s.spareJoint = append(s.spareJoint, h)
		for _, one := range list {
			s.Release(one)
		}
	}
}

// Join makes one hold of two, which are released together.
func (s *Set) Join(a, b Hold) Hold {
	switch {
	case b == 0:
		return a
	case a == 0:
		return b
	case a > 0:
		first := a
		if n := len(s.spareJoint); n > 0 {
			a, s.spareJoint = s.spareJoint[n-1], s.spareJoint[:n-1]
		} else {
			s.joint = append(s.joint, nil)
			a = Hold(-len(s.joint))
		}
		s.joint[-a-1] = append(s.joint[-a-1], first)
	}
	s.joint[-a-1] = append(s.joint[-a-1], b)
	return a
}

// Has reports whether h stands for what a clash is with.
func (s *Set) Has(h, with Hold) bool {
	if h < 0 {
		return slices.Contains(s.joint[-h-1], with)
	}
	return h != 0 && h == with
}

// before returns the place in the index of the first part that does not begin before an address.
func (s *Set) before(at uint64) place {
	n, found := 0, len(s.index)
	for n < found { // runs that begin before it
		if m := int(uint(n+found) / 2); s.slots[s.index[m].slots[0]].from < at {
			n = m + 1
		} else {
			found = m
		}
	}
	if n == 0 {
		return place{}
	}
	run := s.index[n-1].slots
	low, high := 1, len(run)
	for low < high {
		if m := int(uint(low+high) / 2); s.slots[run[m]].from < at {
			low = m + 1
		} else {
			high = m
		}
	}
	return place{n - 1, low}
}

// find returns the slot of a part, which it makes if there is none; 0 if it clashes, has no bytes or is not known.
func (s *Set) find(p *Part) (int32, *Clash) {
	from, to := p.Bounds()
	if from >= to || from < Lowest {
		return 0, nil
	}
	if i := s.findEqual(p, from); i != 0 {
		return i, nil
	}
	if p.Write && !s.Exclusive {
		if o, twice := p.Twice(); twice {
			return 0, &Clash{Other: *p, At: o}
		}
	}
	if c := s.findClash(p, from, to); c != nil {
		return 0, c
	}
	return s.add(p, from, to), nil
}

// findEqual returns the slot of an equal part that does not exclude this one, 0 if there is none.
func (s *Set) findEqual(p *Part, from uint64) int32 {
	for at := s.before(from); ; at.k++ {
		if at.r < len(s.index) && at.k == len(s.index[at.r].slots) {
			at = place{r: at.r + 1}
		}
		if at.r == len(s.index) {
			return 0
		}
		i := s.index[at.r].slots[at.k]
		q := &s.slots[i]
		if q.from != from {
			return 0
		}
		free := q.users == 0 || !q.Write && !s.Exclusive
		if free && q.Base == p.Base && q.Type == p.Type && q.Count == p.Count && q.Write == p.Write {
			return i
		}
	}
}

// findClash returns what a part clashes with, nil if there is nothing. It forgets parts that would exclude this one
// and that nobody holds. It goes through the parts that begin before the end of this one, from the last one on, as
// long as one of them may reach into it.
func (s *Set) findClash(p *Part, from, to uint64) *Clash {
	for at := s.before(to); at.r < len(s.index); {
		run := &s.index[at.r]
		if at.k == 0 || run.tops[at.k-1] <= from {
			if run.high <= from {
				break
			}
			at.r--
			at.k = len(s.index[at.r].slots)
			continue
		}
		at.k--
		i := run.slots[at.k]
		q := &s.slots[i]
		if q.to <= from || !q.Write && !p.Write && !s.Exclusive {
			continue
		}
		if q.users == 0 { // it may be that it is never used again
			s.forget(at)
			if at.r == len(s.index) { // the last run is gone
				if at.r--; at.r < 0 {
					break
				}
				at.k = len(s.index[at.r].slots)
			}
			continue
		}
		if o, ok := datatype.FirstOverlap(q.Buffer, p.Buffer); ok {
			return &Clash{With: Hold(i), Other: q.Part, At: o}
		}
	}
	return nil
}

// Twice finds a byte that the part has twice.
func (p *Part) Twice() (datatype.Overlap, bool) {
	if p.Type == nil || p.Type.Predefined() {
		return datatype.Overlap{}, false
	}
	return p.SelfOverlap()
}

// add makes a slot.
func (s *Set) add(p *Part, from, to uint64) int32 {
	if s.known-s.busy >= max(idle, s.busy) {
		s.tidy()
	}
	var i int32
	switch n := len(s.spare); {
	case n > 0:
		i, s.spare = s.spare[n-1], s.spare[:n-1]
	case len(s.slots) == 0:
		s.slots = append(s.slots, slot{})
		fallthrough
	default:
		i = int32(len(s.slots))
		s.slots = append(s.slots, slot{})
	}
	s.slots[i] = slot{Part: *p, from: from, to: to}
	s.insert(i)
	return i
}

// insert enters a slot into the index.
func (s *Set) insert(i int32) {
	q := &s.slots[i]
	at := s.before(q.from)
	if len(s.index) == 0 {
		s.index = slices.Grow(s.index, 1)[:1] // with the room of the last one
		s.index[0] = run{slots: s.index[0].slots[:0], tops: s.index[0].tops[:0]}
	}
	r := &s.index[at.r]
	if n := len(r.slots); n == longest {
		half := n / 2
		if at.r == len(s.index)-1 && at.k == n { // most programs go upwards
			half = n - 1
		}
		rest := run{slots: slices.Clone(r.slots[half:]), tops: slices.Clone(r.tops[half:])}
		r.slots, r.tops = r.slots[:half], r.tops[:half]
		s.index = slices.Insert(s.index, at.r+1, rest)
		s.index[at.r+1].top(s, 0, true)
		s.reach(at.r)
		if at.k > half {
			at = place{at.r + 1, at.k - half}
		}
		r = &s.index[at.r]
	}
	r.slots = slices.Insert(r.slots, at.k, i)
	r.tops = slices.Insert(r.tops, at.k, q.to)
	r.top(s, at.k, false)
	s.known++
	s.reach(at.r)
}

// top sets tops from an index on: all, or as far as they are not right behind the first.
func (r *run) top(s *Set, at int, all bool) {
	high := uint64(0)
	if at > 0 {
		high = r.tops[at-1]
	}
	for k := at; k < len(r.slots); k++ {
		high = max(high, s.slots[r.slots[k]].to)
		if k > at && r.tops[k] == high && !all {
			return
		}
		r.tops[k] = high
	}
}

// reach sets what the runs behind one have before them, as far as it is not right.
func (s *Set) reach(r int) {
	for ; r+1 < len(s.index); r++ {
		this, next := &s.index[r], &s.index[r+1]
		high := max(this.high, this.tops[len(this.tops)-1])
		if next.high == high {
			return
		}
		next.high = high
	}
}

// forget takes a slot that nobody holds out of the index.
func (s *Set) forget(at place) {
	r := &s.index[at.r]
	i := r.slots[at.k]
	s.slots[i] = slot{}
	s.spare = append(s.spare, i)
	s.known--
	r.slots = slices.Delete(r.slots, at.k, at.k+1)
	r.tops = slices.Delete(r.tops, at.k, at.k+1)
	if len(r.slots) > 0 {
		r.top(s, at.k, false)
		s.reach(at.r)
		return
	}
	s.index = slices.Delete(s.index, at.r, at.r+1)
	if at.r == 0 && len(s.index) > 0 {
		s.index[0].high = 0
	}
	s.reach(max(at.r-1, 0))
}

// tidy forgets all that nobody holds.
func (s *Set) tidy() {
	kept := s.index[:0]
	s.known = 0
	for _, r := range s.index {
		slots := r.slots[:0]
		for _, i := range r.slots {
			if s.slots[i].users > 0 {
				slots = append(slots, i)
				continue
			}
			s.slots[i] = slot{}
			s.spare = append(s.spare, i)
		}
		n := len(slots)
		s.known += n
		if k := len(kept) - 1; k >= 0 && len(kept[k].slots)+n <= longest/2 {
			kept[k].slots = append(kept[k].slots, slots...)
			kept[k].tops = append(kept[k].tops, r.tops[:n]...)
		} else if n > 0 {
			kept = append(kept, run{slots: slots, tops: r.tops[:n]})
		}
	}
	s.index = kept
	high := uint64(0)
	for i := range kept {
		r := &kept[i]
		r.high = high
		r.top(s, 0, true)
		high = max(high, r.tops[len(r.tops)-1])
	}
}
