package exampletest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// place is the position of a site in the example's own file.
type place struct {
	line int
	fn   string
}

// placesOf returns, for each site of f that has a frame in file, the innermost such frame.
func placesOf(f *mpirun.Finding, file string) []place {
	var list []place
	script := "/" + filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file) // a copy of the file, see Build
	for _, site := range f.Sites {
		for _, frame := range site.Stack {
			if frame.File == file || frame.Language == "python" && strings.HasSuffix(frame.File, script) {
				list = append(list, place{frame.Line, frame.Function})
				break
			}
		}
	}
	return list
}

// textOf returns all texts of a finding, for a want's regular expression.
func textOf(f *mpirun.Finding) string {
	parts := []string{f.Message}
	for _, site := range f.Sites {
		parts = append(parts, strings.TrimSpace(site.Role+" "+site.Call))
	}
	return strings.Join(append(parts, f.Advice), "\n")
}

// Compare returns the problems with the findings, at least one line for each problem; nothing if they are what the
// example wants. severityOf gives a check's severity if a want does not name one. It may return "" if it does not know
// it.
//
// A finding satisfies a want if it is of the same check and has a site at the want's line. A finding is expected if a
// want or a may stands at the line of its first site, or "nowhere" if none of its sites is in the file.
func Compare(e *Example, r *mpirun.Report, severityOf func(check string) string) []string {
	var problems []string
	base := filepath.Base(e.Path)
	for i := range e.Wants {
		w := &e.Wants[i]
		if w.Optional {
			continue
		}
		var reasons []string
		met := false
		for j := range r.Findings {
			f := &r.Findings[j]
			if f.Check != w.Check {
				continue
			}
			why := w.refuses(f, e.Path, severityOf)
			if why == "" {
				met = true
				break
			}
			reasons = append(reasons, why)
		}
		switch {
		case met:
		case len(reasons) == 0:
			problems = append(problems, fmt.Sprintf("MISSING  %s:%d: %s is not reported", base, w.Line, w.Check))
		default:
			for _, why := range reasons {
				problems = append(problems, fmt.Sprintf("WRONG    %s:%d: %s %s", base, w.Line, w.Check, why))
			}
		}
	}
	for j := range r.Findings {
		f := &r.Findings[j]
		if expected(e, f) {
			continue
		}
		at := "without a place in the program"
		if places := placesOf(f, e.Path); len(places) > 0 {
			at = fmt.Sprintf("at %s:%d", base, places[0].line)
		}
		problems = append(problems, fmt.Sprintf("EXTRA    %s (%s) %s:\n%s", f.Check, f.Severity, at, indent(textOf(f))))
	}
	return problems
}

// expected reports whether a want or may stands at the finding's first site.
func expected(e *Example, f *mpirun.Finding) bool {
	line := 0
	if places := placesOf(f, e.Path); len(places) > 0 {
		line = places[0].line
	}
	return slices.ContainsFunc(e.Wants, func(w Want) bool {
		return w.Check == f.Check && w.Line == line && (w.Severity == "" || w.Severity == f.Severity || !w.Optional)
	})
}

// refuses returns why a finding of the wanted check does not satisfy the want, "" if it does.
func (w *Want) refuses(f *mpirun.Finding, file string, severityOf func(string) string) string {
	places := placesOf(f, file)
	if w.Line != 0 {
		var lines []string
		found := false
		for _, p := range places {
			lines = append(lines, fmt.Sprint(p.line))
			if p.line == w.Line && (w.Func == "" || strings.Contains(p.fn, w.Func)) {
				found = true
			} else if p.line == w.Line {
				return fmt.Sprintf("is in function %q, not in one called …%s…", p.fn, w.Func)
			}
		}
		if !found && len(lines) == 0 {
			return "is reported without a place in the program"
		}
		if !found {
			return "is reported at line " + strings.Join(slices.Compact(lines), ", ") + " instead"
		}
	}
	severity := w.Severity
	if severity == "" {
		severity = severityOf(w.Check)
	}
	switch {
	case severity != "" && severity != f.Severity:
		return fmt.Sprintf("has severity %s, not %s", f.Severity, severity)
	case w.Says != nil && !w.Says.MatchString(textOf(f)):
		return fmt.Sprintf("does not match %q:\n%s", w.Says, indent(textOf(f)))
	case w.Count >= 0 && w.Count != f.Count:
		return fmt.Sprintf("occurs %d times, not %d", f.Count, w.Count)
	case w.Ranks != nil && !slices.Equal(w.Ranks, f.Ranks):
		return fmt.Sprintf("concerns ranks %v, not %v", f.Ranks, w.Ranks)
	}
	return ""
}

// Differences compares the findings of a run with those of its replay. They must be the same in everything that a user
// sees. It returns one line for each difference.
func Differences(run, replay *mpirun.Report) []string {
	var problems []string
	show := func(f *mpirun.Finding) string {
		data, err := json.Marshal(f)
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	list := func(r *mpirun.Report) []string {
		var all []string
		for i := range r.Findings {
			all = append(all, show(&r.Findings[i]))
		}
		slices.Sort(all)
		return all
	}
	a, b := list(run), list(replay)
	for _, s := range a {
		if !slices.Contains(b, s) {
			problems = append(problems, "only in the run:    "+s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			problems = append(problems, "only in the replay: "+s)
		}
	}
	if len(problems) == 0 && len(a) != len(b) {
		problems = append(problems, fmt.Sprintf("%d findings in the run, %d in the replay", len(a), len(b)))
	}
	return problems
}

func indent(s string) string {
	return "           | " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n           | ")
}
