package generate

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/exampletest"
)

var programs = flag.Int("programs", 3, "correct programs to compile and run with every MPI")

// build builds mpivet.
func build(t *testing.T) string {
	t.Helper()
	mpivet := filepath.Join(t.TempDir(), "mpivet")
	cmd := exec.Command("go", "build", "-o", mpivet, "../../cmd/mpivet")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if out, err := exec.Command(mpivet, "build").CombinedOutput(); err != nil {
		t.Fatalf("mpivet build: %v\n%s", err, out)
	}
	return mpivet
}

// write writes a program into dir, to be treated as an example.
func write(t *testing.T, p *Program, dir, name string) *exampletest.Example {
	t.Helper()
	text, _ := p.Source()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := exampletest.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func severityOf(id string) string {
	for _, c := range all.Checks() {
		if c.ID == id {
			return c.Severity.String()
		}
	}
	return ""
}

// TestCorrectProgramsWithMPI: nothing is found in correct programs that are compiled and run.
func TestCorrectProgramsWithMPI(t *testing.T) {
	mpis := exampletest.Installed()
	if testing.Short() || len(mpis) == 0 {
		t.Skip("runs MPI programs")
	}
	mpivet := build(t)
	for i := range *programs {
		seed := *from + uint64(i)
		p := New(seed, Options{Real: true})
		dir := t.TempDir()
		e := write(t, p, dir, fmt.Sprintf("seed_%d_ok.c", seed))
		for _, m := range mpis {
			t.Run(fmt.Sprintf("%d/%s", seed, m.Name), func(t *testing.T) {
				command, err := exampletest.Build(e, m, dir)
				if err != nil {
					t.Fatal(err)
				}
				alone := append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...)
				if plain, err := exampletest.Run(alone, exampletest.Environment(), dir, e.Timeout); err != nil || plain.Status != 0 {
					t.Skipf("seed %d: %s itself fails: %v, %+v", seed, m.Name, err, plain)
				}
				problems, err := exampletest.Check(mpivet, e, m, command, dir, severityOf)
				if err != nil {
					t.Fatal(err)
				}
				if len(problems) > 0 {
					t.Errorf("seed %d with %s:\n%s", seed, m.Name, strings.Join(problems, "\n"))
				}
			})
		}
	}
}
