// Package examples holds small MPI programs that go wrong in one way each, and correct ones beside them. The test here
// runs all of them under mpivet.
package examples

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

var (
	jobs     = flag.Int("jobs", 2, "examples to run at once")
	allAlone = flag.Bool("all-alone", false, "compare all wrong programs with runs without mpivet, not every fourth")
)

// TestExamples runs every example with every MPI and compares what mpivet finds with what the program's comments want.
// One example: go test ./examples -run 'TestExamples/mpich/deadlock/recv_recv.c'.
func TestExamples(t *testing.T) {
	run(t, func(string) bool { return true })
}

// TestExamplesStrict runs correct programs with collectives in strict mode, in which nothing changes for them.
func TestExamplesStrict(t *testing.T) {
	run(t, func(path string) bool {
		return strings.HasPrefix(path, "clean/") || strings.HasPrefix(path, "collective/") && strings.Contains(path, "_ok.")
	}, "--strict")
}

// run runs the examples that are wanted, with further flags for mpivet run.
func run(t *testing.T, wanted func(path string) bool, flags ...string) {
	t.Helper()
	b := newBench(t)
	paths, err := exampletest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !wanted(path) })
	for _, m := range b.mpis {
		t.Run(m.Name, func(t *testing.T) {
			r := newRecorder(m.Name)
			for _, path := range paths {
				t.Run(path, func(t *testing.T) {
					e, err := exampletest.Load(path)
					if err != nil {
						t.Fatal(err)
					}
					if e.MPI != "" && e.MPI != m.Name {
						t.Skipf("for %s only", e.MPI)
					}
					options := exampletest.Options{AllAlone: *allAlone}
					if *renew && len(flags) == 0 {
						if !r.needs(e) {
							t.Skip("its recording is up to date")
						}
						options.Keep = func(run *recorded.Run) error { return r.write(e, run) }
					}
					e.Flags = append(e.Flags, flags...)
					if problems := b.check(t, e, m, options); len(problems) > 0 {
						t.Errorf("%s with %s:\n%s", path, m.Name, strings.Join(problems, "\n"))
					}
				})
			}
		})
	}
}

// bench is what programs are run with.
type bench struct {
	mpivet string
	mpis   []mpirun.MPI
	places chan struct{} // one for each that may run at a time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	mpirun.NeedLive(t)
	b := &bench{filepath.Join(t.TempDir(), "mpivet"), mpirun.Installed(), make(chan struct{}, *jobs)}
	if len(b.mpis) == 0 {
		t.Skip("neither MPICH nor Open MPI is installed")
	}
	if err := mpirun.BuildMpivet(b.mpivet); err != nil {
		t.Fatal(err)
	}
	return b
}

// check builds and runs an example, in parallel with others, and returns what is not as it should be.
func (b *bench) check(t *testing.T, e *exampletest.Example, m mpirun.MPI, o exampletest.Options) []string {
	t.Parallel()
	b.places <- struct{}{}
	defer func() { <-b.places }()
	dir := t.TempDir()
	command, err := exampletest.Build(e, m, dir)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := exampletest.Check(b.mpivet, e, m, command, dir, severityOf, o)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// severityOf is a check's default severity.
func severityOf(id string) string {
	for _, c := range all.Checks() {
		if c.ID == id {
			return c.Severity.String()
		}
	}
	return ""
}
