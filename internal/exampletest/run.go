package exampletest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// MPI is an MPI implementation to build and run examples with.
type MPI struct {
	Name                string // "mpich" or "openmpi"
	CC, CXX, FC, Mpirun string
}

// Installed returns the MPI implementations whose compilers and launchers are on the PATH under Debian's names.
func Installed() []MPI {
	var list []MPI
	for _, name := range []string{"mpich", "openmpi"} {
		m := MPI{name, "mpicc." + name, "mpicxx." + name, "mpif90." + name, "mpiexec." + name}
		if _, err := exec.LookPath(m.CC); err != nil {
			continue
		}
		if _, err := exec.LookPath(m.Mpirun); err != nil {
			continue
		}
		list = append(list, m)
	}
	return list
}

// Has reports whether mpi.h declares a function.
func (m MPI) Has(function string) bool {
	cmd := exec.Command(m.CC, "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <mpi.h>\nvoid *f = (void *)" + function + ";\n")
	return cmd.Run() == nil
}

// Name is the example's family and name: "deadlock/recv_recv.c".
func Name(e *Example) string {
	return filepath.Base(filepath.Dir(e.Path)) + "/" + filepath.Base(e.Path)
}

// Environment is the environment for programs and launchers: Open MPI otherwise refuses to run as root or with more
// ranks than cores.
func Environment(extra ...string) []string {
	env := append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe")
	return append(env, extra...)
}

// Build compiles the example into dir and returns the command that runs it.
func Build(e *Example, m MPI, dir string) ([]string, error) {
	out := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name)
	var cmd *exec.Cmd
	flags := append([]string{"-g", "-Wno-stringop-overflow", "-Wno-stringop-overread"}, e.CFlags...)
	switch filepath.Ext(e.Path) {
	case ".c":
		cmd = exec.Command(m.CC, append(flags, "-o", out, e.Path, "-lpthread", "-lm")...)
	case ".cc":
		cmd = exec.Command(m.CXX, append(flags, "-o", out, e.Path)...)
	case ".f90":
		cmd = exec.Command(m.FC, append([]string{"-g", "-w", "-J" + dir}, append(e.CFlags, "-o", out, e.Path)...)...)
	case ".py":
		return []string{"/usr/bin/python3", e.Path}, nil // Debian's own: mpi4py is built for it
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return []string{out}, nil
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Status         int // exit status, 128 + signal number if it was killed
	Took           time.Duration
	TimedOut       bool
}

// marker is a variable in the environment of what Run starts, by which it finds all that a launcher started in turn.
const marker = "EXAMPLETEST_RUN"

var runs atomic.Int64

// Mark returns a variable for the environment of a command, and a function that kills every process that has it in its
// environment: launchers start ranks in process groups and sessions of their own.
func Mark() (variable string, kill func()) {
	mark := fmt.Sprintf("%s=%d.%d", marker, os.Getpid(), runs.Add(1))
	return mark, func() { killMarked(mark) }
}

// Run runs a command. One that takes longer than timeout is asked to end, by SIGTERM, and after a while it is killed.
// No process that it started outlives Run.
func Run(command, env []string, dir string, timeout time.Duration) (*Result, error) {
	mark, kill := Mark()
	cmd := exec.Command(command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &stdout, &stderr, append(slices.Clone(env), mark), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var timedOut atomic.Bool
	over := make(chan struct{})
	go func() {
		select {
		case <-over:
			return
		case <-time.After(timeout):
		}
		timedOut.Store(true)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			kill()
		}
	}()
	err := cmd.Wait()
	close(over)
	kill()
	r := &Result{Stdout: stdout.String(), Stderr: stderr.String(), Took: time.Since(start), TimedOut: timedOut.Load()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.Status = status.ExitStatus()
	if status.Signaled() {
		r.Status = 128 + int(status.Signal())
	}
	return r, nil
}

// killMarked kills every process that has mark in its environment.
func killMarked(mark string) {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), mark) {
			continue // over, or somebody else's
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// Check runs a built example under mpivet, without it where it runs to a proper end, and replays its records. It
// returns what is not as it should be.
func Check(mpivet string, e *Example, m MPI, command []string, dir string, severityOf func(string) string) ([]string, error) {
	stem := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name)
	reportFile, recordFile := stem+".json", stem+".record"
	args := append([]string{mpivet, "run", "-n", fmt.Sprint(e.NP), "--json", reportFile, "--record", recordFile}, e.Flags...)
	args = append(append(append(args, "--"), command...), e.Args...)
	env := Environment(e.Env...)
	run, err := Run(args, env, dir, e.Timeout)
	if err != nil {
		return nil, err
	}
	var problems []string
	if run.TimedOut {
		problems = append(problems, fmt.Sprintf("HUNG     no end after %v", e.Timeout))
	}
	if e.Within > 0 && run.Took > e.Within {
		problems = append(problems, fmt.Sprintf("SLOW     it took %v, more than %v", run.Took.Round(time.Millisecond), e.Within))
	}
	data, err := os.ReadFile(reportFile)
	if err != nil {
		return append(problems, "NOTHING  no JSON report", tail(run)), nil
	}
	report, err := ReadReport(data)
	if err != nil {
		return append(problems, "NOTHING  "+err.Error(), tail(run)), nil
	}
	problems = append(problems, Compare(e, report, severityOf)...)

	// Without errors the program runs to its end by itself, too, and must look the same.
	bad := slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Severity == "error" || f.Severity == "fatal" })
	switch {
	case e.Status >= 0 && run.Status != e.Status:
		problems = append(problems, fmt.Sprintf("STATUS   %d, not %d", run.Status, e.Status))
	case e.Status < 0 && bad && run.Status == 0:
		problems = append(problems, "STATUS   0 in spite of errors")
	}
	if !bad && !run.TimedOut {
		alone := append(append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...), e.Args...)
		plain, err := Run(alone, env, dir, e.Timeout)
		// What goes wrong without mpivet only says nothing of mpivet, unless it always does.
		var before string // what such runs said
		for tries := 0; err == nil && tries < 3 && run.Status != plain.Status && (launcherFailed(m, plain) || run.Status == 0); tries++ {
			before += "\n" + tail(plain)
			plain, err = Run(alone, env, dir, e.Timeout)
		}
		if err != nil {
			return nil, err
		}
		if e.Status < 0 && plain.Status != run.Status {
			problems = append(problems, fmt.Sprintf("STATUS   %d, without mpivet %d%s\n%s", run.Status, plain.Status, before, tail(plain)))
		}
		if e.Stdout && sorted(plain.Stdout) != sorted(run.Stdout) {
			problems = append(problems, fmt.Sprintf("OUTPUT\n%s\nwithout mpivet\n%s", indent(sorted(run.Stdout)), indent(sorted(plain.Stdout))))
		}
	}

	replayFile := stem + ".replay.json"
	replay, err := Run([]string{mpivet, "replay", "--json", replayFile, recordFile}, env, dir, e.Timeout)
	if err != nil {
		return nil, err
	}
	if data, err = os.ReadFile(replayFile); err != nil {
		return append(problems, "REPLAY   no JSON report", tail(replay)), nil
	}
	again, err := ReadReport(data)
	if err != nil {
		return append(problems, "REPLAY   "+err.Error(), tail(replay)), nil
	}
	for _, d := range Differences(report, again) {
		problems = append(problems, "REPLAY   "+d)
	}
	if len(problems) > 0 {
		problems = append(problems, tail(run))
	}
	return problems, nil
}

// launcherFailed reports whether a run, without mpivet, ended as it did for a fault of the launcher: that of Open MPI 4.1.4
// sometimes crashes after its ranks were aborted, or does not end.
func launcherFailed(m MPI, plain *Result) bool {
	return m.Name == "openmpi" && (plain.TimedOut || plain.Status == 128+int(syscall.SIGSEGV))
}

// sorted puts lines of several ranks into an order that does not depend on who was first.
func sorted(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// tail is the end of what a command wrote to stderr, for people.
func tail(r *Result) string {
	text := r.Stderr
	if len(text) > 4000 {
		text = "…" + text[len(text)-4000:]
	}
	return fmt.Sprintf("stderr (exit status %d):\n%s", r.Status, indent(text))
}
