package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// psRun is the JSON of mpivet ps.
type psRun struct {
	Run       string
	State     string
	Ranks     int
	Analyzer  string
	Command   []string
	Processes []struct {
		Rank, PID int
		Threads   []struct {
			InMPI bool `json:"in_mpi"`
			Call  string
			Still float64 `json:"still_s"`
		}
	}
	Objects []psObject
}

type psObject struct {
	Name, Kind  string
	Ranks       []int
	Size        int
	RemoteSize  int `json:"remote_size"`
	Collectives []psCollective
	Without     []int
}

type psCollective struct {
	Name   string
	Counts []struct {
		Count int
		Ranks []int
	}
	Inside, Behind []int
}

func (c psCollective) String() string {
	return fmt.Sprintf("%v in %v behind %v", c.Counts, c.Inside, c.Behind)
}

// called returns what the output says of a collective on the object with that name at the given rank.
func (r *psRun) called(name string, rank int, collective string) string {
	for _, o := range r.Objects {
		if o.Name != name || !slices.Contains(o.Ranks, rank) {
			continue
		}
		for _, c := range o.Collectives {
			if c.Name == collective {
				return c.String()
			}
		}
	}
	return ""
}

// A hung is a run of a program that hangs, with everything needed to look at it.
type hung struct {
	t    *testing.T
	cmd  *exec.Cmd
	name string
	temp string
}

// hang runs a program under mpivet run with options that let it hang.
func hang(t *testing.T, np int, program ...string) *hung {
	t.Helper()
	h := &hung{t: t, temp: t.TempDir()}
	h.cmd = started(t, exec.Command(mpivet,
		slices.Concat([]string{"run", "-n", fmt.Sprint(np), "--quiet", "--on-error", "continue", "--"}, program)...))
	h.cmd.Env = append(h.cmd.Env, "TMPDIR="+h.temp)
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.cmd.Process.Signal(os.Interrupt)
		ended := make(chan struct{})
		go func() { _ = h.cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	})
	// The session's directory on the disk is in a directory of this test. Its name is the session's name.
	waitFor(t, 60*time.Second, "the session is there", func() bool {
		dirs, _ := filepath.Glob(filepath.Join(h.temp, fmt.Sprintf("mpivet-%d-*", os.Getuid())))
		if len(dirs) == 1 {
			_, h.name, _ = strings.Cut(strings.TrimPrefix(filepath.Base(dirs[0]), "mpivet-"), "-")
		}
		return h.name != ""
	})
	return h
}

// ps runs mpivet ps and returns what it prints and its exit status.
func (h *hung) ps(args ...string) (string, int) {
	h.t.Helper()
	cmd := exec.Command(mpivet, append([]string{"ps"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+h.temp)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// look returns the output of mpivet ps about the run, nil if there is none yet.
func (h *hung) look() *psRun {
	h.t.Helper()
	out, status := h.ps("--json", h.name)
	if status != 0 {
		return nil
	}
	var doc struct {
		Schema string
		Runs   []*psRun
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Schema != "mpivet-ps/1" || len(doc.Runs) != 1 {
		h.t.Fatalf("%v: %s", err, out)
	}
	return doc.Runs[0]
}

// until looks until the output satisfies a condition.
func (h *hung) until(what string, ok func(r *psRun) bool) *psRun {
	h.t.Helper()
	var r *psRun
	waitFor(h.t, 90*time.Second, what, func() bool {
		r = h.look()
		return r != nil && ok(r)
	})
	return r
}

// TestPs: for a program that hangs, mpivet ps shows which rank is behind in which collective, whether or not the
// analyzer lives.
func TestPs(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "hang")
		h := hang(t, 4, program, filepath.Join(t.TempDir(), "file"))
		stuck := func(r *psRun) bool {
			return r.called("MPI_COMM_WORLD", 0, "MPI_Allreduce") == "[{1 [0 1 2]} {0 [3]}] in [0 1 2] behind [3]"
		}
		check := func(r *psRun, analyzer string) {
			t.Helper()
			if r.Analyzer != analyzer || r.Ranks != 4 || len(r.Processes) != 4 || r.Command[0] != program {
				t.Errorf("%+v", r)
			}
			all := "[{%d [0 1 2 3]}] in [] behind []"
			for _, c := range []struct {
				name, collective, want string
			}{
				{"MPI_COMM_WORLD", "MPI_Comm_dup", ""},
				{"MPI_COMM_WORLD", "MPI_Comm_split", fmt.Sprintf(all, 1)},
				{"MPI_COMM_WORLD", "MPI_Ibarrier", "[{1 [0 1 2]} {0 [3]}] in [] behind [3]"},
				{"MPI_COMM_SELF", "MPI_Comm_dup", "[{10000 [0]}] in [] behind []"},
				{"half", "MPI_Barrier", "[{3 [0 2]}] in [] behind []"},
				{"communicator 1 of half, by MPI_Comm_dup", "MPI_Bcast", "[{1 [0 2]}] in [] behind []"},
				{"between", "MPI_Ibarrier", "[{1 [0 1 2]} {0 [3]}] in [] behind [3]"},
				{"window", "MPI_Win_fence", fmt.Sprintf(all, 2)},
				{"file 1 of MPI_COMM_WORLD, by MPI_File_open", "MPI_File_set_size", fmt.Sprintf(all, 1)},
			} {
				got := r.called(c.name, 0, c.collective)
				if c.want != "" && got != c.want || c.want == "" && !strings.HasPrefix(got, "[{5") {
					t.Errorf("%s on %s: %s", c.collective, c.name, got)
				}
			}
			if got := r.called("half", 3, "MPI_Barrier"); got != "[{3 [1 3]}] in [] behind []" {
				t.Errorf("the other half: %s", got)
			}
			if kept := r.called("kept", 0, "MPI_Barrier_init"); kept != "" {
				if got := r.called("kept", 0, "MPI_Start of MPI_Barrier_init"); kept != fmt.Sprintf(all, 1) ||
					got != "[{1 [0 1 2]} {0 [3]}] in [] behind [3]" {
					t.Errorf("persistent: %s, %s", kept, got)
				}
			} else if m.Name == "mpich" {
				t.Error("no persistent barrier")
			}
			for _, p := range r.Processes {
				if p.Rank == 3 {
					if p.Threads[0].InMPI || !strings.HasPrefix(p.Threads[0].Call, "MPI_") {
						t.Errorf("rank 3: %+v", p)
					}
				} else if c := p.Threads[0].Call; !p.Threads[0].InMPI ||
					!strings.HasPrefix(c, "MPI_Allreduce(*sendbuf=MPI_IN_PLACE, *recvbuf=0x") ||
					!strings.HasSuffix(c, "count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)") {
					t.Errorf("rank %d: %+v", p.Rank, p)
				}
			}
			for _, o := range r.Objects {
				if o.Name == "between" && (o.Size != 2 || o.RemoteSize != 2) || len(o.Without) > 0 {
					t.Errorf("%+v", o)
				}
			}
			// Freed communicators have left nothing.
			if len(r.Objects) > 20 {
				t.Errorf("%d objects", len(r.Objects))
			}
		}
		check(h.until("the ranks wait for rank 3", stuck), "running")
		if grown, _ := filepath.Glob(fmt.Sprintf("/dev/shm/mpivet-%d-%s/s*.1", os.Getuid(), h.name)); len(grown) > 0 {
			t.Errorf("freed communicators took more room: %v", grown)
		}
		r := h.until("time passes", func(r *psRun) bool {
			for _, p := range r.Processes {
				if p.Threads[0].Still < 1 {
					return false
				}
			}
			return true
		})
		if r.State != "computing" {
			t.Errorf("state %s", r.State)
		}
		text, status := h.ps(h.name)
		for _, want := range []string{
			"MPI_Allreduce", "1 × ranks 0-2, in it now; 0 × rank 3 ← rank 3 is behind",
			fmt.Sprintf("%d  ≥ ", r.Processes[0].PID), "outside MPI, after MPI_",
			"between (2 + 2 processes with ranks 0-3)",
		} {
			if !strings.Contains(text, want) || status != 0 {
				t.Errorf("%q is missing in %s", want, text)
			}
		}
		// The width of a column depends on the names of other runs.
		row := regexp.MustCompile(regexp.QuoteMeta(h.name) + " {2,}computing for ")
		if list, _ := h.ps(); !row.MatchString(list) {
			t.Errorf("the list: %s", list)
		}

		if err := h.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r = h.until("the analyzer is gone", func(r *psRun) bool { return r.Analyzer == "gone" })
		check(r, "gone")
		for _, p := range r.Processes {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
		// Another mpivet run on this machine may clean up.
		waitFor(t, 30*time.Second, "nothing runs", func() bool {
			r := h.look()
			return r == nil || r.State == "left behind"
		})
	})
}

// TestPsThreads: the collectives of all threads are counted, and the position of each thread is shown.
func TestPsThreads(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		h := hang(t, 2, compile(t, m, "hang_threads"))
		const behind = "[{501 [0]} {500 [1]}] in [0] behind [1]"
		r := h.until("both threads wait", func(r *psRun) bool {
			return r.called("left", 0, "MPI_Barrier") == behind && r.called("right", 0, "MPI_Barrier") == behind
		})
		if n := len(r.Processes[0].Threads); n != 2 {
			t.Fatalf("%d threads", n)
		}
		calls := r.Processes[0].Threads[0].Call + " " + r.Processes[0].Threads[1].Call
		if !strings.Contains(calls, "MPI_Barrier(comm=left)") || !strings.Contains(calls, "MPI_Barrier(comm=right)") {
			t.Error(calls)
		}
	})
}
