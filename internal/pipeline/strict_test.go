package pipeline_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// fataler is a testing.T or a rapid.T.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// held runs a program in strict mode, call by call. It is also the gate in front of the ranks.
type held struct {
	t        fataler
	p        *pipeline.Pipeline
	found    collected
	open     map[int][]byte       // records of calls that have not returned, by rank
	verdicts map[int]ring.Verdict // on the open calls
	refused  int
	ended    bool
	ending   bool
	off      finding.Severity
}

func (h *held) Judge(id ring.ThreadID, v ring.Verdict) { h.verdicts[int(id)] = v }
func (h *held) Refused()                               { h.refused++ }
func (h *held) EndStrict()                             { h.ended = true }

// strictly starts a program of n ranks that have called MPI_Init. seen is the number of ranks that the analysis sees.
func strictly(t fataler, n, seen int) *held {
	h := &held{t: t, open: make(map[int][]byte), verdicts: make(map[int]ring.Verdict), off: finding.Error}
	h.p = pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &h.found, Strict: &pipeline.Strict{
		Gate: h, Severity: func(*finding.Finding) finding.Severity { return h.off },
		Ending: func() bool { return h.ending },
	}})
	program := New(n)
	program.Ranks = program.Ranks[:seen]
	program.Deliver(h.p, 1000, 0)
	clear(h.verdicts)
	return h
}

// enters lets a rank enter a call.
func (h *held) enters(rank int, function string, a Args) {
	h.t.Helper()
	if h.open[rank] != nil {
		h.t.Fatalf("rank %d is in a call", rank)
	}
	rec := Record(0, function, a, 0)
	h.open[rank] = rec
	h.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: rec, Open: true})
	h.sound()
}

// leaves lets a rank return from its call, with the error of a refusal if the call was refused.
func (h *held) leaves(rank int) {
	rec := h.open[rank]
	delete(h.open, rank)
	if h.verdicts[rank].Refused != ring.GoOn {
		h.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: Refusal(99)})
		rec[layout.RecordRCAt] = 99
	}
	delete(h.verdicts, rank)
	h.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: rec, Resume: true})
	h.sound()
}

// does lets a rank make a call that returns at once.
func (h *held) does(rank int, function string, a Args) {
	h.p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: Record(0, function, a, 0)})
	h.sound()
}

func (h *held) sound() {
	h.t.Helper()
	if h.p.Trouble() != "" {
		h.t.Fatalf("%s", h.p.Trouble())
	}
}

func (h *held) ticks(n int) {
	for range n {
		h.p.Tick()
		h.sound()
	}
}

// until lets time pass until there is a verdict, but at most n ticks.
func (h *held) until(n int) {
	h.t.Helper()
	for range n {
		if len(h.verdicts) > 0 {
			return
		}
		h.ticks(1)
	}
	h.t.Fatalf("no verdict after %d ticks", n)
}

// want checks the verdicts on the open calls: "go on", or the check that refuses them. No other rank may have a
// verdict.
func (h *held) want(verdict string, ranks ...int) {
	h.t.Helper()
	if got := slices.Sorted(maps.Keys(h.verdicts)); !slices.Equal(got, ranks) {
		h.t.Fatalf("ranks %v have a verdict instead of %v", got, ranks)
	}
	for r, v := range h.verdicts {
		got := "go on"
		if v.Refused != ring.GoOn {
			var text string
			got, text, _ = strings.Cut(v.Why, ": ")
			if !h.reported(got, text) {
				h.t.Errorf("rank %d: no finding of %s has %q in its first line", r, got, text)
			}
		}
		if got != verdict {
			h.t.Errorf("rank %d: %s instead of %s", r, got, verdict)
		}
	}
}

// reported reports whether a finding of a check has this first line.
func (h *held) reported(check, line string) bool {
	return slices.ContainsFunc(h.found, func(f *finding.Finding) bool {
		first, _, _ := strings.Cut(f.Message, "\n")
		return f.Check == check && first == line
	})
}

func (h *held) wantFound(checks ...string) {
	h.t.Helper()
	var got []string
	for _, f := range h.found {
		got = append(got, f.Check)
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, checks) {
		h.t.Errorf("found %v instead of %v", got, checks)
	}
}

func comm() Args { return Args{"comm": World} }

func rooted(root int) Args {
	return Args{"buffer": uint64(0x1000), "count": 1, "datatype": Int, "root": root, "comm": World}
}

const (
	rootMismatch = "GLOBAL:COLLECTIVE:ROOT_MISMATCH"
	missing      = "GLOBAL:COLLECTIVE:MISSING"
	deadlock     = "GLOBAL:DEADLOCK:HARD"
)

func TestStrictHoldsUntilAllHaveCome(t *testing.T) {
	h := strictly(t, 3, 3)
	h.enters(0, "MPI_Barrier", comm())
	h.enters(2, "MPI_Barrier", comm())
	h.ticks(200) // MPI would hold them, too
	h.want("")
	h.enters(1, "MPI_Barrier", comm())
	h.want("go on", 0, 1, 2)
	for r := range 3 {
		h.leaves(r)
	}
	h.enters(1, "MPI_Barrier", Args{"comm": Self})
	h.want("go on", 1)
	h.wantFound()
}

func TestStrictRefusesAll(t *testing.T) {
	h := strictly(t, 3, 3)
	for r, root := range []int{0, 1, 0} {
		h.enters(r, "MPI_Bcast", rooted(root))
	}
	h.want(rootMismatch, 0, 1, 2)
	for r := range 3 {
		if v := h.verdicts[r]; v.Refused != ring.OnComm || v.Handle != World {
			t.Errorf("rank %d: %+v", r, v)
		}
		h.leaves(r)
	}
	for r := range 3 {
		h.enters(r, "MPI_Bcast", rooted(1))
	}
	h.want("go on", 0, 1, 2)
	h.wantFound(rootMismatch)
}

// TestStrictRefusesBeforeAllHaveCome: a collective with a certain error is refused before all members have entered it.
func TestStrictRefusesBeforeAllHaveCome(t *testing.T) {
	h := strictly(t, 3, 3)
	h.enters(0, "MPI_Bcast", rooted(0))
	h.enters(1, "MPI_Bcast", rooted(1))
	h.want("")
	h.ticks(5)
	h.want(rootMismatch, 0, 1)
	h.leaves(0)
	h.leaves(1)
	h.enters(2, "MPI_Bcast", rooted(0))
	h.want(rootMismatch, 2)
}

// TestStrictFollowsTheUsersSeverities: a check that is off, or whose findings are warnings, refuses nothing.
func TestStrictFollowsTheUsersSeverities(t *testing.T) {
	h := strictly(t, 2, 2)
	h.off = finding.Warning
	h.enters(0, "MPI_Bcast", rooted(0))
	h.enters(1, "MPI_Bcast", rooted(1))
	h.want("go on", 0, 1)
	h.wantFound(rootMismatch)
}

// TestStrictNonblocking: a nonblocking collective returns at once. The call that completes it is held instead, and
// refused once.
func TestStrictNonblocking(t *testing.T) {
	const request = 0x98000001
	ibcast := func(root int) Args {
		a := rooted(root)
		a["*request"], a[">request"] = uint64(0x2000), uint64(request)
		return a
	}
	wait := Args{"*request": uint64(0x2000), "request": uint64(request), "status": Ignore}
	test := Args{"*request": uint64(0x2000), "request": uint64(request), "flag": uint64(0x3000), "status": Ignore}
	h := strictly(t, 3, 3)
	h.does(0, "MPI_Ibcast", ibcast(0))
	h.does(1, "MPI_Ibcast", ibcast(0))
	h.enters(0, "MPI_Wait", wait)
	h.want("")
	h.enters(1, "MPI_Test", test)
	h.want("go on", 1)
	h.leaves(1)
	h.does(2, "MPI_Ibcast", ibcast(1))
	h.want(rootMismatch, 0)
	h.leaves(0)
	h.enters(1, "MPI_Test", test)
	h.enters(2, "MPI_Wait", wait)
	h.want(rootMismatch, 1, 2)
	h.leaves(1)
	h.leaves(2)
	h.enters(1, "MPI_Wait", wait) // for a request that was given up
	h.want("go on", 1)
	if h.refused != 1 {
		t.Errorf("%d collectives are refused", h.refused)
	}
	h.wantFound(rootMismatch)
}

func TestStrictMissing(t *testing.T) {
	h := strictly(t, 2, 2)
	h.enters(0, "MPI_Bcast", rooted(0)) // MPI might let it return
	h.enters(1, "MPI_Finalize", nil)
	h.ticks(10) // the error handler may take its time
	h.want(missing, 0)
	h.wantFound(missing)
}

func TestStrictDeadlock(t *testing.T) {
	for _, ending := range []bool{false, true} {
		t.Run(fmt.Sprint("ending ", ending), func(t *testing.T) {
			h := strictly(t, 2, 2)
			h.ending = ending
			h.enters(0, "MPI_Barrier", comm())
			h.enters(1, "MPI_Recv", recv(1, Int, 0, 0))
			h.ticks(10)
			if ending {
				h.want("")
			} else {
				h.want(missing, 0)
			}
			h.wantFound(missing, deadlock)
		})
	}
}

// TestStrictLetsGoWhatOthersWaitFor: MPI may let the root of a broadcast return before the others have entered it,
// although the standard does not let a program rely on it. Strict mode then does the same, and an error is only
// reported.
func TestStrictLetsGoWhatOthersWaitFor(t *testing.T) {
	h := strictly(t, 3, 3)
	h.enters(2, "MPI_Bcast", rooted(0))
	h.enters(0, "MPI_Bcast", rooted(0))
	h.enters(1, "MPI_Recv", recv(1, Int, 0, 0))
	h.until(10)
	h.want("go on", 0, 2)
	h.leaves(0)
	h.does(0, "MPI_Send", send(1, Int, 1, 0))
	h.leaves(1)
	h.enters(1, "MPI_Bcast", rooted(1))
	h.want("go on", 1, 2)
	h.wantFound(rootMismatch)
}

// TestStrictLetsGoAfterAWhile: a process that polls may wait for a rank that is held.
func TestStrictLetsGoAfterAWhile(t *testing.T) {
	h := strictly(t, 2, 2)
	h.enters(0, "MPI_Bcast", rooted(0))
	h.ticks(90)
	h.want("")
	h.ticks(20)
	h.want("go on", 0)
}

// TestStrictUnseenMembers: strict mode cannot wait for members on another node.
func TestStrictUnseenMembers(t *testing.T) {
	h := strictly(t, 3, 2)
	h.enters(0, "MPI_Barrier", comm())
	h.ticks(90)
	h.want("")
	h.ticks(20)
	h.want("go on", 0)
	h.leaves(0)
	h.enters(0, "MPI_Barrier", comm())
	h.want("go on", 0)
}

func TestStrictDistrust(t *testing.T) {
	h := strictly(t, 2, 2)
	h.enters(0, "MPI_Barrier", comm())
	h.p.Tracker.Distrust(nil)
	h.ticks(1)
	h.want("go on", 0)
	h.leaves(0)
	h.enters(0, "MPI_Barrier", comm())
	h.want("go on", 0)
}

// TestStrictVerdictsAreEqual: in whatever order the ranks come, all members of a collective get the same verdict. No
// member gets it before all have entered, unless the collective is refused.
func TestStrictVerdictsAreEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "ranks")
		rounds := rapid.IntRange(1, 8).Draw(t, "rounds")
		h := strictly(t, n, n)
		type call struct {
			function string
			args     Args
		}
		calls := make([][]call, n)
		wrong := make([]bool, rounds)
		for i := range rounds {
			root := rapid.IntRange(0, n-1).Draw(t, "root")
			for r := range n {
				c := call{"MPI_Bcast", rooted(root)}
				switch rapid.IntRange(0, 30).Draw(t, "fault") {
				case 0:
					c = call{"MPI_Barrier", comm()}
				case 1:
					c.args = rooted((root + 1) % n)
				}
				wrong[i] = wrong[i] || r > 0 &&
					(c.function != calls[0][i].function || c.args["root"] != calls[0][i].args["root"])
				calls[r] = append(calls[r], c)
			}
		}
		next := make([]int, n)
		for {
			var ready []int // ranks that are ready to enter a call, or to leave a call with a verdict
			for r := range n {
				if _, judged := h.verdicts[r]; judged || h.open[r] == nil && next[r] < rounds {
					ready = append(ready, r)
				}
			}
			if len(ready) == 0 {
				break
			}
			r := rapid.SampledFrom(ready).Draw(t, "rank")
			if h.open[r] == nil {
				h.enters(r, calls[r][next[r]].function, calls[r][next[r]].args)
				next[r]++
				continue
			}
			at := next[r] - 1
			if refused := h.verdicts[r].Refused != ring.GoOn; refused != wrong[at] {
				t.Fatalf("rank %d in round %d: refused %v", r, at, refused)
			}
			if !wrong[at] && slices.Min(next) <= at {
				t.Fatalf("rank %d has gone on in round %d, before all have come: %v", r, at, next)
			}
			h.leaves(r)
		}
		for r := range n {
			if next[r] != rounds || h.open[r] != nil {
				t.Fatalf("rank %d hangs in round %d of %d", r, next[r], rounds)
			}
		}
	})
}

func TestStrictFunctionsAreJudged(t *testing.T) {
	// Each call that the library may hold gets a verdict at once if it is on a communicator of one process, or on none.
	for _, f := range mpiapi.Funcs() {
		if !f.Held() && f.Class != mpiapi.Wait && f.Class != mpiapi.Test {
			continue
		}
		a := Args{}
		if i := f.Arg(mpiapi.TheComm); i >= 0 {
			a[f.Params[i].Name] = uint64(Self)
		}
		h := strictly(t, 1, 1)
		h.enters(0, f.Name, a)
		if _, ok := h.verdicts[0]; !ok {
			t.Errorf("%s is held forever", f.Name)
		}
	}
}
