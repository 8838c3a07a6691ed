package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/debugger"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// hungQueues are lines that a debugger shows of each rank of hang_queues.
var hungQueues = [][]string{
	{
		`comm MPI_COMM_WORLD: id 0x\w+, rank 0 of 4, group 0 1 2 3`,
		`  class 1: count 1, active`, // MPI_Bcast
		`  class 4: count 1`,         // MPI_Allreduce
		`comm half: id 0x\w+, rank 0 of 2, group 0 2`,
		`  class 22: count 1, active`, // MPI_Ibarrier
		`  receive: pending, rank -1 \(-1\), tag any, 16 bytes, at 0x\w+; MPI_Irecv; 2 x MPI_DOUBLE; by thread \d+; ` +
			`(for \d+\.\d s; )?called before 0x\w+`,
	},
	{`comm half: id 0x\w+, rank 0 of 2, group 1 3`, `  class 1: count 1, active`, `  class 4: count 1`},
	{
		`  class 4: count 1`,
		`  receive: pending, rank 3 \(3\), tag 5, 12 bytes, at 0x\w+; MPI_Recv; 3 x MPI_INT; ` +
			`thread \d+ is in the call(; for \d+\.\d s)?`,
	},
	{`  class 4: count 1`},
}

// TestDebuggerLibrary: debuggers show where each rank of a hung job is, with the analyzer, after its end, and in core
// files.
func TestDebuggerLibrary(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		front := debugger.Build(t)
		h := hang(t, 4, compile(t, m, "hang_queues"))
		calls := []string{"MPI_Bcast(", "MPI_Bcast(", "MPI_Recv(", ""}
		r := h.until("the ranks wait", func(r *psRun) bool {
			for _, p := range r.Processes {
				if p.Rank < 0 || p.Rank >= len(calls) || len(p.Threads) != 1 {
					return false
				}
				call := calls[p.Rank]
				if th := p.Threads[0]; th.Still < 1.5 || th.InMPI != (call != "") || !strings.HasPrefix(th.Call, call) {
					return false
				}
			}
			return len(r.Processes) == len(calls)
		})
		pids := make([]int, len(calls))
		for _, p := range r.Processes {
			pids[p.Rank] = p.PID
		}
		psShows(t, r)
		worlds := make(map[string]bool)
		check := func(how string, rank int, target string) {
			t.Helper()
			got := front.Look(t, target)
			checkQueues(t, how, rank, got)
			worlds[regexp.MustCompile(`comm MPI_COMM_WORLD: (id 0x\w+),`).FindString(got)] = true
		}
		for rank, pid := range pids {
			check("live", rank, strconv.Itoa(pid))
			named := debugger.Front{Program: front.Program, Library: "-"}
			if got := named.Look(t, strconv.Itoa(pid)); !regexp.MustCompile(
				`^MPIR_dll_name: /.*/libmpivet_dbg-\w+\.so\n`).MatchString(got) {
				t.Errorf("rank %d: the process names another library: %s", rank, got)
			} else {
				checkQueues(t, "with the library that the process names", rank, got)
			}
		}
		if err := h.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		h.until("the analyzer is gone", func(r *psRun) bool { return r.Analyzer == "gone" })
		defer func() {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}()
		gcore, err := exec.LookPath("gcore")
		core := filepath.Join(t.TempDir(), "core")
		for rank, pid := range pids {
			check("without the analyzer", rank, strconv.Itoa(pid))
			if err != nil {
				continue
			}
			if out, err := exec.Command(gcore, "-o", core, strconv.Itoa(pid)).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			check("in a core file", rank, core+"."+strconv.Itoa(pid))
		}
		if len(worlds) != 1 {
			t.Errorf("MPI_COMM_WORLD differs: %v", worlds)
		}
		if err != nil {
			t.Skip("no gcore: ", err)
		}
	})
}

// psShows checks that mpivet ps says the same about the collectives of hang_queues.
func psShows(t *testing.T, r *psRun) {
	t.Helper()
	for _, c := range []struct{ comm, collective, want string }{
		{"MPI_COMM_WORLD", "MPI_Bcast", "[{1 [0 1]} {0 [2 3]}] in [0 1] behind [2 3]"},
		{"MPI_COMM_WORLD", "MPI_Allreduce", "[{1 [0 1 2 3]}] in [] behind []"},
		{"half", "MPI_Ibarrier", "[{1 [0]} {0 [2]}] in [] behind [2]"},
	} {
		if got := r.called(c.comm, 0, c.collective); got != c.want {
			t.Errorf("ps: %s on %s: %s", c.collective, c.comm, got)
		}
	}
}

// checkQueues compares the output about a rank with what must be there, and with what must not.
func checkQueues(t *testing.T, how string, rank int, got string) {
	t.Helper()
	if !strings.Contains("\n"+got, "\nrank "+strconv.Itoa(rank)+"\n") {
		t.Errorf("rank %d %s: another rank", rank, how)
	}
	for _, want := range hungQueues[rank] {
		if !regexp.MustCompile("(?m)^" + want + "$").MatchString(got) {
			t.Errorf("rank %d %s: no %s", rank, how, want)
		}
	}
	if strings.Contains(got, "error") || strings.Contains(got, "  send") ||
		strings.Count(got, "  receive") != strings.Count(strings.Join(hungQueues[rank], "\n"), "  receive") ||
		strings.Count(got, ", active") != strings.Count(strings.Join(hungQueues[rank], "\n"), ", active") {
		t.Errorf("rank %d %s: too much", rank, how)
	}
	// The analyzer tells of the message that rank 2 does not receive.
	const unexpected = "  unexpected: pending, rank 0 (0), tag 99, 4 bytes in MPI; sent by MPI_Send"
	if rank == 2 && !strings.Contains(got, unexpected) {
		t.Errorf("rank %d %s: no %s", rank, how, unexpected)
	}
	// Core files may lack the present time.
	timed := how == "live" || strings.HasPrefix(how, "with the library")
	if rank == 2 && timed && !strings.Contains(got, "is in the call; for ") {
		t.Errorf("rank %d %s: no time", rank, how)
	}
	if t.Failed() {
		t.Logf("rank %d %s:\n%s", rank, how, got)
	}
}
