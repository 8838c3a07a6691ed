package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed premature.md
var prematureDoc string

// PrematureFree finds receives that are freed while they are under way (MPI standard, section 3.7.3).
var PrematureFree = &check.Check{
	ID:       "LOCAL:REQUEST:PREMATURE_FREE",
	Severity: finding.Warning,
	Title:    "a receive is freed while it is under way",
	Doc:      prematureDoc,
	Start: func(x *check.Run) {
		x.Track.WrongRequest.On(x.Owner, func(w track.WrongRequest) {
			t, c, e := w.Thread, w.Call, w.Error
			if e.Wrong != track.PrematureFree {
				return
			}
			made := x.Func(e.Made).Name
			x.Report(&finding.Finding{
				Key:   x.Place(c) + "|" + x.Place(e.Made),
				Ranks: []int{t.Process.Rank},
				Message: fmt.Sprintf("Rank %d frees a request of %s that is under way.\n"+
					"The receive goes on, and nothing will tell when its message is in the buffer, which must not be read or reused until then.", t.Process.Rank, made),
				Advice: "Complete the request with MPI_Wait, MPI_Test or one of their relatives; a message that is not wanted any more is given up by MPI_Cancel first.",
				Sites:  []finding.Site{x.Site("request freed", c), x.Site("request made", e.Made)},
			})
		})
	},
}
