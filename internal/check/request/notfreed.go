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

// NotFreed finds requests that are neither completed nor freed when MPI_Finalize is called (MPI standard, section
// 11.2.2 of MPI 4.0: all pending communication must be completed before). One finding per place that created them.
var NotFreed = leftover.New(&leftover.Kind{
	Kind:  mpiapi.Request,
	ID:    "LOCAL:REQUEST:NOT_FREED",
	Title: "requests were neither completed nor freed before MPI_Finalize",
	One:   "request",
	Many:  "requests",
	Left:  "not completed",
	When:  "Check that every nonblocking operation made there is completed by MPI_Wait, MPI_Test or one of their relatives.",
	Doc:   notFreedDoc,
	Live: func(p *track.Process, f func(leftover.Object)) int {
		p.Requests(func(r *track.Request) {
			f(leftover.Object{
				Made: r.Made, Number: r.Number, Active: r.Active, Persistent: r.Persistent, Unreachable: p.Unreachable(r), Refused: r.Refused,
			})
		})
		return p.Active
	},
	Elsewhere: func(x *check.Run, o *leftover.Object) bool {
		return o.Refused || o.Unreachable && !x.Layered(o.Made)
	},
	Describe: describe,
})

// describe tells of requests made at one place.
func describe(f *finding.Finding, p *track.Process, function string, g *leftover.Group) {
	them := "it was"
	if g.N > 1 {
		them = "they were"
	}
	state := them + " never completed"
	f.Advice = "Complete every request with MPI_Wait, MPI_Test or one of their relatives before its variable is used again; one " +
		"that you do not want to wait for is given up by MPI_Request_free (of a send) or MPI_Cancel and MPI_Wait (of a receive)."
	if g.First.Persistent {
		state = them + " never freed"
		f.Advice = "Free persistent requests with MPI_Request_free when they are not needed any more, after completing what was started."
		if g.Active > 0 {
			state += fmt.Sprintf(", and %s still active", check.Plural(g.Active, "is", "are"))
		}
	}
	f.Message = fmt.Sprintf("Rank %d calls MPI_Finalize while it has %s made by %s at one place: %s.\n"+
		"Buffers of such operations belong to MPI for ever, and a program that goes on making them runs out of memory.",
		p.Rank, check.Plural(g.N, "request", "requests"), function, state)
	f.Details = map[string]any{"requests": g.N, "active": g.Active, "persistent": g.First.Persistent}
}

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalCall, Lost, NotFreed, NotStarted, PrematureFree}
