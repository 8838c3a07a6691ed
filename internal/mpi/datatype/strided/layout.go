package strided

import (
	"iter"
	"slices"
	"sync"
)

// MaxBlocks is the greatest number of blocks of a layout. Types that need more blocks (deeply nested irregular types)
// have no layout.
const MaxBlocks = 1 << 22

// Layout is a set of bytes, with the position of each byte in the serialised data. It is a strided-blocklist, compact
// and sorted by address, that is repeated as a whole. It is immutable. A nil *Layout means that the layout is not
// known.
type Layout struct {
	// At and Pos are added to the Start and the Pos of every block.
	At, Pos int64
	// Reps repeat the whole list. It is empty if there is only one block, because the block has levels of its own.
	Reps []Level
	// Size is the number of bytes of serialised data.
	Size int64

	list *list
	span int64 // bytes from the first to the last byte of one copy of the list

	self func() *Hit // returns an overlap of the layout with itself, nil if there is none
}

// list is a list of blocks. Layouts that repeat it share it.
type list struct {
	blocks []Block // by Start; the first begins at 0
	ends   []int64 // an implicit binary tree: greatest ends of subtrees, by their middle; nil if the list is short
	inRow  bool    // the ends of the blocks ascend like the starts; usually, no block reaches into the next one
}

// Empty is the layout without bytes.
var Empty = newLayout(nil, 0)

// Interval returns the layout of n consecutive bytes.
func Interval(n int64) *Layout {
	if n <= 0 {
		return Empty
	}
	return newLayout([]Block{{Length: n}}, n)
}

// newLayout makes a layout of blocks. It keeps the slice.
func newLayout(blocks []Block, size int64) *Layout {
	l := &Layout{Size: size}
	if !slices.IsSortedFunc(blocks, byStart) {
		slices.SortStableFunc(blocks, byStart)
	}
	if len(blocks) > 0 {
		l.At = blocks[0].Start
		for i := range blocks {
			blocks[i].Start -= l.At
			l.span = max(l.span, blocks[i].End())
		}
	}
	l.list = newList(blocks)
	return l.ready()
}

func byStart(a, b Block) int {
	switch {
	case a.Start < b.Start:
		return -1
	case a.Start > b.Start:
		return 1
	}
	return 0
}

// ready finishes a new layout.
func (l *Layout) ready() *Layout {
	l.self = sync.OnceValue(l.findSelf)
	return l
}

// Len returns the number of blocks in the list.
func (l *Layout) Len() int { return len(l.list.blocks) }

// Empty reports whether there are no bytes.
func (l *Layout) Empty() bool { return len(l.list.blocks) == 0 }

// Bounds returns the first byte and the byte after the last one. Both are 0 if there are no bytes.
func (l *Layout) Bounds() (first, end int64) {
	end = l.At + l.span
	for _, r := range l.Reps {
		end += (r.Count - 1) * r.Stride
	}
	return l.At, end
}

// Contiguous returns the bytes if they are consecutive and in the order of the serialised data.
func (l *Layout) Contiguous() (at, n int64, ok bool) {
	if len(l.list.blocks) != 1 || len(l.Reps) > 0 || len(l.list.blocks[0].Levels) > 0 {
		return 0, 0, false
	}
	return l.At, l.list.blocks[0].Length, true
}

// Blocks yields the blocks, sorted by address, each with all of its repetitions.
func (l *Layout) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for i := range l.list.blocks {
			if !yield(l.block(i)) {
				return
			}
		}
	}
}

func (l *Layout) block(i int) Block {
	b := l.list.blocks[i]
	b.Start += l.At
	b.Pos += l.Pos
	for _, r := range l.Reps {
		b = b.repeat(r.Count, r.Stride, r.Bytes)
	}
	return b
}

// Repeat returns n copies of the layout. The first is moved by first bytes, and the copies are stride bytes apart. They
// follow each other in the serialised data. Repeat takes constant time.
func (l *Layout) Repeat(n, first, stride int64) *Layout {
	switch {
	case l == nil:
		return nil
	case n <= 0 || l.Empty():
		return Empty
	case n == 1 && first == 0:
		return l
	}
	r := &Layout{At: l.At + first, Pos: l.Pos, Reps: l.Reps, Size: n * l.Size, list: l.list, span: l.span}
	switch {
	case n == 1:
	case len(l.list.blocks) == 1:
		b := l.list.blocks[0]
		b.Start, b.Pos = b.Start+r.At, b.Pos+r.Pos
		return newLayout([]Block{b.repeat(n, stride, l.Size)}, r.Size)
	default:
		bytes := l.Size
		if stride < 0 {
			r.At += stride * (n - 1)
			r.Pos += bytes * (n - 1)
			stride, bytes = -stride, -bytes
		}
		r.Reps = withLevel(r.Reps, Level{Count: n, Stride: stride, Bytes: bytes})
	}
	return r.ready()
}

// Part is a part of a new layout: copies of another layout, Stride bytes apart. The first is moved by At bytes in
// memory. Parts follow each other in the serialised data.
type Part struct {
	At, Count, Stride int64
	Of                *Layout
}

// Join returns the layout of all parts. It returns nil if a part is unknown, or if there would be more than MaxBlocks
// blocks. It takes time linear in the number of blocks, and the time to sort them.
func Join(parts iter.Seq[Part]) *Layout {
	var blocks []Block
	var only Part
	var size int64
	n := 0
	for p := range parts {
		if p.Of == nil || len(blocks)+p.Of.Len() > MaxBlocks {
			return nil
		}
		if p.Count <= 0 || p.Of.Empty() {
			continue
		}
		switch n++; n {
		case 1:
			only = p
		case 2:
			blocks = only.appendTo(blocks, 0)
			fallthrough
		default:
			blocks = p.appendTo(blocks, size)
		}
		size += p.Count * p.Of.Size
	}
	switch n {
	case 0:
		return Empty
	case 1:
		return only.Of.Repeat(only.Count, only.At, only.Stride)
	}
	return newLayout(slices.Clip(compress(blocks)), size)
}

func (p Part) appendTo(blocks []Block, pos int64) []Block {
	for i := range p.Of.list.blocks {
		b := p.Of.block(i)
		b.Start += p.At
		b.Pos += pos
		blocks = append(blocks, b.repeat(p.Count, p.Stride, p.Of.Size))
	}
	return blocks
}

// few is the number of blocks up to which a linear search is fastest.
const few = 8

func newList(blocks []Block) *list {
	l := &list{blocks: blocks}
	if len(blocks) > few {
		l.ends = make([]int64, len(blocks))
		for i := range blocks {
			l.ends[i] = blocks[i].End()
		}
		l.inRow = slices.IsSorted(l.ends)
		l.fill(0, len(blocks))
	}
	return l
}

func (l *list) fill(from, to int) int64 {
	if from >= to {
		return 0
	}
	m := (from + to) / 2
	l.ends[m] = max(l.ends[m], l.fill(from, m), l.fill(m+1, to))
	return l.ends[m]
}

// within calls visit for the blocks whose bounds meet the bytes from lo to hi (exclusive), by address, until visit
// returns true. It then returns true, too. It takes O(log n + blocks visited). The list must have more than few blocks.
func (l *list) within(lo, hi int64, visit func(b *Block) bool) bool {
	return l.search(0, len(l.blocks), lo, hi, visit)
}

func (l *list) search(from, to int, lo, hi int64, visit func(b *Block) bool) bool {
	for from < to {
		m := (from + to) / 2
		if l.ends[m] <= lo {
			return false
		}
		if l.search(from, m, lo, hi, visit) {
			return true
		}
		b := &l.blocks[m]
		if b.Start >= hi {
			return false
		}
		if b.End() > lo && visit(b) {
			return true
		}
		from = m + 1
	}
	return false
}
