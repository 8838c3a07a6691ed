package datatype

import (
	"iter"
	"sort"
)

// Node is a node of the expanded type-tree (the paper on MUST's datatype checks, section IV.B): a type, or one of the
// stages between a type and its old types. Vector, indexed and struct types have one such stage, the block. Subarray
// and darray have one per dimension except the last. Contiguous, dup and resized have none. A predefined pair has none
// either: its children are its two elements.
type Node struct {
	Type  *Type // nil at an intermediate stage
	stage *Stage
}

// Root returns the root of t's expanded tree.
func (t *Type) Root() Node { return Node{Type: t, stage: t.stage} }

// Children returns the number of children: 0 for a basic type and for an unknown type.
func (n Node) Children() int64 {
	if n.stage == nil {
		return 0
	}
	return n.stage.N
}

// Elements returns the number of basic elements of the node and its subtree.
func (n Node) Elements() int64 {
	if n.Type != nil {
		return max(n.Type.Elements, 0)
	}
	return n.stage.elements
}

// Bytes returns the number of bytes of data of the node and its subtree.
func (n Node) Bytes() int64 {
	if n.Type != nil {
		return max(n.Type.Size, 0)
	}
	return n.stage.size
}

// At returns the displacement of child i in bytes, relative to the node.
func (n Node) At(i int64) int64 { return n.stage.At(i) }

// Uniform reports whether all children are alike: copies of one type, or stages of one kind. Then their displacements
// are regular, too.
func (n Node) Uniform() bool { return n.stage != nil && n.stage.Blocks == nil }

// Before returns the number of basic elements, and of bytes of data, in the children before child i.
func (n Node) Before(i int64) (elements, bytes int64) { return n.stage.Before(i) }

// Child returns child i.
func (n Node) Child(i int64) Node {
	switch s := n.stage; {
	case s.Of != nil:
		return Node{stage: s.Of}
	case s.Blocks == nil:
		return s.Old.Root()
	case n.Type != nil && n.Type.Kind == Named:
		return s.Blocks.Type(int(i)).Root()
	default:
		b := s.Block(i)
		return Node{stage: &b}
	}
}

// childWith returns the child that contains a basic element, or a byte of data: the first child that ends after pos. It
// must exist.
func (n Node) childWith(pos int64, ends func(i int64) int64) int64 {
	s := n.stage
	if s.Blocks == nil || s.Blocks.before == nil {
		return pos / ends(0)
	}
	return int64(sort.Search(int(s.N-1), func(i int) bool { return ends(int64(i)) > pos }))
}

// ChildWithElement returns the number of the child that contains basic element e of the node.
func (n Node) ChildWithElement(e int64) int64 {
	return n.childWith(e, func(i int64) int64 {
		end, _ := n.Before(i + 1)
		return end
	})
}

// ChildWithByte returns the number of the child that contains byte b of the node's data.
func (n Node) ChildWithByte(b int64) int64 {
	return n.childWith(b, func(i int64) int64 {
		_, end := n.Before(i + 1)
		return end
	})
}

// Bounds returns the bounds of the node's data: bytes from lo up to hi, relative to the node's displacement. lo and hi
// are equal if there are no data.
func (n Node) Bounds() (lo, hi int64) {
	if n.Type != nil {
		return n.Type.TrueLB, n.Type.TrueUB
	}
	if n.stage.N == 0 || n.stage.size == 0 {
		return 0, 0
	}
	lo, hi = n.Child(0).Bounds()
	var a arith // no overflow: the numbers are those of a type that exists
	first, last := n.stage.span(&a)
	return lo + first, hi + last
}

// Touching yields the children that may have data in the bytes from lo up to hi, relative to the node's displacement:
// the children whose bounds meet these bytes. For a regular stage, other children take no time.
func (n Node) Touching(lo, hi int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for first, last := range n.touching(lo, hi) {
			for i := first; i <= last; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// CountTouching returns the number of children that Touching yields.
func (n Node) CountTouching(lo, hi int64) (count int64) {
	for first, last := range n.touching(lo, hi) {
		count += last - first + 1
	}
	return count
}

// touching yields the children of Touching as ranges: the first and the last child of each.
func (n Node) touching(lo, hi int64) iter.Seq2[int64, int64] {
	return func(yield func(first, last int64) bool) {
		switch {
		case n.Children() == 0 || n.Elements() == 0:
		case n.stage.Blocks != nil:
			n.stage.Blocks.touching(lo, hi, yield)
		default:
			n.stage.touching(lo, hi, yield)
		}
	}
}

func (b *Blocks) touching(lo, hi int64, yield func(first, last int64) bool) {
	for i, at := range b.At {
		count, old := b.Len(i), b.Type(i)
		if count == 0 || old.TrueLB == old.TrueUB {
			continue
		}
		last := at + (count-1)*old.Extent()
		if min(at, last)+old.TrueLB < hi && max(at, last)+old.TrueUB > lo && !yield(int64(i), int64(i)) {
			return
		}
	}
}

// touching is for regular stages. It finds the groups, and then the children of a group, by division.
func (s *Stage) touching(lo, hi int64, yield func(first, last int64) bool) {
	childLo, childHi := Node{stage: s}.Child(0).Bounds()
	if childLo == childHi {
		return
	}
	group := s.Group
	if group == 0 || group > s.N {
		group = s.N
	}
	groupLo, groupHi := childLo+min(0, (group-1)*s.Stride), childHi+max(0, (group-1)*s.Stride)
	firstGroup, lastGroup := meeting(lo-s.First, hi-s.First, groupLo, groupHi, s.Jump, (s.N+group-1)/group)
	for g := firstGroup; g <= lastGroup; g++ {
		at := s.First + g*s.Jump
		first, last := meeting(lo-at, hi-at, childLo, childHi, s.Stride, min(group, s.N-g*group))
		if first <= last && !yield(g*group+first, g*group+last) {
			return
		}
	}
}

// meeting returns the first and the last i, from 0 up to n, for which the bytes from childLo up to childHi, moved by i
// strides, meet the bytes from lo up to hi. If there is no such i, first is greater than last.
func meeting(lo, hi, childLo, childHi, stride, n int64) (first, last int64) {
	switch {
	case stride < 0: // the same, mirrored
		return meeting(-hi, -lo, -childHi, -childLo, -stride, n)
	case n == 1 || stride == 0:
		if childLo < hi && childHi > lo {
			return 0, n - 1
		}
		return 0, -1
	}
	first = floorDiv(lo-childHi, stride) + 1
	last = -floorDiv(childLo-hi, stride) - 1
	return max(first, 0), min(last, n-1)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
