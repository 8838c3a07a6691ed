// Package call has the checks that concern any MPI call.
package call

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed failed.md
var failedDoc string

// Failed reports the errors that MPI itself returns (MPI standard, section 9.3, error handling).
var Failed = &check.Check{
	ID:       "LOCAL:MPI:CALL_FAILED",
	Severity: finding.Error,
	Title:    "an MPI call returns an error",
	Doc:      failedDoc,
	Start: func(x *check.Run) {
		gone := &endings{x: x, told: make(map[*track.Process]bool)}
		truncated := newTruncations(x)
		disagreed := &disagreements{x: x}
		outage := &outages{x: x, held: make(map[*track.Process][]*finding.Finding)}
		x.Match.Misfit.On(x.Owner, truncated.message)
		x.Track.CallFailed.Late(x.Owner, func(e track.CallFailed) { // other checks may explain it
			t, c, f := e.Thread, e.Call, e.Failure
			if f != nil && f.Fatal {
				gone.told[t.Process] = true
			}
			if explained(t, f) {
				return
			}
			out := failed(x, t, c, e.RC, f)
			if !truncated.failed(t.Process, c, f, out) && !disagreed.failed(f, out) &&
				!outage.failed(t.Process, f, out) {
				x.Report(out)
			}
		})
		x.Track.Tick.On(x.Owner, func(struct{}) {
			truncated.tick()
			disagreed.reportOverdue(patience)
			gone.tick()
		})
		x.Track.RunOver.On(x.Owner, func(struct{}) {
			truncated.finish()
			disagreed.reportOverdue(0)
			outage.finish()
			gone.report()
		})
		x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
			outage.end(p)
			gone.end(p)
		})
	},
}

// failed describes a call that returned an error, or in which MPI is about to end the process.
func failed(x *check.Run, t *track.Thread, c match.Call, rc int32, f *track.Failure) *finding.Finding {
	fn := x.Func(c)
	p := t.Process
	class, text := "", ""
	fatal := false
	if f != nil {
		class, text, fatal = p.ErrorClass(f.Class), strings.TrimSpace(f.Text), f.Fatal
	}
	out := &finding.Finding{
		Key:     x.Place(c) + "|" + class,
		Ranks:   []int{p.Rank},
		Sites:   []finding.Site{x.Site("failing call", c)},
		Details: map[string]any{"function": fn.Name, "code": rc, "class": class, "text": text},
	}
	what := "error code " + fmt.Sprint(rc)
	if class != "" {
		what = class
	}
	out.Message = fmt.Sprintf("%s fails with %s", fn.Name, what)
	if text != "" {
		out.Message += "\nMPI says: " + text
	}
	cause := "correct the arguments of the call, or what led to the error"
	if limited(fn, class) {
		cause = "find out what MPI lacks for this call: memory, a network resource, or support for this case"
	}
	switch {
	case fatal:
		out.Severity = finding.Error
		out.Why = "The error handler is MPI_ERRORS_ARE_FATAL: MPI ends the program here."
		out.Advice = strings.ToUpper(cause[:1]) + cause[1:] +
			". To handle such errors in the program, set MPI_ERRORS_RETURN or an " +
			"error handler of your own (MPI_Comm_set_errhandler)."
	case fn.Base == mpiapi.IDFileDelete && class == "MPI_ERR_NO_SUCH_FILE":
		out.Severity = finding.Info
		out.Why = "There is no such file to delete."
		out.Advice = "Nothing needs to change if the program only makes sure that the file does not exist. Otherwise " +
			"check the name of the file."
	case byDefault(p, fn):
		out.Severity = finding.Warning
		out.Why = "Unlike communicators, files return errors by default. A program that ignores the return value " +
			"continues as if nothing had happened."
		out.Advice = "Check the return value of the call. Or set MPI_ERRORS_ARE_FATAL for files: " +
			"MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL)."
	default:
		out.Severity = finding.Info
		out.Why = "The program asked MPI to return errors, or handles them itself."
		out.Advice = "Nothing needs to change if the program expects this error. Otherwise " + cause + "."
	}
	return out
}

// limited reports whether an error is not about an argument. Then its class says that MPI lacks something, or it names
// the kind of object that the call creates.
func limited(fn *mpiapi.Func, class string) bool {
	switch class {
	case "MPI_ERR_NO_MEM", "MPI_ERR_NO_SPACE", "MPI_ERR_QUOTA", "MPI_ERR_IO", "MPI_ERR_INTERN", "MPI_ERR_OTHER",
		"MPI_ERR_UNKNOWN", "MPI_ERR_SPAWN", "MPI_ERR_RMA_SHARED", "MPI_ERR_RMA_ATTACH", "MPI_ERR_UNSUPPORTED_OPERATION",
		"MPI_ERR_PROC_ABORTED":
		return true
	}
	kind, ok := made[class]
	if !ok {
		return false
	}
	makes := false
	for i := range fn.Params {
		if p := &fn.Params[i]; p.Kind == kind {
			if p.Dir != mpiapi.Out {
				return false
			}
			makes = true
		}
	}
	return makes
}

// made has the kinds of objects that error classes name.
var made = map[string]mpiapi.Kind{
	"MPI_ERR_WIN": mpiapi.Win, "MPI_ERR_COMM": mpiapi.Comm, "MPI_ERR_FILE": mpiapi.File, "MPI_ERR_GROUP": mpiapi.Group,
	"MPI_ERR_INFO": mpiapi.Info, "MPI_ERR_REQUEST": mpiapi.Request, "MPI_ERR_OP": mpiapi.Op,
	"MPI_ERR_SESSION": mpiapi.Session,
}

// byDefault reports whether MPI returned the error because files have MPI_ERRORS_RETURN by default.
func byDefault(p *track.Process, f *mpiapi.Func) bool {
	return strings.HasPrefix(f.Name, "MPI_File_") && !p.FileHandler
}

// Checks are the checks of this family.
var Checks = []*check.Check{Failed}
