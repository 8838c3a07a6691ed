package cli

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/report"
)

// Timeouts after a signal that asks mpivet to end. The sum is less than the documented 5 seconds.
const (
	readGrace   = 2500 * time.Millisecond // to end the program and to analyse the records
	reportGrace = time.Second             // to make the last checks and the reports
	writeGrace  = time.Second             // to complete the reports and to end the program
)

// ending ends mpivet soon after a signal, whatever the analysis is doing, and however many records it has not read.
type ending struct {
	a       *analysis
	session *ring.Session
	// cancel stops the reading of the analysis.
	cancel context.CancelFunc
	// kill kills the program; nil if mpivet has not started it.
	kill func()
	// meeting is where the ranks have met; "" if mpivet has started the program.
	meeting string

	asking sync.Once
	urgent chan struct{} // closed by the second signal
	hurry  sync.Once
	live   source
}

func newEnding(a *analysis, session *ring.Session, live source, cancel context.CancelFunc) *ending {
	return &ending{a: a, session: session, live: live, cancel: cancel, urgent: make(chan struct{})}
}

// asked handles the first signal.
func (e *ending) asked(s os.Signal) {
	e.a.interrupted()
	e.asking.Do(func() { go e.run(s) })
}

// again handles every later signal.
func (e *ending) again() { e.hurry.Do(func() { close(e.urgent) }) }

func (e *ending) run(s os.Signal) {
	e.pass(readGrace)
	e.cancel()
	var killed sync.WaitGroup
	if e.kill != nil {
		killed.Go(e.kill)
	}
	e.pass(reportGrace)
	e.pass(0)
	status := exitFailed
	if sig, ok := s.(syscall.Signal); ok {
		status = 128 + int(sig)
	}
	over := make(chan struct{})
	go func() {
		if e.a.reporting.CompareAndSwap(false, true) {
			e.a.stop(status, e.live)
			killed.Wait()
			close(over)
		} // else the method finish writes the reports, and ends mpivet
	}()
	select {
	case <-over:
	case <-time.After(writeGrace): // the reports may go to a pipe that is not read
	}
	e.session.Abandon()
	if e.meeting != "" {
		launch.End(e.meeting)
	}
	os.Exit(status)
}

// pass waits for some time, or until a second signal.
func (e *ending) pass(d time.Duration) {
	select {
	case <-e.urgent:
	case <-time.After(d):
	}
}

// stop reports the findings up to now. The analysis may still be running.
func (a *analysis) stop(status int, live source) {
	r := report.Run{
		Command: a.run.Command, MPI: a.run.MPI, ExitStatus: status, Interrupted: true,
		Suppressions: a.collector.Suppressed(),
	}
	if p := a.progress.Load(); p != nil {
		r.Ranks, r.Calls, r.Messages, r.Collectives = p.Ranks, p.Calls, p.Messages, p.Collectives
		r.Duration = time.Since(p.began)
	}
	s := live.Stats()
	r.Stall, r.Stalls, r.Unrecorded, r.Shrunk = s.StallTime, s.Stalls, s.Unrecorded, s.Shrunk
	r.Notes = append(r.Notes, unreadNote)
	if a.recording != nil {
		r.Notes = append(r.Notes, "the record of the run is not complete")
	}
	findings, sum := a.collector.Snapshot()
	for _, p := range a.publish(&r, findings, sum) {
		say("%v", oneLine(p))
	}
}

// unreadNote is the note that findings may be missing.
const unreadNote = "not all records have been analysed, because mpivet was asked to end"

// progress is the progress of the analysis.
type progress struct {
	report.Run
	began time.Time
}

// advance records the progress of the analysis, for reports before its end.
func (a *analysis) advance() {
	a.progress.Store(&progress{began: a.began, Run: report.Run{
		Ranks: a.ranks(), Calls: a.pipeline.Tracker.Calls(), Messages: a.pipeline.Matcher.Messages,
		Collectives: a.pipeline.Matcher.Collectives,
	}})
}
