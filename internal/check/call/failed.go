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

// Failed reports what MPI itself finds wrong (MPI standard, section 9.3, error handling).
var Failed = &check.Check{
	ID:       "LOCAL:MPI:CALL_FAILED",
	Severity: finding.Error,
	Title:    "an MPI call returns an error",
	Doc:      failedDoc,
	Start: func(x *check.Run) {
		told := make(map[*track.Process]bool) // of an error that is fatal
		truncated := newTruncations(x)
		disagreed := &disagreements{x: x}
		x.Match.Misfit.On(x.Owner, truncated.message)
		x.Track.CallFailed.Late(x.Owner, func(e track.CallFailed) { // other checks may explain it
			t, c, f := e.Thread, e.Call, e.Failure
			told[t.Process] = told[t.Process] || f != nil && f.Fatal
			if explained(t, f) {
				return
			}
			if out := failed(x, t, c, e.RC, f); !truncated.failed(t.Process, c, f, out) && !disagreed.failed(f, out) {
				x.Report(out)
			}
		})
		x.Track.Tick.On(x.Owner, func(struct{}) {
			truncated.tick()
			disagreed.reportOverdue(patience)
		})
		x.Track.RunOver.On(x.Owner, func(struct{}) {
			truncated.finish()
			disagreed.reportOverdue(0)
		})
		x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
			if !told[p] && !explainedEnd(p) && x.EndedByMPI(p) && len(p.Threads) > 0 {
				ended(x, p)
			}
		})
	},
}

// ended reports a call in which MPI ended the process without a word to its error handler: those of files and windows
// are MPI's own.
func ended(x *check.Run, p *track.Process) {
	c := p.Threads[0].Last
	for _, th := range p.Threads {
		if th.Open.Func != nil && th.TID == p.Ended.TID {
			c = th.Last
		}
	}
	name := x.Func(c).Name
	x.Report(&finding.Finding{
		Key:   x.Place(c),
		Ranks: []int{p.Rank},
		Message: fmt.Sprintf("%s fails on rank %d, and MPI ends the program with status %d.\nThe error handler is MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT. What is wrong stands in MPI's own message on stderr.",
			name, p.Rank, p.Ended.Code),
		Advice:  "Mend the arguments of the call, or what led to it. To handle such errors in the program, set MPI_ERRORS_RETURN or a handler of your own.",
		Sites:   []finding.Site{x.Site("failing call", c)},
		Details: map[string]any{"function": name, "status": p.Ended.Code},
	})
}

// failed describes a call that returned an error, or is about to die of one.
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
	out.Message = fmt.Sprintf("%s fails on rank %d with %s", fn.Name, p.Rank, what)
	if text != "" {
		out.Message += ". MPI says:\n" + text
	}
	cause := "mend the arguments of the call, or what led to it"
	if limited(fn, class) {
		cause = "look what MPI lacks for this call: memory, a resource of the network, support for this case"
	}
	switch {
	case fatal:
		out.Severity = finding.Error
		out.Message += "\nThe error handler is MPI_ERRORS_ARE_FATAL: MPI ends the program here."
		out.Advice = strings.ToUpper(cause[:1]) + cause[1:] + ". To handle such errors in the program, set MPI_ERRORS_RETURN or a handler of your own (MPI_Comm_set_errhandler)."
	case fn.Base == mpiapi.IDFileDelete && class == "MPI_ERR_NO_SUCH_FILE":
		out.Severity = finding.Info
		out.Message += "\nThere is no such file to delete."
		out.Advice = "Nothing, if the program only makes sure that the file is not there. Else look at the file's name."
	case byDefault(p, fn):
		out.Severity = finding.Warning
		out.Message += "\nFiles return errors by default, unlike communicators: a program that does not look at the return value goes on as if nothing had happened."
		out.Advice = "Check the return value of the call, or set MPI_ERRORS_ARE_FATAL for files: MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL)."
	default:
		out.Severity = finding.Info
		out.Message += "\nThe program asked for errors to be returned or handles them itself."
		out.Advice = "Nothing, if the program expects the error here. Else " + cause + "."
	}
	return out
}

// limited reports whether an error is not about an argument: its class says that MPI lacks something, or names the
// kind of object that the call makes and is not given.
func limited(fn *mpiapi.Func, class string) bool {
	switch class {
	case "MPI_ERR_NO_MEM", "MPI_ERR_NO_SPACE", "MPI_ERR_QUOTA", "MPI_ERR_IO", "MPI_ERR_INTERN", "MPI_ERR_OTHER", "MPI_ERR_UNKNOWN",
		"MPI_ERR_SPAWN", "MPI_ERR_RMA_SHARED", "MPI_ERR_RMA_ATTACH", "MPI_ERR_UNSUPPORTED_OPERATION", "MPI_ERR_PROC_ABORTED":
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

// made has the kinds of objects that classes of errors name.
var made = map[string]mpiapi.Kind{
	"MPI_ERR_WIN": mpiapi.Win, "MPI_ERR_COMM": mpiapi.Comm, "MPI_ERR_FILE": mpiapi.File, "MPI_ERR_GROUP": mpiapi.Group,
	"MPI_ERR_INFO": mpiapi.Info, "MPI_ERR_REQUEST": mpiapi.Request, "MPI_ERR_OP": mpiapi.Op, "MPI_ERR_SESSION": mpiapi.Session,
}

// byDefault reports whether the error came back because files have MPI_ERRORS_RETURN unless the program says otherwise.
func byDefault(p *track.Process, f *mpiapi.Func) bool {
	return strings.HasPrefix(f.Name, "MPI_File_") && !p.FileHandler
}

// Checks are the checks of this family.
var Checks = []*check.Check{Failed}
