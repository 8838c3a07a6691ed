package pipeline

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/symbol/python"
)

// pythonCodes knows the codes of Python functions. Equal ones are kept once: ranks mostly run the same program.
type pythonCodes struct {
	known   map[python.Code]*python.Code
	threads map[ring.ThreadID]map[uint32]*python.Code // by number
}

func (p *pythonCodes) add(id ring.ThreadID, c event.Code) {
	if p.known == nil {
		p.known, p.threads = make(map[python.Code]*python.Code), make(map[ring.ThreadID]map[uint32]*python.Code)
	}
	code := python.Code{Version: c.Version, Name: c.Name, File: c.File, FirstLine: c.FirstLine, Lines: string(c.Lines)}
	if p.known[code] == nil {
		p.known[code] = &code
	}
	if p.threads[id] == nil {
		p.threads[id] = make(map[uint32]*python.Code)
	}
	p.threads[id][c.ID] = p.known[code]
}

// frames returns the Python functions of a call site, in groups: a C frame of the interpreter belongs to each group. A
// group may be empty.
func (p *pythonCodes) frames(id ring.ThreadID, stack []event.PythonFrame) (groups [][]finding.Frame) {
	var group []finding.Frame
	for _, f := range stack {
		if c := p.threads[id][f.Code]; c != nil && !isInternal(c) {
			group = append(group, finding.Frame{
				Function: c.Name, File: c.File, Line: c.Line(f.At), Language: finding.Python,
			})
		}
		if f.Entry {
			groups, group = append(groups, group), nil
		}
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// isInternal reports whether a code is the interpreter's own: for example, one that cleans up after __init__. Those of
// an import are of no interest, either.
func isInternal(c *python.Code) bool {
	return c.File == "" || c.File == c.Name || strings.HasPrefix(c.File, "<frozen ")
}

// isInterpreter reports whether a file is CPython itself: all of its frames are the interpreter's.
func isInterpreter(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "libpython3") || strings.HasPrefix(base, "python3") || base == "python"
}

// evaluates reports whether a C function executes Python functions.
func evaluates(function string) bool { return strings.HasPrefix(function, "_PyEval_EvalFrame") }

// A cFrame is a C function, with the file that has it.
type cFrame struct {
	finding.Frame
	path string
}

// interleave returns a stack with the Python functions in place of the interpreter's C functions.
func interleave(stack []cFrame, groups [][]finding.Frame) (out []finding.Frame) {
	evaluations := 0
	for i := range stack {
		if evaluates(stack[i].Function) {
			evaluations++
		}
	}
	for i := range stack {
		f := &stack[i]
		isEvaluation := evaluates(f.Function)
		own := isEvaluation || isInterpreter(f.path)
		if !own {
			out = append(out, f.Frame)
			continue
		}
		if !isEvaluation && evaluations > 0 || len(groups) == 0 {
			continue
		}
		n := 1
		if evaluations--; evaluations <= 0 { // the last one; or the C stack was cut, or has no names
			n = len(groups)
		}
		out = append(out, slices.Concat(groups[:n]...)...)
		groups = groups[n:]
	}
	return append(out, slices.Concat(groups...)...)
}
