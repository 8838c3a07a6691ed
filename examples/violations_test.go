package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/violation"
)

// TestViolations: every collective function breaks every rule that it can break, in strict mode, which keeps MPI out of
// it, and is found doing so; its correct twin is not. One program alone:
// go test ./examples -run 'TestViolations/mpich/datatype'.
func TestViolations(t *testing.T) {
	b := newBench(t)
	for _, m := range b.mpis {
		t.Run(m.Name, func(t *testing.T) {
			for _, p := range violation.Programs() {
				t.Run(p.Name, func(t *testing.T) { b.violations(t, m, p, "") })
			}
			for _, p := range violation.Twins() {
				t.Run(p.Name, func(t *testing.T) { b.violations(t, m, p, "", "--strict") })
			}
		})
	}
}

// violations runs a program that is made from the table, once for each mode: see check.
func (b *bench) violations(t *testing.T, m mpirun.MPI, p violation.Program, modes ...string) {
	for _, f := range p.Needs {
		if !m.Has(f) {
			t.Skipf("%s has no %s", m.Name, f)
		}
	}
	path := filepath.Join(t.TempDir(), p.Name+".c")
	if err := os.WriteFile(path, []byte(p.Source), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := exampletest.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	problems := b.check(t, e, m, exampletest.Options{Thorough: *thorough}, modes...)
	for i := range problems {
		problems[i] = name(p, instead.ReplaceAllString(problems[i], "MISSING  $1: $2 is not reported"))
	}
	if problems = slices.Compact(problems); len(problems) > 0 {
		t.Errorf("%s with %s:\n%s", p.Name, m.Name, strings.Join(problems, "\n"))
	}
}

// instead is what is said of findings at other lines, each of which is a case of its own.
var instead = regexp.MustCompile(`^WRONG +(\S+): (\S+) is reported at line [\d, ]+ instead$`)

var place = regexp.MustCompile(`\w+\.c:(\d+)`)

// name puts the names of functions and rules in the place of lines of a program that nobody has seen.
func name(p violation.Program, problem string) string {
	return place.ReplaceAllStringFunc(problem, func(s string) string {
		line, _ := strconv.Atoi(place.FindStringSubmatch(s)[1])
		if c, ok := p.Lines[line]; ok {
			return s + " (" + c + ")"
		}
		return s
	})
}
