// Package leftover makes the checks for objects that a process creates and never frees. It is a helper: datatypes,
// requests and each other kind have their own checks, which describe the differences.
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

// Kind is a kind of objects that programs create and free, with the words for its findings.
type Kind struct {
	Kind      mpiapi.Kind
	ID        string // LOCAL:COMM:NOT_FREED
	Title     string // of the check; if it is empty, it says that the objects were not freed
	One, Many string // "communicator", "communicators"
	Left      string // the state of the objects; if it is empty, "not freed"
	Free      string // the function that frees one: "MPI_Comm_free"
	When      string // a sentence: when an object may be freed
	Doc       string
	Common    string // of check.Check
	// Joint: all processes of an object free it together. If only some do, the checks of collectives report that at the
	// end of the run.
	Joint bool
	// Anytime: the objects may also be freed after MPI_Finalize, so they are counted when the process ends.
	Anytime bool
	// Live calls its function for every such object of a process, in any order. It returns their number.
	Live func(*track.Process, func(Object)) int
	// Severity of the findings at MPI_Finalize; 0: a warning.
	Severity finding.Severity
	// Elsewhere returns a function that reports whether another check reports an object of a process that is left at
	// MPI_Finalize. It is nil if none does.
	Elsewhere func(*check.Run, *track.Process) func(*Object) bool
	// Describe sets the texts of the finding that a process still has such objects at MPI_Finalize. If it is nil, the
	// usual texts are used.
	Describe func(x *check.Run, f *finding.Finding, p *track.Process, g *Group)
}

// Object is an object that is not freed.
type Object struct {
	Made   match.Call
	Number uint64 // of the object in the process, in the order of creation
	// Comm is the shared state of a communicator, window or file; nil if unknown.
	Comm *match.Comm
	// Of a request: it is active; it is persistent; its variable has another request; another finding says that it
	// cannot be freed.
	Active, Persistent, Unreachable, Refused bool
}

// Group is the objects created at one place.
type Group struct {
	N, Active int
	First     Object

	place string
}

// verb returns what the function that frees an object does: files are closed.
func (k *Kind) verb() string {
	if strings.HasSuffix(k.Free, "_close") {
		return "close"
	}
	return "free"
}

// New returns the check for a kind of objects. At MPI_Finalize, it reports the objects that are left, by the place that
// created them. While the program runs, or if it ends without MPI_Finalize, it reports that there are many.
func New(k *Kind) *check.Check {
	k.Left = cmp.Or(k.Left, "not "+k.verb()+"d")
	before := " were not " + k.verb() + "d before MPI_Finalize"
	if k.Anytime {
		before = " were never " + k.verb() + "d"
	}
	return &check.Check{
		ID:       k.ID,
		Severity: max(k.Severity, finding.Warning),
		Title:    cmp.Or(k.Title, k.Many+before),
		Doc:      k.Doc,
		Common:   k.Common,
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

// leaks counts the objects of a process when MPI_Finalize has returned, as callbacks of the program may free objects in
// it. Requests are counted when it is called: what callbacks do to them is not recorded, and MPI_Finalize may wait for
// them.
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

// broken reports whether the processes of the object disagree about it: not all of them have it, or only some have
// entered a collective on it, such as the one that frees it. The checks of collectives report that.
func (o *Object) broken() bool {
	return o.Comm != nil && (!o.Comm.Idle() || !o.Comm.Opaque && !o.Comm.Shared())
}

// byPlace groups the objects of a process by the place that created them, the most frequent place first. It also counts
// them. Objects for which leaveOut returns true are in no group.
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

// shown is how many places a finding names while the program runs.
const shown = 3

func (l *leaks) whileRunning(p *track.Process) {
	groups, n := l.byPlace(p, nil)
	l.many(p, groups, n, "running", "Rank %[1]d has %[2]d %[3]s that are %[4]s, %[5]d of them made at one place",
		"This may be intended. Or a loop forgets its "+l.Many+".")
}

// unfinished reports the objects of a process that never called MPI_Finalize, if there are many. A few are not a
// sign of an error: the process had no chance to free them.
func (l *leaks) unfinished(p *track.Process) {
	if l.Live(p, func(Object) {}) < l.Leaks.Limits.Of(l.Kind.Kind) {
		return
	}
	groups, n := l.byPlace(p, nil)
	l.many(p, groups, n, "ended",
		"The run ended while rank %[1]d had %[2]d %[3]s that were %[4]s, %[5]d of them made at one place",
		"The process had no chance to "+l.verb()+" its last "+l.Many+". But so many may come from a loop that forgets "+
			"them.")
}

// many reports the places that created most of the n objects of a process. The arguments of the message are the rank,
// n, the name and the state of the objects, and the number of those from the first place.
func (l *leaks) many(p *track.Process, groups []*Group, n int, key, message, why string) {
	if len(groups) == 0 {
		return // other processes use them
	}
	f := &finding.Finding{
		Severity: finding.Info,
		Key:      key + "|" + groups[0].place,
		Ranks:    []int{p.Rank},
		Message:  fmt.Sprintf(message, p.Rank, n, l.Many, l.Left, groups[0].N),
		Why:      why,
		Advice:   fmt.Sprintf("Check that every %s made there is %sd by %s. %s", l.One, l.verb(), l.Free, l.When),
		Details:  map[string]any{l.Many: n},
	}
	if l.Describe != nil {
		f.Advice = l.When
	}
	for _, g := range groups[:min(shown, l.Leaks.Places, len(groups))] {
		f.Sites = append(f.Sites, l.Site("the first of "+check.Plural(g.N, l.One, l.Many)+" made here", g.First.Made))
	}
	l.Report(f)
}

func (l *leaks) atFinalize(p *track.Process) {
	if p.Lost {
		return
	}
	elsewhere := func(*Object) bool { return false }
	if l.Elsewhere != nil {
		elsewhere = l.Elsewhere(l.Run, p)
	}
	groups, _ := l.byPlace(p, func(o *Object) bool { return o.broken() || elsewhere(o) })
	told := min(l.Leaks.Places, len(groups))
	for i, g := range groups[:told] {
		function := l.Func(g.First.Made).Name
		f := &finding.Finding{
			Key:   g.place,
			Count: g.N,
			Ranks: []int{p.Rank},
			Message: fmt.Sprintf("%s made by %s %s never %sd", check.Plural(g.N, l.One, l.Many), function,
				map[bool]string{true: "is", false: "are"}[g.N == 1], l.verb()),
			Advice: fmt.Sprintf("%s every %s with %s when it is no longer needed. %s",
				map[string]string{"free": "Free", "close": "Close"}[l.verb()], l.One, l.Free, l.When),
			Sites:   []finding.Site{l.Site(l.One+" made", g.First.Made)},
			Details: map[string]any{l.Many: g.N},
		}
		if l.Describe != nil {
			l.Describe(l.Run, f, p, g)
		}
		if i == told-1 && len(groups) > told {
			f.Message += fmt.Sprintf("\nThere are more of %s (--leak-report-size).",
				check.Plural(len(groups)-told, "other place", "other places"))
		}
		l.Report(f)
	}
}
