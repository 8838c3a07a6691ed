// Package argument has the checks of what calls are given, and of when they are made.
package argument

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed invalid.md
var invalidDoc string

// Invalid finds arguments that the standard forbids (MPI standard, the description of each function). What MPI says about the
// same call is not reported once more.
var Invalid = &check.Check{
	ID:       "LOCAL:MPI:INVALID_ARGUMENT",
	Severity: finding.Error,
	Title:    "a call is given an argument that the standard forbids",
	Doc:      invalidDoc,
	New:      wrong(false),
}

//go:embed overflow.md
var overflowDoc string

// Overflow finds numbers that are more than their type can hold.
var Overflow = &check.Check{
	ID:       "LOCAL:INTEGER:OVERFLOW",
	Severity: finding.Error,
	Title:    "a number is larger than its type can hold",
	Doc:      overflowDoc,
	New:      wrong(true),
}

// wrong starts a check of arguments: of those that have overflowed, or of all others.
func wrong(overflow bool) func(x *check.Context) check.Hooks {
	return func(x *check.Context) check.Hooks {
		return check.Hooks{WrongArgument: func(t *track.Thread, c match.Call, e *track.ArgumentError) {
			if e.Overflow == overflow {
				x.Report(describe(x, t, c, e))
			}
		}}
	}
}

func describe(x *check.Context, t *track.Thread, c match.Call, e *track.ArgumentError) *finding.Finding {
	fn, p := x.Func(c), t.Process
	q := &fn.Params[e.Param]
	what := q.Name
	if call, err := event.ParseCall(c.Raw); err == nil && (!q.Pointer || call.Addr(e.Param) == 0) {
		what = call.FormatArg(e.Param, p)
	}
	f := &finding.Finding{
		Key:     x.Place(c) + "|" + q.Name,
		Ranks:   []int{p.Rank},
		Sites:   []finding.Site{x.Site("call", c)},
		Details: map[string]any{"function": fn.Name, "parameter": q.Name},
	}
	if e.Index >= 0 {
		what = fmt.Sprintf("%s[%d]", q.Name, e.Index)
		f.Details["index"] = e.Index
	}
	if len(e.Other.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site(e.Role, e.Other))
	}
	f.Message = fmt.Sprintf("Rank %d calls %s with %s, which %s.", p.Rank, fn.Name, what, e.Why)
	f.Advice = "Mend the argument. What MPI makes of it is not defined: it may fail here, crash, or do anything."
	if e.Overflow {
		f.Advice = "Send less at a time, or use a derived datatype for larger elements, or the functions with large counts (MPI_Count, the names that end in _c), and 64-bit integers to calculate with."
	}
	if e.Allowed {
		f.Severity = finding.Warning
	}
	return f
}

// Checks are the checks of this family.
var Checks = []*check.Check{Invalid, Overflow, OutOfOrder}
