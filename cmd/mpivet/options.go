package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/waitgraph"
)

// options are the flags that several subcommands share.
type options struct {
	// What to start, and how.
	mpi string
	// What to record.
	record  string
	stacks  string
	onError string
	strict  bool
	sums    bool
	// What to report, and how.
	checks   []string
	profile  string
	failOn   string
	json     string
	graph    string
	suppress []string
	limit    int
	quiet    bool
	color    string
	// How long processes may be in the same MPI calls on average before that is told, 0 for ever.
	noProgress time.Duration

	// What validate makes of them.
	threshold    finding.Severity
	rules        *finding.Rules
	suppressions *finding.Suppressions
}

// An enum is a flag that has one of a few values.
type enum struct {
	value  *string
	values []string
}

func (e enum) String() string {
	if e.value == nil {
		return ""
	}
	return *e.value
}

func (e enum) Set(s string) error {
	if !slices.Contains(e.values, s) {
		return fmt.Errorf("must be %s", strings.Join(e.values, ", "))
	}
	*e.value = s
	return nil
}

func (e enum) Type() string { return strings.Join(e.values, "|") }

// addProgramFlags defines what goes with a program that is started.
func (o *options) addProgramFlags(f *pflag.FlagSet) {
	o.stacks, o.onError = "full", onErrorAbort
	f.StringVar(&o.mpi, "mpi", "", "`MPI` of the program, if it can't be found out: mpich, openmpi, or the path of libmpi.so or mpicc")
	f.StringVar(&o.record, "record", "", "write all records to `FILE`, for mpivet replay")
	f.Var(enum{&o.stacks, []string{"full", "off"}}, "stacks", "record whole call stacks, or only where MPI was called")
	f.BoolVar(&o.strict, "strict", false, "hold collective calls until they have been compared; those that break the standard return an error")
	f.BoolVar(&o.sums, "checksums", false, "check that the data of collective operations arrive as they were sent")
	f.Var(enum{&o.onError, []string{onErrorAbort, onErrorContinue, onErrorPause, onErrorGDB}}, "on-error", "what to do at a fatal finding: end the program, take no notice, leave it as it is for a debugger, or open one")
}

// addReportFlags defines what goes with findings.
func (o *options) addReportFlags(f *pflag.FlagSet) {
	o.failOn, o.color, o.profile = "error", "auto", portable
	f.StringArrayVar(&o.checks, "check", nil, "`PATTERN=on|off|warning|error` for checks whose names match, such as 'LOCAL:MEMORY:*=off'; may be repeated")
	f.Var(enum{&o.profile, []string{portable, practical}}, "profile", "what is reported: all that the standard forbids, or only what matters to this run; --check overrules it")
	f.Var(enum{&o.failOn, []string{"fatal", "error", "warning", "never"}}, "fail-on", "least severity of findings that makes the exit status 3")
	f.StringVar(&o.json, "json", "", "write findings to `FILE` as JSON (- for standard output)")
	f.StringVar(&o.graph, "deadlock-graph", "", "draw who waits for whom in a deadlock into `FILE`: .svg, or .dot for Graphviz")
	f.StringArrayVar(&o.suppress, "suppress", nil, "`FILE` of findings not to report; may be repeated")
	f.IntVar(&o.limit, "limit", 10, "reports per check and call site")
	f.DurationVar(&o.noProgress, "no-progress", 5*time.Minute, "warn after `DURATION` in which processes were in the same MPI calls on average; 0 never")
	f.BoolVar(&o.quiet, "quiet", false, "print no findings and no summary")
	f.Var(enum{&o.color, []string{"auto", "always", "never"}}, "color", "colour the report")
}

// validate reads what the flags name and reports what is wrong with them, before anything is started. It makes the
// names of files independent of the working directory.
func (o *options) validate() error {
	if o.limit < 1 {
		return usagef("--limit %d: must be at least 1", o.limit)
	}
	if o.noProgress < 0 {
		return usagef("--no-progress %s: must not be negative", o.noProgress)
	}
	if o.record == "-" {
		return usagef("--record: needs a file, as standard output is the program's")
	}
	if o.graph != "" && !slices.Contains(waitgraph.Formats, filepath.Ext(o.graph)) {
		return usagef("--deadlock-graph %s: the name must end in %s", o.graph, strings.Join(waitgraph.Formats, ", "))
	}
	var err error
	if o.threshold, err = finding.ParseFailOn(o.failOn); err != nil {
		return usageError{fmt.Errorf("--fail-on: %w", err)}
	}
	if o.rules, err = finding.NewRules(knownChecks(), slices.Concat(profileRules(o.profile), o.checks)...); err != nil {
		return usageError{fmt.Errorf("--check: %w", err)}
	}
	for i := range o.suppress {
		if o.suppress[i], err = filepath.Abs(o.suppress[i]); err != nil {
			return err
		}
		if o.suppressions == nil {
			o.suppressions = new(finding.Suppressions)
		}
		f, err := os.Open(o.suppress[i])
		if err == nil {
			err = o.suppressions.Parse(f, o.suppress[i], o.rules)
			f.Close()
		}
		if err != nil {
			return usageError{fmt.Errorf("--suppress: %w", err)}
		}
	}
	for _, file := range []struct {
		flag string
		name *string
	}{{"json", &o.json}, {"record", &o.record}, {"deadlock-graph", &o.graph}} {
		if *file.name == "" || *file.name == "-" {
			continue
		}
		if *file.name, err = filepath.Abs(*file.name); err == nil {
			err = writable(*file.name)
		}
		if err != nil {
			return fmt.Errorf("--%s: %w", file.flag, err)
		}
	}
	return nil
}

// writable checks that a file can be written, without touching one that is there.
func writable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case err == nil:
		return unix.Access(path, unix.W_OK)
	}
	if err := unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("can't write to %s: %w", filepath.Dir(path), err)
	}
	return nil
}

// arguments returns the flags that make another mpivet have the same options.
func (o *options) arguments() []string {
	args := []string{
		"--stacks=" + o.stacks, "--on-error=" + o.onError, "--fail-on=" + o.failOn, "--color=" + o.color,
		fmt.Sprintf("--limit=%d", o.limit), fmt.Sprintf("--quiet=%t", o.quiet), fmt.Sprintf("--strict=%t", o.strict),
		fmt.Sprintf("--checksums=%t", o.sums), fmt.Sprintf("--no-progress=%s", o.noProgress),
	}
	args = append(args, "--profile="+o.profile)
	for _, c := range o.checks {
		args = append(args, "--check="+c)
	}
	for _, s := range o.suppress {
		args = append(args, "--suppress="+s)
	}
	if o.graph != "" {
		args = append(args, "--deadlock-graph="+o.graph)
	}
	if o.json != "" {
		args = append(args, "--json="+o.json)
	}
	if o.record != "" {
		args = append(args, "--record="+o.record)
	}
	return args
}
