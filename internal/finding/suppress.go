package finding

import (
	"slices"
)

// Suppression is a rule for findings that the user does not want to see.
type Suppression struct {
	Check  string // pattern as in MatchCheck
	Reason string // why the findings are acceptable
	Origin string // where the rule is written: "known.yaml:12"
	// Frame must match a frame of a call stack of the finding. If Caller is set, it must match the frame that called
	// MPI.
	Frame  FramePattern
	Caller bool
	// Stacks, if not nil, are the beginnings of the call stacks of the finding, innermost frame first. Each call stack
	// must begin with one of them, and each of them must be the beginning of a call stack.
	Stacks [][]FramePattern
}

// FramePattern selects frames. A zero field matches anything. In texts, "*" matches any characters and "?" any one
// character.
type FramePattern struct {
	Function string
	File     string // absolute path, or the last parts of a path if it begins with neither "/" nor "*"
	Module   string // file name of the executable or library, without directories
	First    int    // range of lines in the file
	Last     int
}

// matches reports whether the suppression matches a finding.
func (s *Suppression) matches(f *Finding) bool {
	if !MatchCheck(s.Check, f.Check) {
		return false
	}
	if s.Frame != (FramePattern{}) && !slices.ContainsFunc(f.Sites, func(site Site) bool {
		stack := site.Stack
		if s.Caller && len(stack) > 1 {
			stack = stack[:1]
		}
		return slices.ContainsFunc(stack, s.Frame.matches)
	}) {
		return false
	}
	if s.Stacks == nil {
		return true
	}
	met := make([]bool, len(s.Stacks))
	for i := range f.Sites {
		stack := f.Sites[i].Stack
		if len(stack) == 0 {
			continue
		}
		known := false
		for j, patterns := range s.Stacks {
			if begins(stack, patterns) {
				met[j], known = true, true
			}
		}
		if !known {
			return false
		}
	}
	return !slices.Contains(met, false)
}

// begins reports whether the first frames of a stack match patterns.
func begins(stack []Frame, patterns []FramePattern) bool {
	if len(stack) < len(patterns) {
		return false
	}
	for i, p := range patterns {
		if !p.matches(stack[i]) {
			return false
		}
	}
	return true
}

func (p FramePattern) matches(f Frame) bool {
	return (p.Function == "" || matchText(p.Function, f.Function)) &&
		(p.File == "" || matchFile(p.File, f.File)) &&
		(p.Module == "" || matchText(p.Module, f.Module)) &&
		(p.First == 0 || p.First <= f.Line && f.Line <= p.Last)
}

func matchFile(pattern, file string) bool {
	if pattern[0] != '/' && pattern[0] != '*' && pattern != file {
		pattern = "*/" + pattern
	}
	return matchText(pattern, file)
}

// SuppressionCount is the number of findings that a suppression has matched.
type SuppressionCount struct {
	*Suppression
	Findings int
}
