// Package leak has the checks of objects that are made and never freed.
package leak

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// Kind is a kind of objects that programs make and free, in the words of its findings.
type Kind struct {
	Kind      mpiapi.Kind
	ID        string // LOCAL:COMM:NOT_FREED
	One, Many string // "communicator", "communicators"
	Free      string // how one is freed: "MPI_Comm_free"
	When      string // the sentence that says when it may be
	Doc       string
	// Joint: all processes that have one free it together. If some have and others have not, that is told by the checks of
	// collectives, when the run is over.
	Joint bool
	// Live calls its function for every such object that a process has, in no order, and returns how many there are.
	Live func(*track.Process, func(Object)) int
}

// Object is one that is not freed.
type Object struct {
	Made      match.Call
	Number    uint64     // of the object among the process's, in the order of their making
	Committed match.Call // MPI_Type_commit, of a datatype that is committed
}

// New returns the check for a kind of objects: those left when MPI_Finalize is called are told by the place that made them,
// and, while the program runs, that there are many.
func New(k *Kind) *check.Check {
	return &check.Check{
		ID:       k.ID,
		Severity: finding.Warning,
		Title:    k.Many + " were not freed before MPI_Finalize",
		Doc:      k.Doc,
		New: func(x *check.Context) check.Hooks {
			l := &leaks{Context: x, Kind: k}
			return check.Hooks{
				Finalize: func(p *track.Process, _ match.Call) {
					switch {
					case p.Lost || p.Callbacks:
					case k.Joint:
						l.done = append(l.done, p)
					default:
						l.atFinalize(p)
					}
				},
				Finish: func() {
					for _, p := range l.done {
						l.atFinalize(p)
					}
				},
				CrowdedObjects: func(p *track.Process, kind mpiapi.Kind) {
					if kind == k.Kind {
						l.whileRunning(p)
					}
				},
			}
		},
	}
}

type leaks struct {
	*check.Context
	*Kind
	done []*track.Process // whose objects are told when the run is over
}

// group are the objects made at one place.
type group struct {
	place string
	n     int
	first Object
}

// byPlace groups the objects of a process by the place that made them, most frequent first, and counts them.
func (l *leaks) byPlace(p *track.Process) ([]*group, int) {
	groups := make(map[string]*group)
	var list []*group
	n := l.Live(p, func(o Object) {
		k := l.Place(o.Made)
		g := groups[k]
		if g == nil {
			g = &group{place: k, first: o}
			groups[k] = g
			list = append(list, g)
		}
		g.n++
		if o.Number < g.first.Number {
			g.first = o
		}
	})
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(b.n-a.n, cmp.Compare(a.first.Number, b.first.Number), strings.Compare(a.place, b.place))
	})
	return list, n
}

// The numbers of places that are named.
const (
	shown    = 3  // of the many objects of a running program
	reported = 10 // at its end
)

func (l *leaks) whileRunning(p *track.Process) {
	groups, n := l.byPlace(p)
	if len(groups) == 0 {
		return // others use them
	}
	f := &finding.Finding{
		Severity: finding.Info,
		Key:      "running|" + groups[0].place,
		Ranks:    []int{p.Rank},
		Message: fmt.Sprintf("Rank %d has %d %s that are not freed, %d of them made at one place.\nThat may be meant; or %s are forgotten in a loop.",
			p.Rank, n, l.Many, groups[0].n, l.Many),
		Advice:  fmt.Sprintf("Check that every %s made there is freed by %s. %s", l.One, l.Free, l.When),
		Details: map[string]any{l.Many: n},
	}
	for _, g := range groups[:min(shown, len(groups))] {
		f.Sites = append(f.Sites, l.Site(check.Plural(g.n, l.One, l.Many)+" made here, one of them", g.first.Made))
	}
	l.Report(f)
}

func (l *leaks) atFinalize(p *track.Process) {
	groups, _ := l.byPlace(p)
	for i, g := range groups[:min(reported, len(groups))] {
		message := fmt.Sprintf("Rank %d calls MPI_Finalize while it has %s made by %s at one place, never freed.\n"+
			"A program that goes on making them runs out of memory.",
			p.Rank, check.Plural(g.n, l.One, l.Many), l.Func(g.first.Made).Name)
		if i == reported-1 && len(groups) > reported {
			message += fmt.Sprintf("\nMore are made at %s; these are the most frequent ones.", check.Plural(len(groups)-reported, "other place", "other places"))
		}
		f := &finding.Finding{
			Key:     g.place,
			Count:   g.n,
			Ranks:   []int{p.Rank},
			Message: message,
			Advice:  fmt.Sprintf("Free every %s with %s when it is not needed any more. %s", l.One, l.Free, l.When),
			Sites:   []finding.Site{l.Site(l.One+" made", g.first.Made)},
			Details: map[string]any{l.Many: g.n},
		}
		if len(g.first.Committed.Raw) > 0 {
			f.Sites = append(f.Sites, l.Site(l.One+" committed", g.first.Committed))
		}
		l.Report(f)
	}
}
