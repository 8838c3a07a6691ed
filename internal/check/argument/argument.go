// Package argument has the checks of the arguments of calls. Package rules decides which arguments are wrong.
package argument

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/argument/rules"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed invalid.md
var invalidDoc string

// Invalid finds arguments that the standard forbids (MPI standard, the description of each function). MPI's own error
// about the same call is not reported again. Another check is for collectives: it makes one finding for all processes.
var Invalid = &check.Check{
	ID:       "LOCAL:MPI:INVALID_ARGUMENT",
	Severity: finding.Error,
	Title:    "a call gets an argument that the standard forbids",
	Doc:      invalidDoc,
	Start: func(x *check.Run) {
		w := &watcher{x: x, judge: rules.Forbidden(x.Tracker)}
		w.watchCalls()
		w.watchFailures()
		x.Track.OddArguments.On(x.Owner, w.examineCall)
		// What MPI calls its constants is known only when it is initialized.
		x.Track.CallLeft.Late(x.Owner, w.leave, mpiapi.IDInit, mpiapi.IDInitThread, mpiapi.IDSessionInit)
	},
}

//go:embed overflow.md
var overflowDoc string

// Overflow finds numbers that are too large for their type.
var Overflow = &check.Check{
	ID:       "LOCAL:INTEGER:OVERFLOW",
	Severity: finding.Error,
	Title:    "a number is too large for its type",
	Doc:      overflowDoc,
	Start: func(x *check.Run) {
		w := &watcher{x: x, judge: rules.Overflows(x.Tracker), overflow: true}
		w.watchCalls()
		w.watchFailures()
		x.Track.CollectiveEntering.Late(x.Owner, w.enterCollective, w.judge.Functions(track.InOrder)...)
	},
}

// Checks are the checks of this family.
var Checks = []*check.Check{Invalid, Overflow}

// watcher passes the calls that may be wrong to the judge.
type watcher struct {
	x        *check.Run
	judge    *rules.Judge
	overflow bool // the judge finds overflows
}

// often reports whether a function sends, receives, probes, or completes or starts requests. A call of such a function
// is judged only if something about it is odd (track.Events.OddArguments), or if it has failed. Judging each would take
// too long.
func often(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Irecv, mpiapi.Isendrecv, mpiapi.Wait,
		mpiapi.Test:
		return true
	}
	switch f.Base {
	case mpiapi.IDIprobe, mpiapi.IDImprobe, mpiapi.IDStart, mpiapi.IDStartall, mpiapi.IDRequestGetStatus:
		return true
	}
	return false
}

// watchCalls judges all calls of the functions that are not called often and are not collective.
func (w *watcher) watchCalls() {
	rare := func(f *mpiapi.Func) bool { return !often(f) && !track.InOrder(f) }
	w.x.Track.CallEntered.Late(w.x.Owner, w.examineCall, w.judge.Functions(rare)...)
}

// watchFailures judges calls that have failed, or in which a process has died. It does so early, so that other checks
// know whether the cause is reported.
func (w *watcher) watchFailures() {
	w.x.Track.CallFailed.Early(w.x.Owner, w.failed)
	w.x.Track.ProcessEnded.Early(w.x.Owner, w.ended)
}

// examineCall judges a call that has been entered.
func (w *watcher) examineCall(c track.Call) {
	if c.Thread.Explained != track.Unexplained {
		return
	}
	if m := w.judge.FirstMistake(c.Thread, c.Call); m != nil {
		w.report(c.Thread, c.Kept(), m)
	}
}

// leave judges a call that has returned successfully.
func (w *watcher) leave(c track.Call) {
	if c.Call.RC() == 0 {
		w.examineCall(c)
	}
}

// enterCollective judges a collective, if nothing else is wrong with it.
func (w *watcher) enterCollective(e track.CollectiveEntering) {
	if e.Entry.Invalid == 0 {
		w.examineCall(track.Call{Thread: e.Thread, Call: e.Call})
	}
}

// failed judges a call that has failed. Not every call is judged when it is made. Handles are judged more strictly now:
// the handle that MPI does not accept is one that no call has returned.
func (w *watcher) failed(e track.CallFailed) {
	th, f := e.Thread, w.x.Func(e.Call)
	if th.Explained != track.Unexplained {
		return
	}
	c, err := event.ParseCall(e.Call.Raw)
	if err != nil {
		return
	}
	var m *rules.Mistake
	if view, _ := th.Joined(); view == nil || !track.InOrder(f) { // others were judged when they entered the collective
		m = w.judge.FirstMistake(th, &c)
	}
	if m == nil && !w.overflow && e.Failure != nil && !e.Failure.Refused {
		if class := th.Process.ErrorClass(e.Failure.Class); class != "" {
			m = w.judge.UnknownHandle(th, &c, class)
		}
	}
	if m != nil {
		w.report(th, e.Call, m)
	}
}

// ended judges the call in which a signal killed a process. MPI may have followed a null pointer, or a handle that no
// call has returned.
func (w *watcher) ended(p *track.Process) {
	if p.Ended.Kind != ring.Signaled || p.Lost {
		return
	}
	for _, th := range p.Threads {
		if th.Open.Func == nil || th.TID != p.Ended.TID || th.Explained != track.Unexplained {
			continue
		}
		m := w.judge.FirstMistake(th, &th.Open.Call)
		if m == nil && !w.overflow {
			m = w.judge.UnknownHandle(th, &th.Open.Call, "")
		}
		if m != nil {
			w.report(th, track.Call{Thread: th, Call: &th.Open.Call}.Kept(), m)
		}
	}
}
