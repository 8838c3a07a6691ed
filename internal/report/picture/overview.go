package picture

import (
	"fmt"
	"math"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// overview is the memory of a buffer, to scale, pixel by pixel.
type overview struct {
	*memory
	lo, hi int64
	// covered is the fraction of a pixel's bytes that are data, 0 to 1. basics is the type of the data; nil for several
	// types.
	covered [int(stripWidth)]float64
	basics  [int(stripWidth)]*datatype.Basic
}

// overview examines the bytes from lo up to hi.
func (m *memory) overview(lo, hi int64) *overview {
	o := &overview{memory: m, lo: lo, hi: hi}
	o.visit(m.typ.Root(), 0)
	return o
}

// pixel returns the number of bytes per pixel.
func (o *overview) pixel() float64 { return float64(o.hi-o.lo) / float64(len(o.covered)) }

func (o *overview) visit(n datatype.Node, at int64) {
	lo, hi := n.Bounds()
	if d := o.dense(n); d.ok || float64(hi-lo) <= o.pixel() || o.fine(n) || !o.look(n) {
		o.paint(at+lo, at+hi, float64(n.Bytes()), o.basic(n))
		return
	}
	for i := range n.Touching(math.MinInt64/4, math.MaxInt64/4) {
		o.visit(n.Child(i), at+n.At(i))
	}
}

// fine reports whether neighbouring children are too close together to be distinguished.
func (o *overview) fine(n datatype.Node) bool {
	return n.Uniform() && n.Children() > 1 && math.Abs(float64(n.At(1)-n.At(0))) < o.pixel()/2 &&
		math.Abs(float64(n.At(n.Children()-1)-n.At(0))) < float64(n.Children())*o.pixel()/2
}

// basic returns the basic type of a node's elements; nil if there are several.
func (o *overview) basic(n datatype.Node) *datatype.Basic {
	for n.Type == nil {
		n = n.Child(0)
	}
	if found := o.types(n.Type); len(found) == 1 {
		return found[0]
	}
	return nil
}

// paint distributes bytes of data evenly over the bytes from lo up to hi.
func (o *overview) paint(lo, hi int64, bytes float64, b *datatype.Basic) {
	if hi <= lo {
		return
	}
	density := min(1, bytes/float64(hi-lo))
	from, to := float64(lo-o.lo)/o.pixel(), float64(hi-o.lo)/o.pixel()
	for i := int(from); i < len(o.covered) && float64(i) < to; i++ {
		part := min(to, float64(i+1)) - max(from, float64(i))
		if o.covered[i] > 0 && o.basics[i] != b {
			b = nil
		}
		o.covered[i] = min(1, o.covered[i]+density*part)
		o.basics[i] = b
	}
}

// drawOverview draws the whole buffer to scale, below y, and returns the y at which the drawing ends.
func (d *drawing) drawOverview(y float64) float64 {
	t := d.whole
	lo, hi := min(t.LB, t.UB, t.TrueLB), max(t.LB, t.UB, t.TrueUB)
	if d.typ.Extent() < 0 {
		lo, hi = min(lo, d.typ.UB), max(hi, d.typ.LB)
	}
	x := func(at int64) float64 { return float64(at-lo) / float64(hi-lo) * stripWidth }
	y = d.drawMeasures(x, stripWidth, y)
	y += 8
	d.rect(margin, y, stripWidth, overviewRow, fmt.Sprintf(`fill="#f8f9fa" stroke="%s" stroke-width="0.7"`, pale), "")
	o := d.memory.overview(lo, hi)
	d.drawPixels(o, y)
	if d.path != nil && d.place.Node.Bytes() > 0 {
		lo, hi := d.marked()
		a, b := margin+x(lo), margin+x(hi)
		d.rect(a-1, y-3, max(b-a, 1)+2, overviewRow+6, fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2"`, red),
			d.found())
	}
	d.text(margin, y+overviewRow+14, small, begin, faint, "",
		fmt.Sprintf("to scale, %s to the pixel; paler where gaps are too narrow to see", bytesPerPixel(o.pixel())))
	return y + overviewRow + 18
}

// drawPixels draws the pixels. All pixels with the same look are one path.
func (d *drawing) drawPixels(o *overview, y float64) {
	type look struct {
		color   string
		opacity int // in eighths
	}
	at := func(i int) look {
		if o.covered[i] == 0 {
			return look{}
		}
		l := look{d.colors[o.basics[i]], 2 + int(math.Round(6*o.covered[i]))}
		if o.basics[i] == nil {
			l.color = mixedColor
			d.mixed = true
		}
		return l
	}
	var looks []look // in the order of their first pixels
	paths := map[look]*strings.Builder{}
	for i := 0; i < len(o.covered); {
		j := i + 1
		for j < len(o.covered) && at(j) == at(i) {
			j++
		}
		if l := at(i); l != (look{}) {
			if paths[l] == nil {
				paths[l] = new(strings.Builder)
				looks = append(looks, l)
			}
			fmt.Fprintf(paths[l], "M%s %sh%dv%sh-%dz", num(margin+float64(i)), num(y), j-i, num(overviewRow), j-i)
		}
		i = j
	}
	for _, l := range looks {
		fmt.Fprintf(d, `<path fill="%s" fill-opacity="%.2f" d="%s"/>`+"\n", l.color, float64(l.opacity)/8, paths[l])
	}
}

func bytesPerPixel(n float64) string {
	if n < 10 {
		return fmt.Sprintf("%.1f bytes", n)
	}
	return fmt.Sprintf("%.0f bytes", n)
}
