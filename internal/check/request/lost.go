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
	Severity: finding.Error,
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
		changed     changes
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
		q.changed.note(p, r)
		if q.n++; r.Number < q.number {
			q.number, q.made, q.after = r.Number, r.Made, *r.Overwritten
		}
	})
	slices.SortFunc(pairs, func(a, b *pair) int { return cmp.Or(b.n-a.n, strings.Compare(a.key, b.key)) })
	rest := unfinished(x, p)
	for _, q := range pairs {
		what, it := "This "+x.Func(q.made).Name+" is", "its"
		if q.n > 1 {
			what, it = fmt.Sprintf("%d requests of %s are", q.n, x.Func(q.made).Name), "their"
		}
		f := &finding.Finding{
			Key:     q.key,
			Count:   q.n,
			Ranks:   []int{p.Rank},
			Message: fmt.Sprintf("%s never completed: %s overwrites %s request variable", what, x.CallIn(q.after), it),
			Why: "Without its handle, no call can complete the operation (MPI standard, section 3.7). Its buffer " +
				"belongs to MPI forever.",
			Advice: "Complete a request before its variable is used again. Or give each pending request its own " +
				"variable, in an array for MPI_Waitall.",
			Sites:   []finding.Site{x.Site("request made", q.made), x.Site("variable used again", q.after)},
			Details: map[string]any{"requests": q.n},
		}
		if n := rest[x.Place(q.made)]; n > 0 {
			delete(rest, x.Place(q.made)) // once
			f.Message += fmt.Sprintf("\n%s of the same place %s not completed either.",
				check.Plural(n, "other request", "other requests"), map[bool]string{true: "is", false: "are"}[n == 1])
			f.Count += n
			f.Details["requests"] = f.Count
		}
		f.Message += meanwhile(x, p.Rank, q.made) + q.changed.text(q.n)
		x.Report(f)
	}
}

// unfinished counts the requests of a process that are not lost and not complete, by the place that made them.
func unfinished(x *check.Run, p *track.Process) map[string]int {
	n := make(map[string]int)
	p.Requests(func(r *track.Request) {
		if !r.Refused && !lost(x, p, r) && (r.Active || !r.Persistent) {
			n[x.Place(r.Made)]++
		}
	})
	return n
}

// meanwhile is a line of a message: which call has used the buffer of a request that is not complete. It is "" if none
// is known.
func meanwhile(x *check.Run, rank int, made match.Call) string {
	place := x.Site("", made).Stack
	f := x.Earlier(func(f *finding.Finding) bool {
		return f.Check == "LOCAL:MEMORY:OVERLAP" && slices.Contains(f.Ranks, rank) && len(f.Sites) > 1 &&
			slices.ContainsFunc(f.Sites[1:], func(s finding.Site) bool {
				return s.Role == "pending operation" && finding.SameStack(s.Stack, place)
			})
	})
	if f == nil {
		return ""
	}
	name, _, _ := strings.Cut(f.Sites[0].Call, "(")
	return fmt.Sprintf("\n%s%s uses its buffer meanwhile.", name, check.Parens(check.Line(f.Sites[0].Stack)))
}
