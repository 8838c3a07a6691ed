// Package argument has the checks of the arguments of calls.
package argument

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
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
	Start:    wrong(false),
}

//go:embed overflow.md
var overflowDoc string

// Overflow finds numbers that are more than their type can hold.
var Overflow = &check.Check{
	ID:       "LOCAL:INTEGER:OVERFLOW",
	Severity: finding.Error,
	Title:    "a number is larger than its type can hold",
	Doc:      overflowDoc,
	Start:    wrong(true),
}

// wrong starts a check of arguments: of those that have overflowed, or of all others.
func wrong(overflow bool) func(x *check.Run) {
	return func(x *check.Run) {
		x.Track.WrongArgument.On(x.Owner, func(ev track.WrongArgument) {
			t, c, e := ev.Thread, ev.Call, ev.Error
			if e.Overflow == overflow {
				x.Report(describe(x, t, c, e))
			}
		})
	}
}

func describe(x *check.Run, t *track.Thread, c match.Call, e *track.ArgumentError) *finding.Finding {
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
	f.Advice = remedy(q, e) + " What MPI makes of it is not defined: it may fail here, crash, or do anything."
	if e.Overflow {
		f.Advice = "Send less at a time, or use a derived datatype for larger elements, or the functions with large counts (MPI_Count, the names that end in _c), and 64-bit integers to calculate with."
	}
	switch {
	case e.Defined:
		f.Severity = finding.Info
		f.Advice = "Nothing, if the program looks whether it got MPI_UNDEFINED. Else call the function with large counts (MPI_Count, the name that ends in _x or _c)."
	case e.Allowed:
		f.Severity = finding.Warning
	}
	return f
}

// remedy says what to do about an argument.
func remedy(q *mpiapi.Param, e *track.ArgumentError) string {
	switch {
	case e.Advice != "":
		return e.Advice
	case e.Role == "freed":
		return "Free the object after its last use, and take care of copies of its handle."
	case q.Kind.Handle(), q.Kind == mpiapi.Keyval:
		return "Pass what MPI returned when such an object was made, and look whether that was before this call, and into this variable."
	case q.Role == mpiapi.Dest, q.Role == mpiapi.Source, q.Role == mpiapi.TargetRank:
		return "Ranks count from 0 in the communicator or window that is passed. Where there is no such neighbour, pass MPI_PROC_NULL."
	case q.Role == mpiapi.SendTag, q.Role == mpiapi.RecvTag:
		return "Choose tags from 0 to MPI_TAG_UB, an attribute of MPI_COMM_WORLD, which is 32767 at least."
	case q.Kind == mpiapi.Buffer:
		return "Look whether the memory was allocated and the pointer is the right one; where there are no data, pass a count of 0."
	}
	return "Pass a value that is allowed, and look how this one came about."
}

// Checks are the checks of this family.
var Checks = []*check.Check{Invalid, Overflow}
