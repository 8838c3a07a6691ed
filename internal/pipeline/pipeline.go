// Package pipeline connects the parts of the analysis. The records of a source go through tracking, matching and
// waiting to the checks. The findings of the checks go to the collector.
package pipeline

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/hold"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/symbol"
	"github.com/mpivet/mpivet/internal/track"
)

// Reporter receives findings. finding.Collector implements it.
type Reporter interface {
	Report(*finding.Finding)
}

// Options are the parts and settings of an analysis.
type Options struct {
	Checks   []*check.Check
	Reporter Reporter
	// Confirm, in a live analysis, reports whether threads that seem stuck have had the chance to run: a process that
	// is stopped or starved is not stuck. nil: they have had it.
	Confirm func([]waiting.Blocked) bool
	// Layouts opens the file that gives a process the memory layouts of its datatypes: Live.Programs. nil: processes do
	// not get them.
	Layouts func(ring.ProcID) (ring.Programs, error)
	// Told opens the file in which a process's debuggers find what the analysis knows: Live.Teller. nil: they do not
	// get it.
	Told func(ring.ProcID) (ring.Teller, error)
	// Breaks tells threads of findings, in a live run. nil: they do not learn of them.
	Breaks *Breaks
	// NoProgress is the time for which processes may, on average, be in the same MPI calls before this is reported; 0:
	// forever.
	NoProgress time.Duration
	// MaxPending is the number of call sites of messages without a receive that are reported; 0: no limit.
	MaxPending int
	// Leaks limits the reports about objects that are not freed. nil: check.DefaultLeaks.
	Leaks *check.Leaks
	// Strict, if not nil, makes collective calls wait until they are judged.
	Strict *Strict
	// Resolver finds functions and lines. nil: NewResolver, which reads the files that the processes had loaded.
	Resolver *symbol.Resolver
	// Layers tells the program's frames from those of wrappers. nil: finding.DefaultLayers.
	Layers *finding.Layers
}

// Strict is what strict mode needs in addition to the analysis.
type Strict struct {
	Gate hold.Gate
	// Severity returns the severity of a finding for the user. It may depend on more than the check's name.
	Severity func(*finding.Finding) finding.Severity
	// Ending reports whether mpivet is about to end the program. Processes that wait forever are then left to be ended.
	Ending func() bool
}

// Pipeline analyses the records of a source. It is a ring.Handler.
type Pipeline struct {
	Tracker *track.Tracker
	Matcher *match.Matcher
	// Broken is the reason why the analysis gave up, an error in mpivet itself; "" if it did not.
	Broken string
	// Failures are the checks that were switched off because of an error in mpivet itself. All other checks went on.
	Failures []Failure

	thread ring.ThreadID // the thread whose batch is being read

	facts    *analysis.Run
	layouts  *layouts // nil if not requested
	told     *told    // nil if not requested
	breaks   *breaks  // nil if not requested
	waits    *waiting.Analyzer
	strict   *Strict
	judge    *hold.Judge // nil if not in strict mode
	deadlock string      // text of the error that refuses the calls of the last deadlock
	places   places
	confirm  func([]waiting.Blocked) bool
	reporter Reporter
	earlier  earlier
}

// New returns a pipeline that is ready for a source.
func New(o Options) *Pipeline {
	p := &Pipeline{confirm: o.Confirm, reporter: o.Reporter}
	p.Matcher = match.New()
	p.Tracker = track.New(p.Matcher)
	p.facts = analysis.NewRun(p.Tracker)
	if o.Layouts != nil {
		p.layouts = newLayouts(o.Layouts)
		p.Tracker.Types = p.layouts
	}
	if o.Told != nil {
		p.told = newTold(o.Told, p.awaited)
	}
	if o.Leaks == nil {
		o.Leaks = new(check.DefaultLeaks())
	}
	p.Tracker.Limits = o.Leaks.Limits
	if o.Layers == nil {
		o.Layers = finding.NewLayers(finding.DefaultLayers, finding.DefaultCauseFrames)
	}
	p.places.init(p.Tracker, p.facts.Owner, o.Resolver, o.Layers)
	if o.Breaks != nil {
		p.breaks = newBreaks(o.Breaks, p.Tracker, &p.places)
	}
	p.facts.Require([]analysis.Need{waiting.Fact})
	p.waits = waiting.Fact.Of(p.facts)
	if p.breaks != nil {
		p.waits.SetStopped(p.breaks.isHeld)
	}
	if p.strict = o.Strict; p.strict != nil {
		p.deadlock = hardDeadlock + ": processes wait for each other forever"
		p.judge = hold.New(p.Tracker, o.Strict.Gate, o.Strict.Ending)
		p.waits.SetHolds(p.judge.Holds, p.judge.LetGo)
	}
	for _, c := range o.Checks {
		p.facts.Require(c.Needs)
	}
	for _, c := range o.Checks {
		p.start(c, &o)
	}
	if p.judge != nil {
		p.consult(p.judge)
	}
	return p
}

// awaited returns a function that says what a thread waits for, "" if that is not known.
func (p *Pipeline) awaited() func(*track.Thread) string {
	explain := p.waits.Explain()
	run := &check.Run{Tracker: p.Tracker, Site: p.places.site}
	return func(th *track.Thread) string {
		if b, ok := explain(th); ok {
			return run.Awaited(&b)
		}
		return ""
	}
}

// start makes a check subscribe to its events.
func (p *Pipeline) start(c *check.Check, o *Options) {
	owner := &stream.Owner{Name: c.ID}
	owner.Failed = func(reason any, stack []byte) { p.failed(c, reason, stack) }
	owner.Contain(func() {
		c.Start(&check.Run{
			Check: c, Owner: owner, Track: &p.Tracker.Events, Match: &p.Matcher.Events, Facts: p.facts,
			Tracker: p.Tracker, Site: p.places.site, Place: p.places.place, Layered: p.places.layered,
			Stack: p.places.end, FaultInside: p.places.faultInside, Function: p.places.function,
			NoProgress: o.NoProgress, MaxPending: o.MaxPending, Leaks: o.Leaks,
			Report:  func(f *finding.Finding) { p.report(c, f) },
			Earlier: p.earlier.last,
			Refuse:  p.refuse,
		})
	})
}

// report completes a finding of a check and passes it on.
func (p *Pipeline) report(c *check.Check, f *finding.Finding) {
	if f.Check == "" {
		f.Check = c.ID
	}
	if f.Severity == finding.Off {
		f.Severity = c.Severity
	}
	f.Count = max(f.Count, 1)
	slices.Sort(f.Ranks)
	f.Ranks = slices.Compact(f.Ranks)
	for i := range f.Sites {
		slices.Sort(f.Sites[i].Also)
	}
	if f.Check == hardDeadlock {
		p.deadlock = errorText(f)
	}
	p.reporter.Report(f)
	if r, ok := p.reporter.(interface {
		Severity(*finding.Finding) finding.Severity
	}); !ok || p.earlier.wants(f) && r.Severity(f) != finding.Off {
		p.earlier.add(f)
	}
}

// consult subscribes the judge of strict mode to its events. It gets them after all checks.
func (p *Pipeline) consult(j *hold.Judge) {
	o := p.facts.Owner
	p.Matcher.Events.CollectiveMatched.Late(o, j.Collective)
	p.Tracker.Events.LeadersMet.Late(o, func(e track.LeadersMet) { j.Examine(e.Local, e.Position) })
	p.Tracker.Events.Tick.Late(o, func(struct{}) { j.Tick() })
	p.waits.Found.Late(o, func(d *waiting.Deadlock) { j.Deadlock(d, p.deadlock) })
}

// Finding tells the processes of a finding that the user sees, for their debuggers. It reports whether a thread is held
// at the faulty call because of it.
func (p *Pipeline) Finding(f *finding.Finding) (held bool) {
	if p.told != nil {
		p.told.note(f)
	}
	if p.breaks != nil {
		held = p.breaks.found(f)
	}
	return held
}

// Release lets a thread go on that is held because of a finding.
func (p *Pipeline) Release(id ring.ThreadID) { p.breaks.release(id) }

// tellNow tells a process what only the analysis knows, although it may just have moved.
func (p *Pipeline) tellNow(pr *track.Process) {
	if p.told != nil {
		p.told.now(pr)
	}
}

// Trouble returns the error in the analysis itself; "" if there is none.
func (p *Pipeline) Trouble() string {
	if p.Broken == "" && len(p.Failures) > 0 {
		return p.Failures[0].String()
	}
	return p.Broken
}

// Failure is a check that was switched off because it panicked.
type Failure struct {
	Check  string
	Reason string // with the call stack
	Thread ring.ThreadID
	Call   uint64 // number of the call in the thread, from 1 on; 0 if the check did not fail in a call
}

// String describes the failure and where it happened. The first line is understandable alone.
func (f Failure) String() string {
	return fmt.Sprintf("the check %s failed at call %d of thread %d and is switched off: %s", f.Check, f.Call, f.Thread,
		f.Reason)
}

func (p *Pipeline) failed(c *check.Check, reason any, stack []byte) {
	f := Failure{Check: c.ID, Reason: fmt.Sprintf("%v\n%s", reason, stack), Thread: p.thread}
	if th := p.Tracker.Threads; int(p.thread) < len(th) && p.thread >= 0 {
		f.Call = th[p.thread].Calls
	}
	p.Failures = append(p.Failures, f)
}

// refuse makes the judge refuse the calls of a collective because of a finding.
func (p *Pipeline) refuse(f *finding.Finding, c *match.Comm, at uint64) {
	if p.judge != nil && p.strict.Severity(f) >= finding.Error {
		p.judge.Refuse(errorText(f), c, at)
	}
}

// hardDeadlock is the check whose findings refuse the calls of a deadlock.
const hardDeadlock = "GLOBAL:DEADLOCK:HARD"

// errorText returns the text of the error by which a call is refused: the check, and the first line of its finding.
func errorText(f *finding.Finding) string {
	line, _, _ := strings.Cut(f.Message, "\n")
	return f.Check + ": " + line
}

// guard prevents that an error in the analysis ends the run: the records are still consumed.
func (p *Pipeline) guard() {
	if r := recover(); r != nil && p.Broken == "" {
		p.Broken = fmt.Sprintf("the analysis failed: %v\n%s", r, debug.Stack())
		if p.judge != nil {
			p.strict.Gate.EndStrict()
		}
		if p.breaks != nil {
			p.breaks.Threads.EndBreaks()
		}
	}
}

// Proc implements ring.Handler.
func (p *Pipeline) Proc(pr *ring.Proc) { p.Tracker.Proc(pr); p.places.proc() }

// Thread implements ring.Handler.
func (p *Pipeline) Thread(th *ring.Thread) { p.Tracker.Thread(th); p.places.thread() }

// Batch implements ring.Handler.
func (p *Pipeline) Batch(b *ring.Batch) {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	p.thread = b.Thread
	if p.breaks != nil {
		p.breaks.begin(b)
	}
	p.Tracker.Batch(b)
	if p.judge != nil {
		p.judge.Batch(b)
	}
	if p.breaks != nil {
		p.breaks.end(p.tellNow)
	}
}

// End implements ring.Handler.
func (p *Pipeline) End(id ring.ProcID, e *ring.ProcEnd) {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	p.Tracker.End(id, e)
	if p.layouts != nil && e.Kind != ring.Lost {
		p.layouts.end(id)
	}
	if p.told != nil {
		p.told.end(id)
	}
	if p.judge != nil {
		p.judge.End(p.Tracker.Processes[id])
	}
}

// Tick implements ring.Handler.
func (p *Pipeline) Tick() { p.tick(p.confirm) }

// TickInDoubt implements ring.Doubter. It confirms no deadlock, like the live analysis at this tick.
func (p *Pipeline) TickInDoubt() { p.tick(func([]waiting.Blocked) bool { return false }) }

// Doubtful reports whether the last tick found a deadlock that could not be confirmed.
func (p *Pipeline) Doubtful() bool { return p.waits.Doubtful() }

func (p *Pipeline) tick(confirm func([]waiting.Blocked) bool) {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	p.Tracker.Tick()
	p.waits.Tick(confirm)
	if p.told != nil {
		p.told.tick(p.Tracker.Processes)
	}
}

// Finish lets the checks report findings that are known only at the end.
func (p *Pipeline) Finish() {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	p.Tracker.Finish()
}
