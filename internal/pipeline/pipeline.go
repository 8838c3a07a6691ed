// Package pipeline puts the parts of the analysis together: what a source delivers goes through tracking, matching and
// waiting to the checks, and what they find to the collector.
package pipeline

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/causal"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/race"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/strict"
	"github.com/mpivet/mpivet/internal/track"
	"github.com/mpivet/mpivet/internal/wait"
)

// Reporter takes findings: finding.Collector.
type Reporter interface {
	Report(*finding.Finding)
}

// Options are what an analysis is made of.
type Options struct {
	Checks   []*check.Check
	Reporter Reporter
	// Confirm is asked, live, whether threads that seem stuck have had the chance to run: a process that is stopped or
	// starved is not stuck. nil: they had.
	Confirm func([]wait.Blocked) bool
	// Layouts makes what tells a process where the data of its datatypes lie: Live.Layouts. nil: they are not told.
	Layouts func(ring.ProcID) (*ring.Layouts, error)
	// NoProgress is how long processes may be in the same MPI calls on average before that is told, 0 for ever.
	NoProgress time.Duration
	// MaxPending is how many places of messages that nobody received are named; 0 any number.
	MaxPending int
	// Leaks are set or check.DefaultLeaks.
	Leaks *check.Leaks
	// Strict, if not nil, has collective calls held until they are judged.
	Strict *Strict
}

// Strict is what strict mode needs besides the analysis.
type Strict struct {
	Gate strict.Gate
	// Severity says how severe a finding is to the user, whom the check's name alone does not tell.
	Severity func(*finding.Finding) finding.Severity
	// Ending reports whether mpivet is about to end the program, so that processes that wait for ever are left to it.
	Ending func() bool
}

// Pipeline analyses what a source delivers. It is a ring.Handler.
type Pipeline struct {
	Tracker *track.Tracker
	Matcher *match.Matcher
	// Broken says why the analysis gave up, "" if it did not: an error of mpivet's own.
	Broken string

	layouts  *layouts       // nil unless asked for
	causal   *causal.Engine // nil if no check wants it
	follower *race.Follower // nil if no check wants it
	waits    *wait.Analyzer
	strict   *Strict
	judge    *strict.Judge // nil unless in strict mode
	places   places
	confirm  func([]wait.Blocked) bool

	message      []func(s, r *match.Op)
	misfit       []func(s, r *match.Op, c datatype.Comparison)
	collective   []func(*match.Collective)
	disagree     []func(*match.Comm, uint64)
	failed       []func(*track.Thread, match.Call, int32, *track.Failure)
	entered      []func(*track.Thread, *track.View, uint64, match.Call)
	sums         []func(*track.Thread, *track.View, uint64, match.Call, *event.Sums)
	damaged      []func(*match.Exchange)
	modified     []func(*track.Thread, *track.Modification)
	inaccessible []func(*track.Thread, match.Call, *track.Inaccessible)
	commFreed    []func(*match.Comm)
	finalize     []func(*track.Process, match.Call)
	finalized    []func(*track.Process)
	leaders      []func(a, b track.Leader)
	datatype     []func(*track.Thread, match.Call, *track.DatatypeUse)
	wrongBuffer  []func(*track.Thread, match.Call, *track.BufferError)
	wrongRequest []func(*track.Thread, match.Call, *track.RequestError)
	overlap      []func(*track.Thread, match.Call, *track.Overlap)
	construct    []func(*track.Thread, match.Call, *datatype.ArgumentError)
	argument     []func(*track.Thread, match.Call, *track.ArgumentError)
	outOfOrder   []func(*track.Thread, match.Call, *track.OrderError)
	newType      []func(*track.Process, *match.Datatype)
	crowded      []func(*track.Process, mpiapi.Kind)
	end          []func(*track.Process)
	cause        []func(*wait.Deadlock)
	deadlock     []func(*wait.Deadlock)
	race         []func(*race.Race)
	readySend    []func(s, r *match.Op)
	tick         []func()
	finish       []func()
}

// New returns a pipeline that is ready for a source.
func New(o Options) *Pipeline {
	p := &Pipeline{confirm: o.Confirm}
	p.Matcher = match.New(observer{p})
	p.Tracker = track.New(p.Matcher, sink{p})
	if o.Layouts != nil {
		p.layouts = newLayouts(o.Layouts)
		p.Tracker.Types = p.layouts
	}
	if o.Leaks == nil {
		o.Leaks = new(check.DefaultLeaks())
	}
	p.Tracker.Limits = o.Leaks.Limits
	p.waits = wait.New(p.Tracker)
	p.places.init(p.Tracker)
	if p.strict = o.Strict; p.strict != nil {
		p.judge = strict.New(p.Tracker, o.Strict.Gate, o.Strict.Ending)
		p.waits.Holds(p.judge.Holds, p.judge.LetGo)
	}
	for _, c := range o.Checks {
		p.start(c, &o)
	}
	p.follow()
	if p.causal != nil {
		p.Matcher.Replayer, p.Tracker.Replay = p.causal, p.causal
	}
	return p
}

func (p *Pipeline) start(c *check.Check, o *Options) {
	h := c.New(&check.Context{
		Check: c, Tracker: p.Tracker, Site: p.places.site, Place: p.places.place, Layered: p.places.layered, Stack: p.places.end,
		NoProgress: o.NoProgress, MaxPending: o.MaxPending, Leaks: o.Leaks,
		Report: func(f *finding.Finding) {
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
			o.Reporter.Report(f)
		},
		Refuse: p.refuse, Futile: p.waits.Futile,
	})
	add(&p.message, h.Message)
	add(&p.misfit, h.Misfit)
	add(&p.collective, h.Collective)
	add(&p.disagree, h.Disagree)
	add(&p.failed, h.Failed)
	add(&p.entered, h.Entered)
	add(&p.sums, h.Sums)
	add(&p.damaged, h.Damaged)
	add(&p.modified, h.Modified)
	add(&p.inaccessible, h.Inaccessible)
	add(&p.commFreed, h.CommFreed)
	add(&p.finalize, h.Finalize)
	add(&p.finalized, h.Finalized)
	add(&p.leaders, h.Leaders)
	add(&p.datatype, h.WrongDatatype)
	add(&p.wrongBuffer, h.WrongBuffer)
	add(&p.wrongRequest, h.WrongRequest)
	add(&p.overlap, h.Overlap)
	add(&p.construct, h.WrongConstructor)
	add(&p.argument, h.WrongArgument)
	add(&p.outOfOrder, h.OutOfOrder)
	add(&p.newType, h.NewDatatype)
	add(&p.crowded, h.Crowded)
	add(&p.end, h.End)
	add(&p.cause, h.Cause)
	add(&p.deadlock, h.Deadlock)
	if h.Knot != nil {
		p.replay().OnKnot(h.Knot)
	}
	if h.Causal != nil {
		p.replay().Listen(h.Causal)
	}
	add(&p.race, h.Race)
	add(&p.readySend, h.ReadySend)
	add(&p.tick, h.Tick)
	add(&p.finish, h.Finish)
}

// replay returns what goes through the run in causal order, which is made for the first who wants it.
func (p *Pipeline) replay() *causal.Engine {
	if p.causal == nil {
		p.causal = causal.New(p.Tracker, p.Matcher)
	}
	return p.causal
}

// follow has the replay followed for the checks that ask what came before what.
func (p *Pipeline) follow() {
	if len(p.race)+len(p.readySend) == 0 {
		return
	}
	var found func(*race.Race)
	if len(p.race) > 0 {
		found = func(r *race.Race) {
			for _, f := range p.race {
				f(r)
			}
		}
	}
	var ready func(s, r *match.Op)
	if len(p.readySend) > 0 {
		ready = func(s, r *match.Op) {
			for _, f := range p.readySend {
				f(s, r)
			}
		}
	}
	p.follower = race.Follow(p.Tracker, found, ready)
	p.replay().Listen(p.follower.Listener())
}

// add appends a hook unless it is nil.
func add[F any](list *[]F, f F) {
	if !reflect.ValueOf(f).IsNil() {
		*list = append(*list, f)
	}
}

// refuse has the calls of a collective refused for a finding.
func (p *Pipeline) refuse(f *finding.Finding, c *match.Comm, at uint64) {
	if p.judge != nil && p.strict.Severity(f) >= finding.Error {
		p.judge.Refuse(f.Check, c, at)
	}
}

// guard keeps an error in the analysis from taking the run with it: the records are still consumed.
func (p *Pipeline) guard() {
	if r := recover(); r != nil && p.Broken == "" {
		p.Broken = fmt.Sprintf("the analysis failed: %v\n%s", r, debug.Stack())
		if p.judge != nil {
			p.strict.Gate.EndStrict()
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
	p.Tracker.Batch(b)
	if p.judge != nil {
		p.judge.Batch(b)
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
	if p.judge != nil {
		p.judge.End(p.Tracker.Processes[id])
	}
}

// Tick implements ring.Handler.
func (p *Pipeline) Tick() {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	p.Tracker.Tick()
	if p.causal != nil {
		p.causal.Tick()
	}
	for _, f := range p.tick {
		f()
	}
	if p.judge != nil {
		p.judge.Tick()
	}
	if d := p.waits.Tick(p.confirm); d != nil {
		for _, f := range p.cause {
			f(d)
		}
		for _, f := range p.deadlock {
			f(d)
		}
		if p.judge != nil {
			p.judge.Deadlock(d)
		}
	}
}

// Finish lets the checks say what can be said only at the end.
func (p *Pipeline) Finish() {
	if p.Broken != "" {
		return
	}
	defer p.guard()
	if p.causal != nil {
		p.causal.End()
	}
	if p.follower != nil {
		p.follower.Finish()
	}
	for _, f := range p.finish {
		f()
	}
}

// observer passes on what is matched. It is not part of Pipeline's own methods.
type observer struct{ p *Pipeline }

func (o observer) Message(s, r *match.Op) {
	for _, f := range o.p.message {
		f(s, r)
	}
	if s.Type == r.Type && s.Count <= r.Count {
		return // nearly always
	}
	if c := match.Compare(s, r); c.Verdict != datatype.Matches {
		for _, f := range o.p.misfit {
			f(s, r, c)
		}
	}
}

func (o observer) Collective(c *match.Collective) {
	for _, f := range o.p.collective {
		f(c)
	}
	if o.p.judge != nil {
		o.p.judge.Collective(c)
	}
}

func (o observer) Disagree(c *match.Comm, at uint64) {
	for _, f := range o.p.disagree {
		f(c, at)
	}
}

func (o observer) Damaged(e *match.Exchange) {
	for _, f := range o.p.damaged {
		f(e)
	}
}

// sink passes on what tracking notices.
type sink struct{ p *Pipeline }

func (s sink) Failed(t *track.Thread, c match.Call, rc int32, f *track.Failure) {
	for _, g := range s.p.failed {
		g(t, c, rc, f)
	}
}

func (s sink) Entered(t *track.Thread, v *track.View, position uint64, c match.Call) {
	for _, f := range s.p.entered {
		f(t, v, position, c)
	}
}

func (s sink) Sums(t *track.Thread, v *track.View, position uint64, c match.Call, sums *event.Sums) {
	for _, f := range s.p.sums {
		f(t, v, position, c, sums)
	}
}

func (s sink) Modified(t *track.Thread, m *track.Modification) {
	for _, f := range s.p.modified {
		f(t, m)
	}
}

func (s sink) Inaccessible(t *track.Thread, c match.Call, i *track.Inaccessible) {
	for _, f := range s.p.inaccessible {
		f(t, c, i)
	}
}

func (s sink) CommFreed(c *match.Comm) {
	for _, f := range s.p.commFreed {
		f(c)
	}
}

func (s sink) Finalize(pr *track.Process, c match.Call) {
	for _, f := range s.p.finalize {
		f(pr, c)
	}
}

func (s sink) Finalized(pr *track.Process) {
	for _, f := range s.p.finalized {
		f(pr)
	}
}

func (s sink) Leaders(a, b track.Leader) {
	for _, f := range s.p.leaders {
		f(a, b)
	}
}

func (s sink) Met(local *match.Comm, position uint64) {
	if s.p.judge != nil {
		s.p.judge.Look(local, position)
	}
}

func (s sink) WrongDatatype(t *track.Thread, c match.Call, u *track.DatatypeUse) {
	for _, f := range s.p.datatype {
		f(t, c, u)
	}
}

func (s sink) WrongBuffer(t *track.Thread, c match.Call, e *track.BufferError) {
	for _, f := range s.p.wrongBuffer {
		f(t, c, e)
	}
}

func (s sink) WrongRequest(t *track.Thread, c match.Call, e *track.RequestError) {
	for _, f := range s.p.wrongRequest {
		f(t, c, e)
	}
}

func (s sink) Overlap(t *track.Thread, c match.Call, o *track.Overlap) {
	for _, f := range s.p.overlap {
		f(t, c, o)
	}
}

func (s sink) WrongConstructor(t *track.Thread, c match.Call, err *datatype.ArgumentError) {
	for _, f := range s.p.construct {
		f(t, c, err)
	}
}

func (s sink) WrongArgument(t *track.Thread, c match.Call, e *track.ArgumentError) {
	for _, f := range s.p.argument {
		f(t, c, e)
	}
}

func (s sink) OutOfOrder(t *track.Thread, c match.Call, e *track.OrderError) {
	for _, f := range s.p.outOfOrder {
		f(t, c, e)
	}
}

func (s sink) NewDatatype(pr *track.Process, d *match.Datatype) {
	for _, f := range s.p.newType {
		f(pr, d)
	}
}

func (s sink) Crowded(pr *track.Process, kind mpiapi.Kind) {
	for _, f := range s.p.crowded {
		f(pr, kind)
	}
}

func (s sink) End(pr *track.Process) {
	for _, f := range s.p.end {
		f(pr)
	}
}

func (s sink) Module(pr *track.Process, m event.Module) { s.p.places.module(pr.Proc.ID, m) }

func (s sink) Site(t *track.Thread, st event.Site) { s.p.places.add(t.Thread.ID, st) }
