package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestExecTellsTheLauncher: under exec, the launcher's exit status shows whether there are findings, and comes after
// the report. A program that fails keeps its own status.
func TestExecTellsTheLauncher(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "ends")
		for _, k := range []struct {
			name    string
			flags   []string
			program []string
			want    int
		}{
			{"right", nil, []string{program, "right", "0", "exit"}, 0},
			{"wrong", nil, []string{program, "wrong", "0", "exit"}, 3},
			// the script's own exit status counts
			{"wrong by a script", nil, []string{"sh", "-c", program + " wrong 0 exit; true"}, 0},
			{"never", []string{"--fail-on=never"}, []string{program, "wrong", "0", "exit"}, 0},
			{"failing", nil, []string{program, "wrong", "7", "exit"}, 7},
			{"left by _exit", nil, []string{program, "wrong", "0", "_exit"}, 0},
		} {
			t.Run(k.name, func(t *testing.T) {
				if k.name == "left by _exit" && killsWithoutExit(m) {
					t.Skip("the launcher kills the other rank")
				}
				report := filepath.Join(t.TempDir(), "report.json")
				args := append([]string{"-n", "2", mpivet, "exec", "--json", report}, k.flags...)
				cmd := exec.Command(m.Mpirun, append(append(args, "--"), k.program...)...)
				cmd.Env = mpirun.FastStart()
				out, _ := cmd.CombinedOutput()
				if got := cmd.ProcessState.ExitCode(); got != k.want {
					t.Errorf("exit status %d, want %d\n%s", got, k.want, out)
				}
				if (k.want == 0 || k.want == 3) && !strings.Contains(k.name, "by") && !exists(report) {
					t.Errorf("no report\n%s", out)
				}
			})
		}
	})
}
