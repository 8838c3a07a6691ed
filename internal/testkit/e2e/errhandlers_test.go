package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// plain runs a program under its launcher, without mpivet.
func plain(t *testing.T, m mpirun.MPI, np int, program ...string) *mpirun.Result {
	t.Helper()
	command := append([]string{m.Mpirun, "-n", fmt.Sprint(np)}, program...)
	r, err := mpirun.Run(command, mpirun.FastStart(), t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestErrorHandlersAreThePrograms: 1,000 random calls on error handlers return the same under mpivet as without it, and
// the program ends in the same way.
func TestErrorHandlersAreThePrograms(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "errhandlers")
		for range 2 {
			seed, file := fmt.Sprint(rand.Uint64()>>1), filepath.Join(t.TempDir(), "file")
			t.Logf("seed %s", seed)
			want := plain(t, m, 2, program, seed, "1000", file)
			got := vet(t, 2, []string{"--fail-on", "never"}, program, seed, "1000", file)
			if got.Status != want.Status || want.Status != 0 {
				t.Errorf("exit status %d, without mpivet %d", got.Status, want.Status)
			}
			if got.Stdout != want.Stdout || strings.Count(want.Stdout, "\n") < 500 {
				t.Errorf("without mpivet the output is\n%s\nand with it\n%s", want.Stdout, got.Stdout)
			}
			for _, f := range got.report.Findings {
				if f.Severity == "fatal" {
					t.Errorf("found %s: %s", f.Check, f.Message)
				}
			}
		}
	})
}

// numbers in MPI's error messages differ from run to run: codes, addresses, process numbers, handles.
var numbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

// TestFatalErrorsEndAsWithoutMpivet: if MPI_ERRORS_ARE_FATAL ends a program, MPI's message and the exit status are the
// same as without mpivet. This holds for every thread level, and for every kind of object with the handler.
func TestFatalErrorsEndAsWithoutMpivet(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "fatal_errors")
		for _, level := range []string{"single", "multiple"} {
			for _, what := range []string{"send", "dup", "split", "truncated", "collective", "query", "window"} {
				t.Run(level+"/"+what, func(t *testing.T) {
					// Only rank 0 fails, so only one process prints. MPICH's launcher may lose the last output of a
					// rank, and that of MPICH 4.2 its exit status, too.
					lines := func(r *mpirun.Result) []string {
						var list []string
						for _, l := range strings.Split(r.Stdout+r.Stderr, "\n") {
							if strings.Contains(l, "rror") || strings.Contains(l, "MPI_") {
								list = append(list, numbers.ReplaceAllString(l, "N"))
							}
						}
						slices.Sort(list)
						return list
					}
					var want *mpirun.Result
					for range 5 {
						if want = plain(t, m, 2, program, level, what); len(lines(want)) > 0 && want.Status != 0 {
							break
						}
					}
					loses := func() bool { // the launcher loses the exit status
						for range 20 {
							if plain(t, m, 2, program, level, what).Status == 0 {
								return true
							}
						}
						return false
					}
					got := lastWords(t, m, 2, []string{"--fail-on", "never"}, func(r result) {
						if (r.Status != want.Status || want.Status == 0) && (r.Status != 0 || !loses()) {
							t.Errorf("exit status %d, without mpivet %d", r.Status, want.Status)
						}
						if len(r.report.Findings) != 1 {
							t.Errorf("found %+v", r.report.Findings)
						}
					}, program, level, what)
					a, b := lines(got.Result), lines(want)
					// The launcher may have lost the output of all plain runs.
					for tries := 0; len(a) > 0 && len(b) == 0 && tries < 100; tries++ {
						b = lines(plain(t, m, 2, program, level, what))
					}
					if len(a) > 0 && !slices.Equal(a, b) {
						t.Errorf("MPI says\n%s\nand without mpivet\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
					}
				})
			}
		}
	})
}

// TestErrorHandlersAreInherited: communicators of all kinds, windows, sessions and started processes have the same
// error handlers as without mpivet, at each thread level.
func TestErrorHandlersAreInherited(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "inherited_errhandlers")
		for _, level := range []string{"single", "multiple"} {
			want := plain(t, m, 2, program, level)
			got := vet(t, 2, []string{"--fail-on", "never"}, program, level)
			if got.Status != 0 || want.Status != 0 {
				t.Errorf("exit status %d, without mpivet %d", got.Status, want.Status)
			}
			if got.Stdout != want.Stdout || strings.Count(want.Stdout, "\n") < 15 {
				t.Errorf("without mpivet the output is\n%s\nand with it\n%s", want.Stdout, got.Stdout)
			}
			for _, f := range got.report.Findings {
				if f.Check != "LOCAL:MPI:INVALID_ARGUMENT" && f.Severity != "info" {
					t.Errorf("found %s: %s", f.Check, f.Message)
				}
			}
		}
	})
}
