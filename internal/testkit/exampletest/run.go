package exampletest

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// Name returns the example's family and name: "deadlock/recv_recv.c".
func Name(e *Example) string {
	return filepath.Base(filepath.Dir(e.Path)) + "/" + filepath.Base(e.Path)
}

// Build compiles the example into dir and returns the command that runs it.
func Build(e *Example, m mpirun.MPI, dir string) ([]string, error) {
	out := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name)
	wrapper, args := m.CC, []string{"-g", "-Wno-stringop-overflow", "-Wno-stringop-overread"}
	switch filepath.Ext(e.Path) {
	case ".cc":
		wrapper = m.CXX
	case ".f90":
		wrapper, args = m.FC, []string{"-g", "-w", "-J" + dir}
	case ".py":
		return python(e, filepath.Join(dir, m.Name))
	}
	args = append(append(args, e.CFlags...), "-o", out, e.Path)
	if wrapper == m.CC {
		args = append(args, "-lpthread", "-lm")
	}
	cmd, err := compiler(m, wrapper, args)
	if err != nil {
		return nil, err
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return []string{out}, nil
}

// python returns the command for a script. It runs a copy, as its path is part of its recording.
func python(e *Example, dir string) ([]string, error) {
	script := filepath.Join(dir, Name(e))
	text, err := os.ReadFile(e.Path)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(script), 0o755)
	}
	if err == nil {
		err = os.WriteFile(script, text, 0o644)
	}
	return []string{"/usr/bin/python3", script}, err // Debian's Python: mpi4py is built for it
}

func compiler(m mpirun.MPI, wrapper string, args []string) (*exec.Cmd, error) {
	if m.Standard {
		return exec.Command(m.CC, slices.Concat(mpirun.StandardFlags, args, []string{"-lmpi_abi"})...), nil
	}
	return mpirun.Compile(wrapper, args...)
}

// Options say how much Check does.
type Options struct {
	// Thorough: for all wrong programs that end by themselves, compare the run with runs without mpivet; replay the
	// records of all programs. Otherwise Check does both for every fourth program, as each takes about as long as the
	// run itself.
	Thorough bool
	// Quick: do neither, for no program.
	Quick bool
	// Plain is the program's run without mpivet, if it is known. If a run with mpivet differs from it, Check runs the
	// program again without mpivet, and stores that run here. It may be nil.
	Plain *Plain
	// Keep is called with the run of an example without problems. It may be nil.
	Keep func(*recorded.Run) error
}

// Plain is what a user sees of a program's run without mpivet: its exit status, and the output of all ranks to stdout,
// with sorted lines.
type Plain struct {
	Program string `json:"program"` // its Fingerprint; "" if no run is known
	Status  int    `json:"status,omitempty"`
	Stdout  string `json:"stdout,omitempty"`
}

// keep passes the records of a run to Keep.
func (o Options) keep(e *Example, recordFile string) error {
	fingerprint, err := Fingerprint(e)
	if err != nil {
		return err
	}
	r, err := recorded.ReadRun(recordFile, e.Path, fingerprint)
	if err != nil {
		return err
	}
	return o.Keep(r)
}

// CheckRecorded analyses a recorded run of an example, and returns the problems.
func CheckRecorded(e *Example, r *recorded.Run, severityOf func(string) string) ([]string, error) {
	report, status, err := r.Replay(e.Path, e.Env)
	if err != nil {
		return nil, err
	}
	return append(Compare(e, report, severityOf), statusProblems(e, report, status)...), nil
}

// statusProblems returns the problems with mpivet's exit status.
func statusProblems(e *Example, report *mpirun.Report, status int) []string {
	switch {
	case e.Status >= 0 && status != e.Status:
		return []string{fmt.Sprintf("STATUS   %d, not %d", status, e.Status)}
	case e.Status < 0 && severe(report) && status == 0:
		return []string{"STATUS   0 in spite of errors"}
	}
	return nil
}

// severe reports whether a report has errors.
func severe(report *mpirun.Report) bool {
	return slices.ContainsFunc(report.Findings, func(f mpirun.Finding) bool {
		return f.Severity == "error" || f.Severity == "fatal"
	})
}

// Part assigns an example to one of n parts. It is always the same part.
func Part(e *Example, n uint32) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, Name(e))
	return h.Sum32() % n
}

// environment returns the environment of the example. Thorough runs have the default settings of the MPI libraries.
func (o Options) environment(e *Example, m mpirun.MPI) []string {
	extra := append(slices.Clone(m.Env), e.Env...)
	if o.Thorough {
		return mpirun.Environment(extra...)
	}
	return mpirun.FastStart(extra...)
}

// sampled reports whether Check examines the example more closely.
func (o Options) sampled(e *Example) bool { return o.Thorough || !o.Quick && Part(e, 4) == 0 }

// Check runs a built example under mpivet, runs it without mpivet if it ends properly, and replays its records. It
// returns the problems.
func Check(
	mpivet string, e *Example, m mpirun.MPI, command []string, dir string, severityOf func(string) string, o Options,
) ([]string, error) {
	stem := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name)
	reportFile, recordFile := stem+".json", stem+".record"
	args := append([]string{mpivet, "run", "-n", fmt.Sprint(e.NP), "--json", reportFile, "--record", recordFile},
		e.Flags...)
	args = append(append(append(args, "--"), command...), e.Args...)
	env := o.environment(e, m)
	limit := e.Timeout
	if o.Keep != nil { // without the time of the run
		limit *= 5
	}
	run, err := mpirun.Run(args, env, dir, limit)
	if err != nil {
		return nil, err
	}
	var problems []string
	hung := run.TimedOut && e.Hangs.Has(m.Name, m.Version())
	if run.TimedOut && !hung {
		problems = append(problems, fmt.Sprintf("HUNG     no end after %v", e.Timeout))
	}
	if e.Within > 0 && run.Took > e.Within && o.Keep == nil {
		problems = append(problems, fmt.Sprintf("SLOW     it took %v, more than %v",
			run.Took.Round(time.Millisecond), e.Within))
	}
	data, err := os.ReadFile(reportFile)
	if err != nil {
		return append(problems, "NOTHING  no JSON report", tail(run)), nil
	}
	report, err := mpirun.ReadReport(data)
	if err != nil {
		return append(problems, "NOTHING  "+err.Error(), tail(run)), nil
	}
	problems = append(problems, Compare(e, report, severityOf)...)

	// Without errors, the program also ends properly without mpivet, and must look the same.
	bad := severe(report)
	if !hung {
		problems = append(problems, statusProblems(e, report, run.Status)...)
	}
	if !bad && !run.TimedOut {
		more, err := alike(e, m, command, env, dir, run, o.Plain)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}

	// With errors, the program may not end properly, or only by chance. If it always does, it must look the same. But
	// strict mode refuses wrong calls, which may crash without it.
	strict := slices.Contains(e.Flags, "--strict")
	fatal := slices.ContainsFunc(report.Findings, func(f mpirun.Finding) bool { return f.Severity == "fatal" })
	if bad && !fatal && !strict && !run.TimedOut && e.Status < 0 && o.Keep == nil && o.sampled(e) {
		difference, err := differs(mpivet, e, m, command, env, dir, run, report)
		if err != nil {
			return nil, err
		}
		if difference != "" {
			problems = append(problems, difference)
		}
	}

	if o.sampled(e) {
		problems = append(problems, replayProblems(e, recordFile, report, run)...)
	}
	if len(problems) == 0 && o.Keep != nil {
		if err := o.keep(e, recordFile); err != nil {
			return nil, err
		}
	}
	if len(problems) > 0 {
		problems = append(problems, tail(run))
	}
	return problems, nil
}

// replayProblems analyses the records of a run again, and returns the differences.
func replayProblems(e *Example, recordFile string, report *mpirun.Report, run *mpirun.Result) (problems []string) {
	again, status, err := recorded.ReplayFile(recordFile, e.Env)
	if err != nil {
		return []string{"REPLAY   " + err.Error()}
	}
	for _, d := range Differences(report, again) {
		problems = append(problems, "REPLAY   "+d)
	}
	if status != run.Status {
		problems = append(problems, fmt.Sprintf("REPLAY   ends with status %d, the run with %d", status, run.Status))
	}
	return problems
}

// alike compares the run of a program that ends properly with its run without mpivet. It returns the differences. If
// the known run differs or there is none, it runs the program without mpivet, and sets known.
func alike(
	e *Example, m mpirun.MPI, command, env []string, dir string, run *mpirun.Result, known *Plain,
) (problems []string, err error) {
	if known != nil && known.Program != "" && known.Status == run.Status &&
		(!e.Stdout || known.Stdout == printed(run)) {
		return nil, nil
	}
	alone := append(append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...), e.Args...)
	plain, err := mpirun.Run(alone, env, dir, e.Timeout)
	// A failure without mpivet proves nothing about mpivet, unless it always occurs.
	var before string // output of such runs
	for tries := 0; err == nil && tries < 3 && run.Status != plain.Status &&
		(launcherFailed(m, plain) || run.Status == 0); tries++ {
		before += "\n" + tail(plain)
		plain, err = mpirun.Run(alone, env, dir, e.Timeout)
	}
	if err != nil {
		return nil, err
	}
	if known != nil {
		known.Status = plain.Status
		if known.Program, err = Fingerprint(e); err != nil {
			return nil, err
		}
		if e.Stdout {
			known.Stdout = printed(plain)
		}
	}
	if e.Status < 0 && plain.Status != run.Status {
		problems = append(problems, fmt.Sprintf("STATUS   %d, without mpivet %d%s\n%s", run.Status,
			plain.Status, before, tail(plain)))
	}
	if e.Stdout && printed(plain) != printed(run) {
		problems = append(problems, fmt.Sprintf("OUTPUT\n%s\nwithout mpivet\n%s",
			indent(printed(run)), indent(printed(plain))))
	}
	return problems, nil
}

// differs runs a wrong program without mpivet, and returns the difference from its run with mpivet. It returns "" if
// there is none, or if the program hangs. To ignore random differences, it runs the program several times, both ways.
func differs(
	mpivet string, e *Example, m mpirun.MPI, command, env []string, dir string, run *mpirun.Result,
	report *mpirun.Report,
) (string, error) {
	alone := append(append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...), e.Args...)
	for tries := 0; ; tries++ {
		plain, err := mpirun.Run(alone, env, dir, 2*run.Took+time.Second) // it may hang
		if err != nil {
			return "", err
		}
		if plain.TimedOut || run.TimedOut || launcherFailed(m, plain) ||
			plain.Status == report.Run.ExitStatus && (!e.Stdout || printed(plain) == printed(run)) {
			return "", nil
		}
		if tries == 3 {
			return fmt.Sprintf("CHANGED  status %d and output\n%s\nwithout mpivet %d\n%s",
				report.Run.ExitStatus, indent(printed(run)), plain.Status, indent(printed(plain))), nil
		}
		again := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name+".again.json")
		args := append([]string{mpivet, "run", "-n", fmt.Sprint(e.NP), "--json", again}, e.Flags...)
		if run, err = mpirun.Run(append(append(append(args, "--"), command...), e.Args...), env,
			dir, e.Timeout); err != nil {
			return "", err
		}
		data, err := os.ReadFile(again)
		if err != nil {
			return "", err
		}
		if report, err = mpirun.ReadReport(data); err != nil {
			return "", err
		}
	}
}

// printed returns the program's output without that of MPI's libraries, which contains times and addresses.
func printed(r *mpirun.Result) string {
	var lines []string
	for line := range strings.Lines(r.Stdout) {
		if !strings.Contains(line, "UCX  WARN") {
			lines = append(lines, line)
		}
	}
	return sorted(strings.Join(lines, ""))
}

// launcherFailed reports whether the end of a run without mpivet was caused by a fault of the launcher. That of Open
// MPI 4.1.4 sometimes crashes after its ranks were aborted, or does not end.
func launcherFailed(m mpirun.MPI, plain *mpirun.Result) bool {
	return m.Name == "openmpi" && (plain.TimedOut || plain.Status == 128+int(syscall.SIGSEGV))
}

// sorted sorts the lines of several ranks, so that the result does not depend on their order.
func sorted(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// tail returns the end of a command's stderr, for messages.
func tail(r *mpirun.Result) string {
	text := r.Stderr
	if len(text) > 4000 {
		text = "…" + text[len(text)-4000:]
	}
	return fmt.Sprintf("stderr (exit status %d):\n%s", r.Status, indent(text))
}
