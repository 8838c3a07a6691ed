package datatype

import "sort"

// A Node is a node of the expanded type-tree (the paper on MUST's datatype checks, section IV.B): a type, or one of the
// stages that a constructor puts between a type and those that it is made from. Vector, indexed and struct types have one
// such stage, the block; subarray and darray have one per dimension but the last; contiguous, dup and resized have none,
// nor has a predefined pair, whose children are its two elements.
type Node struct {
	Type  *Type // nil at an intermediate stage
	stage *Stage
}

// Root returns the root of t's expanded tree.
func (t *Type) Root() Node { return Node{Type: t, stage: t.stage} }

// Children returns the number of children: 0 for a basic type and for one of which nothing is known.
func (n Node) Children() int64 {
	if n.stage == nil {
		return 0
	}
	return n.stage.N
}

// Elements returns the number of basic elements below the node, or in it.
func (n Node) Elements() int64 {
	if n.Type != nil {
		return max(n.Type.Elements, 0)
	}
	return n.stage.elements
}

// Bytes returns the number of bytes of data below the node, or in it.
func (n Node) Bytes() int64 {
	if n.Type != nil {
		return max(n.Type.Size, 0)
	}
	return n.stage.size
}

// At returns the displacement of child i, in bytes, relative to that of the node.
func (n Node) At(i int64) int64 { return n.stage.At(i) }

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

// childWith returns the child that contains a basic element, or a byte of data: it is the first one that ends behind
// pos. There must be one.
func (n Node) childWith(pos int64, ends func(i int64) int64) int64 {
	s := n.stage
	if s.Blocks == nil || s.Blocks.before == nil {
		return pos / ends(0)
	}
	return int64(sort.Search(int(s.N-1), func(i int) bool { return ends(int64(i)) > pos }))
}

// ChildWithElement returns the number of the child in which basic element e of the node is.
func (n Node) ChildWithElement(e int64) int64 {
	return n.childWith(e, func(i int64) int64 {
		end, _ := n.Before(i + 1)
		return end
	})
}

// ChildWithByte returns the number of the child in which byte b of the node's data is.
func (n Node) ChildWithByte(b int64) int64 {
	return n.childWith(b, func(i int64) int64 {
		_, end := n.Before(i + 1)
		return end
	})
}
