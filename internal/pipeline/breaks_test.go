package pipeline_test

import (
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// breakRun runs a program whose calls wait, as with --break-on.
type breakRun struct {
	t      *testing.T
	p      *pipeline.Pipeline
	open   map[int][]byte // records of calls that have not returned, by rank
	passed []int          // ranks that were let go on, since the last look
	held   []*pipeline.Held
	told   map[int][]string // checks, by rank
	found  []string
}

func (w *breakRun) Pass(id ring.ThreadID) { w.passed = append(w.passed, int(id)) }
func (w *breakRun) EndBreaks()            {}

func (w *breakRun) Found(id ring.ThreadID, check, _ string) {
	w.told[int(id)] = append(w.told[int(id)], check)
}

// Report passes a finding on, as the collector does.
func (w *breakRun) Report(f *finding.Finding) {
	w.found = append(w.found, f.Check)
	w.p.Finding(f)
}

// waits starts a program of n ranks that have called MPI_Init. Ranks are held at findings of a check.
func waits(t *testing.T, n int, check string) *breakRun {
	w := &breakRun{t: t, open: make(map[int][]byte), told: make(map[int][]string)}
	w.p = pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: w, Breaks: &pipeline.Breaks{
		Threads: w, Wanted: func(f *finding.Finding) bool { return finding.MatchCheck(check, f.Check) },
		Held: func(h *pipeline.Held) { w.held = append(w.held, h) },
	}})
	New(n).Deliver(w.p, 1000, 0)
	w.passed = nil
	return w
}

func (w *breakRun) enters(rank int, function string, a Args) {
	w.open[rank] = Record(0, function, a, 0)
	w.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: w.open[rank], Open: true})
}

func (w *breakRun) leaves(rank int) {
	w.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: w.open[rank], Resume: true})
}

// want checks which ranks were let go on since the last look, and which have been held so far.
func (w *breakRun) want(passed, held []int) {
	w.t.Helper()
	if !slices.Equal(w.passed, passed) {
		w.t.Errorf("passed: %v instead of %v", w.passed, passed)
	}
	var got []int
	for _, h := range w.held {
		got = append(got, h.Rank)
	}
	if !slices.Equal(got, held) {
		w.t.Errorf("held: %v instead of %v", got, held)
	}
	w.passed = nil
}

// TestBreakBeforeMPI: the rank whose call makes the error known is held before it enters MPI. The other rank is in MPI
// already. While the rank is held, nothing that waits for it counts as a deadlock.
func TestBreakBeforeMPI(t *testing.T) {
	w := waits(t, 2, "GLOBAL:MSG:DATATYPE:MISMATCH")
	w.enters(0, "MPI_Recv", recv(1, Double, 1, 0))
	w.want([]int{0}, nil)
	w.enters(1, "MPI_Ssend", send(1, Int, 0, 0))
	w.want(nil, []int{1})
	if h := w.held[0]; h.Returned || h.Late || h.Call != "MPI_Ssend" {
		t.Errorf("held: %+v", h)
	}
	for range 20 {
		w.p.Tick()
	}
	w.p.Release(1)
	w.want([]int{1}, []int{1})
	for rank := range 2 {
		if !slices.Equal(w.told[rank], []string{"GLOBAL:MSG:DATATYPE:MISMATCH"}) {
			t.Errorf("rank %d was told of %v", rank, w.told[rank])
		}
	}
	w.p.Release(1)
	w.leaves(1)
	w.leaves(0)
	w.want([]int{1, 0}, []int{1})
}

// TestBreakOnOthers: findings of other checks hold no rank, but are told to it.
func TestBreakOnOthers(t *testing.T) {
	w := waits(t, 2, "LOCAL:LEAK")
	w.enters(0, "MPI_Recv", recv(1, Double, 1, 0))
	w.enters(1, "MPI_Send", send(1, Int, 0, 0))
	w.want([]int{0, 1}, nil)
	if len(w.told[1]) != 1 {
		t.Errorf("told: %v", w.told)
	}
}

// TestBreakWhileHeld: a held rank is no part of a deadlock. It is when it has gone on.
func TestBreakWhileHeld(t *testing.T) {
	w := waits(t, 2, "LOCAL:MPI:INVALID_ARGUMENT")
	w.enters(1, "MPI_Recv", recv(-1, Int, 0, 0))
	w.want(nil, []int{1})
	w.enters(0, "MPI_Recv", recv(1, Int, 1, 0))
	for range 20 {
		w.p.Tick()
	}
	if slices.Contains(w.found, "GLOBAL:DEADLOCK:HARD") {
		t.Error("a deadlock of a rank that stands still for a debugger")
	}
	w.p.Release(1)
	for range 20 {
		w.p.Tick()
	}
	if !slices.Contains(w.found, "GLOBAL:DEADLOCK:HARD") {
		t.Errorf("no deadlock: %v", w.found)
	}
}

// TestBreakLater: a finding that is made when the rank's call has passed holds the rank at its next call.
func TestBreakLater(t *testing.T) {
	w := waits(t, 2, "GLOBAL:MSG:DATATYPE:MISMATCH")
	w.enters(0, "MPI_Recv", recv(1, Int, 1, 0))
	w.p.Finding(&finding.Finding{
		Check: "GLOBAL:MSG:DATATYPE:MISMATCH", Severity: finding.Error, Ranks: []int{0},
		Sites: []finding.Site{{Rank: 0}},
	})
	w.want([]int{0}, nil)
	w.leaves(0)
	w.want(nil, []int{0})
	if h := w.held[0]; !h.Returned || !h.Late {
		t.Errorf("held: %+v", h)
	}
}
