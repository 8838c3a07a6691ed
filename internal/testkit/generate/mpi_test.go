package generate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// timeout is the maximum time of a program with a bug. A program that does not end in that time has still shown its
// bug, unless the bug is a deadlock: the behaviour of an MPI after a bug is undefined.
const timeout = 30 * time.Second

// setUp returns the MPIs for the programs, and the mpivet command.
func setUp(t *testing.T) ([]mpirun.MPI, string) {
	t.Helper()
	mpirun.NeedLive(t)
	mpis := mpirun.Installed()
	if len(mpis) == 0 {
		t.Skip("no MPI is installed")
	}
	mpivet := filepath.Join(t.TempDir(), "mpivet")
	if err := mpirun.BuildMpivet(mpivet); err != nil {
		t.Fatal(err)
	}
	return mpis, mpivet
}

func severityOf(id string) string {
	for _, c := range all.Checks() {
		if c.ID == id {
			return c.Severity.String()
		}
	}
	return ""
}

// TestCorrectProgramsWithMPI: correct programs that are compiled and run give no finding.
func TestCorrectProgramsWithMPI(t *testing.T) {
	mpis, mpivet := setUp(t)
	for seed, b := *from, newBudget(*programs); b.spend(); seed++ {
		text, _ := New(seed, Options{Real: true}).Source()
		dir := directory(t)
		path := filepath.Join(dir, fmt.Sprintf("seed_%d_ok.c", seed))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := exampletest.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "MPI_ANY_SOURCE") { // the order of arrival may be random
				e.Wants = append(e.Wants, exampletest.Want{
					Line: i + 1, Check: "GLOBAL:MSG:RACE",
					Severity: "info", Optional: true, Count: -1,
				})
			}
		}
		for _, m := range mpis {
			t.Run(fmt.Sprintf("%d/%s", seed, m.Name), func(t *testing.T) {
				command, err := exampletest.Build(e, m, dir)
				if err != nil {
					t.Fatal(err)
				}
				alone := append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...)
				if plain, err := mpirun.Run(alone, mpirun.FastStart(), dir, e.Timeout); err != nil ||
					plain.Status != 0 {
					t.Skipf("seed %d: %s itself fails: %v, %+v", seed, m.Name, err, plain)
				}
				problems, err := exampletest.Check(mpivet, e, m, command, dir, severityOf, exampletest.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(problems) > 0 {
					t.Errorf("seed %d with %s:\n%s\n%s", seed, m.Name, strings.Join(problems, "\n"),
						again("TestCorrectProgramsWithMPI", seed, "programs"))
				}
			})
		}
	}
}

// runnable returns a program with a bug whose effect in an MPI is known: it does not poll forever, and if it hangs, the
// records show it.
func runnable(bug *Bug, seed uint64) *Planted {
	for ; ; seed++ {
		p := Plant(bug, seed, Options{Real: true})
		if p == nil || bug.Hangs && slices.ContainsFunc(slices.Concat(p.Ranks...), polls) {
			continue
		}
		clear := true
		for s := range uint64(8) {
			run := Execute(p.Program, s)
			clear = clear && (len(run.Hung) == 0 || !run.Vague && !run.Polling)
		}
		if clear {
			return p
		}
	}
}

func polls(c *Call) bool {
	k := mpiapi.ByName(c.Func).Class
	return (c.Flag || c.Total > 0) && (k == mpiapi.Test || k == mpiapi.Probe)
}

// TestPlantedBugsWithMPI: the bug of a program that is compiled and run is found at its line.
func TestPlantedBugsWithMPI(t *testing.T) {
	mpis, mpivet := setUp(t)
	for seed, b := *from, newBudget(*broken); b.spend(); seed++ {
		bug := Bugs[int(seed*7)%len(Bugs)] // neighbours are of different families
		p := runnable(bug, seed)
		text, lines := p.Source()
		dir := directory(t)
		path := filepath.Join(dir, fmt.Sprintf("planted_%d.c", seed))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, m := range mpis {
			t.Run(fmt.Sprintf("%s/%d/%s", bug.Name, seed, m.Name), func(t *testing.T) {
				report, err := vet(mpivet, m, path, len(p.Ranks))
				if err != nil {
					t.Fatalf("seed %d: %v", p.Seed, err)
				}
				if why := unlike(p, report, path, lines); why != "" {
					t.Errorf("seed %d, %s:\n%s\n%s", p.Seed, bug.Name, why,
						again("TestPlantedBugsWithMPI", seed, "broken"))
				}
			})
		}
	}
}

// vet compiles a program and runs it under mpivet.
func vet(mpivet string, m mpirun.MPI, path string, ranks int) (*mpirun.Report, error) {
	program, report := strings.TrimSuffix(path, ".c")+"."+m.Name, path+"."+m.Name+".json"
	dir := filepath.Dir(path)
	if out, err := exec.Command(m.CC, "-w", "-g", "-o", program, path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	command := []string{mpivet, "run", "-n", fmt.Sprint(ranks), "--json", report, "--", program}
	run, err := mpirun.Run(command, mpirun.FastStart(), dir, timeout)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, run.Stderr)
	}
	return mpirun.ReadReport(data)
}

// unlike returns how findings differ from those that the bug of a program must give.
func unlike(p *Planted, r *mpirun.Report, path string, lines [][]int) string {
	var places []int
	for _, at := range p.Calls {
		places = append(places, lines[at[0]][at[1]])
	}
	found := false
	var wrong []string
	for i := range r.Findings {
		f := &r.Findings[i]
		named := false
		for _, s := range f.Sites {
			for _, frame := range s.Stack {
				named = named || frame.File == path && slices.Contains(places, frame.Line)
			}
		}
		switch {
		case named && slices.Contains(p.Bug.Finds, f.Check), f.Check == hard && p.Bug.Hangs:
			found = true
		case f.Severity == "info", f.FollowUp, slices.Contains(p.Bug.May, f.Check):
		case p.Bug.Hangs && slices.Contains([]string{missing, pending, different, potential}, f.Check):
		default:
			wrong = append(wrong, fmt.Sprintf("%s: %s", f.Check, f.Message))
		}
	}
	if !found && exists(p.Bug, false) {
		wrong = append(wrong, fmt.Sprintf("not found at lines %v", places))
	}
	return strings.Join(wrong, "\n")
}
