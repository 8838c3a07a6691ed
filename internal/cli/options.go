package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/config"
	"github.com/mpivet/mpivet/internal/config/itac"
	"github.com/mpivet/mpivet/internal/debug/gdb"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/report/jsonreport"
	"github.com/mpivet/mpivet/internal/report/suppress"
	"github.com/mpivet/mpivet/internal/report/waitgraph"
	"github.com/mpivet/mpivet/internal/symbol"
)

// options are the flags that several subcommands share.
type options struct {
	// The program.
	mpi string
	// Recording.
	record  string
	stacks  string
	onError string
	breakOn []string // checks or severities
	head    string   // HOST:PORT, "" for the addresses of the head's node
	spool   int      // MiB
	// underRun: mpivet run has started this mpivet exec.
	underRun bool
	// runSession: where the session of that mpivet run is, see launch.DescribeSession.
	runSession string
	strict     bool
	sums       bool
	// sumLimit: of longer data, only samples of sumLimit bytes in total are summed up. 0: all data.
	sumLimit int
	// Reports.
	checks       []string
	profile      string
	failOn       string
	json         string
	graph        string
	suppress     []string
	suppressions string // file to write, with rules that suppress the findings
	baseline     string // earlier JSON report
	limit        int
	// layerPatterns are the patterns of --layer. causeFrames is the number of frames that identify a cause.
	layerPatterns []string
	causeFrames   int
	quiet         bool
	verbose       bool
	show          string // the lowest severity of findings that are printed
	prefix        string
	color         string
	// maxReports is the greatest number of reports, 0: any number.
	maxReports int
	// maxPending is the greatest number of reported places that send messages without a receive, 0: any number.
	maxPending int
	// maxErrors is the number of errors that have the effect of a fatal finding, 0: none.
	maxErrors int
	// noProgress: mpivet warns if processes are in the same MPI calls for this time on average, 0: never.
	noProgress time.Duration
	// leaks has the limits for reports on objects that are not freed.
	leaks check.Leaks

	// Sources of values that are not on the command line.
	config     string
	itacConfig string
	itacEnv    bool

	// out gets the report, instead of a file. Files below outDir have relative paths in it.
	out    io.Writer
	outDir string

	resolver *symbol.Resolver // finds functions and lines; nil: use the files that the processes had loaded

	flags *pflag.FlagSet // all flags of the subcommand
	notes []string       // notes on the settings for the user
	// Results of validate.
	threshold  finding.Severity
	rules      *finding.Rules
	suppressed []*finding.Suppression
	known      *finding.Baseline
	layers     *finding.Layers
}

// Values of --prefix.
const (
	prefixFirst = "first"
	prefixAll   = "all"
)

// enum is a flag with a fixed set of values.
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
		return fmt.Errorf("%q is none of %s", s, strings.Join(e.values, ", "))
	}
	*e.value = s
	return nil
}

func (e enum) Type() string { return strings.Join(e.values, "|") }

// addProgramFlags defines the flags for the program that is started.
func (o *options) addProgramFlags(f *pflag.FlagSet) {
	o.flags = f
	o.stacks, o.onError = "full", onErrorAbort
	f.StringVar(&o.mpi, "mpi", "",
		"`MPI` of the program, if mpivet can't find it: mpich, openmpi, abi, or the path of libmpi.so or mpicc")
	f.StringVar(&o.record, "record", "", "write all records to `FILE`, for mpivet replay")
	f.Var(enum{&o.stacks, []string{"full", "off"}}, "stacks", "record whole call stacks, or only the callers of MPI")
	f.BoolVar(&o.strict, "strict", false,
		"hold collective calls until they have been compared; calls that violate the standard return an error")
	f.BoolVar(&o.sums, "checksums", false,
		"check that the data of messages and collective operations arrive as they were sent")
	f.IntVar(&o.sumLimit, "checksum-limit", 0,
		"of data longer than `BYTES`, check only samples, of BYTES in total; 0 all data")
	f.IntVar(&o.maxErrors, "max-errors", 0, "do the action of --on-error at the `N`th error; 0 never")
	f.StringArrayVar(&o.breakOn, "break-on", nil,
		"hold a rank in the faulty call, for a debugger, at findings of `CHECK|error|warning`; may be repeated")
	f.IntVar(&o.spool, "spool", 256,
		"on several nodes: keep up to `MIB` of records in a file on the node, if the head can't take them yet")
	f.StringVar(&o.head, "head", "",
		"on several nodes: `HOST:PORT` at which the other nodes reach the head, if its own addresses don't work")
	f.Var(enum{&o.onError, []string{onErrorAbort, onErrorContinue, onErrorPause, onErrorGDB}}, "on-error",
		"action at a fatal finding: end the program, let it continue, keep it as it is for a debugger, or open a "+
			"debugger")
}

// addReportFlags defines the flags for findings.
func (o *options) addReportFlags(f *pflag.FlagSet) {
	o.flags = f
	o.failOn, o.color, o.profile = "error", "auto", portable
	f.StringArrayVar(&o.checks, "check", nil,
		"`PATTERN=on|off|warning|error` for checks whose names match, such as 'LOCAL:MEMORY:*=off'; may be repeated")
	f.Var(enum{&o.profile, []string{portable, practical}}, "profile",
		"report everything that the standard forbids, or only what matters to this run; --check has priority")
	f.Var(enum{&o.failOn, []string{"fatal", "error", "warning", "never"}}, "fail-on",
		"least severity of findings that makes the exit status 3")
	f.StringVar(&o.json, "json", "", "write findings to `FILE` as JSON (- for standard output)")
	f.StringVar(&o.graph, "deadlock-graph", "",
		"draw into `FILE` which process waits for which in a deadlock: .svg, or .dot for Graphviz")
	f.StringArrayVar(&o.suppress, "suppress", nil, "`FILE` of rules for findings not to report; may be repeated")
	f.StringVar(&o.suppressions, "write-suppressions", "", "write rules that suppress the findings to `FILE`")
	f.StringVar(&o.baseline, "baseline", "",
		"report only findings that are not in `FILE`, written by an earlier --json")
	f.IntVar(&o.limit, "limit", 10, "reports per check and call site; 0 any number")
	f.StringArrayVar(&o.layerPatterns, "layer", nil,
		"functions, libraries or source files that match `PATTERN` only wrap MPI: errors seen in them are their "+
			"callers'; may be repeated")
	f.IntVar(&o.causeFrames, "cause-frames", finding.DefaultCauseFrames,
		"findings that agree in the program's `N` innermost frames have one cause and are one finding")
	f.IntVar(&o.maxReports, "max-reports", 0, "total number of reports, without fatal ones; 0 any number")
	f.IntVar(&o.maxPending, "max-pending", 20,
		"report `N` places that send messages that are never received, those with the most messages first; 0 any "+
			"number")
	f.DurationVar(&o.noProgress, "no-progress", 5*time.Minute,
		"warn after `DURATION` in which processes were in the same MPI calls on average; 0 never")
	o.leaks = check.DefaultLeaks()
	for _, l := range o.leakFlags() {
		f.IntVar(l.n, l.flag, *l.n, l.usage)
	}
	f.BoolVar(&o.quiet, "quiet", false, "print no findings and no summary")
	f.BoolVar(&o.verbose, "verbose", false, "print all findings in full, with addresses and whole call stacks")
	o.show, o.prefix = "", prefixFirst
	f.Var(enum{&o.show, []string{"fatal", "error", "warning", "info"}}, "show",
		"least severity of findings to print (warning; info with --verbose); others are only counted")
	f.Var(enum{&o.prefix, []string{prefixFirst, prefixAll}}, "prefix",
		"lines of a finding that begin with rank and severity")
	f.Var(enum{&o.color, []string{"auto", "always", "never"}}, "color", "colour the report")
}

// leakFlag is a flag with a limit for reports on objects that are not freed.
type leakFlag struct {
	flag, usage string
	n           *int
}

func (o *options) leakFlags() []leakFlag {
	l := &o.leaks.Limits
	often := func(what string) string {
		return "note when a process has `N` " + what +
			" at the same time, and each time that the number has doubled; 0 never"
	}
	return []leakFlag{
		{
			"leak-report-size",
			"report `N` places that make objects of one kind without freeing them, the most frequent ones first",
			&o.leaks.Places,
		},
		{"max-requests", often("requests"), &l.Requests},
		{"max-datatypes", often("derived datatypes"), &l.Datatypes},
		{"max-comms", often("communicators"), &l.Comms},
		{"max-objects", often("objects of another kind"), &l.Others},
	}
}

// addConfigFlags defines the flags for sources of other flags.
func (o *options) addConfigFlags(f *pflag.FlagSet) {
	f.StringVar(&o.config, config.FileFlag, "", "take flags from `FILE`: YAML, with the names of the flags")
	f.StringVar(&o.itacConfig, "itac-config", "",
		"take flags from `FILE`, a configuration of Intel Trace Analyzer and Collector")
	f.BoolVar(&o.itacEnv, "itac-env", false,
		"take flags from the environment variables of Intel Trace Analyzer and Collector, such as VT_CHECK")
	for flag, marks := range map[string][]string{
		"itac-config": {config.Input}, "suppress": {config.Input}, "baseline": {config.Input}, "check": {config.Pairs},
	} {
		for _, mark := range marks {
			_ = f.SetAnnotation(flag, mark, []string{"true"}) // cannot fail: the flag exists
		}
	}
}

// resolve sets flags that are not on the command line from the environment and from files.
func (o *options) resolve() error {
	known := runCommand().Flags()
	env := config.Environment(os.LookupEnv, known)
	if err := config.Apply(o.flags, env); err != nil {
		return usageError{err}
	}
	others := append(slices.Clone(launch.Variables), gdb.InspectorVariable)
	o.notes = append(o.notes, config.Unknown(os.Environ(), known, others...)...)
	if o.config != "" {
		file, err := config.ReadFile(o.config, known)
		if err != nil {
			return usageError{fmt.Errorf("--config: %w", err)}
		}
		if err := config.Apply(o.flags, file); err != nil {
			return usageError{fmt.Errorf("--config: %w", err)}
		}
	}
	if o.itacConfig == "" && !o.itacEnv {
		return nil
	}
	var names []string
	for _, c := range all.Checks() {
		names = append(names, c.ID)
	}
	theirs := itac.New(names)
	path := o.itacConfig
	if path == "" {
		path = os.Getenv(itac.FileVariable)
	}
	if path != "" {
		if err := theirs.ReadFile(path); err != nil {
			return usageError{fmt.Errorf("--itac-config: %w", err)}
		}
	}
	if o.itacEnv {
		if err := theirs.ReadEnvironment(os.Environ()); err != nil {
			return usageError{fmt.Errorf("--itac-env: %w", err)}
		}
	}
	o.notes = append(o.notes, theirs.Ignored...)
	if err := config.Apply(o.flags, theirs.Settings); err != nil {
		return usageError{fmt.Errorf("--itac-config: %w", err)}
	}
	return nil
}

// tell prints the notes on the settings.
func (o *options) tell() {
	for _, n := range o.notes {
		say("%s", n)
	}
}

// validate reads the files of flags, and checks the flags, before anything is started. It makes file names absolute, so
// that they do not depend on the working directory.
func (o *options) validate() error {
	for _, step := range []func() error{
		o.checkNumbers, o.makeLayers, o.parseRules, o.checkBreaks, o.readSuppressions, o.readBaseline, o.checkOutputs,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkNumbers returns an error for numbers and durations that are out of range.
func (o *options) checkNumbers() error {
	type number struct {
		flag  string
		value int
	}
	numbers := []number{
		{"limit", o.limit},
		{"max-reports", o.maxReports},
		{"max-errors", o.maxErrors},
		{"max-pending", o.maxPending},
		{"checksum-limit", o.sumLimit},
	}
	for _, l := range o.leakFlags() {
		numbers = append(numbers, number{l.flag, *l.n})
	}
	if o.leaks.Places < 1 {
		return usagef("--leak-report-size %d: must be at least 1", o.leaks.Places)
	}
	for _, n := range numbers {
		if n.value < 0 {
			return usagef("--%s %d: must not be negative", n.flag, n.value)
		}
	}
	if o.noProgress < 0 {
		return usagef("--no-progress %s: must not be negative", o.noProgress)
	}
	return nil
}

// makeLayers makes the layers of --layer.
func (o *options) makeLayers() error {
	if o.causeFrames < 1 {
		return usagef("--cause-frames %d: must be at least 1", o.causeFrames)
	}
	o.layers = finding.NewLayers(slices.Concat(finding.DefaultLayers, o.layerPatterns), o.causeFrames)
	return nil
}

// parseRules parses the flags for checks and severities.
func (o *options) parseRules() (err error) {
	if o.threshold, err = finding.ParseFailOn(o.failOn); err != nil {
		return usageError{fmt.Errorf("--fail-on: %w", err)}
	}
	o.rules, err = finding.NewRules(knownChecks(), slices.Concat(profileRules(o.profile), o.checks)...)
	if err != nil {
		return usageError{fmt.Errorf("--check: %w", err)}
	}
	if o.sumLimit > 0 && o.wantedSums() == ring.NoSums {
		return usagef("--checksum-limit %d: needs --checksums, or the check LOCAL:MEMORY:ILLEGAL_MODIFICATION",
			o.sumLimit)
	}
	return nil
}

// readSuppressions reads the files of --suppress.
func (o *options) readSuppressions() (err error) {
	for i := range o.suppress {
		if o.suppress[i], err = filepath.Abs(o.suppress[i]); err != nil {
			return err
		}
		list, err := suppress.ReadFile(o.suppress[i], o.rules)
		if err != nil {
			return usageError{fmt.Errorf("--suppress: %w", err)}
		}
		o.suppressed = append(o.suppressed, list...)
	}
	return nil
}

// readBaseline reads the file of --baseline.
func (o *options) readBaseline() (err error) {
	if o.baseline == "" {
		return nil
	}
	if o.baseline, err = filepath.Abs(o.baseline); err != nil {
		return err
	}
	known, err := jsonreport.ReadFile(o.baseline)
	if err != nil {
		return usageError{fmt.Errorf("--baseline: %w", err)}
	}
	o.known = finding.NewBaseline(known, o.layers)
	return nil
}

// checkOutputs returns an error for files that cannot be written.
func (o *options) checkOutputs() (err error) {
	if o.record == "-" {
		return usagef("--record: needs a file, because standard output belongs to the program")
	}
	if o.graph != "" && !slices.Contains(waitgraph.Formats, filepath.Ext(o.graph)) {
		return usagef("--deadlock-graph %s: the name must end in %s", o.graph, strings.Join(waitgraph.Formats, ", "))
	}
	for _, file := range []struct {
		flag string
		name *string
	}{
		{"json", &o.json},
		{"record", &o.record},
		{"deadlock-graph", &o.graph},
		{"write-suppressions", &o.suppressions},
	} {
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
	if o.suppressions != "" && slices.Contains(o.suppress, o.suppressions) {
		return usagef("--write-suppressions %s: it is read by --suppress; name another file", o.suppressions)
	}
	return nil
}

// writable checks that a file can be written. It does not change an existing file.
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

// arguments returns the flags that give another mpivet process the same options.
func (o *options) arguments() []string { return o.flagArguments(func(string) bool { return true }) }

// nodeFlags are the flags that matter on all nodes of a job. The others only matter to the head.
var nodeFlags = []string{
	"mpi", "stacks", "strict", "checksums", "checksum-limit", "break-on", "on-error", "spool", "head", "check",
	"profile",
}

// nodeArguments is arguments for the other nodes of a job.
func (o *options) nodeArguments() []string {
	return o.flagArguments(func(name string) bool { return slices.Contains(nodeFlags, name) })
}

func (o *options) flagArguments(wanted func(name string) bool) []string {
	var args []string
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	var none options
	none.addProgramFlags(shared)
	none.addReportFlags(shared)
	shared.VisitAll(func(s *pflag.Flag) {
		if !wanted(s.Name) {
			return
		}
		f := o.flags.Lookup(s.Name)
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				args = append(args, "--"+f.Name+"="+v)
			}
		} else if v := f.Value.String(); v != s.DefValue {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}
