// Package threads has the check of when, and from which thread, a program calls MPI.
package threads

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed doc.md
var doc string

// Check finds calls before MPI is initialized, calls after it is finalized, and calls from threads that the provided
// level of thread support forbids (MPI standard, sections 11.2, 11.4 and 11.6).
var Check = &check.Check{
	ID:       "LOCAL:MPI:OUT_OF_ORDER",
	Severity: finding.Error,
	Title:    "a call comes at a time, or from a thread, that the standard forbids",
	Doc:      doc,
	Start: func(x *check.Run) {
		o := &order{x: x, anytime: callableAnytime()}
		x.Track.OddTime.On(x.Owner, o.examineCall)
		x.Track.Returned.On(x.Owner, o.returned)
		x.Track.Tick.On(x.Owner, o.tick)
	},
}

// order is the state of the check in one run.
type order struct {
	x       *check.Run
	anytime []bool // by function: see callableAnytime
	// overlaps are pairs of calls that may overlap.
	overlaps []overlap
	now      int // the number of ticks that have passed
}

// mistake is what is wrong with the time of a call.
type mistake struct {
	wrong disorder
	level track.ThreadLevel // the provided level, if it matters
	// other is the call of another thread, or the one that initialized or finalized MPI; empty if there is none.
	other match.Call
}

// examineCall judges the time of a call.
func (o *order) examineCall(c track.Call) {
	pr, f := c.Thread.Process, c.Call.Func
	switch {
	case pr.Lost || o.anytime[f.ID]:
	case f.Base == mpiapi.IDInit || f.Base == mpiapi.IDInitThread:
		o.initializes(c)
	case !pr.Open():
		e := mistake{wrong: beforeInit}
		if pr.Initialized {
			e = mistake{wrong: afterFinalize, other: pr.Phase.Finalize}
		}
		o.report(c.Thread, c.Kept(), e)
	case len(pr.Threads) > 1:
		o.examineThreads(c)
	}
}

// initializes judges a call of MPI_Init or MPI_Init_thread.
func (o *order) initializes(c track.Call) {
	switch ph := &c.Thread.Process.Phase; {
	case len(ph.Finalize.Raw) > 0:
		o.report(c.Thread, c.Kept(), mistake{wrong: initAgain, other: ph.Finalize})
	case len(ph.Init.Raw) > 0:
		o.report(c.Thread, c.Kept(), mistake{wrong: initTwice, other: ph.Init})
	}
}

// examineThreads judges a call by the level of thread support.
func (o *order) examineThreads(c track.Call) {
	th, pr := c.Thread, c.Thread.Process
	switch level := pr.Phase.Level; {
	case level.MainOnly():
		if pr.Phase.Main != nil && th != pr.Phase.Main && pr.Phase.Sessions == 0 {
			o.report(th, c.Kept(), mistake{otherThread, level, pr.Phase.Init})
		}
	case level == track.SerializedLevel:
		o.compare(c, mistake{wrong: twoAtOnce, level: level}, func(other track.Call) bool {
			return !o.anytime[other.Call.Func.ID]
		})
	case level != track.MultipleLevel:
	case completes(c.Call.Func):
		o.compare(c, mistake{wrong: sameRequest, level: level}, func(other track.Call) bool {
			return o.shareRequest(c, other)
		})
	default:
		v := o.x.Tracker.Ordered(pr, c.Call)
		if v == nil {
			return
		}
		o.compare(c, mistake{wrong: sameCollective, level: level}, func(other track.Call) bool {
			theirs, _ := other.Thread.InCollective()
			return theirs != nil && theirs.Comm == v.Comm
		})
	}
}

// compare looks for another thread that is in a call which clashes with c.
func (o *order) compare(c track.Call, e mistake, clash func(other track.Call) bool) {
	for _, th := range c.Thread.Process.Threads {
		if th == c.Thread || th.Open.Func == nil {
			continue
		}
		if other := (track.Call{Thread: th, Call: &th.Open.Call}); clash(other) {
			e.other = other.Kept()
			o.together(c, th, e)
			return
		}
	}
}

// callableAnytime says for each function whether any thread may call it before MPI_Init and after MPI_Finalize (MPI
// standard, section 11.4.1).
func callableAnytime() []bool {
	var list []bool
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(list) {
			list = append(list, false)
		}
		list[f.ID] = f.Anytime
	}
	return list
}
