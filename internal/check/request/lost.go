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

// Lost finds requests that were never completed because a later call overwrote their variable with another request (MPI
// standard, section 3.7). The program may have copied the handle before, so the check decides at MPI_Finalize.
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

// lost reports whether the variable of a request that is not complete holds another request.
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
		them, their := "a request of "+x.Func(q.made).Name, "its"
		if q.n > 1 {
			them, their = fmt.Sprintf("%d requests of %s", q.n, x.Func(q.made).Name), "their"
		}
		x.Report(&finding.Finding{
			Key:   q.key,
			Count: q.n,
			Ranks: []int{p.Rank},
			Message: fmt.Sprintf("Rank %d calls MPI_Finalize, but never completed %s: %s overwrote %s variable.",
				p.Rank, them, x.CallAt(q.after), their),
			Why: "Without its handle, no call can complete the operation. Its buffer belongs to MPI forever.",
			Advice: "Complete a request before its variable is used again. Or give each pending request its own " +
				"variable, in an array for MPI_Waitall.",
			Sites:   []finding.Site{x.Site("request made", q.made), x.Site("variable used again", q.after)},
			Details: map[string]any{"requests": q.n},
		})
	}
}
