// Package suppress reads and writes files of suppressions: rules for findings that the user does not want to see. A
// file is a YAML list:
//
//   - check: LOCAL:*:NOT_FREED      # a pattern as --check takes it
//     module: libhdf5.so*
//     reason: the library keeps its types for the next file
//   - check: GLOBAL:MSG:PENDING
//     function: finish              # somewhere on a call stack; with "frame: caller", the caller of MPI
//     file: src/io.c
//     lines: 120-140
//     reason: no process receives the last message
//
// The conditions function, file, lines and module must all hold for one frame. Instead of them, there may be stacks:
// lists of frames, innermost first. Every call stack of the finding must begin with one of them.
package suppress

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/mpivet/mpivet/internal/config/yamlfile"
	"github.com/mpivet/mpivet/internal/finding"
)

// rule is an element of the list.
type rule struct {
	Check    string    `yaml:"check"`
	Function string    `yaml:"function,omitempty"`
	File     string    `yaml:"file,omitempty"`
	Lines    string    `yaml:"lines,omitempty"`
	Module   string    `yaml:"module,omitempty"`
	Frame    string    `yaml:"frame,omitempty"` // any or caller
	Stacks   [][]frame `yaml:"stacks,omitzero"` // empty for a finding without call stacks
	Reason   string    `yaml:"reason"`
}

// frame is a finding.FramePattern.
type frame struct {
	Function string `yaml:"function,omitempty"`
	File     string `yaml:"file,omitempty"`
	Lines    string `yaml:"lines,omitempty"` // 12 or 12-20
	Module   string `yaml:"module,omitempty"`
}

// ReadFile returns the rules in a file. It uses rules to check that the named checks exist. An error is one line, with
// file and line number.
func ReadFile(path string, rules *finding.Rules) ([]*finding.Suppression, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data, rules)
}

func parse(path string, data []byte, rules *finding.Rules) ([]*finding.Suppression, error) {
	body, err := yamlfile.Parse(path, data)
	if err != nil || body == nil {
		return nil, err
	}
	list, ok := body.(*ast.SequenceNode)
	if !ok {
		return nil, yamlfile.Errorf(path, body, "want a list of rules, each with a check and a reason (- check: …)")
	}
	var out []*finding.Suppression
	for _, n := range list.Values {
		if _, ok := yamlfile.Pairs(n); !ok {
			return nil, yamlfile.Errorf(path, n, "want a rule, with check: and reason:")
		}
		var r rule
		if err := yaml.NodeToValue(n, &r, yaml.Strict()); err != nil {
			return nil, yamlfile.Error(path, err)
		}
		s, err := r.suppression(rules)
		if err != nil {
			return nil, yamlfile.Errorf(path, n, "%w", err)
		}
		s.Origin = fmt.Sprintf("%s:%d", path, yamlfile.Line(n))
		out = append(out, s)
	}
	return out, nil
}

// suppression checks and converts a rule.
func (r *rule) suppression(rules *finding.Rules) (*finding.Suppression, error) {
	s := &finding.Suppression{Check: r.Check, Reason: strings.TrimSpace(r.Reason)}
	if r.Check == "" {
		return nil, fmt.Errorf("the rule has no check: name one, or a pattern such as LOCAL:*:NOT_FREED")
	}
	if err := rules.Known(r.Check); err != nil {
		return nil, err
	}
	if s.Reason == "" {
		return nil, fmt.Errorf("the rule has no reason: say why these findings are all right")
	}
	var err error
	own := frame{r.Function, r.File, r.Lines, r.Module}
	if s.Frame, err = own.pattern(); err != nil {
		return nil, err
	}
	switch r.Frame {
	case "", "any":
	case "caller":
		s.Caller = true
	default:
		return nil, fmt.Errorf("frame: %q is neither any nor caller", r.Frame)
	}
	if s.Caller && own == (frame{}) {
		return nil, fmt.Errorf("frame: caller needs a function, file or module")
	}
	if r.Stacks == nil {
		return s, nil
	}
	if own != (frame{}) {
		return nil, fmt.Errorf("a rule has either stacks or conditions of its own")
	}
	s.Stacks = [][]finding.FramePattern{}
	for _, stack := range r.Stacks {
		var patterns []finding.FramePattern
		for _, f := range stack {
			p, err := f.pattern()
			if err != nil {
				return nil, err
			}
			patterns = append(patterns, p)
		}
		if len(patterns) == 0 {
			return nil, fmt.Errorf("stacks: one of them has no frames")
		}
		s.Stacks = append(s.Stacks, patterns)
	}
	return s, nil
}

func (f frame) pattern() (finding.FramePattern, error) {
	p := finding.FramePattern{Function: f.Function, File: f.File, Module: f.Module}
	if f.Lines == "" {
		return p, nil
	}
	if f.File == "" && f.Function == "" {
		return p, fmt.Errorf("lines: say of which file")
	}
	first, last, ranged := strings.Cut(f.Lines, "-")
	if !ranged {
		last = first
	}
	var err1, err2 error
	p.First, err1 = strconv.Atoi(strings.TrimSpace(first))
	p.Last, err2 = strconv.Atoi(strings.TrimSpace(last))
	if err1 != nil || err2 != nil || p.First < 1 || p.Last < p.First {
		return p, fmt.Errorf("lines: %q is neither a line nor a range such as 12-20", f.Lines)
	}
	return p, nil
}

// Reason is the reason in the rules that Format writes.
const Reason = "written by --write-suppressions: say here why this is all right"

// Format returns a file of rules that suppress these findings, but no findings in other functions or by other calls of
// them. The rules have no line numbers, so that edits do not break them. Files below dir have paths relative to dir.
func Format(findings []*finding.Finding, dir string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Findings not to report, for --suppress. Each needs a reason; a wider rule may do for several.\n")
	var seen []string
	for _, f := range findings {
		r := rule{Check: f.Check, Stacks: [][]frame{}, Reason: Reason}
		for i := range f.Sites {
			if stack := frames(finding.Trim(f.Sites[i].Stack), dir); len(stack) > 0 &&
				!slices.ContainsFunc(r.Stacks, func(o []frame) bool {
					return slices.Equal(o, stack)
				}) {
				r.Stacks = append(r.Stacks, stack)
			}
		}
		text, err := yaml.MarshalWithOptions([]rule{r}, yaml.IndentSequence(true))
		if err != nil {
			return nil, err
		}
		if slices.Contains(seen, string(text)) {
			continue
		}
		seen = append(seen, string(text))
		message, _, _ := strings.Cut(f.Message, "\n")
		fmt.Fprintf(&b, "\n# %s\n%s", strings.ToValidUTF8(strings.ReplaceAll(message, "\r", " "), "?"), text)
	}
	if len(findings) == 0 {
		b.WriteString("[]\n")
	}
	return b.Bytes(), nil
}

func frames(stack []finding.Frame, dir string) []frame {
	var out []frame
	for _, fr := range stack {
		f := frame{Function: fr.Function, File: fr.File}
		if rel, err := filepath.Rel(dir, fr.File); err == nil && fr.File != "" && rel != ".." &&
			!strings.HasPrefix(rel, "../") && rel[0] != '*' {
			f.File = rel
		}
		if fr.File == "" {
			f.Module = fr.Module
		}
		out = append(out, f)
	}
	return out
}
