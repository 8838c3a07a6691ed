package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed illegal.md
var illegalDoc string

// IllegalCall finds calls that the state or the kind of a request forbids (MPI standard, sections 3.7 to 3.9, 4.2, 6.12,
// 12.3.5 and 13.2 of MPI 4.0).
var IllegalCall = &check.Check{
	ID:       "LOCAL:REQUEST:ILLEGAL_CALL",
	Severity: finding.Error,
	Title:    "a call is given a request that it must not be given",
	Doc:      illegalDoc,
	Start: func(x *check.Run) {
		x.Track.WrongRequest.On(x.Owner, func(e track.WrongRequest) {
			if w := e.Error.Wrong; w != track.PrematureFree && w != track.NeverStarted {
				illegal(x, e.Thread.Process, e.Call, e.Error)
			}
		})
		x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) { died(x, p) })
	},
}

// died reports the call in which a process was killed by a signal: MPI has looked behind a handle that nobody gave it.
func died(x *check.Run, p *track.Process) {
	if p.Ended.Kind != ring.Signaled || p.Lost {
		return
	}
	for _, th := range p.Threads {
		if th.Open.Func == nil || th.TID != p.Ended.TID {
			continue
		}
		c := match.Call{Thread: th.ID, Raw: th.Open.Call.Raw()}
		if e, ok := x.Tracker.Unknown(th, c); ok {
			illegal(x, p, c, &e)
		}
	}
}

func illegal(x *check.Run, p *track.Process, c match.Call, e *track.RequestError) {
	name, made := x.Func(c).Name, ""
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%d", x.Place(c), e.Wrong),
		Ranks:   []int{p.Rank},
		Sites:   []finding.Site{x.Site("call", c)},
		Details: map[string]any{"function": name},
	}
	which := "a request"
	if e.Index >= 0 {
		which = fmt.Sprintf("request %d of its array,", e.Index)
		f.Details["index"] = e.Index
	}
	if len(e.Made.Raw) > 0 {
		made = x.Func(e.Made).Name
		f.Sites = append(f.Sites, x.Site("request made", e.Made))
		f.Details["made"] = made
		which += " of " + made
	}
	w := wrongs[e.Wrong]
	f.Message = fmt.Sprintf("Rank %d calls %s with %s %s.", p.Rank, name, which, w.what)
	f.Advice = w.advice
	x.Report(f)
}

const notHere = "Call it only for requests of the kind that it is made for."

// wrongs says what is wrong with a request, and what to do about it.
var wrongs = map[track.RequestMisuse]struct{ what, advice string }{
	track.ActiveStart: {
		"that is active already: what was started before is not complete",
		"Complete a persistent request with MPI_Wait, MPI_Test or one of their relatives before it is started again.",
	},
	track.TransientStart: {
		"that is not persistent: its operation began when it was made, and cannot be started again",
		"Make the request with MPI_Send_init, MPI_Recv_init or the like, or begin the operation anew.",
	},
	track.NullRequest: {
		"that is MPI_REQUEST_NULL: there is none",
		"Call it before the request is completed or freed, which sets its variable to MPI_REQUEST_NULL, or not at all.",
	},
	track.OverRequest: {
		"that is complete or freed: the variable has a copy of its handle.\nA handle that is over may stand for another request by now, and that one is then completed by mistake",
		"Do not use copies of a handle when one of them has been completed or freed; set them to MPI_REQUEST_NULL.",
	},
	track.RepeatedRequest: {
		"that stands there more than once",
		"Let every request be in the array once. Unused elements may be MPI_REQUEST_NULL in an array that is waited for.",
	},
	track.UnknownRequest: {
		"that is no request: no MPI call has returned such a handle",
		"Initialize variables for requests with MPI_REQUEST_NULL, and look whether something writes over this one.",
	},
	track.InactiveCancel: {
		"that is inactive: there is nothing under way to be cancelled",
		"Cancel a persistent request only between MPI_Start and its completion.",
	},
	track.Irrevocable: {
		"that can be neither freed nor cancelled: the standard forbids both for collectives and for one-sided operations that are under way",
		"Complete the request with MPI_Wait, MPI_Test or one of their relatives.",
	},
	track.InactiveReady: {
		"that is inactive: no partition can be ready of a message that is not started",
		"Call MPI_Start before MPI_Pready.",
	},
	track.NoPartitionedSend:    {"that is no partitioned send", notHere},
	track.NoPartitionedReceive: {"that is no partitioned receive", notHere},
	track.NotGeneralized:       {"that is no generalized request", notHere},
}
