package strided

// Self finds a byte that is in the layout twice. Only the first call computes it.
func (l *Layout) Self() (Hit, bool) {
	if l == nil {
		return Hit{}, false
	}
	if h := l.self(); h != nil {
		return *h, true
	}
	return Hit{}, false
}

// SelfCopies finds a byte that two copies of the layout have in common. The second copy is least to most extents after
// the first. apart is this number of extents for the found byte. A byte that occurs twice in one copy does not count.
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

// selfQuery is the question whether the list meets itself, moved by multiples of the diffs' strides.
type selfQuery struct {
	form  form
	inner form
	left  budget
	l     *Layout
	diffs []diff
	buf   [4]diff
	first int64 // the value of the first diff in the solution
}

// diff is the difference of two indices of a level.
type diff struct {
	Level
	min, max int64
}

// between adds levels whose indices may differ in any way.
func (q *selfQuery) between(levels []Level) {
	for _, r := range levels {
		q.diffs = append(q.diffs, diff{r, 1 - r.Count, r.Count - 1})
	}
}

// findSelf compares each block with itself, the blocks of the list with each other, and repetitions of the list.
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

// levels calls find with diffs for all ways in which the indices of levels can differ. The first index that differs is
// larger in the second copy.
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

// find compares all pairs of blocks of the list.
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

// pair finds a byte that x, and y moved by the diffs, have in common.
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
		up, down := max(v, 0), max(-v, 0) // indices of the second and of the first copy
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
