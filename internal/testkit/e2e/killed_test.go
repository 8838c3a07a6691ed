package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// A staged is a run of the program stages, which waits at the given place.
type staged struct {
	cmd    *exec.Cmd
	stderr string // file
	report string // file
	ranks  []int  // the ranks' processes
}

// stage starts the program under mpivet run, or under the launcher with mpivet exec. It returns when both ranks are at
// the place where they wait.
func stage(t *testing.T, m mpirun.MPI, under, where string) *staged {
	t.Helper()
	dir := t.TempDir()
	s := &staged{report: filepath.Join(dir, "report.json"), stderr: filepath.Join(dir, "stderr")}
	program := compile(t, m, "stages")
	if under == "exec" {
		s.cmd = started(t, exec.Command(m.Mpirun, "-n", "2", mpivet, "exec", "--json", s.report, program, dir, where))
	} else {
		s.cmd = started(t, exec.Command(mpivet, "run", "-n", "2", "--json", s.report, program, dir, where))
	}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := os.Create(s.stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	s.cmd.Stderr = stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		if t.Failed() {
			t.Logf("stderr:\n%s", s.said(t))
		}
	})
	for rank := range 2 {
		file := filepath.Join(dir, fmt.Sprintf("rank.%d", rank))
		waitFor(t, time.Minute, fmt.Sprintf("rank %d is there", rank), func() bool { return exists(file) })
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		s.ranks = append(s.ranks, pid)
	}
	return s
}

// said returns the text on standard error so far.
func (s *staged) said(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(s.stderr)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// end waits for the end of the run, and returns the report.
func (s *staged) end(t *testing.T) *mpirun.Report {
	t.Helper()
	_ = s.cmd.Wait()
	// The analyzer of exec may outlive the launcher.
	waitFor(t, time.Minute, "the report is there", func() bool { return exists(s.report) })
	return read(t, s.report)
}

// parents returns the ancestors of a process, nearest first: number and name.
func parents(t *testing.T, pid int) (pids []int, names []string) {
	t.Helper()
	for pid > 1 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		names = append(names, text[strings.IndexByte(text, '(')+1:strings.LastIndexByte(text, ')')])
		pids = append(pids, pid)
		if _, err := fmt.Sscanf(text[strings.LastIndexByte(text, ')')+3:], "%d", &pid); err != nil {
			t.Fatal(err)
		}
	}
	return pids[1:], names[1:]
}

// launcherIn returns the index of the launcher in the names of a rank's ancestors, -1 if there is none. Open MPI 5's
// mpiexec executes prterun.
func launcherIn(names []string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "mpiexec") || n == "prterun" })
}

// TestKilledOutsideOfMPI: a rank that is killed before MPI_Init or after MPI_Finalize is reported.
func TestKilledOutsideOfMPI(t *testing.T) {
	for _, under := range []string{"run", "exec"} {
		for where, says := range map[string]string{"init": "before MPI_Init", "finalize": "after MPI_Finalize"} {
			t.Run(under+"/"+where, func(t *testing.T) {
				each(t, func(t *testing.T, m mpirun.MPI) {
					s := stage(t, m, under, where)
					if err := syscall.Kill(s.ranks[1], syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
					f := result{report: s.end(t)}.found(t, "LOCAL:EXIT:SIGNAL")
					if !slices.Equal(f.Ranks, []int{1}) || !strings.Contains(f.Message, "SIGKILL") ||
						!strings.Contains(f.Message, says) {
						t.Errorf("ranks %v: %s", f.Ranks, f.Message)
					}
				})
			})
		}
	}
}

// TestLauncherIsKilled: the death of the ranks is not a finding, and the user is told what has happened.
func TestLauncherIsKilled(t *testing.T) {
	for _, under := range []string{"run", "exec"} {
		for _, victim := range []string{"mpiexec", "hydra_pmi_proxy"} {
			t.Run(under+"/"+victim, func(t *testing.T) {
				each(t, func(t *testing.T, m mpirun.MPI) {
					if victim == "hydra_pmi_proxy" && m.Name != "mpich" {
						t.Skip("there is none")
					}
					s := stage(t, m, under, "busy")
					pids, names := parents(t, s.ranks[0])
					i := launcherIn(names)
					if victim != "mpiexec" {
						i = slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, victim) })
					}
					if i < 0 {
						t.Fatalf("no %s above the rank: %v", victim, names)
					}
					if err := syscall.Kill(pids[i], syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
					if victim == "hydra_pmi_proxy" { // its ranks continue
						for _, pid := range s.ranks {
							_ = syscall.Kill(pid, syscall.SIGKILL)
						}
					}
					report := s.end(t)
					for _, f := range report.Findings {
						t.Errorf("finding: %s: %s", f.Check, f.Message)
					}
					what := fmt.Sprintf("%s (process %d) was killed by SIGKILL", names[i], pids[i])
					if !strings.Contains(report.Run.Launcher, what) {
						t.Errorf("the report says of the launcher %q, want %q", report.Run.Launcher, what)
					}
				})
			})
		}
	}
}

// TestLauncherIsKilledAfterARank: the death of the rank is the finding, as it came first.
func TestLauncherIsKilledAfterARank(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		s := stage(t, m, "run", "between")
		pids, names := parents(t, s.ranks[0])
		i := launcherIn(names)
		if i < 0 {
			t.Fatalf("no launcher above the rank: %v", names)
		}
		// Then it does not notice what happens to the ranks.
		if err := syscall.Kill(pids[i], syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			_ = syscall.Kill(pids[0], syscall.SIGSTOP)
		}
		if err := syscall.Kill(s.ranks[1], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		waitFor(t, time.Minute, "the rank's end has been told", func() bool {
			return strings.Contains(s.said(t), "LOCAL:EXIT:SIGNAL")
		})
		_ = syscall.Kill(pids[i], syscall.SIGKILL)
		_ = syscall.Kill(pids[0], syscall.SIGKILL)
		_ = syscall.Kill(s.ranks[0], syscall.SIGKILL)
		if f := (result{report: s.end(t)}).found(t, "LOCAL:EXIT:SIGNAL"); !slices.Equal(f.Ranks, []int{1}) {
			t.Errorf("ranks %v: %s", f.Ranks, f.Message)
		}
	})
}
