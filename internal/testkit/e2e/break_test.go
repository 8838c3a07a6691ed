package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// watched is a run whose output is read while it runs.
type watched struct {
	t      *testing.T
	out    lockedBuilder
	status chan int
}

func watch(t *testing.T, args ...string) *watched {
	t.Helper()
	w := &watched{t: t, status: make(chan int, 1)}
	cmd := started(t, exec.Command(mpivet, args...))
	cmd.Stdout, cmd.Stderr = &w.out, &w.out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait(); w.status <- cmd.ProcessState.ExitCode() }()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.out.String())
		}
	})
	return w
}

// find waits until the output matches a regular expression, and returns the parts that its groups match.
func (w *watched) find(pattern string) []string {
	w.t.Helper()
	var found []string
	waitFor(w.t, time.Minute, pattern, func() bool {
		found = regexp.MustCompile(pattern).FindStringSubmatch(w.out.String())
		return found != nil
	})
	return found
}

// ends waits for the end of the run, and returns the exit status.
func (w *watched) ends() int {
	w.t.Helper()
	select {
	case s := <-w.status:
		return s
	case <-time.After(time.Minute):
		w.t.Fatal("mpivet does not end")
		return 0
	}
}

// gdb runs commands of gdb on a process, and returns the output.
func (w *watched) gdb(pid string, commands ...string) string {
	w.t.Helper()
	args := []string{"gdb", pid, "--", "-batch", "-nx"}
	for _, c := range commands {
		args = append(args, "-ex", c)
	}
	cmd := exec.Command(mpivet, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "DEBUGINFOD_URLS=", "MPIVET_INSPECTOR=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestBreakOn: a rank is held in the faulty call, before it enters MPI, or before it returns if the error is found only
// then. A debugger sees it there, can stop at each finding, and lets it go on.
func TestBreakOn(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		w := watch(t, "run", "-n", "2", "--break-on", "error", "--", compile(t, m, "held"))
		pid := w.find(`rank 1 is held before MPI_Send at held\.c:\d+ enters MPI \(LOCAL:MPI:INVALID_ARGUMENT\)` +
			`\n.*mpivet gdb (\d+)`)[1]
		out := w.gdb(pid, "info locals", "mpivet findings", "mpivet call", "break mpivet_finding", "continue",
			"printf \"stopped at %s\\n\", check", "mpivet call", "bt", "delete", "continue")
		for _, want := range []string{
			`wrong = 1`, `error LOCAL:MPI:INVALID_ARGUMENT`, `MPI_Send\(.*tag=-3`,
			`hit Breakpoint 1, mpivet_finding \(check=.* "LOCAL:MEMORY:ILLEGAL_MODIFICATION", text=.*` +
				`"The send buffer of MPI_Isend was changed`,
			`stopped at LOCAL:MEMORY:ILLEGAL_MODIFICATION`, `MPI_Wait\(`, `in main \(.*held\.c`,
		} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("gdb does not show %q: %s", want, out)
			}
		}
		w.find(`rank 1 is held before MPI_Wait at held\.c:\d+ returns \(LOCAL:MEMORY:ILLEGAL_MODIFICATION\)`)
		if s := w.ends(); s != 3 {
			t.Errorf("exit status %d", s)
		}
		for _, want := range []string{"rank 0 ends", "rank 1 ends", "2 errors"} {
			if !strings.Contains(w.out.String(), want) {
				t.Errorf("no %q", want)
			}
		}
	})
}

// TestBreakOnGDB: without a terminal, gdb prints the stacks of the held rank. Then the program goes on. Findings for
// which no rank is held do not stop it.
func TestBreakOnGDB(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		w := watch(t, "run", "-n", "2", "--on-error", "gdb", "--break-on", "LOCAL:MEMORY:*",
			"--", compile(t, m, "held"))
		w.find(`(?s)rank 1 is held before MPI_Wait at held\.c:\d+ returns .*gdb on rank 1.* in main \(`)
		if s := w.ends(); s != 3 {
			t.Errorf("exit status %d", s)
		}
		if out := w.out.String(); strings.Count(out, "is held") != 1 || !strings.Contains(out, "rank 1 ends") {
			t.Errorf("not only one stop: %s", out)
		}
	})
}

// TestBreakOnAnalyzerKilled: if the analyzer dies, the held rank goes on.
func TestBreakOnAnalyzerKilled(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		end := filepath.Join(t.TempDir(), "end")
		cmd := started(t, exec.Command(mpivet, "run", "-n", "2", "--break-on", "error", "--",
			compile(t, m, "held"), end))
		var out lockedBuilder
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, time.Minute, "a rank is held", func() bool { return strings.Contains(out.String(), "is held") })
		_ = cmd.Process.Kill()
		waitFor(t, time.Minute, "the ranks end", func() bool {
			text, _ := os.ReadFile(end)
			return strings.Count(string(text), "ends") == 2
		})
		_ = cmd.Wait()
	})
}

// TestGDBInASplit: in tmux, gdb gets a split of the window. It shows the finding and the program's own frame.
func TestGDBInASplit(t *testing.T) {
	for _, program := range []string{"gdb", "tmux"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		socket := filepath.Join(t.TempDir(), "tmux")
		tmux := func(args ...string) string {
			cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", socket}, args...)...)
			cmd.Env = append(mpirun.FastStart(), "TERM=xterm", "LC_ALL=C.UTF-8", "DEBUGINFOD_URLS=", "SHELL=/bin/sh")
			out, _ := cmd.CombinedOutput() // panes may end at any time
			return string(out)
		}
		command := mpivet + " run -n 2 --on-error gdb --break-on error -- " + compile(t, m, "held") +
			"; echo status $?; cat"
		tmux("new-session", "-d", "-x", "180", "-y", "100", command)
		t.Cleanup(func() { tmux("kill-server") })
		screen := func(want string) {
			t.Helper()
			var all string
			for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
				all = ""
				for _, pane := range strings.Fields(tmux("list-panes", "-F", "#{pane_id}")) {
					all += tmux("capture-pane", "-p", "-t", pane) + "\n"
				}
				if regexp.MustCompile(want).MatchString(all) {
					return
				}
			}
			t.Fatalf("no %q on the screen:\n%s", want, all)
		}
		screen(`(?s)in main .*held\.c.*\[0\] = error LOCAL:MPI:INVALID_ARGUMENT.*\(gdb\)`)
		tmux("send-keys", "kill\n")
		screen(`Kill the program`)
		tmux("send-keys", "y\n")
		screen(`killed`)
		tmux("send-keys", "quit\n")
		screen(`status \d+`)
	})
}
