package finding

import (
	"slices"
)

// Suppression is a rule for findings that the user does not want to see.
type Suppression struct {
	Check  string // pattern as in MatchCheck
	Reason string // why it is all right
	Origin string // where the rule is written: "known.yaml:12"
	// Frame must be matched by some frame of a call stack of the finding; if Caller, by the one that called MPI.
	Frame  FramePattern
	Caller bool
	// Stacks, if not nil, are all the call stacks of the finding: each of them begins like one of these, innermost
	// frame first, and each of these is the beginning of one.
	Stacks [][]FramePattern
}

// FramePattern says which frames are meant; what is zero is any. In texts "*" is any run of characters and "?" any one.
type FramePattern struct {
	Function string
	File     string // absolute path, or its last parts if it begins with neither "/" nor "*"
	Module   string // the executable's or library's file, without directories
	First    int    // lines of the file
	Last     int
}

// matches tells whether a finding is meant.
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

// begins tells whether a stack begins with frames that match patterns.
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

// SuppressionCount is how many findings a suppression has matched.
type SuppressionCount struct {
	*Suppression
	Findings int
}
