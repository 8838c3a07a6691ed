package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes of text in pixels. All text has a fixed-width font, so its width can be computed.
const (
	big    = 15.0
	normal = 13.0
	small  = 11.0
)

const (
	ink   = "#1f2933"
	faint = "#66727f"
	pale  = "#b8c0c8"
	red   = "#c8102e"
	paper = "#ffffff"
)

// palette has colours for basic types. Black text is readable on them, and colour-blind people can distinguish them.
var palette = []string{
	"#9ecae9", "#ffbf79", "#8fd694", "#d4b9e6", "#f5dd6b", "#8fd3cf", "#e3bfa3", "#c9ced4", "#b8c4ff", "#d9e08a",
}

// mixedColor is the colour of places with elements of several types.
const mixedColor = "#9aa5b1"

// textWidth returns the approximate width of a text.
func textWidth(text string, size float64) float64 {
	return float64(utf8.RuneCountInString(text)) * size * 0.61
}

// canvas is an SVG picture while it is drawn.
type canvas struct {
	bytes.Buffer
	right, bottom float64 // the limits of the drawing so far
}

func num(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // writing to a Buffer does not fail
	return b.String()
}

func (c *canvas) reach(x, y float64) { c.right, c.bottom = max(c.right, x), max(c.bottom, y) }

// rect draws a rectangle. The tip, if any, is shown when the pointer rests on it.
func (c *canvas) rect(x, y, w, h float64, attributes, tip string) {
	c.reach(x+w, y+h)
	fmt.Fprintf(c, `<rect x="%s" y="%s" width="%s" height="%s" %s`, num(x), num(y), num(max(w, 0)), num(h), attributes)
	if tip == "" {
		c.WriteString("/>\n")
		return
	}
	fmt.Fprintf(c, "><title>%s</title></rect>\n", escape(tip))
}

// line draws a line through points, given as alternating x and y.
func (c *canvas) line(color string, width float64, more string, points ...float64) {
	var d []string
	for i := 0; i < len(points); i += 2 {
		c.reach(points[i], points[i+1])
		d = append(d, num(points[i])+","+num(points[i+1]))
	}
	fmt.Fprintf(c, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%s"%s/>`+"\n", strings.Join(d, " "),
		color, num(width), more)
}

// The position of a text relative to its x.
const (
	begin  = "start"
	middle = "middle"
)

// text writes text on the base line y.
func (c *canvas) text(x, y, size float64, anchor, fill, more, text string) {
	w := textWidth(text, size)
	if anchor == middle {
		c.reach(x+w/2, y+4)
	} else {
		c.reach(x+w, y+4)
	}
	fmt.Fprintf(c, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s"%s>%s</text>`+"\n",
		num(x), num(y), num(size), anchor, fill, more, escape(text))
}

// Additional attributes of text and lines.
const (
	bold   = ` font-weight="bold"`
	italic = ` font-style="italic"`
	dashed = ` stroke-dasharray="3 3"`
)

// document returns the whole picture.
func (c *canvas) document(title string) []byte {
	const margin = 20
	w, h := c.right+margin, c.bottom+margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" `+
		`font-family="DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace">`+"\n<title>%s</title>\n",
		num(w), num(h), num(w), num(h), escape(title))
	fmt.Fprintf(&out, `<rect width="%s" height="%s" fill="%s"/>`+"\n", num(w), num(h), paper)
	out.Write(c.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}
