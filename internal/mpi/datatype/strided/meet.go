package strided

import "sync"

// Hit is a byte that belongs to two things.
type Hit struct {
	At            int64 // where: relative to the first one's origin
	First, Second int64 // the byte's position in the serialised data of either
}

// Copies are Count copies of a layout, at least one, Extent bytes apart.
type Copies struct {
	*Layout
	Count, Extent int64
}

// Meet finds a byte that both a and b occupy, where b's origin lies shift bytes behind a's. It is exact, but for layouts
// of irregular and interleaved combs so large that its budget of steps ends before: it finds none then.
//
// It takes constant time for single blocks, O(log) in the numbers where strides are unrelated, and O(n log m) for lists
// of n and m blocks.
func Meet(a, b Copies, shift int64) (Hit, bool) {
	if a.Layout == nil || b.Layout == nil {
		return Hit{}, false
	}
	q := queries.Get().(*query)
	defer queries.Put(q)
	return q.meet(a, b, shift)
}

// queries are used again: they are large to clear.
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

// query is a question under way.
type query struct {
	form  form
	inner form
	left  budget
	a, b  side
	shift int64
}

// side is one of the two that may meet: a list, repeated.
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

// addTo adds the levels' indices to the form: sign times what they move by.
func addTo(f *form, sign int64, levels []Level) {
	for i := range levels {
		f.add(sign*levels[i].Stride, 0, levels[i].Count-1)
	}
}

// moved returns how far the levels' indices, which the form has from its variable i on, move memory and data.
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

// byShifts looks at the distances of b's list from a's at which they can meet, most often a few, and compares the lists at
// each. It does not decide if there are more than limit.
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
	next := 0 // of b's, if they are looked at in turn
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

// touch reports whether x and y, moved by shift, share a byte; their bounds do.
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
