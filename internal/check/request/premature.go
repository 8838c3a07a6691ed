package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed premature.md
var prematureDoc string

// PrematureFree finds receives that are freed while they are pending (MPI standard, section 3.7.3).
var PrematureFree = &check.Check{
	ID:       "LOCAL:REQUEST:PREMATURE_FREE",
	Severity: finding.Warning,
	Title:    "a receive is freed while it is pending",
	Doc:      prematureDoc,
	Start: func(x *check.Run) {
		x.Track.RequestFreed.On(x.Owner, func(e track.RequestFreed) {
			p, r := e.Thread.Process, e.Request
			if p.Lost || p.RequestsUncertain() || !r.Active || r.Cancelled || r.Known || !receives(r) {
				return
			}
			c := track.Call{Thread: e.Thread, Call: e.Call}.Kept()
			x.Report(&finding.Finding{
				Key:   x.Place(c) + "|" + x.Place(r.Made),
				Ranks: []int{p.Rank},
				Message: fmt.Sprintf("%s frees the receive of %s while it is pending",
					x.Func(c).Name, x.CallIn(r.Made)),
				Why: "The receive continues, but no call tells when its message is in the buffer. Until then, the " +
					"program must not read or reuse the buffer (MPI standard, section 3.7.3).",
				Advice: "Complete the request with MPI_Wait or MPI_Test. If the message is no longer wanted, call " +
					"MPI_Cancel first.",
				Sites: []finding.Site{x.Site("request freed", c), x.Site("request made", r.Made)},
			})
		})
	},
}

// receives reports whether an active request waits for a message.
func receives(r *track.Request) bool {
	switch r.Kind {
	case track.RecvRequest:
		return r.Ops[0] != nil
	case track.BothRequest:
		return r.Ops[1] != nil
	}
	return r.Made.Func() == mpiapi.IDPrecvInit
}
