package finding

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Baseline is what was found in an earlier run, so that findings which are new can be told apart.
//
// Findings are the same if they are of the same check and at the same places: MPI functions and the functions and
// source files on their call stacks agree. Lines that agree, too, come first. Of those places of the earlier run that
// then remain, each stands for one place whose lines do not agree, as lines move when a file is changed.
type Baseline struct {
	groups map[string]*baselineGroup // by what must agree
}

// baselineGroup is what differs in nothing but lines.
type baselineGroup struct {
	earlier map[string]*baselinePlace // by lines: which of now's places has it
	now     map[string]*baselinePlace
}

// baselinePlace is a place of this run, with all findings there.
type baselinePlace struct {
	lines   string
	known   string // the lines of the earlier place that it is taken for
	is      bool   // known
	entries []*entry
}

// NewBaseline returns the baseline of an earlier run with these findings.
func NewBaseline(findings []*Finding) *Baseline {
	b := &Baseline{groups: make(map[string]*baselineGroup)}
	for _, f := range findings {
		agree, lines := identity(f)
		g := b.groups[agree]
		if g == nil {
			g = &baselineGroup{earlier: make(map[string]*baselinePlace), now: make(map[string]*baselinePlace)}
			b.groups[agree] = g
		}
		g.earlier[lines] = nil
	}
	return b
}

// claim tells whether a finding is known. Findings that were taken to be known until now, but are not, come second.
func (b *Baseline) claim(e *entry) (known bool, changed []*entry) {
	if b == nil {
		return false, nil
	}
	agree, lines := identity(&e.finding)
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

// takeAny takes a place for one of the earlier run that is left.
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

// identity returns what must agree for two findings to be the same, and the lines.
func identity(f *Finding) (agree, lines string) {
	var all []string // a text for each site, so that their order and the number of ranks don't matter
	for i := range f.Sites {
		s := &f.Sites[i]
		function, _, _ := strings.Cut(s.Call, "(")
		var a, l strings.Builder
		a.WriteString(function)
		for _, fr := range Trim(s.Stack) {
			where := fr.Module
			if fr.File != "" {
				where = filepath.Base(fr.File)
			}
			a.WriteString("\x01" + fr.Function + "\x02" + where)
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
