package datatype

import "iter"

// Access is how a communication uses its buffer.
type Access uint8

// The accesses: what is sent is read, what receives data is written.
const (
	Read Access = iota
	Write
)

// Pending holds the buffers that communication is using, so that a new one can be checked against all of them: in time
// O(log n) and what it takes to compare those between whose first and last byte the new one reaches. The paper on MUST's
// datatype checks names such a structure as future work (section VIII.D).
//
// The zero value is empty and ready. Owner is whatever the caller knows a buffer by.
type Pending[Owner any] struct {
	// Reads makes two buffers that are both only read overlap as well: MPI before 2.2 forbade that.
	Reads bool

	trees   [2]spanTree // by Access
	entries []entry[Owner]
	unused  []int32
}

type entry[Owner any] struct {
	buffer Buffer
	owner  Owner
	access Access
	solid  bool
	live   bool
}

// Handle is what Add returns and Remove takes.
type Handle int32

// none is the handle of a buffer without bytes, which overlaps nothing.
const none Handle = -1

// Len returns how many buffers with any bytes are pending.
func (p *Pending[Owner]) Len() int { return len(p.entries) - len(p.unused) }

// Add adds a buffer.
func (p *Pending[Owner]) Add(b Buffer, access Access, owner Owner) Handle {
	l, from, to := b.span()
	if from >= to {
		return none
	}
	var i int32
	if k := len(p.unused); k > 0 {
		i = p.unused[k-1]
		p.unused = p.unused[:k-1]
	} else {
		i = int32(len(p.entries))
		p.entries = append(p.entries, entry[Owner]{})
	}
	p.entries[i] = entry[Owner]{buffer: b, owner: owner, access: access, solid: b.solid(l), live: true}
	p.trees[access].add(from, to, i)
	return Handle(i)
}

// Remove removes the buffer that Add returned the handle for. A handle may be used for another buffer afterwards.
func (p *Pending[Owner]) Remove(h Handle) {
	if h == none {
		return
	}
	e := &p.entries[h]
	if !e.live {
		panic("datatype: a pending buffer is removed twice")
	}
	_, from, _ := e.buffer.span()
	p.trees[e.access].remove(from, int32(h))
	*e = entry[Owner]{}
	p.unused = append(p.unused, int32(h))
}

// Overlapping yields the owners of the pending buffers that have a byte in common with b, and such a byte: First is its
// position in b's data, Second in the pending buffer's. Two buffers that are only read do not count unless p.Reads.
// Nothing may be added or removed until it ends.
func (p *Pending[Owner]) Overlapping(b Buffer, access Access) iter.Seq2[Owner, Overlap] {
	return func(yield func(Owner, Overlap) bool) {
		l, from, to := b.span()
		if from >= to {
			return
		}
		solid := b.solid(l)
		visit := func(start int64, i int32) bool {
			e := &p.entries[i]
			if solid && e.solid {
				at := max(from, start)
				return yield(e.owner, Overlap{Address: uint64(at), First: at - from, Second: at - start})
			}
			o, ok := FirstOverlap(b, e.buffer)
			return !ok || yield(e.owner, o)
		}
		if p.trees[Write].within(from, to, visit) && (access == Write || p.Reads) {
			p.trees[Read].within(from, to, visit)
		}
	}
}
