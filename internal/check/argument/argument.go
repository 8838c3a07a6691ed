// Package argument has the checks of the arguments of calls. What is wrong with an argument is decided by package
// rules.
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

// Invalid finds arguments that the standard forbids (MPI standard, the description of each function). What MPI says
// about the same call is not reported once more. Collectives have a check of their own, which makes one finding for
// all processes.
var Invalid = &check.Check{
	ID:       "LOCAL:MPI:INVALID_ARGUMENT",
	Severity: finding.Error,
	Title:    "a call is given an argument that the standard forbids",
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

// Overflow finds numbers that are more than their type can hold.
var Overflow = &check.Check{
	ID:       "LOCAL:INTEGER:OVERFLOW",
	Severity: finding.Error,
	Title:    "a number is larger than its type can hold",
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

// watcher has the calls judged that may be wrong.
type watcher struct {
	x        *check.Run
	judge    *rules.Judge
	overflow bool // the judge finds overflows
}

// often reports whether a function sends, receives, probes, or completes or starts requests. Such calls are judged
// only if something about them is odd (track.Events.OddArguments), or if they have failed: looking at each would take
// too long.
func often(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Irecv, mpiapi.Isendrecv, mpiapi.Wait, mpiapi.Test:
		return true
	}
	switch f.Base {
	case mpiapi.IDIprobe, mpiapi.IDImprobe, mpiapi.IDStart, mpiapi.IDStartall, mpiapi.IDRequestGetStatus:
		return true
	}
	return false
}

// watchCalls has all calls judged of the functions that are not called often and are no collectives.
func (w *watcher) watchCalls() {
	rare := func(f *mpiapi.Func) bool { return !often(f) && !track.InOrder(f) }
	w.x.Track.CallEntered.Late(w.x.Owner, w.examineCall, w.judge.Functions(rare)...)
}

// watchFailures has calls judged that have failed, or in which a process has died. Then others find what is wrong
// explained.
func (w *watcher) watchFailures() {
	w.x.Track.CallFailed.Early(w.x.Owner, w.failed)
	w.x.Track.ProcessEnded.Early(w.x.Owner, w.ended)
}

// examineCall judges a call that is under way.
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

// failed judges a call that has failed. Not every call is judged when it is made, and handles are judged more
// strictly now: the one that MPI does not accept is one that no call has returned.
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
	if view, _ := th.Joined(); view == nil || !track.InOrder(f) { // else it was judged when it entered the collective
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

// ended judges the call in which a process was killed by a signal. MPI may have looked for an object behind a handle
// that no call has returned, or have followed a null pointer.
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
