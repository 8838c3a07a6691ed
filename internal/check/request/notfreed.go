// Package request has the checks of requests.
package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/leftover"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed notfreed.md
var notFreedDoc string

// NotFreed finds requests that are neither completed nor freed at MPI_Finalize: all pending communication must be
// complete before (MPI 4.0, section 11.2.2). There is one finding for each place that created them.
var NotFreed = leftover.New(&leftover.Kind{
	Kind:  mpiapi.Request,
	ID:    "LOCAL:REQUEST:NOT_FREED",
	Title: "requests were neither completed nor freed before MPI_Finalize",
	One:   "request",
	Many:  "requests",
	Left:  "not completed",
	When:  "Check that MPI_Wait, MPI_Test or the like completes every nonblocking operation that begins there.",
	Doc:   notFreedDoc,
	Live: func(p *track.Process, f func(leftover.Object)) int {
		p.Requests(func(r *track.Request) {
			f(leftover.Object{
				Made: r.Made, Number: r.Number, Active: r.Active, Persistent: r.Persistent,
				Unreachable: p.Unreachable(r), Refused: r.Refused,
			})
		})
		return p.Active
	},
	Severity: finding.Error,
	Elsewhere: func(x *check.Run, p *track.Process) func(*leftover.Object) bool {
		places := make(map[string]bool) // LOST reports the requests of these places
		p.Requests(func(r *track.Request) {
			if lost(x, p, r) {
				places[x.Place(r.Made)] = true
			}
		})
		return func(o *leftover.Object) bool {
			return o.Refused || len(places) > 0 && (o.Active || !o.Persistent) && places[x.Place(o.Made)]
		}
	},
	Describe: describe,
})

// describe sets the texts of a finding about the requests of one place.
func describe(x *check.Run, f *finding.Finding, p *track.Process, g *leftover.Group) {
	first := x.Func(g.First.Made)
	what := fmt.Sprintf("%s of %s are", check.Plural(g.N, "request", "requests"), first.Name)
	if g.N == 1 {
		what = "This " + first.Name + " is"
	}
	f.Message = what + " never completed"
	f.Why = "MPI_Finalize may be called only when all operations are complete (MPI standard, section 11.2.2). Until " +
		"then, the buffer belongs to MPI."
	f.Advice = "Complete it with MPI_Wait or MPI_Test."
	switch first.Class {
	case mpiapi.Isend:
		f.Advice = "Complete it with MPI_Wait or MPI_Test, before its variable is used again."
	case mpiapi.Irecv:
		f.Advice = "Complete it with MPI_Wait or MPI_Test, before its variable is used again. To give up the " +
			"receive, call MPI_Cancel and MPI_Wait."
	}
	if g.First.Persistent {
		f.Message = what + " never freed"
		f.Why = "A program that keeps creating requests runs out of memory."
		f.Advice = "Free persistent requests with MPI_Request_free when they are no longer needed, after completing " +
			"what was started."
		if f.Severity = finding.Warning; g.Active > 0 {
			f.Severity = finding.Error
			f.Message += fmt.Sprintf(", and %s still active at MPI_Finalize", check.Plural(g.Active, "is", "are"))
			f.Why = "MPI_Finalize may be called only when all operations are complete (MPI standard, section 11.2.2)."
		}
	}
	var c changes
	place := x.Place(g.First.Made)
	p.Requests(func(r *track.Request) {
		if _, modified := p.Modified(r); modified && x.Place(r.Made) == place {
			c.note(p, r)
		}
	})
	f.Message += meanwhile(x, p.Rank, g.First.Made) + c.text(g.N)
	f.Details = map[string]any{"requests": g.N, "active": g.Active, "persistent": g.First.Persistent}
}

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalCall, Lost, NotFreed, NotStarted, PrematureFree}
