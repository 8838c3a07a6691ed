package picture

import (
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

const margin = 20.0

// drawing is the picture of a scene while it is drawn.
type drawing struct {
	canvas
	*scene
	memory *memory
	colors map[*datatype.Basic]string
	mixed  bool // places with elements of several types have been drawn
}

// svg draws the scene.
func (s *scene) svg() []byte {
	d := &drawing{scene: s, memory: newMemory(s.whole), colors: map[*datatype.Basic]string{}}
	basics := d.memory.types(s.whole)
	for i, b := range basics {
		d.colors[b] = palette[i%len(palette)]
	}
	y := margin + big
	d.text(margin, y, big, begin, ink, bold, s.title())
	y += 20
	d.text(margin, y, normal, begin, faint, "", s.facts())
	if s.path != nil {
		y += 19
		d.text(margin, y, normal, begin, red, bold, s.found())
	}
	y = d.drawTree(y + 18)
	y = d.drawMemory(y + 34)
	d.drawLegend(y+10, basics)
	return d.document(s.title())
}

// drawLegend draws the colours of the basic types.
func (d *drawing) drawLegend(y float64, basics []*datatype.Basic) {
	const most = 16
	x := margin
	entry := func(color, label string) {
		if w := 26 + textWidth(label, small); x > margin && x+w > margin+stripWidth {
			x, y = margin, y+20
		}
		if color != "" {
			d.rect(x, y, 14, 14, fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.7"`, color, faint), "")
			x += 20
		}
		d.text(x, y+11, small, begin, ink, "", label)
		x += textWidth(label, small) + 22
	}
	for _, b := range basics[:min(len(basics), most)] {
		entry(d.colors[b], b.Name)
	}
	if n := len(basics) - most; n > 0 {
		entry("", fmt.Sprintf("and %d more", n))
	}
	if d.mixed {
		entry(mixedColor, "several types")
	}
	if d.path != nil {
		entry(red, "what the path leads to")
	}
}

// color returns the colour of a basic type, or of the box of a predefined pair.
func (d *drawing) color(t *datatype.Type) string {
	if t != nil && t.Basic != nil {
		if c := d.colors[t.Basic]; c != "" {
			return c
		}
	}
	return "#f2f4f7"
}

// Trees.

const (
	nodeHeight = 40.0
	nodeGap    = 18.0 // between neighbours
	lineHeight = 14.0
)

// box is a node with its position in the drawing.
type box struct {
	*node
	width, span float64 // of the node, and of the whole subtree
	x           float64 // of its middle
	children    []*box
}

func newBox(n *node) *box {
	b := &box{node: n}
	b.width = max(textWidth(n.heading(), normal), textWidth(n.fact, small)) + 20
	for _, line := range n.edge {
		b.span = max(b.span, textWidth(line, small)+6)
	}
	b.span = max(b.span, textWidth(n.steps, normal)+6, b.width)
	below := -nodeGap
	for _, c := range n.children {
		child := newBox(c)
		b.children = append(b.children, child)
		below += child.span + nodeGap
	}
	b.span = max(b.span, below)
	return b
}

// place positions a box and its subtree in the space that begins at left.
func (b *box) place(left float64) {
	below := -nodeGap
	for _, c := range b.children {
		below += c.span + nodeGap
	}
	x := left + (b.span-below)/2
	for _, c := range b.children {
		c.place(x)
		x += c.span + nodeGap
	}
	b.x = left + b.span/2
	if n := len(b.children); n > 0 {
		b.x = (b.children[0].x + b.children[n-1].x) / 2
	}
	// The node must stay in its own space. The middle of its children may be too far to one side.
	half := max(b.width, b.labelWidth()) / 2
	b.x = min(max(b.x, left+half), left+b.span-half)
}

func (b *box) labelWidth() float64 {
	w := textWidth(b.steps, normal)
	for _, line := range b.edge {
		w = max(w, textWidth(line, small))
	}
	return w + 6
}

// nodeRoom returns the approximate width of a node in pixels, including the text about how its type uses the old type.
func nodeRoom(n *node) int {
	w := max(textWidth(n.heading(), normal), textWidth(n.fact, small)) + 20
	if n.typ != nil {
		for _, line := range edge(n.typ) {
			w = max(w, textWidth(line, small)+6)
		}
	}
	return int(w + nodeGap)
}

// heading returns the first line of a node.
func (n *node) heading() string {
	if n.shared > 0 {
		return n.title + " " + badge(n.shared)
	}
	return n.title
}

// badge returns a number in a circle.
func badge(n int) string {
	if n <= 20 {
		return string(rune('①' + n - 1))
	}
	return fmt.Sprintf("(%d)", n)
}

// drawTree draws the meta tree below y and returns the y at which it ends.
func (d *drawing) drawTree(y float64) float64 {
	root := newBox(d.tree(limits{room: stripWidth, cost: nodeRoom, depth: 12}))
	left := margin + max(0, (stripWidth-root.span)/2)
	if root.span < stripWidth/2 {
		left = margin
	}
	root.place(left)
	for level := []*box{root}; len(level) > 0; {
		var next []*box
		lines := 0
		for _, b := range level {
			d.drawNode(b, y)
			for _, c := range b.children {
				n := len(c.edge)
				if c.steps != "" {
					n++
				}
				lines = max(lines, n)
			}
			next = append(next, b.children...)
		}
		bottom := y + nodeHeight
		if len(next) == 0 {
			return bottom
		}
		y = bottom + 26 + float64(lines)*lineHeight
		// The marked edges are drawn last, over the other lines.
		for _, marked := range []bool{false, true} {
			for _, b := range level {
				for _, c := range b.children {
					if (c.steps != "" || c.marked) == marked {
						d.drawEdge(b, c, bottom, y)
					}
				}
			}
		}
		level = next
	}
	return y
}

func (d *drawing) drawNode(b *box, y float64) {
	if b.typ == nil && b.fact == "" {
		fill := faint
		if b.marked {
			fill = red
		}
		d.text(b.x, y+nodeHeight/2+4, small, middle, fill, italic, b.title)
		return
	}
	style := fmt.Sprintf(`rx="6" fill="%s" `, d.color(b.typ))
	switch {
	case b.marked:
		style += fmt.Sprintf(`stroke="%s" stroke-width="2.5"`, red)
	default:
		style += fmt.Sprintf(`stroke="%s" stroke-width="1"`, faint)
	}
	if b.repeated {
		style += dashed
	}
	d.rect(b.x-b.width/2, y, b.width, nodeHeight, style, "")
	d.text(b.x, y+17, normal, middle, ink, bold, b.heading())
	d.text(b.x, y+32, small, middle, ink, "", b.fact)
}

// drawEdge draws the line from b, which ends at bottom, to its child c, which begins at top, and the text on the line.
func (d *drawing) drawEdge(b, c *box, bottom, top float64) {
	color, width := faint, 1.0
	marked := c.steps != "" || c.marked
	if marked {
		color, width = red, 2.5
	}
	bus := bottom + 12
	d.line(color, width, "", b.x, bottom, b.x, bus, c.x, bus, c.x, top)
	height := float64(len(c.edge)) * lineHeight
	if c.steps != "" {
		height += lineHeight
	}
	if height > 0 { // the text covers the line
		w := c.labelWidth()
		d.rect(c.x-w/2, bus+5, w, height+2, `fill="`+paper+`"`, "")
	}
	y := bus + 16
	for _, line := range c.edge {
		d.text(c.x, y, small, middle, ink, "", line)
		y += lineHeight
	}
	if c.steps != "" {
		d.text(c.x, y, normal, middle, red, bold, c.steps)
	}
}

// Memory.

const (
	laneHeight  = 34.0
	overviewRow = 24.0
)

// drawMemory draws the locations of the data, below y, and returns the y at which the drawing ends.
func (d *drawing) drawMemory(y float64) float64 {
	d.text(margin, y, normal, begin, ink, bold, "Memory")
	switch {
	case d.whole.Size < 0:
		d.text(margin, y+22, small, begin, faint, "", "Nothing is known of it.")
		return y + 30
	case d.whole.Size == 0:
		d.text(margin, y+22, small, begin, faint, "", "There is no data.")
		return y + 30
	}
	st := d.strip(d.memory)
	if st == nil || !st.toScale {
		y = d.drawOverview(y + 14)
	}
	if st == nil {
		return y
	}
	if st.toScale {
		d.text(margin+textWidth("Memory", normal)+14, y, small, begin, faint, "", "displacements in bytes, to scale")
		return d.drawStrip(st, d.drawMeasures(st.x, st.width(), y+12)+8)
	}
	d.text(margin, y+28, small, begin, faint, "", "displacements in bytes, not to scale")
	return d.drawStrip(st, y+50)
}

// drawMeasures draws the extent and the true extent, below y.
func (d *drawing) drawMeasures(x func(int64) float64, width, y float64) float64 {
	measure := func(lo, hi int64, y float64, color, label string) {
		a, b := margin+x(lo), margin+x(hi)
		if label != "" {
			half := textWidth(label, small) / 2
			d.text(max(min((a+b)/2, margin+max(width, 2*half)-half), margin+half), y-4, small, middle, color, "", label)
		}
		d.line(color, 1.2, "", a, y-3, a, y+3)
		d.line(color, 1.2, "", b, y-3, b, y+3)
		d.line(color, 1.2, "", a, y, b, y)
	}
	t := d.typ
	y += 16
	label := fmt.Sprintf("extent %d: from lb %d to ub %d", t.Extent(), t.LB, t.UB)
	if d.count == 1 || d.count > 8 {
		measure(t.LB, t.UB, y, ink, label)
	} else {
		d.text(margin, y-4, small, begin, ink, "", fmt.Sprintf("%d copies, each of %s", d.count, label))
		y += 16
		for i := range d.count {
			lo, hi := t.LB+i*t.Extent(), t.UB+i*t.Extent()
			label := fmt.Sprintf("copy %d", i)
			if textWidth(label, small) > x(hi)-x(lo)-6 {
				label = ""
			}
			measure(lo, hi, y, ink, label)
		}
	}
	if w := d.whole; w.TrueLB != w.LB || w.TrueUB != w.UB {
		y += 20
		measure(w.TrueLB, w.TrueUB, y, faint,
			fmt.Sprintf("true extent %d: data from %d to %d", w.TrueUB-w.TrueLB, w.TrueLB, w.TrueUB))
	}
	return y
}

// drawStrip draws the runs and the gaps between them, below y.
func (d *drawing) drawStrip(st *strip, y float64) float64 {
	lanes := slices.Max(st.lanes) + 1
	bottom := y + float64(lanes)*laneHeight
	for _, g := range st.gaps(d.bounds()) {
		d.drawGap(margin+st.x(g.lo), margin+st.x(g.hi), y, g.hi-g.lo)
	}
	for _, h := range st.hidden {
		d.drawHidden(margin+st.x(h.lo), margin+st.x(h.hi), y, h)
	}
	labels := []int64{d.whole.LB, d.whole.UB, d.whole.TrueUB}
	undrawn := 0
	for i, r := range st.runs {
		labels = append(labels, r.at)
		if st.lanes[i] < 0 {
			undrawn++
			continue
		}
		d.drawRun(r, margin+st.x(r.at), margin+st.x(r.end()), y+float64(st.lanes[i])*laneHeight)
	}
	if d.path != nil && d.place.Node.Bytes() > 0 {
		lo, hi := d.marked()
		style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2.5"`, red)
		if d.place.Node.Bytes() != hi-lo {
			style += dashed
		}
		d.rect(margin+st.x(lo)-1, y-3, st.x(hi)-st.x(lo)+2, bottom-y+6, style, d.found())
	}
	for _, b := range d.bounds() {
		if slices.ContainsFunc(st.hidden, func(h hidden) bool { return h.lo < b && b < h.hi }) {
			continue
		}
		x := margin + st.x(b)
		d.line(ink, 1, ` stroke-dasharray="2 3"`, x, y-8, x, bottom+6)
	}
	if !st.toScale { // otherwise the extent is drawn above
		d.drawBoundNames(margin+st.x(d.whole.LB), margin+st.x(d.whole.UB), y-10)
	}
	y = d.drawLabels(st, bottom, labels)
	if undrawn > 0 {
		y += lineHeight
		d.text(margin, y, small, begin, faint, "",
			fmt.Sprintf("and %s more in the same places", plural(int64(undrawn), "run")))
	}
	return y
}

// drawBoundNames writes the names of the lower and the upper bound at their lines, on the inner side.
func (d *drawing) drawBoundNames(lb, ub, y float64) {
	w := textWidth("lb", small)
	if lb-2 < ub && ub-2*w-2 < lb || ub < lb && lb-ub < w { // the bounds are close to each other
		d.text(min(lb, ub), y, small, begin, ink, "", "lb, ub")
		return
	}
	d.text(lb, y, small, begin, ink, "", "lb")
	d.text(ub-w, y, small, begin, ink, "", "ub")
}

func (d *drawing) drawGap(x1, x2, y float64, bytes int64) {
	mid := y + laneHeight/2
	label := gapLabel(bytes)
	if textWidth(label, small)+6 <= x2-x1 {
		d.text((x1+x2)/2, mid+4, small, middle, faint, "", label)
		d.line(pale, 1, dashed, x1, y, x2, y)
		d.line(pale, 1, dashed, x1, y+laneHeight, x2, y+laneHeight)
		return
	}
	d.line(pale, 1, dashed, x1, mid, x2, mid)
}

func gapLabel(bytes int64) string { return fmt.Sprintf("%d B", bytes) }

func (h hidden) lines() (elements, bytes string) {
	if h.elements < 0 {
		return "…", fmt.Sprintf("%s of memory", plural(h.hi-h.lo, "byte"))
	}
	return fmt.Sprintf("… %s …", plural(h.elements, "element")), "in " + plural(h.hi-h.lo, "byte")
}

func hiddenWidth(h hidden) float64 {
	a, b := h.lines()
	return max(textWidth(a, small), textWidth(b, small)) + 24
}

func (d *drawing) drawHidden(x1, x2, y float64, h hidden) {
	a, b := h.lines()
	d.rect(x1+2, y+2, x2-x1-4, laneHeight-4, `fill="#f2f4f7"`, "")
	d.text((x1+x2)/2, y+laneHeight/2-2, small, middle, faint, italic, a)
	d.text((x1+x2)/2, y+laneHeight/2+11, small, middle, faint, italic, b)
}

// label describes the elements of a run.
func (r run) label() string {
	if r.n == 1 {
		return shortName(r.basic)
	}
	return fmt.Sprintf("%d × %s", r.n, shortName(r.basic))
}

// runWidth returns the width of a run if it is not drawn to scale.
func runWidth(r run) float64 {
	w := textWidth(r.label(), small) + 12
	if r.n <= 8 {
		w = max(w, float64(r.n)*14)
	}
	return max(w, textWidth(fmt.Sprint(r.at), small)+10)
}

func (d *drawing) drawRun(r run, x1, x2, y float64) {
	tip := fmt.Sprintf("%d × %s, %s, from %d to %d", r.n, r.basic.Name, plural(r.n*r.size, "byte"), r.at, r.end())
	d.rect(x1, y+2, x2-x1, laneHeight-4, fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="1"`, d.colors[r.basic], ink),
		tip)
	label := r.label()
	if textWidth(label, small)+4 > x2-x1 {
		label = shortName(r.basic)
	}
	fits := textWidth(label, small)+4 <= x2-x1
	if cell := (x2 - x1) / float64(r.n); r.n > 1 && cell >= 4 {
		// Marks on the edge separate the elements. They do not cover the text.
		for i := range r.n - 1 {
			x := x1 + float64(i+1)*cell
			if fits {
				d.line(ink, 0.8, "", x, y+2, x, y+8)
				d.line(ink, 0.8, "", x, y+laneHeight-8, x, y+laneHeight-2)
			} else {
				d.line(ink, 0.8, "", x, y+2, x, y+laneHeight-2)
			}
		}
	}
	if fits {
		d.text((x1+x2)/2, y+laneHeight/2+4, small, middle, ink, "", label)
	}
}

// drawLabels writes displacements below a strip that ends at y, each at its position. It uses as many rows as necessary
// to avoid overlaps, and omits labels for which there is no space. It returns the y at which the last row ends.
func (d *drawing) drawLabels(st *strip, y float64, at []int64) float64 {
	var ends [3]float64 // of the rows
	used := 0
	slices.Sort(at)
	for _, a := range slices.Compact(at) {
		label, x := fmt.Sprint(a), margin+st.x(a)
		half := textWidth(label, small) / 2
		row := slices.IndexFunc(ends[:], func(end float64) bool { return end <= x-half })
		if row < 0 {
			continue
		}
		ends[row] = x + half + 6
		used = max(used, row+1)
		base := y + 18 + float64(row)*lineHeight
		d.line(faint, 0.8, "", x, y, x, base-10)
		d.text(x, base, small, middle, ink, "", label)
	}
	return y + 8 + float64(used)*lineHeight
}
