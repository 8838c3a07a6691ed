// Package examples holds small MPI programs that go wrong in one way each, and correct ones beside them. The test here
// runs all of them under mpivet.
package examples

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/exampletest"
)

var jobs = flag.Int("jobs", 2, "examples to run at once")

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
	if testing.Short() {
		t.Skip("runs some two hundred MPI programs")
	}
	mpis := exampletest.Installed()
	if len(mpis) == 0 {
		t.Skip("neither MPICH nor Open MPI is installed")
	}
	mpivet := filepath.Join(t.TempDir(), "mpivet")
	build := exec.Command("go", "build", "-o", mpivet, "../cmd/mpivet")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if out, err := exec.Command(mpivet, "build").CombinedOutput(); err != nil { // so that no example waits for it
		t.Fatalf("mpivet build: %v\n%s", err, out)
	}
	paths, err := exampletest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !wanted(path) })
	places := make(chan struct{}, *jobs)
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			for _, path := range paths {
				t.Run(path, func(t *testing.T) {
					e, err := exampletest.Load(path)
					if err != nil {
						t.Fatal(err)
					}
					if e.MPI != "" && e.MPI != m.Name {
						t.Skipf("for %s only", e.MPI)
					}
					e.Flags = append(e.Flags, flags...)
					t.Parallel()
					places <- struct{}{}
					defer func() { <-places }()
					dir := t.TempDir()
					command, err := exampletest.Build(e, m, dir)
					if err != nil {
						t.Fatal(err)
					}
					problems, err := exampletest.Check(mpivet, e, m, command, dir, severityOf)
					if err != nil {
						t.Fatal(err)
					}
					if len(problems) > 0 {
						t.Errorf("%s with %s:\n%s", path, m.Name, strings.Join(problems, "\n"))
					}
				})
			}
		})
	}
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
