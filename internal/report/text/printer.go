package text

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/lazyregexp"
	"github.com/mpivet/mpivet/internal/report"
)

const (
	maxFrames   = 40 // of a stack: interpreters and infinite recursion have hundreds
	maxOwn      = 4  // frames of the program in a stack, without Options.Verbose
	maxCalls    = 6  // of a place: the calls of hundreds of ranks may differ in one argument
	indentation = "   "
)

// printer collects the lines of one finding.
type printer struct {
	strings.Builder
	opts   *Options
	prefix string // without colour
	color  string // of the severity
	begun  bool
	quoted map[string]bool // places whose source was printed
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[36m"
	green  = "\x1b[32m"
	reset  = "\x1b[0m"
)

func severityColor(s finding.Severity) string {
	switch s {
	case finding.Fatal, finding.Error:
		return red
	case finding.Warning:
		return yellow
	}
	return cyan
}

func (r *Reporter) begin(f *finding.Finding) *printer {
	rank := -1
	switch {
	case len(f.Sites) > 0:
		rank = f.Sites[0].Rank
	case len(f.Ranks) > 0:
		rank = f.Ranks[0]
	}
	p := &printer{opts: &r.opts, color: severityColor(f.Severity), quoted: make(map[string]bool)}
	name := strings.ToUpper(f.Severity.String())
	if rank >= 0 {
		p.prefix = fmt.Sprintf("[%d] %s: ", rank, name)
	} else {
		p.prefix = name + ": "
	}
	return p
}

// paint colours a text if the options have colours.
func (o *Options) paint(color, s string) string {
	if !o.Color || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

// headline prints the first line: check, place and the first line of the message. It returns the other lines.
func (p *printer) headline(f *finding.Finding, at string) []string {
	message := strings.Split(strings.TrimRight(f.Message, "\n"), "\n")
	text := clean(f.Check) + ": "
	if at != "" {
		text += clean(at) + ": "
	}
	for i, l := range wrap(text+clean(message[0]), p.room(0), len(indentation)) {
		if i == 0 {
			l = p.opts.paint(bold, l)
		}
		p.raw(l)
	}
	return message[1:]
}

// line prints a line. It wraps it if necessary.
func (p *printer) line(level int, text string) {
	indent := strings.Repeat(indentation, level)
	text = clean(text)
	// The wrapped lines of an indented message are indented, too.
	own := len(text) - len(strings.TrimLeft(text, " "))
	for _, l := range wrap(text, p.room(level), own+2) {
		p.raw(indent + l)
	}
}

// paragraph prints a text after a word that introduces it. It prints nothing if the text is empty.
func (p *printer) paragraph(word, text string) {
	if text == "" {
		return
	}
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 {
			l = word + l
		}
		p.line(1, l)
	}
}

// raw prints a line after the prefix. Only the first line has one, unless Options.Prefixes is set.
func (p *printer) raw(s string) {
	s = strings.TrimRight(s, " ")
	if !p.begun || p.opts.Prefixes {
		p.WriteString(p.opts.paint(p.color, strings.TrimSuffix(p.prefix, " ")))
		if s != "" {
			p.WriteByte(' ')
		}
	}
	p.begun = true
	p.WriteString(s)
	p.WriteByte('\n')
}

// room returns the number of columns for a line at a level; 0 if it is not limited.
func (p *printer) room(level int) int {
	if p.opts.Width == 0 {
		return 0
	}
	prefix := 0
	if !p.begun || p.opts.Prefixes {
		prefix = len(p.prefix)
	}
	return max(p.opts.Width-prefix-level*len(indentation), 20)
}

// sites prints the places of a finding.
func (p *printer) sites(f *finding.Finding) {
	for _, place := range report.Fold(f.Sites) {
		p.place(&place)
	}
}

// place prints the place of an event: the ranks, the call and the stack.
func (p *printer) place(pl *report.Place) {
	who := "Rank " + strconv.Itoa(pl.Ranks[0])
	switch {
	case len(pl.Ranks) > 1 && len(pl.Calls) > 1:
		who = "Ranks " + finding.RankList(pl.Ranks)
	case len(pl.Ranks) > 1:
		who += " (same on " + finding.RankNames(pl.Ranks[1:]) + ")"
	}
	if pl.Role != "" {
		who += ", " + pl.Role
	}
	p.line(1, who+":")
	for i, c := range pl.Calls {
		if c.Text == "" {
			continue
		}
		if i == maxCalls && len(pl.Calls) > maxCalls+1 {
			p.line(2, fmt.Sprintf("… and %d more calls like these", len(pl.Calls)-maxCalls))
			break
		}
		text := p.call(c.Text)
		if len(pl.Calls) > 1 {
			text = "[" + finding.RankList(c.Ranks) + "] " + text
		}
		p.line(2, text)
	}
	p.stack(finding.Trim(pl.Stack))
}

var (
	// pointer matches an argument whose value is an address.
	pointer = lazyregexp.New(`\*?(\w+)=0x[0-9a-f]+`)
	// indirect matches an argument that is passed by its address, and has a name as its value.
	indirect = lazyregexp.New(`\*(\w+=)`)
)

// call returns the text of a call. Addresses say nothing to most readers.
func (p *printer) call(text string) string {
	if p.opts.Verbose {
		return text
	}
	return indirect().ReplaceAllString(pointer().ReplaceAllString(text, "$1"), "$1")
}

// stack prints the frames of a stack: with Options.Verbose all of them, else the innermost one and the program's
// innermost ones.
func (p *printer) stack(stack []finding.Frame) {
	own, most := p.opts.Layers.Program(stack), maxOwn
	if p.opts.Verbose {
		p.frames(stack[:own])
		most = maxFrames
	} else if own > 0 {
		p.frames(stack[:1])
		if own > 1 {
			p.line(3, fmt.Sprintf("… %s of libraries", number(uint64(own-1), "more frame")))
		}
	}
	stack = stack[own:]
	if len(stack) <= most+1 {
		p.frames(stack)
		return
	}
	p.frames(stack[:most-1])
	p.line(3, fmt.Sprintf("… %s", number(uint64(len(stack)-most), "more frame")))
	p.frames(stack[len(stack)-1:])
}

// frames prints frames, and the source of the first one that is the program's own.
func (p *printer) frames(frames []finding.Frame) {
	for i := range frames {
		p.line(3, frame(&frames[i], p.opts.Dir))
		if i == 0 && !p.opts.Layers.Has(&frames[i]) {
			p.source(&frames[i])
		}
	}
}

// frame returns a line of a stack: function (file:line), or function (module+address) if the line is not known. The
// address is one that addr2line takes.
func frame(f *finding.Frame, dir string) string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", f.Function, shorten(f.File, dir), f.Line)
	case f.File != "":
		return fmt.Sprintf("%s (%s)", f.Function, shorten(f.File, dir))
	case f.Module != "" && !strings.HasPrefix(f.Function, f.Module+"+") && f.Address != 0:
		return fmt.Sprintf("%s (%s+%#x)", f.Function, f.Module, f.Address)
	case f.Module != "" && !strings.HasPrefix(f.Function, f.Module+"+"):
		return fmt.Sprintf("%s (%s)", f.Function, f.Module)
	}
	return f.Function
}

// shorten returns the path of a file relative to dir if the file is below dir.
func shorten(file, dir string) string {
	if dir == "" || dir == "/" {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return file
	}
	return rel
}

// where returns the program's innermost frame of the first site that has a line; else the innermost frame; nil if there
// is none.
func (o *Options) where(f *finding.Finding) *finding.Frame {
	var first *finding.Frame
	for i := range f.Sites {
		stack := finding.Trim(f.Sites[i].Stack)
		own := stack[o.Layers.Program(stack):]
		if first == nil && len(own) > 0 {
			first = &own[0]
		}
		if j := slices.IndexFunc(own, func(fr finding.Frame) bool { return fr.Line > 0 }); j >= 0 {
			return &own[j]
		}
	}
	return first
}
