package datatype

import (
	"sync"

	"github.com/mpivet/mpivet/internal/mpi/datatype/strided"
)

// Buffer is a communication buffer: Count copies of Type. With MPI_BOTTOM, Base is 0.
type Buffer struct {
	Base  uint64
	Count int64
	Type  *Type
}

// Overlap is a byte that two buffers have in common.
type Overlap struct {
	Address uint64
	// First and Second are the byte's positions in the serialised data of the two buffers.
	First, Second int64
}

// span returns the layout of one copy, the address of the first byte, and the address after the last byte. If from is
// not less than to, the buffer has no bytes, or its layout is not known.
func (b Buffer) span() (l *strided.Layout, from, to int64) {
	if b.Count <= 0 || b.Base > farthest {
		return nil, 0, 0
	}
	if l = b.Type.Layout(); l == nil || l.Empty() {
		return nil, 0, 0
	}
	from, to = l.Bounds()
	if b.Count > 1 {
		var a arith
		far := a.mul(b.Count-1, b.Type.Extent())
		if a.over || far > farthest || far < -farthest {
			return nil, 0, 0
		}
		from, to = from+min(far, 0), to+max(far, 0)
	}
	return l, int64(b.Base) + from, int64(b.Base) + to
}

// Span returns the address of the buffer's first byte and the address after its last byte. They are equal if the buffer
// has no bytes, or if its layout is not known.
func (b Buffer) Span() (from, to uint64) {
	_, f, t := b.span()
	return uint64(f), uint64(t)
}

// Bounds returns the same addresses as Span, from the bounds of the type. It does not compute the layout, and so is
// fast for types with many blocks, too.
func (b Buffer) Bounds() (from, to uint64) {
	t := b.Type
	if t == nil || t.Size <= 0 || b.Count <= 0 || b.Base > farthest || t.TrueLB < -farthest || t.TrueUB > farthest {
		return 0, 0
	}
	first, end := t.TrueLB, t.TrueUB
	if b.Count > 1 {
		var a arith
		far := a.mul(b.Count-1, t.Extent())
		if a.over || far > farthest || far < -farthest {
			return 0, 0
		}
		first, end = first+min(far, 0), end+max(far, 0)
	}
	if first += int64(b.Base); first < 0 {
		return 0, 0
	}
	return uint64(first), b.Base + uint64(end)
}

// solid reports whether all bytes of the buffer's span belong to the buffer, in the order of the serialised data.
func (b Buffer) solid(l *strided.Layout) bool {
	_, n, ok := l.Contiguous()
	return ok && (b.Count == 1 || b.Type.Extent() == n)
}

// FirstOverlap finds a byte that a and b have in common. If both are contiguous, it is the first such byte.
// FirstOverlap finds nothing if a type is unknown, or if the search would take a second or more (see strided.Meet).
// Else it is exact.
func FirstOverlap(a, b Buffer) (Overlap, bool) {
	la, fromA, toA := a.span()
	lb, fromB, toB := b.span()
	if fromA >= toA || fromB >= toB || fromA >= toB || fromB >= toA {
		return Overlap{}, false
	}
	if a.solid(la) && b.solid(lb) {
		at := max(fromA, fromB)
		return Overlap{Address: uint64(at), First: at - fromA, Second: at - fromB}, true
	}
	hit, ok := strided.Meet(a.copies(la), b.copies(lb), int64(b.Base)-int64(a.Base))
	if !ok {
		return Overlap{}, false
	}
	return a.overlap(hit), true
}

func (b Buffer) copies(l *strided.Layout) strided.Copies {
	return strided.Copies{Layout: l, Count: b.Count, Extent: b.Type.Extent()}
}

func (b Buffer) overlap(h strided.Hit) Overlap {
	return Overlap{Address: b.Base + uint64(h.At), First: h.First, Second: h.Second}
}

// selfCache holds results about the overlap of copies of a type: see the paper on MUST's datatype checks, section
// VII.C.2.
type selfCache struct {
	mu   sync.Mutex
	free int64 // the largest known number of copies without an overlap
	bad  int64 // the smallest number of copies with an overlap, which is free+1; 0 if it is not known
	hit  strided.Hit
}

// SelfOverlap finds a byte that occurs twice in the buffer. It has the same limits as FirstOverlap.
func (b Buffer) SelfOverlap() (Overlap, bool) {
	l, from, to := b.span()
	if from >= to {
		return Overlap{}, false
	}
	if hit, ok := l.Self(); ok {
		return b.overlap(hit), true
	}
	first, end := l.Bounds()
	if b.Count == 1 || abs(b.Type.Extent()) >= end-first {
		return Overlap{}, false
	}
	hit, ok := b.Type.self.copies(l, b.Type.Extent(), b.Count)
	if !ok {
		return Overlap{}, false
	}
	return b.overlap(hit), true
}

func (c *selfCache) copies(l *strided.Layout, extent, count int64) (strided.Hit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = max(c.free, 1)
	for c.bad == 0 && c.free < count || c.bad > c.free+1 {
		most := count - 1
		if c.bad != 0 {
			most = (c.free+c.bad)/2 - 1
		}
		if hit, apart, ok := l.SelfCopies(extent, c.free, most); ok {
			c.hit, c.bad = hit, apart+1
		} else {
			c.free = most + 1
		}
	}
	return c.hit, c.bad != 0 && count >= c.bad
}
