package main

import (
	"bytes"
	"os/exec"
	"testing"
)

// TestUnwatchedScript checks that the script understands the command line of mpivet and starts the program.
func TestUnwatchedScript(t *testing.T) {
	for _, k := range []struct {
		args   []string
		status int
		stdout string
		stderr string
	}{
		{
			[]string{"run", "-n", "3", "--quiet", "--launcher", "echo a", "true", "x  y", "-n", "4"},
			0,
			"a -n 3 true x  y -n 4\n", "mpivet: the program runs unwatched: WHY\n",
		},
		{[]string{"run", "-np=3", "--json", "f", "--launcher=echo *", "--", "-p"}, 1, "", "mpivet: WHY\n"},
		{
			[]string{"run", "--np", "3", "--launcher=echo *", "--", "p"},
			0, "* -n 3 p\n",
			"mpivet: the program runs unwatched: WHY\n",
		},
		{
			[]string{"run", "-n3", "echo"},
			1, "",
			"mpivet: WHY, and the program's MPI is not found: name the launcher (--launcher)\n",
		},
		{[]string{"run", "--help"}, 1, "", "mpivet: WHY\n"},
		{[]string{"run", "--json", "f"}, 1, "", "mpivet: WHY\n"},
		{
			[]string{"exec", "--itac-env", "--json", "f", "--limit=3", "echo", "--json", "x  y"},
			0, "--json x  y\n",
			"mpivet: this process runs unwatched: WHY\n",
		},
		{
			[]string{"exec-rank", "session", "library", "", "/bin/echo", "echo", "x  y"},
			0, "x  y\n",
			"mpivet: this process runs unwatched: WHY\n",
		},
		{[]string{"replay", "f"}, 1, "", "mpivet: WHY\n"},
		{nil, 1, "", "mpivet: WHY\n"},
	} {
		cmd := exec.Command("sh", append([]string{"-c", unwatched, "mpivet", "WHY"}, k.args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // the exit status is checked below
		if status := cmd.ProcessState.ExitCode(); status != k.status || stdout.String() != k.stdout ||
			stderr.String() != k.stderr {
			t.Errorf("%q ends with %d, %q and %q, want %d, %q and %q", k.args, status, &stdout, &stderr, k.status,
				k.stdout, k.stderr)
		}
	}
}
