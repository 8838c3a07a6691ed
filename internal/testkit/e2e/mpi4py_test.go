package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestPythonScripts: the output and the end of scripts that use mpi4py are the same with mpivet and without it.
func TestPythonScripts(t *testing.T) {
	const python, np = "/usr/bin/python3", 2 // with Debian's mpi4py
	each(t, func(t *testing.T, m mpirun.MPI) {
		program, err := launch.Detect([]string{python, "testdata/mpi4py/each.py"}, "")
		if err != nil {
			t.Skip(err)
		}
		if (program.MPI.Flavour == launch.OpenMPI) != (m.Name == "openmpi") {
			t.Skipf("mpi4py is made for %s", program.MPI)
		}
		for _, k := range []struct {
			script, arg string
			checks      []string
		}{
			{"errhandlers", strconv.Itoa(os.Getpid()), []string{"LOCAL:MPI:INVALID_ARGUMENT", "LOCAL:MPI:CALL_FAILED"}},
			{"objects", "", []string{"LOCAL:MPI:CALL_FAILED"}},
			{"requests", "", nil},
			{"ends", "exit", nil},
			{"ends", "raise", nil},
			{"ends", "abort", []string{"LOCAL:EXIT:ABORT"}},
		} {
			t.Run(k.script+k.arg, func(t *testing.T) {
				alone, watched := t.TempDir(), t.TempDir()
				script := func(dir string) []string {
					path, err := filepath.Abs("testdata/mpi4py")
					if err != nil {
						t.Fatal(err)
					}
					return []string{
						python, filepath.Join(path, "each.py"), dir,
						filepath.Join(path, k.script+".py"), k.arg,
					}
				}
				want := plain(t, m, np, script(alone)...)
				got := vet(t, np, []string{"--fail-on", "never"}, script(watched)...)
				if got.Status != want.Status {
					t.Errorf("exit status %d, without mpivet %d", got.Status, want.Status)
				}
				for rank := range np {
					a, err1 := os.ReadFile(filepath.Join(alone, strconv.Itoa(rank)))
					b, err2 := os.ReadFile(filepath.Join(watched, strconv.Itoa(rank)))
					// If a rank ends the others, these may not have printed yet.
					if k.script != "ends" && (err1 != nil || err2 != nil || string(a) != string(b) || len(a) == 0) {
						t.Errorf("rank %d prints %q, without mpivet %q (%v, %v)", rank, b, a, err2, err1)
					}
				}
				allowed := map[string]bool{}
				for _, c := range k.checks {
					allowed[c] = true
				}
				for _, f := range got.report.Findings {
					if !allowed[f.Check] {
						t.Errorf("found %s: %s", f.Check, f.Message)
					}
				}
			})
		}
	})
}
