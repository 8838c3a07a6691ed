// Package memory tracks the memory that active operations of a process use, and finds bytes that two of them share.
//
// Programs pass the same few buffers to MPI again and again, mostly in the same order. So a set remembers parts after
// their use. Remembered parts do not exclude each other. To take a part again, the set only compares it with the part
// that was next the last time. Only new parts are compared with other parts.
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

// Hold identifies the memory of an operation in a set. 0 means no memory. A negative Hold stands for several parts.
type Hold int32

// Clash is the reason why a part can't be held: it has a byte in common with another part, and the two exclude each
// other.
type Clash struct {
	With  Hold // hold of the other part; 0 if the byte occurs twice in the part itself
	Other Part
	At    datatype.Overlap // First is the position in the other part, Second the position in the part
}

// Set is the held memory of one process.
type Set struct {
	// Exclusive: any two parts exclude each other. Else two parts that are only read do not exclude each other, and a
	// part that is written must not have a byte twice.
	Exclusive bool

	slots []slot  // slot 0 is never used
	last  int32   // the slot that was used last
	spare []int32 // free slots
	index []run   // the known slots, by their first byte
	known int     // number of known slots
	busy  int     // number of held slots
	holds int     // number of holds; several can hold one slot

	joint      [][]Hold // by -h-1
	spareJoint []Hold
}

// run is a piece of the index, with at least one part. So an insertion only moves the parts of one run. tops[i] is the
// greatest end of the parts up to slots[i]. high is the greatest end of all parts in earlier runs.
type run struct {
	slots []int32
	tops  []uint64
	high  uint64
}

// longest is the greatest number of parts in one run.
const longest = 256

// place is a position in the index: before part k of run r, or after the last part of that run.
type place struct {
	r, k int
}

// slot is a known part.
type slot struct {
	Part
	users    int32
	next     int32 // the slot that was used after this one the last time
	from, to uint64
}

// idle is the number of known parts without a hold, unless more parts than that are held. Then it is their number.
const idle = 64

// Lowest is the least address of memory of programs (the usual vm.mmap_min_addr of Linux). Lower addresses are null
// pointers with an offset.
const Lowest = 1 << 16

// Holds returns the number of holds.
func (s *Set) Holds() int { return s.holds }

// again returns the slot of a part if that slot was next the last time, else 0.
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

// Again is a fast variant of Hold for a part that was next the last time. It returns 0 for any other part.
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

// Hold holds a part until Release, unless it clashes.
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

// Look returns the clash of a part, nil if there is none. It does not hold the part.
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

// Release ends a hold.
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

// Join makes one hold of two. Release ends both together.
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

// Has reports whether h is, or contains, the hold of a clash.
func (s *Set) Has(h, with Hold) bool {
	if h < 0 {
		return slices.Contains(s.joint[-h-1], with)
	}
	return h != 0 && h == with
}

// before returns the place in the index of the first part that does not begin before an address.
func (s *Set) before(at uint64) place {
	n, found := 0, len(s.index)
	for n < found { // find n, the number of runs that begin before the address
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

// find returns the slot of a part. It makes a slot if there is none. It returns 0 if the part clashes, has no bytes, or
// is of an unknown type.
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

// findClash returns a clash of a part, nil if there is none. It forgets parts without a hold that exclude this one. It
// visits the parts that begin before the end of this one, from the last to the first, as long as the remaining parts
// may reach into it.
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
		if q.users == 0 { // it is not held, and may never be used again
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

// Twice finds a byte that occurs twice in the part.
func (p *Part) Twice() (datatype.Overlap, bool) {
	if p.Type == nil || p.Type.Predefined() {
		return datatype.Overlap{}, false
	}
	return p.SelfOverlap()
}

// add makes a slot for a part.
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
		s.index = slices.Grow(s.index, 1)[:1] // reuse the memory of the previous run
		s.index[0] = run{slots: s.index[0].slots[:0], tops: s.index[0].tops[:0]}
	}
	r := &s.index[at.r]
	if n := len(r.slots); n == longest {
		half := n / 2
		if at.r == len(s.index)-1 && at.k == n { // addresses ascend in most programs
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

// top sets tops from an index on. If all is false, it stops at the first correct one after that index.
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

// reach sets high of the runs after run r. It stops at the first correct one.
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

// forget removes a slot without a hold from the index.
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

// tidy forgets all slots without a hold.
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
