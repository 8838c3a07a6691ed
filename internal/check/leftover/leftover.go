// Package leftover makes the checks for objects that a process has made and never frees. It is a helper: datatypes, requests and
// the other kinds have a check each, with what differs between them.
package leftover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Kind is a kind of objects that programs make and free, in the words of its findings.
type Kind struct {
	Kind      mpiapi.Kind
	ID        string // LOCAL:COMM:NOT_FREED
	Title     string // if it is another than that they were not freed
	One, Many string // "communicator", "communicators"
	Left      string // what they are until then; "not freed" if it is empty
	Free      string // how one is freed: "MPI_Comm_free"
	When      string // the sentence that says when it may be
	Doc       string
	// Joint: all processes that have one free it together. If some have and others have not, that is told by the checks of
	// collectives, when the run is over.
	Joint bool
	// Anytime: they may also be freed after MPI_Finalize, so that what a process has left is known when it ends.
	Anytime bool
	// Live calls its function for every such object that a process has, in no order, and returns how many there are.
	Live func(*track.Process, func(Object)) int
	// Elsewhere reports whether another check tells of one that is left when MPI_Finalize is called; nil if none does.
	Elsewhere func(*check.Run, *Object) bool
	// Describe fills in message and advice of the finding that a process calls MPI_Finalize while it has such objects; nil if
	// the usual ones do. function is the name of the one that made them.
	Describe func(f *finding.Finding, p *track.Process, function string, g *Group)
}

// Object is one that is not freed.
type Object struct {
	Made      match.Call
	Number    uint64     // of the object among the process's, in the order of their making
	Committed match.Call // MPI_Type_commit, of a datatype that is committed
	// Comm is what a communicator, window or file is to all its processes; nil if that is not known.
	Comm *match.Comm
	// Of a request: whether it is active, and persistent; its variable has another one; it can't be freed, which was told.
	Active, Persistent, Unreachable, Refused bool
}

// Group are the objects made at one place.
type Group struct {
	N, Active int
	First     Object

	place string
}

// New returns the check for a kind of objects: those left when MPI_Finalize is called are told by the place that made them,
// and, while the program runs or if it ends otherwise, that there are many.
func New(k *Kind) *check.Check {
	if k.Left == "" {
		k.Left = "not freed"
	}
	before := " were not freed before MPI_Finalize"
	if k.Anytime {
		before = " were never freed"
	}
	return &check.Check{
		ID:       k.ID,
		Severity: finding.Warning,
		Title:    cmp.Or(k.Title, k.Many+before),
		Doc:      k.Doc,
		Start: func(x *check.Run) {
			l := &leaks{Run: x, Kind: k}
			x.Track.FinalizeEntered.On(x.Owner, func(e track.FinalizeEntered) {
				if k.Kind == mpiapi.Request {
					l.atFinalize(e.Process)
				}
			})
			x.Track.FinalizeLeft.On(x.Owner, func(p *track.Process) {
				if k.Kind != mpiapi.Request && !k.Joint && !k.Anytime {
					l.atFinalize(p)
				}
			})
			x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
				if k.Anytime && p.Finalized && p.Ended.Kind != ring.Signaled {
					l.atFinalize(p)
				}
			})
			x.Track.Crowded.On(x.Owner, func(e track.Crowded) {
				if e.Kind == k.Kind {
					l.whileRunning(e.Process)
				}
			})
			x.Track.RunOver.On(x.Owner, func(struct{}) { l.finish() })
		},
	}
}

// leaks looks at what a process has when MPI_Finalize has returned, as functions of the program may run in it that free objects.
// What these do to requests is not seen, and requests that are not completed may keep it from returning.
type leaks struct {
	*check.Run
	*Kind
}

func (l *leaks) finish() {
	for _, p := range l.Tracker.Processes {
		switch {
		case p.Lost || !p.Initialized:
		case p.Finalizes:
			told := l.Kind.Kind == mpiapi.Request || p.Finalized && !l.Joint && (!l.Anytime || p.Ended != nil)
			if !told && (p.Finalized || !p.Callbacks && !p.Handlers) {
				l.atFinalize(p)
			}
		case !p.Finalizing:
			l.unfinished(p)
		}
	}
}

// broken reports whether the processes of the object do not agree on it: not all of them have it, or some have entered a
// collective on it, to free it, say, and others have not. That is told by the checks of collectives.
func (o *Object) broken() bool {
	return o.Comm != nil && (!o.Comm.Idle() || !o.Comm.Opaque && !o.Comm.Shared())
}

// byPlace groups the objects of a process, but for those to be left out, by the place that made them, most frequent first, and
// counts them.
func (l *leaks) byPlace(p *track.Process, leaveOut func(*Object) bool) ([]*Group, int) {
	var groups map[string]*Group
	var list []*Group
	n := l.Live(p, func(o Object) {
		if leaveOut != nil && leaveOut(&o) {
			return
		}
		k := l.Place(o.Made)
		g := groups[k]
		if g == nil {
			if g = (&Group{place: k, First: o}); groups == nil {
				groups = make(map[string]*Group)
			}
			groups[k] = g
			list = append(list, g)
		}
		g.N++
		if o.Active {
			g.Active++
		}
		if o.Number < g.First.Number {
			g.First = o
		}
	})
	slices.SortFunc(list, func(a, b *Group) int {
		return cmp.Or(b.N-a.N, cmp.Compare(a.First.Number, b.First.Number), strings.Compare(a.place, b.place))
	})
	return list, n
}

// shown is how many places are named of the many objects of a running program.
const shown = 3

func (l *leaks) whileRunning(p *track.Process) {
	groups, n := l.byPlace(p, nil)
	l.many(p, groups, n, "running", "Rank %[1]d has %[2]d %[3]s that are %[4]s, %[5]d of them made at one place.\n"+
		"That may be meant; or %[3]s are forgotten in a loop.")
}

// unfinished tells of the objects of a process that never called MPI_Finalize, if they are many: a few it could not free.
func (l *leaks) unfinished(p *track.Process) {
	if l.Live(p, func(Object) {}) < l.Leaks.Limits.Of(l.Kind.Kind) {
		return
	}
	groups, n := l.byPlace(p, nil)
	l.many(p, groups, n, "ended", "The run ended while rank %[1]d had %[2]d %[3]s that were %[4]s, %[5]d of them made at one place.\n"+
		"It could not free them any more; but so many may be forgotten in a loop.")
}

// many tells of the places that made most of the n objects of a process. The message is made of its rank, n, their name, what
// they are, and the number of those of the first place.
func (l *leaks) many(p *track.Process, groups []*Group, n int, key, message string) {
	if len(groups) == 0 {
		return // others use them
	}
	f := &finding.Finding{
		Severity: finding.Info,
		Key:      key + "|" + groups[0].place,
		Ranks:    []int{p.Rank},
		Message:  fmt.Sprintf(message, p.Rank, n, l.Many, l.Left, groups[0].N),
		Advice:   fmt.Sprintf("Check that every %s made there is freed by %s. %s", l.One, l.Free, l.When),
		Details:  map[string]any{l.Many: n},
	}
	if l.Describe != nil {
		f.Advice = l.When
	}
	for _, g := range groups[:min(shown, l.Leaks.Places, len(groups))] {
		f.Sites = append(f.Sites, l.Site(check.Plural(g.N, l.One, l.Many)+" made here, one of them", g.First.Made))
	}
	l.Report(f)
}

func (l *leaks) atFinalize(p *track.Process) {
	if p.Lost {
		return
	}
	groups, _ := l.byPlace(p, func(o *Object) bool {
		return o.broken() || l.Elsewhere != nil && l.Elsewhere(l.Run, o)
	})
	told, when := min(l.Leaks.Places, len(groups)), "calls MPI_Finalize"
	if l.Anytime {
		when = "ends"
	}
	for i, g := range groups[:told] {
		function := l.Func(g.First.Made).Name
		f := &finding.Finding{
			Key:   g.place,
			Count: g.N,
			Ranks: []int{p.Rank},
			Message: fmt.Sprintf("Rank %d %s while it has %s made by %s at one place, never freed.\n"+
				"A program that goes on making them runs out of memory.",
				p.Rank, when, check.Plural(g.N, l.One, l.Many), function),
			Advice:  fmt.Sprintf("Free every %s with %s when it is not needed any more. %s", l.One, l.Free, l.When),
			Sites:   []finding.Site{l.Site(l.One+" made", g.First.Made)},
			Details: map[string]any{l.Many: g.N},
		}
		if l.Describe != nil {
			l.Describe(f, p, function, g)
		}
		if i == told-1 && len(groups) > told {
			f.Message += fmt.Sprintf("\nMore are made at %s; these are the most frequent ones.", check.Plural(len(groups)-told, "other place", "other places"))
		}
		if len(g.First.Committed.Raw) > 0 {
			f.Sites = append(f.Sites, l.Site(l.One+" committed", g.First.Committed))
		}
		l.Report(f)
	}
}
