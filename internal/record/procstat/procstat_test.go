package procstat

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be the process that is looked at.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "exec-again" {
		execAgain(os.Args[2])
	}
	os.Exit(m.Run())
}

// execAgain executes this program again and again from a thread that is not the first one, as many times as n says.
// Then it waits for the end of its standard input.
func execAgain(n string) {
	left, _ := strconv.Atoi(n)
	if left == 0 {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	failed := make(chan error)
	for range 4 { // one of them is not the first thread
		go func() {
			runtime.LockOSThread()
			if syscall.Gettid() == os.Getpid() {
				select {}
			}
			again := []string{os.Args[0], "exec-again", strconv.Itoa(left - 1)}
			failed <- syscall.Exec("/proc/self/exe", again, os.Environ())
		}()
	}
	fmt.Fprintln(os.Stderr, <-failed)
	os.Exit(1)
}

// TestExecutingProcessLives: while a thread executes a program, the first thread of the process has ended already, and
// the process has not.
func TestExecutingProcessLives(t *testing.T) {
	cmd := exec.Command(os.Args[0], "exec-again", "200")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	st, err := Read(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	for last := false; !last; {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", st.PID))
		last = strings.HasSuffix(string(line), "exec-again\x000\x00")
		for range 1000 {
			// A single reading must suffice. It is of the same process.
			if one, err := read(st.PID); err != nil || one.Ended() || one.Start != st.Start {
				t.Errorf("a process that executes a program counts as ended: %+v, %v", one, err)
				last = true
				break
			}
		}
	}
	in.Close()
	<-ended
	if st, err := Read(st.PID); err == nil {
		t.Errorf("a process that has ended, and for which its parent has waited, is still there: %+v", st)
	}
}

// TestEnded: a process for which its parent has not waited has ended, with its status.
func TestEnded(t *testing.T) {
	cmd := exec.Command("sh", "-c", "exit 3")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	// It waits for the end and leaves the status for cmd.Wait.
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	st, err := Read(cmd.Process.Pid)
	if status := syscall.WaitStatus(st.ExitCode); err != nil || !st.Ended() || status.ExitStatus() != 3 ||
		st.PPID != os.Getpid() {
		t.Errorf("status %d, %+v, %v", status.ExitStatus(), st, err)
	}
}

// TestNames: the name of an executable may look like the fields after it.
func TestNames(t *testing.T) {
	rest := " S 7" + strings.Repeat(" 0", 48)
	for _, name := range []string{"a", "a b", "a) Z 1 (", "(", ")", ""} {
		if st, err := parse(5, "5 ("+name+")"+rest); err != nil || st.Name != name || st.State != 'S' || st.PPID != 7 {
			t.Errorf("%q: %+v, %v", name, st, err)
		}
	}
	for _, wrong := range []string{"", "5 a S 7", "5 )a(" + rest, "5 (a) S 7", "5 (a) S x" + strings.Repeat(" 0", 48)} {
		if st, err := parse(5, wrong); err == nil {
			t.Errorf("%q: %+v", wrong, st)
		}
	}
}
