package e2e

import (
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestTimerSlack: the timers of the ranks are as precise as without mpivet, whose own are not.
func TestTimerSlack(t *testing.T) {
	const want = "54321 54321\n54321 54321\n"
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "slack")
		// Another value than the usual one. What this thread starts inherits it. The thread ends with the test.
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 54321, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		for name, command := range map[string][]string{
			"plain": {m.Mpirun, "-n", "2", program},
			"run":   {mpivet, "run", "-n", "2", program},
			"exec":  {m.Mpirun, "-n", "2", mpivet, "exec", program},
		} {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Env = mpirun.FastStart()
			out, err := cmd.Output()
			if err != nil || string(out) != want {
				t.Errorf("%s: %v %q, want %q", name, err, out, want)
			}
		}
	})
}
