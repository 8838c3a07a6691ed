package datatype

import "slices"

// spanTree holds spans of addresses. A few spans are in a list. If there are more, they are in a treap ordered by their
// beginnings. Every node of the treap has the greatest end in its subtree.
type spanTree struct {
	few   []span
	nodes []spanNode // nodes[0] means no node
	root  int32
	free  []int32
	dice  uint64
}

// span is the addresses from "from" up to "to" (exclusive), of buffer number id.
type span struct {
	from, to int64
	id       int32
}

type spanNode struct {
	span
	last        int64 // largest to in the subtree
	left, right int32
	weight      uint32 // not less than the weights in the subtree
}

// fewSpans is the greatest number of spans for which a list is faster than a treap.
const fewSpans = 16

func (t *spanTree) add(from, to int64, id int32) {
	s := span{from, to, id}
	if t.root == 0 {
		if len(t.few) < fewSpans {
			t.few = append(t.few, s)
			return
		}
		for _, f := range t.few {
			t.insert(f)
		}
		t.few = t.few[:0]
	}
	t.insert(s)
}

func (t *spanTree) remove(from int64, id int32) {
	if t.root == 0 {
		i := slices.IndexFunc(t.few, func(s span) bool { return s.id == id })
		k := len(t.few) - 1
		t.few[i] = t.few[k]
		t.few = t.few[:k]
		return
	}
	t.root = t.without(t.root, from, id)
}

// within calls visit for the spans with an address from "from" up to "to" (exclusive), until visit returns false. It
// then returns false, too.
func (t *spanTree) within(from, to int64, visit func(start int64, id int32) bool) bool {
	for i := range t.few {
		if s := &t.few[i]; s.from < to && s.to > from && !visit(s.from, s.id) {
			return false
		}
	}
	return t.root == 0 || t.search(t.root, from, to, visit)
}

func (t *spanTree) search(n int32, from, to int64, visit func(start int64, id int32) bool) bool {
	for n != 0 && t.nodes[n].last > from {
		at := &t.nodes[n]
		if !t.search(at.left, from, to, visit) {
			return false
		}
		if at.from >= to {
			return true
		}
		if at.to > from && !visit(at.from, at.id) {
			return false
		}
		n = at.right
	}
	return true
}

func (t *spanTree) insert(s span) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, spanNode{})
	}
	// The weights must only be independent of the order of addresses: xorshift.
	t.dice ^= 0x9e3779b97f4a7c15
	t.dice ^= t.dice << 13
	t.dice ^= t.dice >> 7
	t.dice ^= t.dice << 17
	node := spanNode{span: s, last: s.to, weight: uint32(t.dice >> 32)}
	n := int32(len(t.nodes))
	if k := len(t.free); k > 0 {
		n = t.free[k-1]
		t.free = t.free[:k-1]
		t.nodes[n] = node
	} else {
		t.nodes = append(t.nodes, node)
	}
	t.root = t.with(t.root, n)
}

// before orders spans by their beginnings, and spans with the same beginning by number.
func (s *span) before(from int64, id int32) bool {
	return s.from < from || s.from == from && s.id < id
}

// with returns the tree at with the node n added.
func (t *spanTree) with(at, n int32) int32 {
	a, b := &t.nodes[at], &t.nodes[n]
	switch {
	case at == 0:
		return n
	case b.weight > a.weight:
		b.left, b.right = t.split(at, b.from, b.id)
		t.update(n)
		return n
	case a.before(b.from, b.id):
		a.right = t.with(a.right, n)
	default:
		a.left = t.with(a.left, n)
	}
	t.update(at)
	return at
}

// split divides the tree at into the spans before (from, id) and the rest.
func (t *spanTree) split(at int32, from int64, id int32) (left, right int32) {
	if at == 0 {
		return 0, 0
	}
	a := &t.nodes[at]
	if a.before(from, id) {
		a.right, right = t.split(a.right, from, id)
		t.update(at)
		return at, right
	}
	left, a.left = t.split(a.left, from, id)
	t.update(at)
	return left, at
}

// without returns the tree at without the node of the span that begins at from and has the number id. It must exist.
func (t *spanTree) without(at int32, from int64, id int32) int32 {
	a := &t.nodes[at]
	switch {
	case a.id == id && a.from == from:
		t.free = append(t.free, at)
		return t.merge(a.left, a.right)
	case a.before(from, id):
		a.right = t.without(a.right, from, id)
	default:
		a.left = t.without(a.left, from, id)
	}
	t.update(at)
	return at
}

// merge returns one tree of the spans in a and b. All spans in a must be before all spans in b.
func (t *spanTree) merge(a, b int32) int32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case t.nodes[a].weight > t.nodes[b].weight:
		t.nodes[a].right = t.merge(t.nodes[a].right, b)
		t.update(a)
		return a
	}
	t.nodes[b].left = t.merge(a, t.nodes[b].left)
	t.update(b)
	return b
}

func (t *spanTree) update(at int32) {
	n := &t.nodes[at]
	n.last = n.to
	if n.left != 0 {
		n.last = max(n.last, t.nodes[n.left].last)
	}
	if n.right != 0 {
		n.last = max(n.last, t.nodes[n.right].last)
	}
}
