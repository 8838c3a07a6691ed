package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestSmallAddressSpace: if a limit leaves too little address space for mpivet, the program runs as without mpivet, and
// mpivet prints one line. Under exec, each rank prints it.
func TestSmallAddressSpace(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "words")
		for _, k := range []struct {
			kib   int // limit of the address space; only with the last one can mpivet start
			lines int
			flags []string // under mpivet
		}{
			{500_000, 1, []string{mpivet, "run", "-np", "2", "--quiet", "--limit", "3", "--"}},
			{800_000, 1, []string{mpivet, "run", "--launcher", m.Mpirun, "-n2"}},
			{800_000, 2, []string{m.Mpirun, "-n", "2", mpivet, "exec", "--limit=3", "--strict", "--json", "report"}},
			// Go reserves so much here that no address space is left
			{1_208_332, 1, []string{mpivet, "run", "-n", "2"}},
			{1_590_000, 1, []string{mpivet, "run", "-n", "2"}},
		} {
			t.Run(fmt.Sprint(k.kib, k.flags[1:]), func(t *testing.T) {
				command := []string{"sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$@"`, k.kib), "sh"}
				command = append(append(command, k.flags...), program, "two words", "-n", "$HOME")
				r, err := mpirun.Run(command, mpirun.FastStart(), t.TempDir(), time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if want := "two words|-n|$HOME|"; strings.Count(r.Stdout, want) != 2 || r.Status != 5 {
					t.Errorf("exit status %d, output %q, want 5 and %q twice", r.Status, r.Stdout, want)
				}
				if n := strings.Count(r.Stderr, "runs unwatched"); n != k.lines ||
					!strings.HasPrefix(r.Stderr, "mpivet: ") {
					t.Errorf("%d lines of mpivet's, want %d: %s", n, k.lines, r.Stderr)
				}
			})
		}
	})
}
