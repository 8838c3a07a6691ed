// Package request has the checks of requests.
package request

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

// NotFreed finds requests that are neither completed nor freed when MPI_Finalize is called (MPI standard, section
// 11.2.2 of MPI 4.0: all pending communication must be completed before). One finding per place that created them.
var NotFreed = &check.Check{
	ID:       "LOCAL:REQUEST:NOT_FREED",
	Severity: finding.Warning,
	Title:    "requests were neither completed nor freed before MPI_Finalize",
	Doc:      notFreedDoc,
	New: func(x *check.Context) check.Hooks {
		return check.Hooks{
			Finalize: func(p *track.Process, _ match.Call) {
				if !p.Lost {
					atFinalize(x, p)
				}
			},
			Crowded: func(p *track.Process) { whileRunning(x, p) },
		}
	},
}

type group struct {
	calls  int
	active int
	first  *track.Request
}

// byPlace groups the requests of a process by the place that made them, most frequent first.
func byPlace(x *check.Context, p *track.Process) (keys []string, groups map[string]*group) {
	groups = make(map[string]*group)
	p.Requests(func(r *track.Request) {
		k := x.Place(r.Made)
		g := groups[k]
		if g == nil {
			g = &group{first: r}
			groups[k] = g
		}
		if r.Number < g.first.Number {
			g.first = r
		}
		g.calls++
		if r.Active {
			g.active++
		}
	})
	for k := range groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(groups[b].calls-groups[a].calls, strings.Compare(a, b))
	})
	return keys, groups
}

// shown is how many places are named of the many requests of a running program.
const shown = 3

func whileRunning(x *check.Context, p *track.Process) {
	keys, groups := byPlace(x, p)
	f := &finding.Finding{
		Severity: finding.Info,
		Key:      "running|" + keys[0],
		Ranks:    []int{p.Rank},
		Message: fmt.Sprintf("Rank %d has %d requests that are not completed, %d of them made at one place.\nThat may be meant; or requests are forgotten in a loop.",
			p.Rank, p.Active, groups[keys[0]].calls),
		Advice:  "Check that every nonblocking operation made there is completed by MPI_Wait, MPI_Test or one of their relatives.",
		Details: map[string]any{"requests": p.Active},
	}
	for _, k := range keys[:min(shown, len(keys))] {
		f.Sites = append(f.Sites, x.Site(fmt.Sprintf("%s made here, one of them", check.Plural(groups[k].calls, "request", "requests")), groups[k].first.Made))
	}
	x.Report(f)
}

func atFinalize(x *check.Context, p *track.Process) {
	keys, groups := byPlace(x, p)
	for _, k := range keys {
		g := groups[k]
		name := x.Func(g.first.Made).Name
		them, advice := "it was", "Complete every request with MPI_Wait, MPI_Test or one of their relatives before its variable is used again; one "+
			"that you do not want to wait for is given up by MPI_Request_free (of a send) or MPI_Cancel and MPI_Wait (of a receive)."
		if g.calls > 1 {
			them = "they were"
		}
		state := them + " never completed"
		if g.first.Persistent {
			state = them + " never freed"
			advice = "Free persistent requests with MPI_Request_free when they are not needed any more, after completing what was started."
			if g.active > 0 {
				state += fmt.Sprintf(", and %s still active", check.Plural(g.active, "is", "are"))
			}
		}
		x.Report(&finding.Finding{
			Key:   k,
			Count: g.calls,
			Ranks: []int{p.Rank},
			Message: fmt.Sprintf("Rank %d calls MPI_Finalize while it has %s made by %s at one place: %s.\n"+
				"Buffers of such operations belong to MPI for ever, and a program that goes on making them runs out of memory.",
				p.Rank, check.Plural(g.calls, "request", "requests"), name, state),
			Advice:  advice,
			Sites:   []finding.Site{x.Site("request made", g.first.Made)},
			Details: map[string]any{"requests": g.calls, "active": g.active, "persistent": g.first.Persistent},
		})
	}
}

// Checks are the checks of this family.
var Checks = []*check.Check{NotFreed}
