package datatype

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed notfreed.md
var notFreedDoc string

// NotFreed finds datatypes that are not freed when MPI_Finalize is called, and, while the program runs, that there are
// many. One finding per place that made them (MPI 4.0, section 5.1.9).
var NotFreed = &check.Check{
	ID:       "LOCAL:DATATYPE:NOT_FREED",
	Severity: finding.Warning,
	Title:    "datatypes were not freed before MPI_Finalize",
	Doc:      notFreedDoc,
	New: func(x *check.Context) check.Hooks {
		return check.Hooks{
			Finalize: func(p *track.Process, _ match.Call) {
				if !p.Lost && !p.Callbacks {
					atFinalize(x, p)
				}
			},
			CrowdedDatatypes: func(p *track.Process) { whileRunning(x, p) },
		}
	},
}

// group are the datatypes made at one place.
type group struct {
	place string
	n     int
	first *match.Datatype
}

// byPlace groups the datatypes of a process by the place that made them, most frequent first.
func byPlace(x *check.Context, p *track.Process) []*group {
	groups := make(map[string]*group)
	var list []*group
	p.Datatypes(func(d *match.Datatype) {
		k := x.Place(d.Made)
		g := groups[k]
		if g == nil {
			g = &group{place: k, first: d}
			groups[k] = g
			list = append(list, g)
		}
		g.n++
		if d.Number < g.first.Number {
			g.first = d
		}
	})
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(b.n-a.n, cmp.Compare(a.first.Number, b.first.Number), strings.Compare(a.place, b.place))
	})
	return list
}

// The numbers of places that are named.
const (
	shown    = 3  // of the many datatypes of a running program
	reported = 10 // at its end
)

func whileRunning(x *check.Context, p *track.Process) {
	groups := byPlace(x, p)
	f := &finding.Finding{
		Severity: finding.Info,
		Key:      "running|" + groups[0].place,
		Ranks:    []int{p.Rank},
		Message: fmt.Sprintf("Rank %d has %d datatypes that are not freed, %d of them made at one place.\nThat may be meant; or datatypes are forgotten in a loop.",
			p.Rank, p.DerivedDatatypes(), groups[0].n),
		Advice:  "Check that every datatype made there is freed by MPI_Type_free; it may be, as soon as the operations that use it have begun.",
		Details: map[string]any{"datatypes": p.DerivedDatatypes()},
	}
	for _, g := range groups[:min(shown, len(groups))] {
		f.Sites = append(f.Sites, x.Site(check.Plural(g.n, "datatype", "datatypes")+" made here, one of them", g.first.Made))
	}
	x.Report(f)
}

func atFinalize(x *check.Context, p *track.Process) {
	groups := byPlace(x, p)
	for i, g := range groups[:min(reported, len(groups))] {
		d := g.first
		message := fmt.Sprintf("Rank %d calls MPI_Finalize while it has %s made by %s at one place, never freed.\n"+
			"A program that goes on making them runs out of memory.",
			p.Rank, check.Plural(g.n, "datatype", "datatypes"), x.Func(d.Made).Name)
		if i == reported-1 && len(groups) > reported {
			message += fmt.Sprintf("\nMore are made at %s; these are the most frequent ones.", check.Plural(len(groups)-reported, "other place", "other places"))
		}
		f := &finding.Finding{
			Key:     g.place,
			Count:   g.n,
			Ranks:   []int{p.Rank},
			Message: message,
			Advice:  "Free every datatype with MPI_Type_free when it is not needed any more. It may be as soon as the operations that use it have begun, and the datatypes that contain it are made.",
			Sites:   []finding.Site{x.Site("datatype made", d.Made)},
			Details: map[string]any{"datatypes": g.n},
		}
		if len(d.Committed.Raw) > 0 {
			f.Sites = append(f.Sites, x.Site("datatype committed", d.Committed))
		}
		x.Report(f)
	}
}
