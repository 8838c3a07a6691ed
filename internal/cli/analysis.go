package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mpivet/mpivet/internal/analysis/hold"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/debug/state"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/report"
	"github.com/mpivet/mpivet/internal/report/jsonreport"
	"github.com/mpivet/mpivet/internal/report/suppress"
	"github.com/mpivet/mpivet/internal/report/text"
)

// analysis turns records into findings, and findings into reports.
type analysis struct {
	opts      *options
	collector *finding.Collector
	pipeline  *pipeline.Pipeline
	text      *text.Reporter // nil with --quiet
	recording *recording     // nil without --record
	run       report.Run
	stats     ring.Stats // of the source, after it has been read
	damage    error      // damage of the record file
	fatal     bool       // there was a fatal finding, or as many errors as --max-errors allows
	// knownFatal: the fatal finding is in the baseline.
	knownFatal bool
	fatality   *fatalities // nil unless a program runs
	stopping   *stopping   // nil without --break-on
	stopped    atomic.Bool // mpivet has got a signal to end
	began      time.Time
	progress   atomic.Pointer[progress]
	terminal   bool // the report goes to a terminal
	lines      progressLines
	reporting  atomic.Bool // a goroutine writes the reports
}

// newAnalysis prepares an analysis. It prints the report to w as findings occur. If the program runs, live has its
// records, and fatal learns of each reported fatal finding. Else both are nil.
func newAnalysis(
	o *options, w *os.File, command []string, mpi string, live source, fatal *fatalities,
) (*analysis, error) {
	a := &analysis{opts: o, fatality: fatal, began: time.Now(), run: report.Run{Command: command, MPI: mpi}}
	var sinks []finding.Sink
	if !o.quiet {
		t, err := text.ForFile(w, o.color)
		if err != nil {
			return nil, usageError{err}
		}
		var out io.Writer = w
		if o.out != nil {
			out, t = o.out, text.Options{Dir: o.outDir}
		}
		t.Verbose, t.Prefixes, t.Layers = o.verbose, o.prefix == prefixAll, o.layers
		t.Show, _ = finding.ParseSeverity(o.show) // "" is Off: the default
		a.text, a.terminal = text.New(out, t), t.Terminal
		sinks = append(sinks, a.text)
	}
	sinks = append(sinks, debuggerSink{a})
	if o.graph != "" {
		sinks = append(sinks, &graphSink{path: o.graph})
	}
	a.collector = finding.NewCollector(finding.Config{
		Rules: o.rules, Suppressions: o.suppressed, Baseline: o.known, Limit: o.limit, MaxReports: o.maxReports,
		Layers: o.layers,
	}, sinks...)
	p := pipeline.Options{
		Checks: all.Checks(), Reporter: errorCounter{a}, NoProgress: o.noProgress, MaxPending: o.maxPending,
		Leaks: &o.leaks, Resolver: o.resolver, Layers: o.layers,
	}
	p.Checks = slices.DeleteFunc(p.Checks, func(c *check.Check) bool { return !a.collector.Enabled(c.ID) })
	var gate hold.Gate = hold.NoGate{}
	if live != nil {
		gate = live
		tasks, _ := live.(pipeline.Tasks)
		p.Confirm = pipeline.Scheduled(tasks) // it asks the kernel about the processes
		p.Told = live.Teller
		p.Breaks = &pipeline.Breaks{Threads: live}
		if len(o.breakOn) > 0 {
			a.stopping = newStopping(fatal, tasks)
			p.Breaks.Wanted, p.Breaks.Held = o.wanted(), a.stopping.hold
		}
		if o.wantedSums() != ring.NoSums {
			p.Layouts = live.Programs
		}
	}
	if o.strict {
		ending := func() bool { return a.fatal && o.onError != onErrorContinue }
		p.Strict = &pipeline.Strict{Gate: gate, Severity: a.collector.Severity, Ending: ending}
	}
	a.pipeline = pipeline.New(p)
	if a.stopping != nil {
		a.stopping.release = a.pipeline.Release
	}
	if fatal != nil {
		fatal.process = a.process
	}
	return a, nil
}

// record makes the analysis write all records to the file of --record.
func (a *analysis) record() (err error) {
	if a.opts.record == "" {
		return nil
	}
	if a.recording, err = newRecording(a.opts.record, a.run.Command, a.opts.facts(a.run.MPI)); err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	return nil
}

// facts returns the facts about a run for a record file.
func (o *options) facts(mpi string) map[string]string {
	facts := map[string]string{factMPI: mpi, factNoProgress: o.noProgress.String()}
	facts[factMaxPending] = strconv.Itoa(o.maxPending)
	for _, l := range o.leakFlags() {
		facts[l.flag] = strconv.Itoa(*l.n)
	}
	if o.maxErrors > 0 {
		facts[factMaxErrors] = strconv.Itoa(o.maxErrors)
	}
	if o.strict {
		facts[factStrict] = o.onError
	}
	return facts
}

// grave carries out the action of --on-error. why is the reason: "a fatal finding".
func (a *analysis) grave(f *finding.Finding, why string) {
	a.fatal = true
	a.knownFatal = f.Known
	if a.fatality != nil {
		a.fatality.found(f, why)
	}
}

// errorCounter passes findings to the collector, and counts errors for --max-errors.
type errorCounter struct{ *analysis }

func (a errorCounter) Report(f *finding.Finding) {
	a.collector.Report(f)
	if n := a.opts.maxErrors; n > 0 && !a.fatal && a.collector.Summary().AtLeast(finding.Error) >= n {
		a.grave(f, check.Plural(n, "error", "errors")+" (--max-errors)")
	}
}

// Severity returns the severity of a finding for the user, finding.Off if the user does not see it.
func (a errorCounter) Severity(f *finding.Finding) finding.Severity { return a.collector.Severity(f) }

// debuggerSink tells the processes of a finding, for their debuggers. It carries out the action of --on-error if the
// finding is fatal, and no thread is held at the faulty call because of --break-on.
type debuggerSink struct{ *analysis }

func (s debuggerSink) Finding(f *finding.Finding) {
	if held := s.pipeline.Finding(f); f.Severity == finding.Fatal && !held {
		s.grave(f, "a fatal finding")
	}
}

// describe writes the description of the run into the session, for mpivet ps.
// head is where the analysis is, "" if this process does it.
func describe(s *ring.Session, command []string, mpi string, ranks int, head string) error {
	b, err := json.Marshal(state.About{
		Command: command, MPI: mpi, Ranks: ranks, Started: time.Now(),
		Analyzer: os.Getpid(), Head: head,
	})
	if err == nil {
		err = s.Describe(b)
	}
	if err != nil {
		return fmt.Errorf("cannot describe the session: %w", err)
	}
	return nil
}

// ticker does additional work at each tick. It tells the tracker if threads had no space for their records, because
// their actions are unknown then. It also leaves marks for mpivet ps.
type ticker struct {
	quiet
	src ring.Source
	p   *pipeline.Pipeline
	a   *analysis
}

func (k ticker) Tick() {
	k.a.advance()
	k.a.sayProgress()
	k.a.sayAlone()
	if k.a.stopping != nil {
		k.a.stopping.tick()
	}
	if k.src.Stats().Unrecorded > 0 {
		k.p.Tracker.Distrust(nil)
	}
	if l, ok := k.src.(source); ok {
		l.Mark()
	}
}

// untimed records everything but the ticks, before it is analysed. So nothing is lost if the analysis fails.
type untimed struct{ *recording }

func (untimed) Tick()        {}
func (untimed) TickInDoubt() {}

// timer records the ticks, after the analysis. Only then is it known whether they are in doubt.
type timer struct {
	quiet
	recording *recording
	p         *pipeline.Pipeline
}

func (t timer) Tick() {
	if t.p.Doubtful() {
		t.recording.TickInDoubt()
	} else {
		t.recording.Tick()
	}
}

// quiet is for handlers that need nothing but the ticks.
type quiet struct{}

func (quiet) Proc(*ring.Proc)                {}
func (quiet) Thread(*ring.Thread)            {}
func (quiet) Batch(*ring.Batch)              {}
func (quiet) End(ring.ProcID, *ring.ProcEnd) {}

// read analyses the records of a source until its end. The handlers in more get each record before the analysis.
func (a *analysis) read(ctx context.Context, src ring.Source, live bool, more ...ring.Handler) error {
	if a.recording != nil {
		more = append(more, untimed{a.recording})
	}
	more = append(more, a.pipeline)
	if a.recording != nil {
		more = append(more, timer{recording: a.recording, p: a.pipeline})
	}
	if live {
		more = append(more, ticker{src: src, p: a.pipeline, a: a})
	}
	err := pipeline.Run(ctx, src, ring.Tee(more...), live)
	a.stats = src.Stats()
	if errors.Is(err, context.Canceled) {
		a.note(unreadNote)
		err = nil
		if l, ok := src.(source); ok {
			l.Stop()
		}
	}
	return err
}

// process returns the process of a rank. ok is false if it is not known or has ended.
func (a *analysis) process(rank int) (v victim, ok bool) {
	for _, p := range a.pipeline.Tracker.Processes {
		if p.Rank == rank && p.World != nil && p.Ended == nil {
			return victim{rank, p.PID, elsewhere(p.Proc)}, true
		}
	}
	return v, false
}

// elsewhere returns the node of a process, "" if it is this one.
func elsewhere(p *ring.Proc) string {
	if p.Node == 0 || p.Host == launch.Hostname() {
		return ""
	}
	return p.Host
}

// interrupted records that mpivet has got a signal to end.
func (a *analysis) interrupted() { a.stopped.Store(true) }

// launcherKilled tells the user that the launcher was killed from outside.
func (a *analysis) launcherKilled(what string) {
	a.run.Launcher = what + ": what happened to the program after that is not a finding"
	if a.text != nil {
		say("%s", a.run.Launcher)
	}
}

// sayAlone tells the user, once, that each process is alone in its MPI_COMM_WORLD.
func (a *analysis) sayAlone() {
	if a.run.Alone != "" || a.fatality == nil { // a replay has the note from the run
		return
	}
	n := a.pipeline.Tracker.Alone()
	if n == 0 {
		return
	}
	a.run.Alone = fmt.Sprintf("each of the %d processes is alone in its MPI_COMM_WORLD: "+
		"the launcher does not work with %s. Use a launcher of the MPI with which the program was built "+
		"(under Slurm: another srun --mpi)",
		n, cmp.Or(a.run.MPI, "the program's MPI"))
	if a.text != nil {
		say("%s", a.run.Alone)
	}
}

// note adds notes that the user needs to judge the result.
func (a *analysis) note(notes ...string) { a.run.Notes = append(a.run.Notes, notes...) }

// finish makes the last checks, completes the reports, and returns the exit status as an error. status and duration are
// the exit status and the run time of the program. If aborted is true, mpivet has ended it, and its status has no
// meaning.
func (a *analysis) finish(status int, duration time.Duration, aborted bool) error {
	a.pipeline.Finish()
	a.sayAlone()
	if !a.reporting.CompareAndSwap(false, true) {
		select {} // a signal came first, and its handler ends mpivet
	}
	findings, sum := a.collector.Snapshot()
	var problems []error
	if a.recording != nil {
		s := a.stats
		s.ExitStatus, s.Duration, s.Aborted = status, duration, aborted
		notes := slices.DeleteFunc([]string{a.run.Launcher, a.run.Alone}, func(n string) bool { return n == "" })
		s.Notes = strings.Join(append(notes, a.run.Notes...), "\n")
		if err := a.recording.close(s); err != nil {
			problems = append(problems, fmt.Errorf("--record: %w", err))
		}
	}
	r := &a.run
	r.ExitStatus, r.Duration, r.Ranks, r.EndedByMpivet = status, duration, a.ranks(), aborted
	r.Nodes = a.nodes()
	r.Calls = a.pipeline.Tracker.Calls() + a.stats.Queries
	r.Messages, r.Collectives = a.pipeline.Matcher.Messages, a.pipeline.Matcher.Collectives
	r.Stall, r.Stalls = a.stats.StallTime, a.stats.Stalls
	r.Unrecorded, r.Shrunk = a.stats.Unrecorded, a.stats.Shrunk
	r.Interrupted = a.stopped.Load()
	r.Suppressions = a.collector.Suppressed()
	a.note(unmatched(r.Suppressions)...)
	a.note(a.hidden()...)
	trouble := a.trouble()
	problems = append(problems, a.publish(r, findings, sum)...)
	for _, p := range problems {
		say("%v", oneLine(p))
	}
	program := status
	if aborted && (sum.AtLeast(a.opts.threshold) > 0 || a.knownFatal) {
		program = 0
	}
	exit := finding.ExitStatus(program, sum, a.opts.threshold)
	if exit == exitClean && (len(problems) > 0 || trouble) {
		exit = exitFailed
	}
	if exit == exitClean {
		return nil
	}
	return statusError(exit)
}

// hidden returns a note for each program with a static MPI library that a script has started, if no process has
// initialised MPI: its calls were not seen.
func (a *analysis) hidden() (notes []string) {
	if a.run.Ranks > 0 || a.fatality == nil { // a replay has no programs
		return nil
	}
	seen := make(map[string]bool)
	for _, p := range a.pipeline.Tracker.Processes {
		if !seen[p.Exe] {
			seen[p.Exe] = true
			if text := launch.Hidden(p.Exe); text != "" {
				notes = append(notes, "unwatched: "+text)
			}
		}
	}
	return notes
}

// publish writes the reports, and returns the errors.
func (a *analysis) publish(r *report.Run, findings []*finding.Finding, sum finding.Summary) (problems []error) {
	if a.opts.json != "" {
		doc := jsonreport.New(r, findings, sum)
		var err error
		if a.opts.json == "-" {
			err = doc.Write(os.Stdout)
		} else {
			err = doc.WriteFile(a.opts.json)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("--json: %w", err))
		}
	}
	if a.opts.suppressions != "" {
		if err := writeSuppressions(a.opts.suppressions, findings); err != nil {
			problems = append(problems, fmt.Errorf("--write-suppressions: %w", err))
		}
	}
	// The summary comes last: printing may block if standard error is a pipe without a reader.
	if a.text != nil {
		a.text.Summary(r, findings, sum)
	}
	return problems
}

// trouble prints internal errors of the analysis, with their stacks for a bug report. It returns false if there are
// none.
func (a *analysis) trouble() bool {
	var list []string
	for _, f := range a.pipeline.Failures {
		text := f.String()
		if a.opts.strict {
			text = strings.Replace(text, "is switched off:",
				"is switched off, also in strict mode, where it refuses no call any more:", 1)
		}
		list = append(list, text)
	}
	if b := a.pipeline.Broken; b != "" {
		list = append(list, b)
	}
	for _, text := range list {
		first, _, _ := strings.Cut(text, "\n")
		a.note(first + "; the rest of the analysis is not affected; " +
			"please report this with the lines above (mpivet version)")
		fmt.Fprintln(os.Stderr, text)
	}
	return len(list) > 0
}

// unmatched returns notes on suppression rules that have matched nothing, one line for each file.
func unmatched(rules []finding.SuppressionCount) (notes []string) {
	lines := make(map[string][]string)
	var files []string
	for _, r := range rules {
		if r.Findings > 0 {
			continue
		}
		at := strings.LastIndexByte(r.Origin, ':')
		file := r.Origin[:at]
		if lines[file] == nil {
			files = append(files, file)
		}
		lines[file] = append(lines[file], r.Origin[at+1:]+" ("+r.Check+")")
	}
	for _, file := range files {
		list := lines[file]
		what, rest := "the rule in line ", ""
		if len(list) > 1 {
			what = "the rules in lines "
		}
		if n := len(list); n > maxUnmatched {
			list, rest = list[:maxUnmatched], fmt.Sprintf(" and %d more", n-maxUnmatched)
		}
		notes = append(notes, fmt.Sprintf("%s: %s%s%s matched nothing", file, what, strings.Join(list, ", "), rest))
	}
	return notes
}

// maxUnmatched is the greatest number of rules per file that unmatched names.
const maxUnmatched = 10

// writeSuppressions writes rules that suppress the new findings.
func writeSuppressions(path string, findings []*finding.Finding) error {
	findings = slices.DeleteFunc(slices.Clone(findings), func(f *finding.Finding) bool { return f.Known })
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	data, err := suppress.Format(findings, dir)
	if err != nil {
		return err
	}
	return report.WriteFile(path, data)
}

// ranks returns the number of processes in all MPI_COMM_WORLDs together.
func (a *analysis) ranks() int {
	n := 0
	for _, w := range a.pipeline.Tracker.Worlds {
		n += w.Size
	}
	return n
}

// nodes returns the nodes of the job in the order in which they have come, nil if there is only one.
func (a *analysis) nodes() (list []report.Node) {
	at := make(map[string]int)
	for _, p := range a.pipeline.Tracker.Processes {
		if p.Host == "" || p.World == nil {
			continue
		}
		i, known := at[p.Host]
		if !known {
			i, list = len(list), append(list, report.Node{Host: p.Host})
			at[p.Host] = i
		}
		list[i].Ranks++
	}
	if len(list) == 1 {
		return nil
	}
	return list
}
