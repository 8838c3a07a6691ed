package message

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/race"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
)

//go:embed ready.md
var readyDoc string

// ReadySend finds ready sends that may begin before their receive is posted (MPI standard, section 3.4).
var ReadySend = &check.Check{
	ID: "GLOBAL:MSG:READY_SEND", Severity: finding.Error, Title: "a ready send may begin before its receive is posted",
	Doc: readyDoc, Portability: true,
	Needs: []analysis.Need{race.ReadySends},
	Start: func(x *check.Run) {
		race.ReadySends.Of(x.Facts).On(x.Owner, func(e race.ReadyTooEarly) {
			s, r := e.Send, e.Recv
			from, to := x.Rank(s.Call), x.Rank(r.Call)
			x.Report(&finding.Finding{
				Key:   x.Place(s.Call) + "|" + x.Place(r.Call),
				Ranks: []int{from, to},
				Message: fmt.Sprintf("%s may begin before rank %d has posted its receive, %s: nothing orders the two",
					x.Func(s.Call).Name, to, x.CallIn(r.Call)),
				Why: "A ready send may begin only after its receive is posted (MPI standard, section 3.4). Otherwise " +
					"the behaviour is undefined. No message and no collective leads from the receive to the send.",
				Advice: "Post the receive first, then tell the sender with a message or a barrier. Or use a standard " +
					"send.",
				Sites: []finding.Site{x.Site("send", s.Call), x.Site("receive", r.Call)},
				Details: map[string]any{
					"sender": from, "receiver": to, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm),
				},
			})
		})
	},
}
