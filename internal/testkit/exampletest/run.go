package exampletest

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// Name is the example's family and name: "deadlock/recv_recv.c".
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
		return []string{"/usr/bin/python3", e.Path}, nil // Debian's own: mpi4py is built for it
	}
	args = append(append(args, e.CFlags...), "-o", out, e.Path)
	if wrapper == m.CC {
		args = append(args, "-lpthread", "-lm")
	}
	cmd, err := mpirun.Compile(wrapper, args...)
	if err != nil {
		return nil, err
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return []string{out}, nil
}

// Options say how much Check does.
type Options struct {
	// Thorough: compare all wrong programs that end by themselves with runs without mpivet, and replay the records of
	// all programs. Otherwise Check does both for every fourth program: each takes about as long as the run itself.
	Thorough bool
	// Plain is the program's run without mpivet, if it is known. Where a run with mpivet differs from it, the program
	// runs again without mpivet. Check sets it to the run that it has made. It may be nil.
	Plain *Plain
	// Keep is given the run of an example that is as it should be. It may be nil.
	Keep func(*recorded.Run) error
}

// Plain is what a user sees of a program's run without mpivet: its exit status, and what all ranks print to stdout, in
// the order of the lines.
type Plain struct {
	Program string `json:"program"` // its Fingerprint; "" if no run is known
	Status  int    `json:"status,omitempty"`
	Stdout  string `json:"stdout,omitempty"`
}

// keep hands on what a run has recorded.
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

// CheckRecorded analyses a recorded run of an example, and returns what is not as it should be.
func CheckRecorded(e *Example, r *recorded.Run, severityOf func(string) string) ([]string, error) {
	report, status, err := r.Replay(e.Path, e.Env)
	if err != nil {
		return nil, err
	}
	return append(Compare(e, report, severityOf), statusProblems(e, report, status)...), nil
}

// statusProblems returns what is wrong with mpivet's exit status.
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

// Part puts an example into one of n parts, always into the same one.
func Part(e *Example, n uint32) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, Name(e))
	return h.Sum32() % n
}

// sampled reports whether the example is among those that Check looks at more closely.
func (o Options) sampled(e *Example) bool { return o.Thorough || Part(e, 4) == 0 }

// Check runs a built example under mpivet, without it where it runs to a proper end, and replays its records. It
// returns what is not as it should be.
func Check(
	mpivet string, e *Example, m mpirun.MPI, command []string, dir string, severityOf func(string) string, o Options,
) ([]string, error) {
	stem := filepath.Join(dir, strings.ReplaceAll(Name(e), "/", "_")+"."+m.Name)
	reportFile, recordFile := stem+".json", stem+".record"
	args := append([]string{mpivet, "run", "-n", fmt.Sprint(e.NP), "--json", reportFile, "--record", recordFile}, e.Flags...)
	args = append(append(append(args, "--"), command...), e.Args...)
	env := mpirun.FastStart(e.Env...)
	limit := e.Timeout
	if o.Keep != nil { // how long it took is no part of it
		limit *= 5
	}
	run, err := mpirun.Run(args, env, dir, limit)
	if err != nil {
		return nil, err
	}
	var problems []string
	if run.TimedOut {
		problems = append(problems, fmt.Sprintf("HUNG     no end after %v", e.Timeout))
	}
	if e.Within > 0 && run.Took > e.Within && o.Keep == nil {
		problems = append(problems, fmt.Sprintf("SLOW     it took %v, more than %v", run.Took.Round(time.Millisecond), e.Within))
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

	// Without errors the program runs to its end by itself, too, and must look the same.
	bad := severe(report)
	problems = append(problems, statusProblems(e, report, run.Status)...)
	if !bad && !run.TimedOut {
		more, err := alike(e, m, command, dir, run, o.Plain)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}

	// With errors it does not run to its end, or does by chance. Where it does again and again, it must look the same.
	fatal := slices.ContainsFunc(report.Findings, func(f mpirun.Finding) bool { return f.Severity == "fatal" })
	if bad && !fatal && !run.TimedOut && e.Status < 0 && o.Keep == nil && o.sampled(e) {
		difference, err := differs(mpivet, e, m, command, dir, run, report)
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

// replayProblems analyses the records of a run again, and returns what differs.
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

// alike compares the run of a program that runs to a proper end with its run without mpivet. It returns what differs.
// If the known run differs or there is none, it runs the program without mpivet, and sets known.
func alike(
	e *Example, m mpirun.MPI, command []string, dir string, run *mpirun.Result, known *Plain,
) (problems []string, err error) {
	if known != nil && known.Program != "" && known.Status == run.Status &&
		(!e.Stdout || known.Stdout == sorted(run.Stdout)) {
		return nil, nil
	}
	env := mpirun.FastStart(e.Env...)
	alone := append(append([]string{m.Mpirun, "-n", fmt.Sprint(e.NP)}, command...), e.Args...)
	plain, err := mpirun.Run(alone, env, dir, e.Timeout)
	// What goes wrong without mpivet only says nothing of mpivet, unless it always does.
	var before string // what such runs said
	for tries := 0; err == nil && tries < 3 && run.Status != plain.Status && (launcherFailed(m, plain) || run.Status == 0); tries++ {
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
			known.Stdout = sorted(plain.Stdout)
		}
	}
	if e.Status < 0 && plain.Status != run.Status {
		problems = append(problems, fmt.Sprintf("STATUS   %d, without mpivet %d%s\n%s", run.Status, plain.Status, before, tail(plain)))
	}
	if e.Stdout && sorted(plain.Stdout) != sorted(run.Stdout) {
		problems = append(problems, fmt.Sprintf("OUTPUT\n%s\nwithout mpivet\n%s", indent(sorted(run.Stdout)), indent(sorted(plain.Stdout))))
	}
	return problems, nil
}

// differs runs a wrong program without mpivet, and says how that differs from its run with mpivet. It returns "" if
// nothing differs, or if the program hangs. To leave out what differs by chance, it runs the program several times,
// both ways.
func differs(
	mpivet string, e *Example, m mpirun.MPI, command []string, dir string, run *mpirun.Result, report *mpirun.Report,
) (string, error) {
	env := mpirun.FastStart(e.Env...)
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
		if run, err = mpirun.Run(append(append(append(args, "--"), command...), e.Args...), env, dir, e.Timeout); err != nil {
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

// printed is what the program has printed, without what MPI's libraries do: that has times and addresses.
func printed(r *mpirun.Result) string {
	var lines []string
	for line := range strings.Lines(r.Stdout) {
		if !strings.Contains(line, "UCX  WARN") {
			lines = append(lines, line)
		}
	}
	return sorted(strings.Join(lines, ""))
}

// launcherFailed reports whether a run, without mpivet, ended as it did for a fault of the launcher: that of Open MPI
// 4.1.4 sometimes crashes after its ranks were aborted, or does not end.
func launcherFailed(m mpirun.MPI, plain *mpirun.Result) bool {
	return m.Name == "openmpi" && (plain.TimedOut || plain.Status == 128+int(syscall.SIGSEGV))
}

// sorted puts lines of several ranks into an order that does not depend on who was first.
func sorted(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// tail is the end of what a command wrote to stderr, for people.
func tail(r *mpirun.Result) string {
	text := r.Stderr
	if len(text) > 4000 {
		text = "…" + text[len(text)-4000:]
	}
	return fmt.Sprintf("stderr (exit status %d):\n%s", r.Status, indent(text))
}
