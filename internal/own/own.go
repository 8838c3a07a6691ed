// Package own keeps which memory of a process belongs to operations that are under way, and finds what two of them share.
//
// Programs hand the same few buffers to MPI again and again, mostly in the same order. So a set remembers parts beyond their
// use: of those that it knows no two exclude each other, and one that it knows is taken again by a comparison with the one
// that came next the last time. Only new parts are compared with others.
package own

import (
	"slices"

	"github.com/mpivet/mpivet/internal/datatype"
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
	index []int32 // those known, by their first byte
	tops  []uint64
	busy  int // slots that are held
	holds int

	joint      [][]Hold // by -h-1
	spareJoint []Hold
}

// slot is a part that is known. tops[i] is the largest end of those up to index[i].
type slot struct {
	Part
	users    int32
	next     int32 // what was used after it the last time
	from, to uint64
}

// idle is how many parts are remembered that nobody holds, if no more than that are held.
const idle = 64

// Lowest is where memory of programs may begin (the usual vm.mmap_min_addr of Linux): below are null pointers, and what is
// near them.
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
	if q.Base != base || q.Type != typ || q.Count != count || q.Write != write || q.users > 0 && (write || s.Exclusive) {
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

// before returns how many of the index begin before an address.
func (s *Set) before(at uint64) int {
	n, found := 0, len(s.index)
	for n < found {
		if m := int(uint(n+found) / 2); s.slots[s.index[m]].from < at {
			n = m + 1
		} else {
			found = m
		}
	}
	return n
}

// find returns the slot of a part, which it makes if there is none; 0 if it clashes, has no bytes or is not known.
func (s *Set) find(p *Part) (int32, *Clash) {
	from, to := p.Bounds()
	if from >= to || from < Lowest {
		return 0, nil
	}
	at := s.before(from)
	for _, i := range s.index[at:] {
		q := &s.slots[i]
		if q.from != from {
			break
		}
		if q.Base == p.Base && q.Type == p.Type && q.Count == p.Count && q.Write == p.Write && (q.users == 0 || !q.Write && !s.Exclusive) {
			return i, nil
		}
	}
	if p.Write && !s.Exclusive {
		if o, twice := p.Twice(); twice {
			return 0, &Clash{Other: *p, At: o}
		}
	}
	// Those that begin before its end, from the last one, as long as one of them may reach into it.
	for k := s.before(to) - 1; k >= 0 && s.tops[k] > from; k-- {
		i := s.index[k]
		q := &s.slots[i]
		if q.to <= from || !q.Write && !p.Write && !s.Exclusive {
			continue
		}
		if q.users == 0 { // it may be that it is never used again
			s.forget(k)
			continue
		}
		if o, ok := datatype.FirstOverlap(q.Buffer, p.Buffer); ok {
			return 0, &Clash{With: Hold(i), Other: q.Part, At: o}
		}
	}
	return s.add(p, from, to), nil
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
	if len(s.index)-s.busy >= max(idle, s.busy) {
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
	at := s.before(from)
	s.index = slices.Insert(s.index, at, i)
	s.tops = slices.Insert(s.tops, at, to)
	s.top(at)
	return i
}

// top sets tops from an index on, as far as it is not right.
func (s *Set) top(at int) {
	high := uint64(0)
	if at > 0 {
		high = s.tops[at-1]
	}
	for k := at; k < len(s.index); k++ {
		high = max(high, s.slots[s.index[k]].to)
		if k > at && s.tops[k] == high {
			return
		}
		s.tops[k] = high
	}
}

// forget takes a slot that nobody holds out of the index.
func (s *Set) forget(at int) {
	i := s.index[at]
	s.slots[i] = slot{}
	s.spare = append(s.spare, i)
	s.index = slices.Delete(s.index, at, at+1)
	s.tops = slices.Delete(s.tops, at, at+1)
	s.top(at)
}

// tidy forgets all that nobody holds.
func (s *Set) tidy() {
	kept := s.index[:0]
	for _, i := range s.index {
		if s.slots[i].users > 0 {
			kept = append(kept, i)
			continue
		}
		s.slots[i] = slot{}
		s.spare = append(s.spare, i)
	}
	s.index, s.tops = kept, s.tops[:len(kept)]
	high := uint64(0)
	for k, i := range kept {
		high = max(high, s.slots[i].to)
		s.tops[k] = high
	}
}
