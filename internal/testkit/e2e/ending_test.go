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

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestSignalsEndAlways: no process reads the output of mpivet, so it is blocked. A signal ends it nevertheless, with
// all findings in the report. A second signal ends it at once.
func TestSignalsEndAlways(t *testing.T) {
	for _, under := range []string{"run", "exec"} {
		for _, signals := range []int{1, 2} {
			name := under + "/once"
			if signals == 2 {
				name = under + "/twice"
			}
			t.Run(name, func(t *testing.T) {
				each(t, func(t *testing.T, m mpirun.MPI) { endBlocked(t, m, under, signals) })
			})
		}
	}
}

func endBlocked(t *testing.T, m mpirun.MPI, under string, signals int) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	program := compile(t, m, "many_errors")
	flags := []string{"--limit", "0", "--verbose", "--prefix", "all", "--cause-frames", "100", "--json", report}
	var cmd *exec.Cmd
	if under == "exec" {
		cmd = started(t, exec.Command(m.Mpirun,
			append(append([]string{"-n", "2", mpivet, "exec"}, flags...), program, dir)...))
	} else {
		cmd = started(t, exec.Command(mpivet, append(append([]string{"run", "-n", "2"}, flags...), program, dir)...))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A pipe without a reader is full soon.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }()
	waitFor(t, time.Minute, "the errors are made", func() bool { return exists(filepath.Join(dir, "there")) })
	waitFor(t, time.Minute, "the output is blocked", func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && n >= 40<<10 // each write takes whole pages of the pipe's 64 KiB
	})
	analyzer := cmd.Process.Pid
	if under == "exec" {
		if analyzer = processOf("analyze", "--json="+report); analyzer == 0 {
			t.Fatal("there is no analyzer")
		}
	}
	ended := make(chan struct{})
	go func() {
		if under == "run" {
			_ = cmd.Wait()
		} else {
			for processOf("analyze", "--json="+report) == analyzer { // a zombie has no arguments
				time.Sleep(10 * time.Millisecond)
			}
		}
		close(ended)
	}()
	began := time.Now()
	for n := range signals {
		switch { // signals that are pending at once are one
		case n > 0 && under == "exec":
			waitFor(t, 20*time.Second, "the first signal is noticed", func() bool { return stopped(analyzer) })
			began = time.Now()
		case n > 0:
			time.Sleep(100 * time.Millisecond) // mpivet run leaves no mark of the first signal
		}
		if err := syscall.Kill(analyzer, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("mpivet does not end")
	}
	took := time.Since(began)
	t.Logf("it took %v", took)
	if limit := 3 * time.Second; signals == 2 && took > limit {
		t.Errorf("the second signal ended mpivet after %v", took)
	}
	if rep := read(t, report); !rep.Run.Interrupted || len(rep.Findings) < 20 {
		t.Errorf("interrupted %t, %d findings", rep.Run.Interrupted, len(rep.Findings))
	}
	if under == "exec" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// processOf returns the process whose arguments contain all of the given ones, or 0 if there is none.
func processOf(arguments ...string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		args := strings.Split(string(data), "\x00")
		if !slices.ContainsFunc(arguments, func(a string) bool { return !slices.Contains(args, a) }) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid
		}
	}
	return 0
}

// stopped reports whether an analyzer has told the ranks to record nothing more.
func stopped(analyzer int) bool {
	maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", analyzer))
	for line := range strings.Lines(string(maps)) {
		if f := strings.Fields(line); len(f) == 6 && filepath.Base(f[5]) == "control" {
			b, err := os.ReadFile(f[5])
			return err == nil && len(b) > layout.ControlStopAt && b[layout.ControlStopAt] == 1
		}
	}
	return false
}
