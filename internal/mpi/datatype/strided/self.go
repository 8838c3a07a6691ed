package strided

// Self finds a byte that is in the layout twice. It is computed once.
func (l *Layout) Self() (Hit, bool) {
	if l == nil {
		return Hit{}, false
	}
	if h := l.self(); h != nil {
		return *h, true
	}
	return Hit{}, false
}

// SelfCopies finds a byte that copies of the layout share, the second of which lies from least to most extents behind the
// first, and says how many. A byte that one copy has twice does not count.
func (l *Layout) SelfCopies(extent, least, most int64) (hit Hit, apart int64, ok bool) {
	if l == nil || l.Empty() || least > most {
		return Hit{}, 0, false
	}
	first, end := l.Bounds()
	if extent == 0 {
		most = least
	} else {
		most = min(most, (end-first-1)/max(extent, -extent))
	}
	if least > most {
		return Hit{}, 0, false
	}
	q := selfQuery{l: l, left: steps}
	q.diffs = append(q.buf[:0], diff{Level{Stride: extent, Bytes: l.Size}, least, most})
	q.between(l.Reps)
	hit, ok = q.find()
	return hit, q.first, ok
}

// selfQuery asks whether the list meets itself when moved by multiples of the diffs' strides.
type selfQuery struct {
	form  form
	inner form
	left  budget
	l     *Layout
	diffs []diff
	buf   [4]diff
	first int64 // by how much of the first diff, when found
}

// diff is by how much two indices of a level differ.
type diff struct {
	Level
	min, max int64
}

// between adds levels that may differ in any way.
func (q *selfQuery) between(levels []Level) {
	for _, r := range levels {
		q.diffs = append(q.diffs, diff{r, 1 - r.Count, r.Count - 1})
	}
}

// findSelf looks at blocks one by one, at two of the list, and at the list's repetitions.
func (l *Layout) findSelf() *Hit {
	blocks := l.list.blocks
	q := selfQuery{l: l, left: steps}
	q.diffs = q.buf[:0]
	for i := range blocks {
		b := &blocks[i]
		if apart(b.Levels, b.Length) {
			continue
		}
		bare := Block{Start: b.Start, Length: b.Length, Pos: b.Pos}
		if hit, ok := q.levels(b.Levels, func() (Hit, bool) { return q.pair(&bare, &bare) }); ok {
			return &hit
		}
	}
	q.diffs = q.diffs[:0]
	for i := range blocks {
		end := blocks[i].End()
		for j := i + 1; j < len(blocks) && blocks[j].Start < end; j++ {
			if q.left--; q.left < 0 {
				return nil
			}
			if hit, ok := q.pair(&blocks[i], &blocks[j]); ok {
				return &hit
			}
		}
	}
	if !apart(l.Reps, l.span) {
		if hit, ok := q.levels(l.Reps, q.find); ok {
			return &hit
		}
	}
	return nil
}

// levels calls find with diffs for all ways in which the indices of levels can differ: the first that does is larger in
// the second of the two.
func (q *selfQuery) levels(levels []Level, find func() (Hit, bool)) (Hit, bool) {
	for i, l := range levels {
		q.diffs = append(q.diffs[:0], diff{l, 1, l.Count - 1})
		q.between(levels[i+1:])
		if hit, ok := find(); ok {
			return hit, true
		}
	}
	return Hit{}, false
}

// find looks at all pairs of blocks of the list.
func (q *selfQuery) find() (Hit, bool) {
	list := q.l.list
	n := len(list.blocks)
	if n > few {
		if hit, ok, decided := q.byShifts(n / 2); decided {
			return hit, ok
		}
	}
	for i := range list.blocks {
		for j := range list.blocks {
			if hit, ok := q.pair(&list.blocks[i], &list.blocks[j]); ok {
				return hit, true
			}
			if q.left--; q.left < 0 {
				return Hit{}, false
			}
		}
	}
	return Hit{}, false
}

func (q *selfQuery) addDiffs() {
	q.form.reset()
	for i := range q.diffs {
		q.form.add(q.diffs[i].Stride, q.diffs[i].min, q.diffs[i].max)
	}
}

func (q *selfQuery) byShifts(limit int) (hit Hit, ok, decided bool) {
	q.addDiffs()
	var x, y *Block
	inTime := q.form.values(1-q.l.span, q.l.span-1, func(sum int64) bool {
		if limit--; limit < 0 {
			return false
		}
		x, y = sweep(q.l.list, q.l.list, sum, &q.inner, &q.left)
		return x == nil
	})
	if x != nil {
		hit, ok = q.pair(x, y)
		return hit, ok, true
	}
	return Hit{}, false, inTime
}

// pair finds a byte that x shares with y, moved by the diffs.
func (q *selfQuery) pair(x, y *Block) (Hit, bool) {
	q.addDiffs()
	f := &q.form
	addTo(f, -1, x.Levels)
	addTo(f, 1, y.Levels)
	distance := y.Start - x.Start
	if !f.solve(1-y.Length-distance, x.Length-1-distance, &q.left) {
		return Hit{}, false
	}
	atX, posX := q.l.At+x.Start, q.l.Pos+x.Pos
	atY, posY := q.l.At+y.Start, q.l.Pos+y.Pos
	for i, d := range q.diffs {
		v := f.value(i)
		if i == 0 {
			q.first = v
		}
		up, down := max(v, 0), max(-v, 0) // indices of the second and of the first
		atX, posX = atX+down*d.Stride, posX+down*d.Bytes
		atY, posY = atY+up*d.Stride, posY+up*d.Bytes
	}
	at, pos, i := moved(f, len(q.diffs), x.Levels)
	atX, posX = atX+at, posX+pos
	at, pos, _ = moved(f, i, y.Levels)
	atY, posY = atY+at, posY+pos
	first := max(atX, atY)
	return Hit{At: first, First: posX + first - atX, Second: posY + first - atY}, true
}
