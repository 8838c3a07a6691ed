package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// twig is a node of a tree in the text form.
type twig struct {
	text   string
	marked bool
	twigs  []*twig
}

// arrow marks the target of a path.
const arrow = "  ◀"

// plain draws the scene as text.
func (s *scene) plain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", s.title(), s.facts())
	if s.typ.Size > 0 {
		fmt.Fprintf(&b, "signature %s\n", datatype.Use{Type: s.typ, Count: 1}.Signature(100))
	}
	if s.path != nil {
		fmt.Fprintf(&b, "%s\n", s.found())
	}
	b.WriteString("\nHow it is made\n")
	one := func(*node) int { return 1 }
	s.tree(limits{room: 16, cost: one, depth: 30}).twig().write(&b, "  ", "  ")
	if s.typ.Elements > 0 && s.typ.Root().Children() > 0 {
		b.WriteString("\nExpanded, with displacements relative to the node above\n")
		s.expanded().write(&b, "  ", "  ")
	}
	b.WriteString("\nMemory\n")
	s.writeMemory(&b)
	return b.String()
}

// write writes the tree. first precedes the node, and rest precedes the lines of its subtree.
func (t *twig) write(b *strings.Builder, first, rest string) {
	b.WriteString(first + t.text)
	if t.marked {
		b.WriteString(arrow)
	}
	b.WriteString("\n")
	for i, child := range t.twigs {
		if i < len(t.twigs)-1 {
			child.write(b, rest+"├─ ", rest+"│  ")
		} else {
			child.write(b, rest+"└─ ", rest+"   ")
		}
	}
}

// twig returns the node as text.
func (n *node) twig() *twig {
	t := &twig{text: n.heading(), marked: n.marked}
	if n.fact != "" {
		t.text += ", " + n.fact
	}
	if len(n.edge) > 0 {
		t.text = strings.Join(n.edge, ", ") + ": " + t.text
	}
	if n.steps != "" {
		t.text = n.steps + " " + t.text
		t.marked = true
	}
	for _, c := range n.children {
		t.twigs = append(t.twigs, c.twig())
	}
	return t
}

// expansion draws the expanded type-tree (section IV.B of the paper on MUST's datatype checks). Equal children are
// folded, so the reader can see what the numbers in paths count.
type expansion struct{ left int } // number of lines left

func (s *scene) expanded() *twig {
	e := expansion{left: 60}
	var r route
	if s.path != nil {
		r = append(route{}, s.path.Steps...)
	}
	return e.grow(s.typ.Root(), 0, kindName(s.typ), r)
}

// grow draws a node and its subtree. r is the rest of the path; nil if the path does not lead through the node.
func (e *expansion) grow(n datatype.Node, depth int, text string, r route) *twig {
	t := &twig{text: text, marked: r != nil}
	if n.Children() == 0 || n.Elements() == 0 {
		return t
	}
	const deepest = 40
	if depth == deepest || e.left <= 0 && len(r) == 0 {
		t.text += shorten(" … "+stepsText(r), 60)
		return t
	}
	through := int64(-1)
	if len(r) > 0 {
		through = r[0].Index
	}
	groups := fold(n, through)
	e.left -= len(groups)
	for _, g := range groups {
		label := g.label(n)
		switch {
		case g.first == through:
			t.twigs = append(t.twigs, e.grow(n.Child(g.first), depth+1, label, r[1:]))
		case g.mixed:
			t.twigs = append(t.twigs, &twig{text: label})
		case n.Uniform() && through >= 0: // the subtree is drawn at the child on the path
			t.twigs = append(t.twigs, &twig{text: label})
		default:
			t.twigs = append(t.twigs, e.grow(n.Child(g.first), depth+1, label, nil))
		}
	}
	return t
}

// group is a number of neighbouring children.
type group struct {
	first, last int64
	mixed       bool // they have different types or lengths
}

// fold groups the children of a node. The child with the index through, if it is not negative, is a group by itself.
func fold(n datatype.Node, through int64) []group {
	var all []group
	last := n.Children() - 1
	if n.Uniform() {
		all = []group{{0, last, false}}
	} else {
		all = alike(n)
	}
	var out []group
	for _, g := range all {
		if through < g.first || through > g.last {
			out = append(out, g)
			continue
		}
		if through > g.first {
			out = append(out, group{g.first, through - 1, g.mixed})
		}
		out = append(out, group{through, through, false})
		if through < g.last {
			out = append(out, group{through + 1, g.last, g.mixed})
		}
	}
	return out
}

// alike groups neighbouring blocks with the same type and length. After the first groups, all blocks except the last
// are one group.
func alike(n datatype.Node) []group {
	const most = 8
	var out []group
	same := func(a, b datatype.Node) bool {
		return a.Children() == b.Children() && a.Bytes() == b.Bytes() &&
			(a.Children() == 0 || a.Child(0).Type == b.Child(0).Type)
	}
	last := n.Children() - 1
	for i := int64(0); i <= last; i++ {
		if k := len(out) - 1; k >= 0 && same(n.Child(out[k].first), n.Child(i)) {
			out[k].last = i
			continue
		}
		if len(out) == most {
			out[most-1].last, out[most-1].mixed = last-1, last-1 > out[most-1].first
			return append(out, group{last, last, false})
		}
		out = append(out, group{i, i, false})
	}
	return out
}

// label gives the indexes of the children of n in the group, their displacements, and their type.
func (g group) label(n datatype.Node) string {
	text := fmt.Sprintf("[%d]", g.first)
	at := fmt.Sprintf(" at %d", n.At(g.first))
	if g.last > g.first {
		text += fmt.Sprintf(" … [%d]", g.last)
		at = fmt.Sprintf(" at %d, %d … %d", n.At(g.first), n.At(g.first+1), n.At(g.last))
		if g.last == g.first+1 {
			at = fmt.Sprintf(" at %d, %d", n.At(g.first), n.At(g.last))
		}
	}
	child := n.Child(g.first)
	switch {
	case g.mixed:
		return text + at
	case child.Type != nil:
		return text + " " + kindName(child.Type) + at
	}
	return text + at
}

// writeMemory writes a table of the memory.
func (s *scene) writeMemory(b *strings.Builder) {
	st := s.strip(newMemory(s.whole))
	switch {
	case s.whole.Size < 0:
		b.WriteString("  nothing is known of it\n")
		return
	case st == nil && s.whole.Size > 0:
		b.WriteString("  too irregular to be shown\n")
		return
	case st == nil:
		b.WriteString("  no data\n")
		return
	}
	type row struct {
		at, bytes int64
		text      string
	}
	var rows []row
	for _, r := range st.runs {
		rows = append(rows, row{r.at, r.n * r.size, r.label()})
	}
	for _, h := range st.hidden {
		elements, _ := h.lines()
		rows = append(rows, row{h.lo, h.hi - h.lo, elements})
	}
	for _, g := range st.gaps(s.bounds()) {
		rows = append(rows, row{g.lo, g.hi - g.lo, "-"})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	end := s.whole.LB
	for i := range rows {
		r := &rows[i]
		if i > 0 && r.at < end {
			r.text += ", overlaps"
		}
		end = max(end, r.at+r.bytes)
		if s.path != nil && s.place.Node.Bytes() > 0 {
			if lo, hi := s.marked(); r.at < hi && r.at+r.bytes > lo && r.text != "-" {
				r.text += arrow
			}
		}
	}
	rows = append(rows, row{s.whole.LB, 0, "lb"}, row{s.whole.UB, 0, "ub"})
	slices.SortStableFunc(rows,
		func(a, b row) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.bytes, b.bytes)) })
	cells := [][2]string{{"displacement", "bytes"}}
	for _, r := range rows {
		bytes := ""
		if r.bytes > 0 {
			bytes = fmt.Sprint(r.bytes)
		}
		cells = append(cells, [2]string{fmt.Sprint(r.at), bytes})
	}
	var w [2]int
	for _, c := range cells {
		w[0], w[1] = max(w[0], utf8.RuneCountInString(c[0])), max(w[1], utf8.RuneCountInString(c[1]))
	}
	for i, c := range cells {
		line := fmt.Sprintf("  %*s  %*s  ", w[0], c[0], w[1], c[1])
		if i > 0 {
			line += rows[i-1].text
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
