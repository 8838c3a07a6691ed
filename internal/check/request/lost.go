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

//go:embed lost.md
var lostDoc string

// Lost finds requests that were never completed, and could not be any more: a later operation returned its request
// into the same variable (MPI standard, section 3.7). As a handle may be copied first, that is decided when
// MPI_Finalize is called.
var Lost = &check.Check{
	ID:       "LOCAL:REQUEST:LOST",
	Severity: finding.Warning,
	Title:    "the variable of a request that was never completed was overwritten",
	Doc:      lostDoc,
	Start: func(x *check.Run) {
		x.Track.FinalizeEntered.On(x.Owner, func(e track.FinalizeEntered) {
			if !e.Process.Lost {
				overwritten(x, e.Process)
			}
		})
	},
}

// lost reports whether the variable of a request that is not over holds another request.
func lost(x *check.Run, p *track.Process, r *track.Request) bool {
	return p.Unreachable(r) && !r.Refused && !x.Layered(r.Made)
}

func overwritten(x *check.Run, p *track.Process) {
	type pair struct {
		key         string
		n           int
		number      uint64
		made, after match.Call
	}
	var pairs []*pair
	byKey := make(map[string]*pair)
	p.Requests(func(r *track.Request) {
		if !lost(x, p, r) {
			return
		}
		key := x.Place(r.Made) + "|" + x.Place(*r.Overwritten)
		q := byKey[key]
		if q == nil {
			q = &pair{key: key, number: r.Number, made: r.Made, after: *r.Overwritten}
			byKey[key] = q
			pairs = append(pairs, q)
		}
		if q.n++; r.Number < q.number {
			q.number, q.made, q.after = r.Number, r.Made, *r.Overwritten
		}
	})
	slices.SortFunc(pairs, func(a, b *pair) int { return cmp.Or(b.n-a.n, strings.Compare(a.key, b.key)) })
	for _, q := range pairs {
		them := "a request of " + x.Func(q.made).Name + " was"
		if q.n > 1 {
			them = fmt.Sprintf("%d requests of %s were", q.n, x.Func(q.made).Name)
		}
		x.Report(&finding.Finding{
			Key:   q.key,
			Count: q.n,
			Ranks: []int{p.Rank},
			Message: fmt.Sprintf("Rank %d calls MPI_Finalize, and %s never completed: %s returned another request to the same place in memory.",
				p.Rank, them, x.CallAt(q.after)),
			Advice:  "Complete a request before its variable is used again, or give every request that is under way a variable of its own: an array, completed by MPI_Waitall.",
			Sites:   []finding.Site{x.Site("request made", q.made), x.Site("variable used again", q.after)},
			Details: map[string]any{"requests": q.n},
		})
	}
}
