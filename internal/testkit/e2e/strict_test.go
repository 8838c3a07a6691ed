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

// lines returns the lines of a text in alphabetical order.
func lines(text string) []string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(list)
	return list
}

// only fails unless all findings are of one check, and there is exactly one. It returns that finding.
func (r result) only(t *testing.T, check string) *mpirun.Finding {
	t.Helper()
	for _, f := range r.report.Findings {
		if f.Check != check {
			t.Errorf("finding: %s: %s", f.Check, f.Message)
		}
	}
	return r.found(t, check)
}

// root is the check of most errors in strict_error.
const root = "GLOBAL:COLLECTIVE:ROOT_MISMATCH"

// firstLine returns the first line of a finding's message.
func firstLine(f *mpirun.Finding) string {
	line, _, _ := strings.Cut(f.Message, "\n")
	return line
}

// TestStrictRaisesErrors: if errors are returned or handled, all members of a faulty collective get one, and the
// program goes on.
func TestStrictRaisesErrors(t *testing.T) {
	const operation = "GLOBAL:COLLECTIVE:OPERATION_MISMATCH"
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "strict_error")
		for _, c := range []struct{ handler, operation, check, more string }{
			{"return", "bcast", root, ""},
			{"own", "bcast", root, ""},
			{"return", "constructor", operation, "made: none"},
			{"return", "inter", root, ""},
			{"return", "window", "GLOBAL:COLLECTIVE:WINDOW_MISMATCH", ""},
			{"return", "file", operation, ""},
			{"own", "wait", root, "ibcast: success"},
			{"return", "waitall", root, "ibcast: success"},
			{"return", "testany", root, "ibcast: success"},
		} {
			t.Run(c.operation+"-"+c.handler, func(t *testing.T) {
				dir := t.TempDir() // launchers may mix lines of several ranks
				r := vet(t, 4, []string{"--strict"}, program, c.handler, c.operation, dir)
				if r.Status != 3 {
					t.Errorf("exit status %d", r.Status)
				}
				f := r.only(t, c.check)
				if !slices.Equal(f.Ranks, []int{0, 1, 2, 3}) && c.operation != "inter" {
					t.Errorf("ranks %v", f.Ranks)
				}
				for rank := range 4 {
					said, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(rank)))
					if err != nil {
						t.Error(err)
					}
					want := []string{fmt.Sprintf("%s: mpivet: %s: %s", c.operation, c.check, firstLine(f)), "end"}
					if c.more != "" {
						want = append(want, c.more)
					}
					if c.handler == "own" {
						want = append(want, "1 calls of the handler, on the communicator: 1")
					}
					for _, w := range want {
						if !slices.Contains(lines(string(said)), fmt.Sprintf("rank %d: %s", rank, w)) {
							t.Errorf("rank %d does not say %q:\n%s", rank, w, said)
						}
					}
				}
			})
		}
	})
}

func TestStrictExitStatus(t *testing.T) {
	m := mpi(t, "mpich")
	r := vet(t, 4, []string{"--strict", "--fail-on", "fatal"}, compile(t, m, "strict_error"), "return", "bcast")
	r.only(t, "GLOBAL:COLLECTIVE:ROOT_MISMATCH")
	if r.Status != 0 {
		t.Errorf("exit status %d", r.Status)
	}
}

// TestStrictChecksThatAreOff: a check that is off does not refuse a call. MPI gets the call and handles it.
func TestStrictChecksThatAreOff(t *testing.T) {
	m := mpi(t, "mpich")
	flags := []string{"--strict", "--check", "GLOBAL:COLLECTIVE:ROOT_MISMATCH=off"}
	r := vet(t, 4, flags, compile(t, m, "strict_error"), "return", "testany")
	if strings.Contains(r.Stdout, "mpivet: ") {
		t.Errorf("stdout:\n%s", r.Stdout)
	}
}

func TestStrictFatalErrors(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		r := lastWords(t, m, 4, []string{"--strict"}, func(r result) {
			r.only(t, "GLOBAL:COLLECTIVE:ROOT_MISMATCH")
			if r.Status == 0 || r.Status == 3 || strings.Contains(r.Stdout, "end") {
				t.Errorf("exit status %d, stdout:\n%s", r.Status, r.Stdout)
			}
		}, compile(t, m, "strict_error"), "fatal", "bcast")
		if !strings.Contains(r.Stderr, "rror in MPI_Bcast") &&
			!strings.Contains(r.Stderr, "error occurred in MPI_Bcast") {
			t.Error("MPI does not name the call")
		}
		if !strings.Contains(r.Stderr, "mpivet: "+root+": "+firstLine(r.only(t, root))) {
			t.Error("MPI does not say why")
		}
	})
}

func TestStrictOfACorrectProgram(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		r := vet(t, 4, []string{"--strict"}, compile(t, m, "strict_ok"), "2")
		r.clean(t)
		if r.Stdout != "all right\n" {
			t.Errorf("stdout %q", r.Stdout)
		}
	})
}

func TestStrictMissingMember(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "strict_missing")
		for _, operation := range []string{"barrier", "bcast"} {
			t.Run(operation, func(t *testing.T) {
				r := vet(t, 2, []string{"--strict"}, program, operation)
				r.only(t, "GLOBAL:COLLECTIVE:MISSING")
				if got := strings.Join(lines(r.Stdout), "|"); got != "rank 0: error|rank 1: success" {
					t.Errorf("stdout %q", got)
				}
				if r.Status != 3 {
					t.Errorf("exit status %d", r.Status)
				}
			})
		}
	})
}

// TestStrictLetsGo: the standard lets a collective wait for all members, so the program is not portable. But strict
// mode does not make it hang.
func TestStrictLetsGo(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		r := vet(t, 2, []string{"--strict"}, compile(t, m, "strict_missing"), "later")
		r.potential(t, "MPI_Bcast", "MPI_Recv")
		if got := strings.Join(lines(r.Stdout), "|"); got != "rank 0: success|rank 1: success" {
			t.Errorf("stdout %q", got)
		}
	})
}

func TestStrictThreads(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		r := vet(t, 2, []string{"--strict"}, compile(t, m, "strict_threads"))
		r.only(t, "GLOBAL:COLLECTIVE:ROOT_MISMATCH")
		if got := strings.Join(lines(r.Stdout), "|"); got != "rank 0: 0 1|rank 1: 0 1" {
			t.Errorf("stdout %q", got)
		}
		if r.Status != 3 {
			t.Errorf("exit status %d", r.Status)
		}
	})
}

// TestStrictProgramOutlivesAnalyzer: a rank that is held when mpivet dies goes on.
func TestStrictProgramOutlivesAnalyzer(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		dir := t.TempDir()
		cmd := started(t, exec.Command(mpivet, "run", "--strict", "-n", "2", "--", compile(t, m, "strict_held"), dir))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }()
		waitFor(t, 30*time.Second, "the program runs", func() bool {
			return exists(filepath.Join(dir, "started.0")) && exists(filepath.Join(dir, "started.1"))
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, rank := range []string{"0", "1"} {
			waitFor(t, 30*time.Second, "rank "+rank+" runs to its end", func() bool {
				return exists(filepath.Join(dir, "finished."+rank))
			})
		}
	})
}

func TestStrictUnderALauncher(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		report := filepath.Join(t.TempDir(), "report.json")
		program := compile(t, m, "strict_error")
		cmd := started(t, exec.Command(m.Mpirun, "-n", "4", mpivet, "exec", "--strict", "--json",
			report, program, "return", "bcast"))
		var stdout strings.Builder
		cmd.Stdout = &stdout
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 {
			t.Fatal(err)
		}
		if n := strings.Count(stdout.String(), "bcast: mpivet: GLOBAL:COLLECTIVE:ROOT_MISMATCH"); n != 4 {
			t.Errorf("%d ranks got the error:\n%s", n, stdout.String())
		}
		waitFor(t, 20*time.Second, "there is a report", func() bool { return exists(report) })
	})
}

// TestStrictReplay: refused calls are reported in the same way when the records are analysed again.
func TestStrictReplay(t *testing.T) {
	m := mpi(t, "mpich")
	dir := t.TempDir()
	file, report := filepath.Join(dir, "records"), filepath.Join(dir, "report.json")
	vet(t, 4, []string{"--strict", "--record", file}, compile(t, m, "strict_error"), "own", "waitall")
	r := finish(t, report, []string{mpivet, "replay", "--json", report, file})
	r.only(t, "GLOBAL:COLLECTIVE:ROOT_MISMATCH")
}
