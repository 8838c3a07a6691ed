package strided

import "sync"

// Hit is a byte that two layouts have in common.
type Hit struct {
	At            int64 // displacement of the byte from the origin of the first layout
	First, Second int64 // the byte's positions in the serialised data of both
}

// Copies are Count copies of a layout, at least one, Extent bytes apart.
type Copies struct {
	*Layout
	Count, Extent int64
}

// Meet finds a byte that a and b have in common. The origin of b is shift bytes after the origin of a. The result is
// exact, except for very large layouts of irregular and interleaved combs: if the budget of steps ends, Meet finds
// nothing.
//
// It takes constant time for single blocks, logarithmic time in the numbers for unrelated strides, and O(n log m) for
// lists of n and m blocks.
func Meet(a, b Copies, shift int64) (Hit, bool) {
	if a.Layout == nil || b.Layout == nil {
		return Hit{}, false
	}
	q := queries.Get().(*query)
	defer queries.Put(q)
	return q.meet(a, b, shift)
}

// queries are reused, because a new one would have to be cleared, and is large.
var queries = sync.Pool{New: func() any { return new(query) }}

func (q *query) meet(a, b Copies, shift int64) (Hit, bool) {
	q.left = steps
	q.a.set(a)
	q.b.set(b)
	q.shift = shift
	na, nb := len(q.a.list.blocks), len(q.b.list.blocks)
	if na*nb > few*few {
		if hit, ok, decided := q.byShifts(na * nb / (na + nb)); decided {
			return hit, ok
		}
	}
	for i := range q.a.list.blocks {
		for j := range q.b.list.blocks {
			if hit, ok := q.pair(&q.a.list.blocks[i], &q.b.list.blocks[j]); ok {
				return hit, true
			}
			if q.left--; q.left < 0 {
				return Hit{}, false
			}
		}
	}
	return Hit{}, false
}

// query is the state of one question.
type query struct {
	form  form
	inner form
	left  budget
	a, b  side
	shift int64
}

// side is one of the two operands: a list and its repetitions.
type side struct {
	list    *list
	at, pos int64
	span    int64
	outer   []Level
	buf     [4]Level
}

func (s *side) set(c Copies) {
	s.list, s.at, s.pos, s.span = c.list, c.At, c.Pos, c.span
	s.outer = append(s.buf[:0], c.Reps...)
	if c.Count < 2 {
		return
	}
	l := Level{Count: c.Count, Stride: c.Extent, Bytes: c.Size}
	if l.Stride < 0 {
		s.at += l.Stride * (l.Count - 1)
		s.pos += l.Bytes * (l.Count - 1)
		l.Stride, l.Bytes = -l.Stride, -l.Bytes
	}
	s.outer = append(s.outer, l)
}

// addTo adds the levels' indices to the form, each with the coefficient sign times stride.
func addTo(f *form, sign int64, levels []Level) {
	for i := range levels {
		f.add(sign*levels[i].Stride, 0, levels[i].Count-1)
	}
}

// moved returns the displacements in memory and in the serialised data by the levels' indices. These are variables i
// and up of the form.
func moved(f *form, i int, levels []Level) (at, pos int64, next int) {
	for k := range levels {
		x := f.value(i + k)
		at += x * levels[k].Stride
		pos += x * levels[k].Bytes
	}
	return at, pos, i + len(levels)
}

// pair finds a byte that the block x of a shares with y of b.
func (q *query) pair(x, y *Block) (Hit, bool) {
	f := &q.form
	f.reset()
	addTo(f, -1, q.a.outer)
	addTo(f, -1, x.Levels)
	addTo(f, 1, q.b.outer)
	addTo(f, 1, y.Levels)
	distance := q.b.at + y.Start + q.shift - q.a.at - x.Start
	if !f.solve(1-y.Length-distance, x.Length-1-distance, &q.left) {
		return Hit{}, false
	}
	atX, posX, i := moved(f, 0, q.a.outer)
	at, pos, i := moved(f, i, x.Levels)
	atX, posX = atX+at+q.a.at+x.Start, posX+pos+q.a.pos+x.Pos
	atY, posY, i := moved(f, i, q.b.outer)
	at, pos, _ = moved(f, i, y.Levels)
	atY, posY = atY+at+q.b.at+y.Start+q.shift, posY+pos+q.b.pos+y.Pos
	first := max(atX, atY)
	return Hit{At: first, First: posX + first - atX, Second: posY + first - atY}, true
}

// byShifts computes the distances of the two lists at which they can meet, and compares the lists at each distance.
// There are usually few distances. If there are more than limit, decided is false.
func (q *query) byShifts(limit int) (hit Hit, ok, decided bool) {
	f := &q.form
	f.reset()
	addTo(f, -1, q.a.outer)
	addTo(f, 1, q.b.outer)
	base := q.b.at + q.shift - q.a.at
	var x, y *Block
	inTime := f.values(1-q.b.span-base, q.a.span-1-base, func(sum int64) bool {
		if limit--; limit < 0 {
			return false
		}
		x, y = sweep(q.a.list, q.b.list, base+sum, &q.inner, &q.left)
		return x == nil
	})
	if x != nil {
		hit, ok = q.pair(x, y)
		return hit, ok, true
	}
	return Hit{}, false, inTime
}

// sweep finds blocks of a and of b, moved by shift, that share a byte.
func sweep(a, b *list, shift int64, f *form, left *budget) (x, y *Block) {
	if len(a.blocks) > len(b.blocks) {
		y, x = sweep(b, a, -shift, f, left)
		return x, y
	}
	next := 0 // block of b, if inTurn
	inTurn := b.inRow && len(b.blocks)/len(a.blocks) < few
	for i := range a.blocks {
		p := &a.blocks[i]
		from, to := p.Start-shift, p.End()-shift
		meets := func(q *Block) bool {
			if *left--; *left < 0 {
				return false
			}
			y = q
			return touch(f, p, q, shift, left)
		}
		if !inTurn {
			if b.within(from, to, meets) {
				return p, y
			}
			continue
		}
		for next < len(b.blocks) && b.blocks[next].End() <= from {
			next++
		}
		for k := next; k < len(b.blocks) && b.blocks[k].Start < to; k++ {
			if b.blocks[k].End() > from && meets(&b.blocks[k]) {
				return p, y
			}
		}
	}
	return nil, nil
}

// touch reports whether x, and y moved by shift, share a byte. Their bounds must meet.
func touch(f *form, x, y *Block, shift int64, left *budget) bool {
	if len(x.Levels) == 0 && len(y.Levels) == 0 {
		return true
	}
	f.reset()
	addTo(f, -1, x.Levels)
	addTo(f, 1, y.Levels)
	distance := y.Start + shift - x.Start
	return f.solve(1-y.Length-distance, x.Length-1-distance, left)
}
