package waitgraph

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// Sizes in the picture, in units of about one pixel.
const (
	boxWidth  = 190.0
	boxHeight = 62.0
	gap       = 70.0 // between boxes
	margin    = 30.0
	legend    = 34.0 // height
	arrow     = 7.0
)

type point struct{ x, y float64 }

// SVG writes the graph as a picture.
func (g *Graph) SVG(w io.Writer) error {
	at, size := g.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="sans-serif" font-size="13">`+"\n", size.x, size.y, size.x, size.y)
	b.WriteString("<title>Wait-for graph</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	fmt.Fprintf(&b, `<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="%g" `+
		`markerHeight="%g" orient="auto"><path d="M0 0L10 5L0 10z" fill="#444"/></marker></defs>`+"\n", arrow, arrow)
	for _, a := range g.Arcs {
		g.drawArc(&b, a, at)
	}
	for i := range g.Nodes {
		g.Nodes[i].draw(&b, at[i])
	}
	for _, a := range g.Arcs {
		g.drawLabel(&b, a, at)
	}
	y := size.y - legend/2
	fmt.Fprintf(&b, `<g fill="#444" stroke="none"><path d="M%g %gh40" stroke="#444" marker-end="url(#head)"/>`+
		`<text x="%g" y="%g">waits for all of these</text>`, margin, y, margin+48, y+4)
	fmt.Fprintf(&b, `<path d="M%g %gh40" stroke="#444" stroke-dasharray="6 4" marker-end="url(#head)"/>`+
		`<text x="%g" y="%g">for any of these</text></g>`+"\n</svg>\n", margin+210, y, margin+258, y+4)
	_, err := io.WriteString(w, b.String())
	return err
}

// layout returns the centres of the nodes and the size of the picture. The nodes of the knot form a circle; the others
// form a column to the right of it.
func (g *Graph) layout() (at []point, size point) {
	var circle, column []int
	for i := range g.Nodes {
		if g.Nodes[i].Kind == Knot {
			circle = append(circle, i)
		} else {
			column = append(column, i)
		}
	}
	at = make([]point, len(g.Nodes))
	radius := 0.0
	if n := len(circle); n > 1 {
		// The chord between neighbours has space for a box and the label of the arc.
		radius = (boxWidth + 2*gap) / (2 * math.Sin(math.Pi/float64(n)))
	}
	left := margin
	if len(circle) > 0 {
		centre := point{margin + boxWidth/2 + radius, 0}
		for k, i := range circle {
			angle := 2*math.Pi*float64(k)/float64(len(circle)) - math.Pi/2
			if len(circle) == 2 {
				angle += math.Pi / 2
			}
			at[i] = point{centre.x + radius*math.Cos(angle), centre.y + radius*math.Sin(angle)}
		}
		left = centre.x + radius + boxWidth/2 + 2*gap
	}
	for k, i := range column {
		at[i] = point{left + boxWidth/2, (float64(k) - float64(len(column)-1)/2) * (boxHeight + gap)}
	}
	return at, fit(at)
}

// fit moves the nodes to the beginning of the picture, and returns its size.
func fit(at []point) (size point) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range at {
		low, high = min(low, p.y), max(high, p.y)
		size.x = max(size.x, p.x+boxWidth/2+margin+gap/2)
	}
	down := margin + gap/2 + boxHeight/2 - low
	for i := range at {
		at[i].y += down
	}
	return point{max(size.x, 460), high + down + boxHeight/2 + gap/2 + legend + margin}
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a strings.Builder does not fail
	return b.String()
}

func (n *Node) draw(b *strings.Builder, p point) {
	fmt.Fprintf(b, `<g text-anchor="middle">`+
		`<rect x="%.1f" y="%.1f" width="%g" height="%g" rx="6" fill="%s" stroke="#555"/>`,
		p.x-boxWidth/2, p.y-boxHeight/2, boxWidth, boxHeight, fill[n.Kind])
	lines := []string{n.who(), n.Call}
	if n.Place != "" {
		lines = append(lines, n.Place)
	}
	y := p.y - float64(len(lines)-1)*9 + 4.5
	for i, text := range lines {
		weight := ""
		if i == 0 {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f"%s>%s</text>`, p.x, y+float64(i)*18, weight, escape(clip(text)))
	}
	b.WriteString("</g>\n")
}

// clip shortens a text that does not fit into a box.
func clip(s string) string {
	const longest = 27
	if r := []rune(s); len(r) > longest {
		return "…" + string(r[len(r)-longest+1:])
	}
	return s
}

// bend is the distance of an arc from the straight line. Arcs bend to the right, so that the two arcs between a pair of
// nodes are apart.
const bend = 24.0

// control returns the control point of the curve between two nodes.
func control(p, q point) point {
	d := math.Hypot(q.x-p.x, q.y-p.y)
	return point{(p.x+q.x)/2 - 2*bend*(q.y-p.y)/d, (p.y+q.y)/2 + 2*bend*(q.x-p.x)/d}
}

// border returns the point at which the line from the centre of a box to q leaves the box.
func border(p, q point) point {
	dx, dy := q.x-p.x, q.y-p.y
	t := min(boxWidth/2/max(math.Abs(dx), 1e-9), boxHeight/2/max(math.Abs(dy), 1e-9))
	return point{p.x + t*dx, p.y + t*dy}
}

func (g *Graph) drawArc(b *strings.Builder, a Arc, at []point) {
	dash := ""
	if a.Any {
		dash = ` stroke-dasharray="6 4"`
	}
	p, q := at[a.From], at[a.To]
	if a.From == a.To {
		x, y := p.x+boxWidth/2, p.y
		fmt.Fprintf(b, `<path d="M%.1f %.1fc45 -40 45 50 2 28" fill="none" stroke="#444"%s marker-end="url(#head)"/>`+
			"\n", x, y-12, dash)
		return
	}
	c := control(p, q)
	from, to := border(p, c), border(q, c)
	fmt.Fprintf(b, `<path d="M%.1f %.1fQ%.1f %.1f %.1f %.1f" fill="none" stroke="#444"%s marker-end="url(#head)"/>`+
		"\n", from.x, from.y, c.x, c.y, to.x, to.y, dash)
}

func (g *Graph) drawLabel(b *strings.Builder, a Arc, at []point) {
	if a.Label == "" || a.From == a.To {
		return
	}
	p, q := at[a.From], at[a.To]
	c := control(p, q)
	from, to := border(p, c), border(q, c)
	m := point{(from.x + 2*c.x + to.x) / 4, (from.y + 2*c.y + to.y) / 4}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-size="11" fill="#333" stroke="#fff" `+
		`stroke-width="4" paint-order="stroke">%s</text>`+"\n",
		m.x, m.y+4, escape(a.Label))
}
