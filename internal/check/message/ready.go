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
	ID: "GLOBAL:MSG:READY_SEND", Severity: finding.Error, Title: "a ready send may begin before its receive is posted", Doc: readyDoc, Portability: true,
	Needs: []analysis.Need{race.ReadySends},
	Start: func(x *check.Run) {
		race.ReadySends.Of(x.Facts).On(x.Owner, func(e race.ReadyTooEarly) {
			s, r := e.Send, e.Recv
			from, to := x.Rank(s.Call), x.Rank(r.Call)
			x.Report(&finding.Finding{
				Key:   x.Place(s.Call) + "|" + x.Place(r.Call),
				Ranks: []int{from, to},
				Message: fmt.Sprintf("Rank %d sends to rank %d in ready mode, and nothing makes sure that the receive is posted by then: no message or collective leads "+
					"from %s on rank %d to %s.\nA ready send may only be started when its receive is posted (MPI standard, section 3.4). Otherwise it is erroneous, and what "+
					"happens is not defined.", from, to, at(x, r.Call), to, at(x, s.Call)),
				Advice: "Have the receiver post the receive first and then tell the sender, by a message or a barrier; or send in standard mode.",
				Sites:  []finding.Site{x.Site("send", s.Call), x.Site("receive", r.Call)},
				Details: map[string]any{
					"sender": from, "receiver": to, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm),
				},
			})
		})
	},
}
