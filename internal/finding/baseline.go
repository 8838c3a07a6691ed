package finding

import (
	"slices"
	"strconv"
	"strings"
)

// Baseline is the findings of an earlier run. It shows which findings are new.
//
// Two findings are the same if they are of the same check and at the same places: the MPI functions agree, and so do
// the functions and source files of the frames that identify the cause (Layers.Cause). Places whose line numbers agree,
// too, are matched first. Each place of the earlier run that then remains matches one place with different line
// numbers, because lines move when a file is changed.
type Baseline struct {
	groups map[string]*baselineGroup // by the parts that must agree
	layers *Layers
}

// baselineGroup has places that differ only in line numbers.
type baselineGroup struct {
	earlier map[string]*baselinePlace // by lines: the place in now that matches it; nil if none does
	now     map[string]*baselinePlace
}

// baselinePlace is a place of this run, with all findings there.
type baselinePlace struct {
	lines   string
	known   string // the lines of the earlier place that it matches
	is      bool   // it is known: an earlier place matches it
	entries []*entry
}

// NewBaseline returns the baseline of an earlier run with these findings.
func NewBaseline(findings []*Finding, layers *Layers) *Baseline {
	b := &Baseline{groups: make(map[string]*baselineGroup), layers: layers}
	for _, f := range findings {
		agree, lines := identity(f, layers)
		g := b.groups[agree]
		if g == nil {
			g = &baselineGroup{earlier: make(map[string]*baselinePlace), now: make(map[string]*baselinePlace)}
			b.groups[agree] = g
		}
		g.earlier[lines] = nil
	}
	return b
}

// claim reports whether a finding is known. changed are the findings that counted as known until now, but no longer do.
func (b *Baseline) claim(e *entry) (known bool, changed []*entry) {
	if b == nil {
		return false, nil
	}
	agree, lines := identity(&e.finding, b.layers)
	g := b.groups[agree]
	if g == nil {
		return false, nil
	}
	p := g.now[lines]
	if p != nil {
		p.entries = append(p.entries, e)
		return p.is, nil
	}
	p = &baselinePlace{lines: lines, entries: []*entry{e}}
	g.now[lines] = p
	if other, ok := g.earlier[lines]; ok {
		g.take(p, lines)
		if other != nil && !g.takeAny(other) {
			other.is = false
			changed = other.entries
		}
		return true, changed
	}
	return g.takeAny(p), nil
}

func (g *baselineGroup) take(p *baselinePlace, lines string) {
	g.earlier[lines] = p
	p.known, p.is = lines, true
}

// takeAny matches a place with any remaining place of the earlier run.
func (g *baselineGroup) takeAny(p *baselinePlace) bool {
	var free []string
	for lines, q := range g.earlier {
		if q == nil {
			free = append(free, lines)
		}
	}
	if len(free) == 0 {
		return false
	}
	g.take(p, slices.Min(free))
	return true
}

// identity returns the parts that must agree for two findings to be the same, and the line numbers.
func identity(f *Finding, layers *Layers) (agree, lines string) {
	var all []string // one text per site, so the order of the sites and the number of ranks do not matter
	for i := range f.Sites {
		s := &f.Sites[i]
		function, _, _ := strings.Cut(s.Call, "(")
		var a, l strings.Builder
		a.WriteString(function)
		for _, fr := range layers.Cause(Trim(s.Stack)) {
			a.WriteString("\x01" + fr.Function + "\x02" + fr.where())
			l.WriteString(strconv.Itoa(fr.Line) + " ")
		}
		all = append(all, a.String()+"\x03"+l.String())
	}
	slices.Sort(all)
	var a, l strings.Builder
	a.WriteString(f.Check)
	for _, s := range slices.Compact(all) {
		x, y, _ := strings.Cut(s, "\x03")
		a.WriteString("\x04" + x)
		l.WriteString("|" + y)
	}
	return a.String(), l.String()
}
