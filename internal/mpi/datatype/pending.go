package datatype

import "iter"

// Access is how a communication uses its buffer.
type Access uint8

// The accesses: a send reads its buffer, a receive writes it.
const (
	Read Access = iota
	Write
)

// Pending holds the buffers of active communication, so that a new buffer can be compared with all of them. A
// comparison takes O(log n), and the time of exact comparisons with the buffers whose spans meet the span of the new
// buffer. The paper on MUST's datatype checks names such a structure as future work (section VIII.D).
//
// The zero value is empty and ready for use. The caller chooses Owner, the type that identifies a buffer.
type Pending[Owner any] struct {
	// Reads: two buffers that are only read overlap as well. MPI before version 2.2 forbade that.
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

// Handle identifies a pending buffer: Add returns it, and Remove takes it.
type Handle int32

// none is the handle of buffers without bytes, which do not overlap with any buffer.
const none Handle = -1

// Len returns the number of pending buffers that have bytes.
func (p *Pending[Owner]) Len() int { return len(p.entries) - len(p.unused) }

// Add adds a buffer, and returns its handle.
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

// Remove removes the buffer with a handle. Add may reuse the handle for another buffer.
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

// Overlapping yields the owners of the pending buffers that have a byte in common with b, each with such a byte: First
// is its position in the data of b, Second its position in the data of the pending buffer. Two buffers that are only
// read overlap only if p.Reads is set. Do not add or remove buffers during the iteration.
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
