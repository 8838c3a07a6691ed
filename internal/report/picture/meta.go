package picture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// node is a node of the meta type-tree in the drawing. The subtree of a type that is used several times is drawn once,
// and again only if the path leads through it.
type node struct {
	typ    *datatype.Type // nil for an ellipsis
	title  string
	fact   string
	shared int // not 0: the number that identifies a type that is used several times
	// edge says how many times, and where, the parent uses this type. steps are the steps of the path in between.
	edge  []string
	steps string
	// marked says that the path leads to or through the node.
	marked bool
	// repeated says that the subtree of the type is drawn elsewhere.
	repeated bool
	children []*node

	route route
	depth int
}

// route is the rest of a path, below the node of a type. It is nil for nodes that are not on the path.
type route []datatype.Step

// limits limit the size of a tree: the space for its leaves, each of which has a cost, and the number of levels.
type limits struct {
	room  int
	cost  func(*node) int
	depth int
}

// growth grows a tree from the root, level by level, until it reaches its limits.
type growth struct {
	limits
	used    int                      // space used so far
	first   map[*datatype.Type]*node // the nodes at which the subtrees of types are drawn
	shared  int
	heights map[*datatype.Type]int
}

// tree returns the meta type-tree.
func (s *scene) tree(l limits) *node {
	g := growth{limits: l, first: map[*datatype.Type]*node{}, heights: map[*datatype.Type]int{}}
	root := newNode(s.typ)
	if s.path != nil {
		root.marked, root.route = true, append(route{}, s.path.Steps...)
	}
	g.used = l.cost(root)
	queue := []*node{root}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		g.grow(n)
		queue = append(queue, n.children...)
	}
	return root
}

func newNode(t *datatype.Type) *node {
	n := &node{typ: t, title: kindName(t)}
	switch {
	case t == nil || t.Size < 0:
		n.fact = "nothing is known"
	case t.Size == 0 && t.Predefined():
		n.fact = "a bound"
	case isBasic(t):
		n.fact = plural(t.Size, "byte")
	default:
		n.fact = fmt.Sprintf("%s, extent %d", plural(t.Elements, "element"), t.Extent())
	}
	return n
}

// kindName returns the kind of a derived type, or the name of a predefined type without MPI_.
func kindName(t *datatype.Type) string {
	switch {
	case t == nil:
		return datatype.Unknown.String()
	case t.Kind == datatype.Named:
		return shortName(t.Basic)
	}
	return t.Kind.String()
}

func shortName(b *datatype.Basic) string { return strings.TrimPrefix(b.Name, "MPI_") }

// isBasic reports whether t is one basic element, or represents a bound.
func isBasic(t *datatype.Type) bool { return t.Root().Children() == 0 && len(t.Olds) == 0 }

// grow adds the types that a type is made from to its node.
func (g *growth) grow(n *node) {
	t := n.typ
	if t == nil || (t.Predefined() || len(t.Olds) == 0) && len(n.route) == 0 {
		return
	}
	if first := g.first[t]; first != nil && n.route == nil {
		if first.shared == 0 {
			g.shared++
			first.shared = g.shared
		}
		n.shared, n.repeated = first.shared, true
		n.fact = "see the other " + badge(n.shared)
		return
	}
	if g.first[t] == nil {
		g.first[t] = n
	}
	switch {
	case n.depth >= g.depth-3 && g.height(t) > 4 && g.skip(n):
	case t.Kind == datatype.StructKind || t.Predefined():
		g.growStruct(n)
	case len(t.Olds) > 0:
		child, _ := g.child(n, 0)
		child.edge = edge(t)
		n.children = []*node{child}
	}
}

// child returns the node of old type i of n's type, and whether the path leads to it.
func (g *growth) child(n *node, i int) (*node, bool) {
	t := n.typ
	c := newNode(oldType(t, i))
	c.depth = n.depth + 1
	if len(n.route) == 0 {
		return c, false
	}
	at := t.Root()
	if several(t) && n.route[0].Index != int64(i) {
		return c, false
	}
	for k, step := range n.route {
		c.steps += fmt.Sprintf("[%d]", step.Index)
		at = at.Child(step.Index)
		if at.Type != nil {
			c.marked, c.route = true, n.route[k+1:]
			return c, true
		}
	}
	return c, true // the path ends in a stage above the type
}

// several reports whether t has a child for each of its blocks.
func several(t *datatype.Type) bool { return t.Kind == datatype.StructKind || t.Predefined() }

func oldType(t *datatype.Type, i int) *datatype.Type {
	if t.Predefined() {
		return t.Stage().Blocks.Types[i]
	}
	return t.Olds[i]
}

// growStruct adds the blocks of a struct: the first blocks, the last block, and the block on the path.
func (g *growth) growStruct(n *node) {
	t := n.typ
	total := len(t.Olds)
	if t.Predefined() {
		total = int(t.Root().Children())
	}
	fitting := g.fitting(n, total)
	if fitting < min(total, 3) && len(n.route) == 0 && n.depth > 0 {
		n.fact += " …"
		delete(g.first, t) // it may still be drawn at the node on the path
		return
	}
	g.used -= g.cost(n) // the children replace the node
	shown := firstAndLast(total, max(fitting, 3))
	if len(n.route) > 0 {
		shown = append(shown, int(n.route[0].Index))
		slices.Sort(shown)
		shown = slices.Compact(shown)
	}
	next := 0
	add := func(c *node) {
		n.children = append(n.children, c)
		g.used += g.cost(c)
	}
	gap := func(until int) {
		if until > next {
			add(&node{title: fmt.Sprintf("… %s …", plural(int64(until-next), "block")), depth: n.depth + 1})
		}
	}
	for _, i := range shown {
		gap(i)
		c, _ := g.child(n, i)
		c.edge = blockEdge(t, i)
		add(c)
		next = i + 1
	}
	gap(total)
}

// fitting returns the number of a struct's blocks for which there is space.
func (g *growth) fitting(n *node, total int) int {
	room := g.room - g.used + g.cost(n)
	for i := range total {
		c, _ := g.child(n, i)
		room -= g.cost(c)
		if room < 0 {
			return i
		}
	}
	return total
}

// firstAndLast returns the indexes of the items to show, if there are n items and space for room items, one of which
// may be an ellipsis.
func firstAndLast(n, room int) []int {
	var out []int
	for i := range n {
		if n <= room || i < room-2 || i == n-1 {
			out = append(out, i)
		}
	}
	return out
}

// skip replaces the middle levels of a deep type by an ellipsis. It continues near the bottom of the type, or at the
// end of the path. It reports whether it skipped levels.
func (g *growth) skip(n *node) bool {
	levels, below, follow := 0, n, len(n.route) > 0
	for g.height(below.typ) > 3 && (!follow || len(below.route) > 0) {
		next, onPath := g.child(below, g.way(below))
		if onPath && !next.marked {
			break
		}
		below = next
		levels++
	}
	if levels == 0 {
		return false
	}
	gap := &node{title: fmt.Sprintf("… %s …", plural(int64(levels-1), "level")), marked: follow, depth: n.depth + 1}
	gap.steps = shorten(stepsText(n.route[:len(n.route)-len(below.route)]), 24)
	below.depth, below.steps, below.edge = n.depth+2, "", nil
	gap.children = []*node{below}
	n.children = []*node{gap}
	return true
}

// way returns the index of the old type on the path or, away from the path, of the old type with the most levels.
func (g *growth) way(n *node) int {
	switch {
	case !several(n.typ):
		return 0
	case len(n.route) > 0:
		return int(n.route[0].Index)
	}
	deepest := 0
	for i, old := range n.typ.Olds {
		if g.height(old) > g.height(n.typ.Olds[deepest]) {
			deepest = i
		}
	}
	return deepest
}

func stepsText(steps []datatype.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "[%d]", s.Index)
	}
	return b.String()
}

// height returns the number of nested constructors in t.
func (g *growth) height(t *datatype.Type) int {
	if t == nil {
		return 0
	}
	if h, ok := g.heights[t]; ok {
		return h
	}
	h := 0
	for _, old := range t.Olds {
		h = max(h, 1+g.height(old))
	}
	g.heights[t] = h
	return h
}

// blockEdge returns the text about block i of a struct.
func blockEdge(t *datatype.Type, i int) []string {
	b := t.Stage()
	if b == nil { // an unknown block
		if n := t.Args.Blocklengths[i]; n != 1 {
			return []string{fmt.Sprintf("%d × at %d", n, t.Args.Displacements[i])}
		}
		return []string{fmt.Sprintf("at %d", t.Args.Displacements[i])}
	}
	if n := b.Blocks.Len(i); n != 1 {
		return []string{fmt.Sprintf("%d × at %d", n, b.Blocks.At[i])}
	}
	return []string{fmt.Sprintf("at %d", b.Blocks.At[i])}
}

// edge returns the text about how a type that is made from one old type uses it.
func edge(t *datatype.Type) []string {
	g := &t.Args
	switch t.Kind {
	case datatype.ContiguousKind:
		return []string{fmt.Sprintf("%d ×", g.Count)}
	case datatype.VectorKind:
		lines := []string{blocks(g.Count, g.Blocklength, g.Blocklength)}
		if t.Size < 0 {
			return append(lines, fmt.Sprintf("stride %d", g.Stride))
		}
		return append(lines, fmt.Sprintf("stride %d = %s", g.Stride, plural(g.Stride*t.Olds[0].Extent(), "byte")))
	case datatype.HvectorKind:
		return []string{blocks(g.Count, g.Blocklength, g.Blocklength), "stride " + plural(g.Stride, "byte")}
	case datatype.IndexedKind, datatype.HindexedKind, datatype.IndexedBlockKind, datatype.HindexedBlockKind:
		return indexedEdge(t)
	case datatype.SubarrayKind:
		return []string{
			numbers(g.Subsizes) + " of " + numbers(g.Sizes), "from " + numbers(g.Starts) + orderNote(g),
		}
	case datatype.DarrayKind:
		var dims []string
		for i, d := range g.Distributions {
			word := [...]string{"whole", "block", "cyclic"}[d]
			if g.Dargs[i] != datatype.DefaultDarg && d != datatype.DistributeNone {
				word += fmt.Sprintf("(%d)", g.Dargs[i])
			}
			dims = append(dims, word)
		}
		return []string{
			shorten(strings.Join(dims, ", "), 30), "of " + numbers(g.Sizes) + orderNote(g),
			fmt.Sprintf("rank %d of %s", g.Rank, numbers(g.Psizes)),
		}
	case datatype.ResizedKind:
		return []string{fmt.Sprintf("from %d to %d", t.LB, t.UB)}
	}
	return nil
}

func orderNote(g *datatype.Args) string {
	if g.Order == datatype.OrderFortran {
		return ", Fortran"
	}
	return ""
}

func indexedEdge(t *datatype.Type) []string {
	g := &t.Args
	least, most := g.Blocklength, g.Blocklength
	if len(g.Blocklengths) > 0 {
		least, most = slices.Min(g.Blocklengths), slices.Max(g.Blocklengths)
	}
	lines := []string{blocks(g.Count, least, most)}
	if t.Stage() != nil && g.Count > 0 {
		lines = append(lines, "at "+strings.Join(someNumbers(t.Stage().Blocks.At), ", "))
	}
	return lines
}

func blocks(count, least, most int64) string {
	if least == most {
		return fmt.Sprintf("%s of %d", plural(count, "block"), least)
	}
	return fmt.Sprintf("%s of %d to %d", plural(count, "block"), least, most)
}

func numbers(ns []int64) string { return "[" + strings.Join(someNumbers(ns), ", ") + "]" }

// someNumbers formats the first numbers and the last.
func someNumbers(ns []int64) []string {
	var out []string
	last := -1
	for _, i := range firstAndLast(len(ns), 5) {
		if i > last+1 {
			out = append(out, "…")
		}
		out = append(out, fmt.Sprint(ns[i]))
		last = i
	}
	return out
}
