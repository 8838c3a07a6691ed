package argument

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check/argument/rules"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// report reports a call. What follows from the mistake is not reported by other checks.
func (w *watcher) report(th *track.Thread, c match.Call, m *rules.Mistake) {
	th.Explained = track.ByArgument
	x, p := w.x, th.Process
	fn := x.Func(c)
	q := &fn.Params[m.Param]
	what := q.Name
	if call, err := event.ParseCall(c.Raw); err == nil && (!q.Pointer || call.Addr(m.Param) == 0) {
		what = call.FormatArg(m.Param, p)
	}
	f := &finding.Finding{
		Key:     x.Place(c) + "|" + q.Name,
		Ranks:   []int{p.Rank},
		Sites:   []finding.Site{x.Site("call", c)},
		Details: map[string]any{"function": fn.Name, "parameter": q.Name},
	}
	if m.Index >= 0 {
		what = fmt.Sprintf("%s[%d]", q.Name, m.Index)
		f.Details["index"] = m.Index
	}
	if len(m.Other.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site(m.Role, m.Other))
	}
	f.Message = fmt.Sprintf("Rank %d calls %s with %s, which %s.", p.Rank, fn.Name, what, m.Why)
	f.Advice = remedy(q, m) + " What MPI makes of it is not defined: it may fail here, crash, or do anything."
	if w.overflow {
		f.Advice = "Send less at a time, or use a derived datatype for larger elements, or the functions with large counts " +
			"(MPI_Count, the names that end in _c), and 64-bit integers to calculate with."
	}
	switch {
	case m.Defined:
		f.Severity = finding.Info
		f.Advice = "Nothing, if the program looks whether it got MPI_UNDEFINED. " +
			"Else call the function with large counts (MPI_Count, the name that ends in _x or _c)."
	case m.Allowed:
		f.Severity = finding.Warning
	}
	x.Report(f)
}

// remedy says what to do about an argument.
func remedy(q *mpiapi.Param, m *rules.Mistake) string {
	switch {
	case m.Advice != "":
		return m.Advice
	case m.Role == "freed":
		return "Free the object after its last use, and take care of copies of its handle."
	case q.Kind.Handle(), q.Kind == mpiapi.Keyval:
		return "Pass what MPI returned when such an object was made, and look whether that was before this call, " +
			"and into this variable."
	case q.Role == mpiapi.Dest, q.Role == mpiapi.Source, q.Role == mpiapi.TargetRank:
		return "Ranks count from 0 in the communicator or window that is passed. Where there is no such neighbour, pass MPI_PROC_NULL."
	case q.Role == mpiapi.SendTag, q.Role == mpiapi.RecvTag:
		return "Choose tags from 0 to MPI_TAG_UB, an attribute of MPI_COMM_WORLD, which is 32767 at least."
	case q.Kind == mpiapi.Buffer:
		return "Look whether the memory was allocated and the pointer is the right one; where there are no data, pass a count of 0."
	}
	return "Pass a value that is allowed, and look how this one came about."
}
