package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/track"
)

// TestFaultInLibrary: a crash inside mpivet's own library is reported as a bug of mpivet. A crash in another library is
// not.
func TestFaultInLibrary(t *testing.T) {
	for path, own := range map[string]bool{"/cache/libmpivet.so": true, "/usr/lib/libmpich.so.12": false} {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		Start(p, 0, 1)
		p.Batch(&ring.Batch{Data: NewRank(0, 1).Bytes()})
		p.End(0, &ring.ProcEnd{
			Kind: ring.Signaled, Code: 11, Initialized: true, InMPI: true, FaultAddr: 16,
			PCs: []uint64{0x5010}, Maps: []ring.Mapping{{Start: 0x5000, End: 0x6000, Path: path}},
		})
		p.Finish()
		if len(got) != 1 || strings.Contains(got[0].Message, "a bug of mpivet, not of your program") != own {
			t.Errorf("%s: found %v: %s", path, got.Names(), got[0].Message)
		}
		if own != strings.Contains(got[0].Advice, "report this") {
			t.Errorf("%s: advice %s", path, got[0].Advice)
		}
	}
}

// TestPanicSwitchesCheckOff: a check that panics finds nothing more. All other checks find the same as always. The
// failed check and the place of the failure are reported.
func TestPanicSwitchesCheckOff(t *testing.T) {
	calls := 0
	broken := &check.Check{ID: "LOCAL:TEST:BROKEN", Start: func(x *check.Run) {
		x.Track.FinalizeEntered.On(x.Owner, func(track.FinalizeEntered) {
			calls++
			panic("lost my way")
		})
	}}
	var got collected
	p := pipeline.New(pipeline.Options{Checks: append(all.Checks(), broken), Reporter: &got})
	program := New(2)
	program.Ranks[0].Call("send", "MPI_Send", message(1, Int, "dest", 1, 7))
	for _, r := range program.Ranks {
		r.Call("end", "MPI_Finalize", nil)
	}
	program.Deliver(p, 1, 0)
	p.Finish()
	if calls != 1 || len(p.Failures) != 1 || p.Broken != "" {
		t.Fatalf("called %d times, failures %v, %s", calls, p.Failures, p.Broken)
	}
	if text := p.Failures[0].String(); !strings.Contains(text, "LOCAL:TEST:BROKEN failed at call") ||
		!strings.Contains(text, "lost my way") {
		t.Errorf("told: %s", text)
	}
	if names := got.Names(); len(names) != 1 || !strings.HasPrefix(names[0], "GLOBAL:MSG:PENDING") {
		t.Errorf("found %v", names)
	}
}

// TestEachCheckAlone: each check alone gets all facts that it needs.
func TestEachCheckAlone(t *testing.T) {
	for _, c := range all.Checks() {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: []*check.Check{c}, Reporter: &got})
		New(2).Deliver(p, 1, 0)
		p.Finish()
		if p.Trouble() != "" {
			t.Errorf("%s: %s", c.ID, p.Trouble())
		}
	}
}

// TestCrashWhileMPIEnds: after an error that is fatal, MPI itself may crash in this process and in others. Only a crash
// before, or in the program's own code, is reported.
func TestCrashWhileMPIEnds(t *testing.T) {
	const library, program = "/usr/lib/libmpich.so.12", "/bin/program"
	for name, test := range map[string]struct {
		path  string
		after time.Duration // the crash of rank 1 after that of rank 0
		want  string
	}{
		"in MPI":        {library, time.Millisecond, "LOCAL:MPI:CALL_FAILED [0]"},
		"just before":   {library, -time.Millisecond, "LOCAL:MPI:CALL_FAILED [0]"},
		"long before":   {library, -time.Second, "LOCAL:EXIT:SIGNAL [1], LOCAL:MPI:CALL_FAILED [0]"},
		"in a callback": {program, time.Millisecond, "LOCAL:EXIT:SIGNAL [1], LOCAL:MPI:CALL_FAILED [0]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got collected
			p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			Start(p, 0, 2)
			Start(p, 1, 2)
			for rank := range 2 {
				p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: NewRank(rank, 2).Bytes()})
				rec := Record(1, "MPI_Barrier", map[string]any{"comm": World}, 0)
				p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: rec, Open: true})
			}
			p.Batch(&ring.Batch{Thread: 0, Data: Error(15, "Other MPI error", true)})
			crash := func(rank int, path string, at time.Duration) {
				p.End(ring.ProcID(rank), &ring.ProcEnd{
					Kind: ring.Signaled, Code: 11, Initialized: true, InMPI: true, Time: at, PCs: []uint64{0x5010},
					Maps: []ring.Mapping{{Start: 0x5000, End: 0x6000, Path: path}},
				})
			}
			crash(0, library, 10*time.Second)
			crash(1, test.path, 10*time.Second+test.after)
			p.Finish()
			names := got.Names()
			slices.Sort(names)
			if found := strings.Join(names, ", "); found != test.want {
				t.Errorf("found %s", found)
			}
		})
	}
}

// TestFailsWithoutLauncher: MPI_Finalize may fail because the launcher was killed. That is no fault of the program.
func TestFailsWithoutLauncher(t *testing.T) {
	for killed, want := range map[bool]string{true: "", false: "LOCAL:MPI:CALL_FAILED [0]"} {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		Start(p, 0, 1)
		p.Batch(&ring.Batch{Thread: 0, Data: NewRank(0, 1).Bytes()})
		p.Batch(&ring.Batch{Thread: 0, Data: Record(1, "MPI_Finalize", nil, 0), Open: true})
		p.Batch(&ring.Batch{Thread: 0, Data: Error(15, "PMI_Finalize returned -1", true)})
		p.End(0, &ring.ProcEnd{
			Kind: ring.Signaled, Code: 15, Initialized: true, InMPI: true, Asked: true, LauncherKilled: killed,
			PCs:  []uint64{0x5010},
			Maps: []ring.Mapping{{Start: 0x5000, End: 0x6000, Path: "/usr/lib/libmpich.so.12"}},
		})
		p.Finish()
		if found := strings.Join(got.Names(), ", "); found != want {
			t.Errorf("launcher killed %t: found %q, want %q", killed, found, want)
		}
	}
}

// TestEndedWithTheOthers: MPI may end all processes when one has an error that is fatal. Only the error is reported,
// whichever comes first.
func TestEndedWithTheOthers(t *testing.T) {
	for _, first := range []int{0, 1} {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		Start(p, 0, 2)
		Start(p, 1, 2)
		for rank := range 2 {
			p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: NewRank(rank, 2).Bytes()})
			rec := Record(1, "MPI_Barrier", map[string]any{"comm": World}, 0)
			p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: rec, Open: true})
		}
		for _, rank := range []int{first, 1 - first} {
			if rank == 0 {
				p.Batch(&ring.Batch{Thread: 0, Data: Error(15, "Other MPI error", true)})
			}
			p.End(ring.ProcID(rank), &ring.ProcEnd{
				Kind: ring.Exited, Code: 15, Initialized: true, InMPI: true, PCs: []uint64{0x5010},
				Maps: []ring.Mapping{{Start: 0x5000, End: 0x6000, Path: "/usr/lib/libmpich.so.12"}},
			})
		}
		p.Finish()
		if found := strings.Join(got.Names(), ", "); found != "LOCAL:MPI:CALL_FAILED [0]" {
			t.Errorf("rank %d ends first: found %s", first, found)
		}
	}
}

// TestLostPeer: Open MPI ends a process inside a call if the connection to another process is closed. Then only the end
// of the other process is reported, whichever is seen first.
func TestLostPeer(t *testing.T) {
	const mpi = "LOCAL:MPI:CALL_FAILED [0]"
	killed := ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, Time: 2}
	for name, c := range map[string]struct {
		library string
		node    int // of rank 1
		peer    ring.ProcEnd
		want    string
	}{
		"killed":                 {"Open MPI v5.0.7", 1, killed, "LOCAL:EXIT:SIGNAL [1]"},
		"killed by the launcher": {"MPICH 4.0", 1, killed, mpi},
		"exit": {
			"Open MPI v5.0.7", 1,
			ring.ProcEnd{Kind: ring.Exited, Code: 2, Initialized: true, Time: 2},
			"LOCAL:EXIT:BEFORE_MPI_FINALIZE [1]",
		},
		"ended by the launcher": {
			"Open MPI v5.0.7", 1,
			ring.ProcEnd{Kind: ring.Signaled, Code: 15, Initialized: true, Asked: true, Time: 2},
			mpi,
		},
		"later, on the same node": {"Open MPI v5.0.7", 0, killed, mpi},
	} {
		for _, first := range []int{0, 1} {
			var got collected
			p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			for rank := range 2 {
				proc := &ring.Proc{ID: ring.ProcID(rank), PID: 1000 + rank, PPID: 1, Rank: rank, WorldSize: 2}
				if rank == 1 {
					proc.Node = c.node
				}
				p.Proc(proc)
				p.Thread(&ring.Thread{ID: ring.ThreadID(rank), Proc: ring.ProcID(rank), TID: 1000 + rank, Main: true})
				p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: NewRank(rank, 2).Bytes()})
				p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: MPI(rank, 2, c.library)})
			}
			rec := Record(1, "MPI_Barrier", map[string]any{"comm": World}, 0)
			p.Batch(&ring.Batch{Thread: 0, Data: rec, Open: true})
			for _, rank := range []int{first, 1 - first} {
				end := c.peer
				if rank == 0 {
					end = ring.ProcEnd{
						Kind: ring.Exited, Code: 14, Initialized: true, InMPI: true, Time: 1, PCs: []uint64{0x5010},
						Maps: []ring.Mapping{{Start: 0x5000, End: 0x6000, Path: "/usr/lib/libopen-pal.so"}},
					}
				}
				p.End(ring.ProcID(rank), &end)
			}
			p.Finish()
			names := got.Names()
			slices.Sort(names)
			if found := strings.Join(names, ", "); found != c.want {
				t.Errorf("%s, rank %d ends first: found %s", name, first, found)
			}
		}
	}
}
