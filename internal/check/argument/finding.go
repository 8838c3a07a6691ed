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

// report reports a call. Other checks do not report what follows from the mistake.
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
	f.Why = "The behaviour is undefined: MPI may return an error, crash, or use wrong data."
	f.Advice = remedy(q, m)
	if w.overflow {
		f.Advice = "Send less data at a time, or use a derived datatype with larger elements. Or use 64-bit " +
			"integers, and the functions with large counts (MPI_Count, names that end in _c)."
	}
	switch {
	case m.Defined:
		f.Severity = finding.Info
		f.Why = ""
		f.Advice = "Nothing needs to change if the program checks for MPI_UNDEFINED. Otherwise call the function " +
			"with large counts (MPI_Count, a name that ends in _x or _c)."
	case m.Allowed:
		f.Severity = finding.Warning
		f.Why = "The program cannot use the result."
	}
	x.Report(f)
}

// remedy says what to do about an argument.
func remedy(q *mpiapi.Param, m *rules.Mistake) string {
	switch {
	case m.Advice != "":
		return m.Advice
	case m.Role == "freed":
		return "Free the object only after its last use, and do not use copies of its handle after that."
	case q.Kind.Handle(), q.Kind == mpiapi.Keyval:
		return "Pass a handle that an MPI call has returned. Check that the variable was set before this call."
	case q.Role == mpiapi.Dest, q.Role == mpiapi.Source, q.Role == mpiapi.TargetRank:
		return "Pass a rank of this communicator or window: ranks count from 0. Where there is no neighbour, pass " +
			"MPI_PROC_NULL."
	case q.Role == mpiapi.SendTag, q.Role == mpiapi.RecvTag:
		return "Choose a tag from 0 to MPI_TAG_UB. This attribute of MPI_COMM_WORLD is at least 32767."
	case q.Kind == mpiapi.Buffer:
		return "Check that the memory was allocated and that this is the right pointer. Where there are no data, " +
			"pass a count of 0."
	}
	return "Pass a valid value. Check how the program computed this one."
}
