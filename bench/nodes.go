package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/nodes"
)

// setup makes nodes outside of a test. A failure is a panic with an error.
type setup struct{ cleanups []func() }

func (s *setup) Helper()           {}
func (s *setup) Cleanup(f func())  { s.cleanups = append(s.cleanups, f) }
func (s *setup) Fatal(args ...any) { panic(errors.New(fmt.Sprint(args...))) }

func (s *setup) Failed() bool { return false }

func (s *setup) Logf(format string, args ...any)   { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (s *setup) Fatalf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// nodesBench measures jobs on several nodes.
type nodesBench struct {
	*nodes.Nodes
	b      *bench
	mpivet string // in the directory that the nodes share
	cache  string // environment variable: all nodes use the libraries of this machine
}

// withNodes makes nodes on this machine, measures with them, and removes them.
func withNodes(b *bench, n int, measure func(*nodesBench) error) (err error) {
	s := &setup{}
	defer func() {
		if e, ok := recover().(error); ok && err == nil {
			err = e
		}
		for _, f := range slices.Backward(s.cleanups) {
			f()
		}
	}()
	dir, err := launch.CacheDir()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(b.mpivet)
	if err != nil {
		return err
	}
	ns := nodes.New(s, n)
	mpivet := filepath.Join(ns.Dir, "mpivet")
	if err := os.WriteFile(mpivet, data, 0o755); err != nil { //nolint:gosec // it is a program
		return err
	}
	return measure(&nodesBench{ns, b, mpivet, "MPIVET_CACHE=" + dir})
}

// onNodes measures two nodes, and the start of jobs on two and on eight. The nodes are namespaces that a bridge joins.
// Eight nodes share the processors of this machine. If there are fewer than eight, the ranks that wait in MPI_Init take
// time from mpivet on the other nodes, which they do not on a cluster. Only Open MPI is measured: over TCP, MPICH's UCX
// hangs in a part of all runs, also without mpivet.
func onNodes(benches []*bench) error {
	i := slices.IndexFunc(benches, func(b *bench) bool { return b.mpi.Name == "openmpi" })
	if i < 0 {
		return nil
	}
	b := benches[i]
	fmt.Printf("\nSeveral nodes, one rank on each, with %s:\n\n", b.title)
	if os.Getuid() != 0 {
		fmt.Println("Not measured: the nodes are made of namespaces, and these need the rights of root.")
		return nil
	}
	fmt.Println("| what | plain | mpivet | ratio or difference | budget | |\n| --- | ---: | ---: | ---: | ---: | --- |")
	if err := withNodes(b, 2, (*nodesBench).two); err != nil {
		return err
	}
	if *quick {
		return nil
	}
	for _, nodes := range []int{2, 8} {
		if err := withNodes(b, nodes, (*nodesBench).start); err != nil {
			return err
		}
	}
	return nil
}

// command returns the command that runs a program on all nodes, plain or under mpivet.
func (n *nodesBench) command(watched bool, np int, program ...string) *exec.Cmd {
	argv := n.Launcher(n.b.mpi, np)
	if watched {
		argv = []string{
			n.mpivet, "run", "--fail-on", "never", "-n", strconv.Itoa(np),
			"--launcher", strings.Join(argv, " "), "--",
		}
	}
	cmd := n.Command(n.Names[0], append(argv, program...)...)
	cmd.Env = append(cmd.Env, n.cache)
	return cmd
}

// run runs a program on all nodes, and returns its output and its time.
func (n *nodesBench) run(watched bool, np int, program ...string) (string, time.Duration, error) {
	cmd := n.command(watched, np, program...)
	r, err := mpirun.Run(cmd.Args, cmd.Env, n.Dir, 3*time.Minute)
	if err != nil {
		return "", 0, err
	}
	if r.Status != 0 || r.TimedOut {
		return "", 0, fmt.Errorf("%s: exit status %d after %v\n%s", strings.Join(cmd.Args, " "), r.Status, r.Took,
			r.Stderr)
	}
	if !watched && strings.Contains(r.Stderr, "mpivet:") || watched && !strings.Contains(r.Stderr, "mpivet: ") {
		return "", 0, fmt.Errorf("%s: is it watched?\n%s", strings.Join(cmd.Args, " "), r.Stderr)
	}
	return r.Stdout, r.Took, nil
}

// turns returns the medians of a value in plain and in watched runs, which take turns.
func turns(value func(watched bool) (float64, error)) (plain, watched float64, err error) {
	var values [2][]float64
	for range *runs {
		for k, watched := range []bool{false, true} {
			v, err := value(watched)
			if err != nil {
				return 0, 0, err
			}
			values[k] = append(values[k], v)
		}
	}
	return median(values[0]), median(values[1]), nil
}

// compare prints a row with the ratio of two medians.
func compare(what string, budget float64, value func(watched bool) (float64, error)) error {
	plain, watched, err := turns(value)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	fmt.Printf("| %s | %s | %s | %.2f | %.2f | %s |\n", what, duration(plain), duration(watched), watched/plain, budget,
		atMost(watched/plain, budget))
	return nil
}

// two measures two nodes.
func (n *nodesBench) two() error {
	err := compare("ping-pong 8 B over TCP", 1.1, func(watched bool) (float64, error) {
		out, _, err := n.run(watched, 2, n.b.programs["pingpong"], "8",
			strconv.FormatFloat(4**seconds, 'g', -1, 64)) // the start counts less
		if err != nil {
			return 0, err
		}
		return strconv.ParseFloat(strings.TrimSpace(out), 64)
	})
	if err != nil {
		return err
	}
	hpcc, err := exec.LookPath("hpcc")
	if err == nil && !*quick {
		err = compare("hpcc, whole run", 1.15, func(watched bool) (float64, error) {
			_ = os.Remove(filepath.Join(n.Dir, "hpccoutf.txt")) // hpcc appends to it
			if err := mpirun.HPCCInput(n.Dir, 1000, 1, 2); err != nil {
				return 0, err
			}
			_, took, err := n.run(watched, 2, hpcc)
			return took.Seconds(), err
		})
		if err != nil {
			return err
		}
	}
	var told, ended []float64
	for range *runs {
		t, e, err := deadlock(n.command(true, 2, n.b.programs["deadlock"]), func() bool {
			return len(n.Running(n.Names[0], n.b.programs["deadlock"]))+
				len(n.Running(n.Names[1], n.b.programs["deadlock"])) > 0
		})
		if err != nil {
			return err
		}
		told, ended = append(told, t.Seconds()), append(ended, e.Seconds())
	}
	for _, row := range []struct {
		what   string
		times  []float64
		budget float64
	}{
		{"a deadlock across nodes is told after (slowest)", told, 0.5},
		{"… and no rank runs on any node after (slowest)", ended, 2},
	} {
		slowest := slices.Max(row.times)
		fmt.Printf("| %s | – | %s | – | %v s | %s |\n", row.what, duration(slowest), row.budget,
			atMost(slowest, row.budget))
	}
	return nil
}

// start measures from the start of the launcher until all ranks have left MPI_Init.
func (n *nodesBench) start() error {
	const budget = 0.5
	plain, watched, err := turns(func(watched bool) (float64, error) {
		took, err := untilLine(n.command(watched, len(n.Names), n.b.programs["start"]), "started")
		return took.Seconds(), err
	})
	if err != nil {
		return err
	}
	fmt.Printf("| start of a job on %d nodes | %s | %s | +%s | %v s | %s |\n", len(n.Names), duration(plain),
		duration(watched), duration(watched-plain), budget, atMost(watched-plain, budget))
	return nil
}

// untilLine runs a command to its end, and returns the time until it has printed a line.
func untilLine(cmd *exec.Cmd, line string) (took time.Duration, err error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	kill := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	for s := bufio.NewScanner(stdout); s.Scan(); {
		if took == 0 && strings.Contains(s.Text(), line) {
			took = time.Since(began)
		}
	}
	if err := cmd.Wait(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &stderr)
	}
	if took == 0 {
		return 0, fmt.Errorf("%s: no line %q\n%s", strings.Join(cmd.Args, " "), line, &stderr)
	}
	return took, nil
}
