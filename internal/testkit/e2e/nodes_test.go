package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/nodes"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// cluster has nodes, mpivet, and programs in their shared directory.
type cluster struct {
	*nodes.Nodes
	t      *testing.T
	mpivet string
	again  func() // before a command is run again, nil: nothing
	cache  string // environment variable: all nodes use the libraries of this machine
}

func newCluster(t *testing.T, n int) *cluster {
	t.Helper()
	mpirun.NeedLive(t)
	c := &cluster{Nodes: nodes.New(t, n), t: t}
	c.mpivet = filepath.Join(c.Dir, "mpivet")
	if err := mpirun.BuildMpivet(c.mpivet); err != nil {
		t.Fatal(err)
	}
	dir, err := launch.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	c.cache = "MPIVET_CACHE=" + dir
	build := c.Command(c.Names[0], c.mpivet, "build")
	build.Env = append(build.Env, c.cache)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("mpivet build: %v: %s", err, text)
	}
	return c
}

// compile compiles a program into the shared directory, and returns its path.
func (c *cluster) compile(m mpirun.MPI, source string) string {
	c.t.Helper()
	out := filepath.Join(c.Dir, strings.TrimSuffix(filepath.Base(source), ".c")+"."+m.Name)
	cmd, err := mpirun.Compile(m.CC, "-g", "-o", out, source)
	if err != nil {
		c.t.Fatal(err)
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, text)
	}
	return out
}

// write writes a program into the shared directory and compiles it.
func (c *cluster) write(m mpirun.MPI, name, source string) string {
	c.t.Helper()
	path := filepath.Join(c.Dir, name+".c")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return c.compile(m, path)
}

// run runs a command on the first node. MPICH's UCX hangs at times in MPI_Finalize over TCP, also without mpivet: then
// the command is run again.
func (c *cluster) run(m mpirun.MPI, limit time.Duration, argv ...string) *mpirun.Result {
	c.t.Helper()
	for tries := 0; ; tries++ {
		cmd := c.Command(c.Names[0], argv...)
		r, err := mpirun.Run(cmd.Args, append(cmd.Env, c.cache), c.Dir, limit)
		if err != nil {
			c.t.Fatal(err)
		}
		if !r.TimedOut || m.Name != "mpich" || tries == 4 {
			return r
		}
		if c.again != nil {
			c.again()
		}
	}
}

func forEachMPI(t *testing.T, f func(t *testing.T, m mpirun.MPI)) {
	t.Helper()
	for _, m := range mpirun.Installed() {
		t.Run(m.Name, func(t *testing.T) { f(t, m) })
	}
}

// way returns the command that runs a program on all nodes.
type way func(np int, program string) []string

// together checks that a deadlock and a mismatch between nodes are found once, and nothing in a right program.
// unsummarized: the launcher may end before the summary is printed if a rank is ended by a signal.
func (c *cluster) together(t *testing.T, m mpirun.MPI, run way, unsummarized bool) {
	t.Helper()
	deadlock := c.compile(m, "../../../examples/deadlock/recv_recv.c")
	mismatch := c.compile(m, "../../../examples/collective/derived.c")
	right := c.compile(m, "../../../examples/collective/derived_ok.c")
	for _, x := range []struct {
		program    string
		np         int
		want       string
		unfinished bool
	}{
		{deadlock, 2, "FATAL: GLOBAL:DEADLOCK:HARD", unsummarized},
		{mismatch, 3, "ERROR: GLOBAL:COLLECTIVE:DATATYPE:MISMATCH", false},
		{right, 3, "mpivet: no findings, 3 ranks on 2 nodes, " + product(m), false},
	} {
		r := c.run(m, 15*time.Second, run(x.np, x.program)...)
		n, sums := strings.Count(r.Stderr, x.want), strings.Count(r.Stderr, " ranks on 2 nodes, ")
		if n != 1 || sums != 1 && (sums != 0 || !x.unfinished) {
			t.Errorf("%s: %d × %q, status %d, %v:\n%s\nprocesses when the time was over:\n%s",
				filepath.Base(x.program), n, x.want, r.Status, r.Took, r.Stderr, r.Left)
		}
		if failed := r.Status != 0; failed != (x.program != right) {
			t.Errorf("%s: status %d:\n%s", filepath.Base(x.program), r.Status, r.Stderr)
		}
	}
}

// product returns the name of an MPI in mpivet's texts.
func product(m mpirun.MPI) string {
	if m.Name == "openmpi" {
		return "Open MPI"
	}
	return "MPICH"
}

// TestNodesAreAnalysedTogether: a deadlock and a mismatch between nodes are found once, however the job is started.
func TestNodesAreAnalysedTogether(t *testing.T) {
	c := newCluster(t, 2)
	forEachMPI(t, func(t *testing.T, m mpirun.MPI) {
		ways := map[string]way{
			"exec": func(np int, program string) []string {
				return append(c.Launcher(m, np), c.mpivet, "exec", program)
			},
			"hosts": func(np int, program string) []string {
				return []string{c.mpivet, "run", "--hosts", strings.Join(c.Names, ","), "-n", fmt.Sprint(np), program}
			},
			"launcher": func(np int, program string) []string {
				return []string{c.mpivet, "run", "--launcher", strings.Join(c.Launcher(m, np), " "), program}
			},
		}
		for name, run := range ways {
			t.Run(name, func(t *testing.T) { c.together(t, m, run, false) })
		}
	})
	for _, n := range c.Names {
		// The launcher may end before the agents have removed their sessions: they close its standard error first.
		waitFor(t, 10*time.Second, "removal of the sessions on "+n, func() bool {
			return !strings.Contains(strings.Join(c.Files(n, "/dev/shm"), " "), "mpivet")
		})
	}
}

// TestModesOnNodes: strict mode, records and jobs of two programs work on several nodes as on one.
func TestModesOnNodes(t *testing.T) {
	c := newCluster(t, 2)
	m := openMPI(t)
	t.Run("strict", func(t *testing.T) {
		program := c.compile(m, "testdata/strict_error.c")
		r := c.run(m, time.Minute, c.mpivet, "run", "--strict", "--launcher", strings.Join(c.Launcher(m, 4), " "),
			program, "return", "bcast")
		if n := strings.Count(r.Stdout, "bcast: mpivet: "+root+": "); n != 4 || strings.Count(r.Stdout, ": end") != 4 {
			t.Errorf("%d errors of 4, status %d after %v:\n%s%s", n, r.Status, r.Took, r.Stdout, r.Stderr)
		}
	})
	t.Run("record", func(t *testing.T) {
		file := filepath.Join(c.Dir, "record")
		r := c.run(m, time.Minute, c.mpivet, "run", "--record", file, "--launcher", strings.Join(c.Launcher(m, 3), " "),
			c.compile(m, "../../../examples/collective/derived.c"))
		report, status, err := recorded.ReplayFile(file, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Stderr)
		}
		const want = "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH"
		if status != 3 || len(report.Findings) != 1 || report.Findings[0].Check != want || report.Run.Ranks != 3 {
			t.Errorf("status %d, %+v", status, report)
		}
	})
	t.Run("two programs", func(t *testing.T) {
		if !m.TwoPrograms() {
			t.Skip("the launcher of this MPI crashes with two programs, also without mpivet")
		}
		argv := append(c.Launcher(m, 1), c.mpivet, "exec", c.compile(m, "testdata/sender.c"), ":", "--host", c.Names[1],
			"-n", "1", c.mpivet, "exec", c.compile(m, "testdata/receiver.c"))
		r := c.run(m, time.Minute, argv...)
		if n := strings.Count(r.Stderr, "] ERROR: GLOBAL:MSG:DATATYPE:MISMATCH"); n != 1 ||
			!strings.Contains(r.Stderr, " 2 ranks on 2 nodes, ") {
			t.Errorf("%d findings, status %d after %v:\n%s", n, r.Status, r.Took, r.Stderr)
		}
	})
}

// lammpsInput is a melting crystal of 4,000 atoms, which communicates in each of its steps.
const lammpsInput = `units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 20
run 100
`

// TestApplicationsOnNodes: hpcc and LAMMPS run on three nodes, and are analysed as one job.
func TestApplicationsOnNodes(t *testing.T) {
	c := newCluster(t, 3)
	m := openMPI(t)
	run := func(t *testing.T, program, log, says string, args ...string) result {
		t.Helper()
		report := filepath.Join(c.Dir, filepath.Base(program)+".json")
		argv := []string{
			c.mpivet, "run", "-n", "3", "--json", report,
			"--launcher", strings.Join(c.Launcher(m, 3), " "), "--", program,
		}
		r := c.run(m, faultLimit, append(argv, args...)...)
		out, err := os.ReadFile(filepath.Join(c.Dir, log))
		if err != nil || !strings.Contains(string(out), says) {
			t.Fatalf("%v, status %d after %v:\n%s\n%s", err, r.Status, r.Took, r.Stdout, r.Stderr)
		}
		got := result{r, read(t, report)}
		if x := got.report.Run; !strings.Contains(r.Stderr, "3 ranks on 3 nodes") || x.Messages < 1000 ||
			x.Collectives < 100 {
			t.Errorf("%d messages, %d collectives:\n%s", x.Messages, x.Collectives, r.Stderr)
		}
		return got
	}
	t.Run("hpcc", func(t *testing.T) {
		hpcc, err := exec.LookPath("hpcc")
		if err != nil {
			t.Skip("hpcc is not installed")
		}
		// A smaller problem than the default one, to save time.
		if err := mpirun.HPCCInput(c.Dir, 200, 1, 3); err != nil {
			t.Fatal(err)
		}
		run(t, hpcc, "hpccoutf.txt", "\nSuccess=1\n").potential(t, "MPI_Bcast", "MPI_Send") // see docs/found.md
	})
	t.Run("LAMMPS", func(t *testing.T) {
		lmp, err := exec.LookPath("lmp")
		if err != nil {
			t.Skip("LAMMPS is not installed")
		}
		if err := os.WriteFile(filepath.Join(c.Dir, "in.melt"), []byte(lammpsInput), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, lmp, "log.lammps", "Total wall time", "-in", "in.melt").noErrors(t)
	})
}

// TestDoctorExaminesHosts: mpivet doctor says what is wrong with which host.
func TestDoctorExaminesHosts(t *testing.T) {
	c := newCluster(t, 2)
	forEachMPI(t, func(t *testing.T, m mpirun.MPI) {
		doctor := func(status int, want []string, args ...string) {
			t.Helper()
			r := c.run(m, time.Minute, append([]string{c.mpivet, "doctor"}, args...)...)
			// The launcher of MPICH 4.2 loses what the remote shell has printed in some of its runs (6 of 40).
			for tries := 1; tries < 5 && m.Name == "mpich" && strings.Contains(r.Stdout, "Launch proxy failed") &&
				!strings.Contains(r.Stdout, "no node"); tries++ {
				r = c.run(m, time.Minute, append([]string{c.mpivet, "doctor"}, args...)...)
			}
			for _, w := range want {
				if !regexp.MustCompile("(?m)^" + w).MatchString(r.Stdout) {
					t.Errorf("no %q", w)
				}
			}
			if r.Status != status || t.Failed() {
				t.Errorf("status %d after %v:\n%s%s", r.Status, r.Took, r.Stdout, r.Stderr)
			}
		}
		doctor(0, []string{`ok +host m1 +mpivet`, `ok +host m2 +mpivet`}, "--mpi", m.Name, "--hosts", "m1:2,m2:2")
		doctor(0, []string{`ok +host m1 +mpivet`, `ok +host m2 +mpivet`},
			"--launcher", strings.Join(c.Launcher(m, 2), " "))
		doctor(1, []string{`MISSING +host m3 +no answer .*no node m3`}, "--mpi", m.Name, "--hosts", "m2,m3")
		doctor(1, []string{`MISSING +host m2 +no way back: .*10\.99\.0\.77:9`}, "--mpi", m.Name, "--hosts", "m1,m2",
			"--head", "10.99.0.77:9")
	})
	for _, n := range c.Names {
		if left := c.Processes(n, "doctor"); len(left) > 0 {
			t.Errorf("left on %s: %d", n, left)
		}
	}
}

// everyExample runs all examples on several nodes. Otherwise TestExamplesOnNodes runs a part of them.
var everyExample = flag.Bool("every-example", false, "run all examples on several nodes")

// TestExamplesOnNodes: programs whose ranks communicate give the same findings on two nodes as on one.
func TestExamplesOnNodes(t *testing.T) {
	c := newCluster(t, 2)
	paths, err := exampletest.Find("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	forEachMPI(t, func(t *testing.T, m mpirun.MPI) {
		if m.Name == "mpich" && !*everyExample {
			t.Skip("MPICH's UCX hangs over TCP in up to a third of the runs, also without mpivet: -every-example")
		}
		for _, path := range paths {
			e, err := exampletest.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			parts := uint32(12)
			if *everyExample {
				parts = 1
			}
			if !e.For(m) || e.NP < 2 || exampletest.Part(e, parts) != 0 || !spreads(t, e) {
				continue
			}
			t.Run(exampletest.Name(e), func(t *testing.T) {
				if problems := c.check(e, m); len(problems) > 0 {
					t.Errorf("%s", strings.Join(problems, "\n"))
				}
			})
		}
	})
}

// otherwise are examples in which MPI itself does something else over TCP than in shared memory.
var otherwise = []string{
	// The kernel refuses the send buffer: MPI reports that, or hangs, and does not crash.
	"buffers/inaccessible_collective.c", "buffers/inaccessible_handler_ok.c", "buffers/inaccessible_sum.c",
	"exit/signal_in_mpi.c",
	"deadlock/potential_swapped.c", // the first wait is no formality, so there is one more finding
}

// spreads reports whether an example makes sense on several nodes. They share no /tmp, so files are left out.
func spreads(t *testing.T, e *exampletest.Example) bool {
	t.Helper()
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(text), "MPI_File_") && filepath.Ext(e.Path) != ".py" &&
		!slices.Contains(otherwise, exampletest.Name(e))
}

// check runs an example on the nodes and compares the findings with the expectations.
func (c *cluster) check(e *exampletest.Example, m mpirun.MPI) []string {
	c.t.Helper()
	program, err := exampletest.Build(e, m, c.Dir)
	if err != nil {
		c.t.Fatal(err)
	}
	report := filepath.Join(c.Dir, "report.json")
	launcher := c.Launcher(m, e.NP)
	if m.Name == "openmpi" {
		for _, v := range e.Env {
			name, _, _ := strings.Cut(v, "=")
			launcher = append(launcher, "-x", name)
		}
	}
	argv := append([]string{"env"}, e.Env...)
	argv = append(argv, c.mpivet, "run", "--launcher", strings.Join(launcher, " "), "--json", report)
	argv = append(append(append(append(argv, e.Flags...), "--"), program...), e.Args...)
	_ = os.Remove(report)
	r := c.run(m, max(e.Timeout, 20*time.Second), argv...)
	data, err := os.ReadFile(report)
	var found *mpirun.Report
	if err == nil {
		found, err = mpirun.ReadReport(data)
	}
	if err != nil {
		return []string{err.Error(), r.Stderr}
	}
	problems := exampletest.Compare(e, found, severityOf)
	if r.TimedOut && !e.Hangs.Has(m.Name, m.Version()) {
		problems = append(problems, fmt.Sprintf("it hangs, or takes more than %v", e.Timeout))
	}
	if len(problems) > 0 {
		problems = append(problems, r.Stderr)
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
