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
	Elsewhere: func(x *check.Run, o *leftover.Object) bool {
		return o.Refused || o.Unreachable && !x.Layered(o.Made)
	},
	Describe: describe,
})

// describe sets the texts of a finding about the requests of one place.
func describe(f *finding.Finding, p *track.Process, function string, g *leftover.Group) {
	state := "never completed"
	f.Advice = "Complete every request with MPI_Wait or MPI_Test before its variable is used again. To give up an " +
		"operation, call MPI_Request_free for a send, or MPI_Cancel and MPI_Wait for a receive."
	if g.First.Persistent {
		state = "never freed"
		f.Advice = "Free persistent requests with MPI_Request_free when they are no longer needed, after completing " +
			"what was started."
		if g.Active > 0 {
			state += fmt.Sprintf(", and %s still active", check.Plural(g.Active, "is", "are"))
		}
	}
	f.Message = fmt.Sprintf("Rank %d calls MPI_Finalize and still has %s made by %s at one place, %s.",
		p.Rank, check.Plural(g.N, "request", "requests"), function, state)
	f.Why = "The buffers of such operations belong to MPI forever. A program that keeps creating requests runs out " +
		"of memory."
	f.Details = map[string]any{"requests": g.N, "active": g.Active, "persistent": g.First.Persistent}
}

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalCall, Lost, NotFreed, NotStarted, PrematureFree}
