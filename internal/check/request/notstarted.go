package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/nearmiss"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed notstarted.md
var notStartedDoc string

// NotStarted finds persistent requests that are never started, and those that are not started while a process waits
// forever for their message (MPI standard, section 3.9).
var NotStarted = &check.Check{
	ID:       "LOCAL:REQUEST:NOT_STARTED",
	Severity: finding.Warning,
	Title:    "a persistent request is not started",
	Doc:      notStartedDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		s := &idleRequests{x: x, told: make(map[idleRequest]bool)}
		waiting.Fact.Of(x.Facts).Found.Early(x.Owner, s.deadlock) // the cause comes before its deadlock
		x.Track.RequestFreed.On(x.Owner, func(e track.RequestFreed) {
			p, r := e.Thread.Process, e.Request
			if r.Persistent && !r.Started && !p.Lost && !p.RequestsUncertain() {
				neverStarted(x, p.Rank, track.Call{Thread: e.Thread, Call: e.Call}.Kept(), r.Made)
			}
		})
	},
}

// notBegun says why a request that is not started matters.
const notBegun = "Making a persistent request does not begin its operation (MPI standard, section 3.9). Waiting for " +
	"the request returns at once."

// neverStarted reports that a call frees a persistent request that was never started.
func neverStarted(x *check.Run, rank int, freed, made match.Call) {
	x.Report(&finding.Finding{
		Key:   x.Place(made),
		Ranks: []int{rank},
		Message: fmt.Sprintf("The request of %s is freed%s, but was never started", x.Func(made).Name,
			check.Parens(x.Line(freed))),
		Why: notBegun,
		Advice: "Nothing needs to change if the program does not need this operation. Otherwise start it with " +
			"MPI_Start.",
		Sites: []finding.Site{x.Site("request made", made), x.Site("request freed", freed)},
	})
}

// idleRequests looks for requests that would end a deadlock if they were started.
type idleRequests struct {
	x    *check.Run
	told map[idleRequest]bool
}

type idleRequest struct {
	process *track.Process
	number  uint64
}

// Limits for the search in a deadlock.
const (
	clauses = 256 // clauses
	holders = 4   // processes of each clause
)

func (s *idleRequests) deadlock(d *waiting.Deadlock) {
	if !d.News {
		return
	}
	left := clauses
	for i := range d.Blocked {
		if left < 0 {
			return
		}
		b := &d.Blocked[i]
		waiting.Each(b.Clauses, func(c *waiting.Clause) {
			w, ok := nearmiss.Wanted(b, c)
			if left--; !ok || left < 0 {
				return
			}
			for _, p := range c.Procs[:min(len(c.Procs), holders)] {
				s.reportReleasing(p, b, &w)
			}
		})
	}
}

// reportReleasing reports the first request of p that would release a thread.
func (s *idleRequests) reportReleasing(p *track.Process, b *waiting.Blocked, w *nearmiss.Want) {
	var best *track.Request
	p.Requests(func(r *track.Request) {
		if r.Persistent && !r.Active && s.fits(p, r, w) && (best == nil || r.Number < best.Number) {
			best = r
		}
	})
	if best == nil || s.told[idleRequest{p, best.Number}] {
		return
	}
	s.told[idleRequest{p, best.Number}] = true
	x, rank := s.x, b.Thread.Process.Rank
	state, name := "was never started", x.Func(best.Made).Name
	if best.Started {
		state = "was completed and not started again"
	}
	x.Report(&finding.Finding{
		Key:   x.Place(best.Made) + "|" + x.Place(b.Call),
		Ranks: []int{p.Rank, rank},
		Message: fmt.Sprintf("The request of %s on rank %d %s, but rank %d waits for its message in %s", name, p.Rank,
			state, rank, x.CallIn(b.Call)),
		Why:    notBegun,
		Advice: "Start the request with MPI_Start or MPI_Startall, each time that its message is needed.",
		Sites:  []finding.Site{x.Site("request made", best.Made), x.Site("waits", b.Call)},
	})
}

// fits reports whether a request would be the partner that a thread waits for.
func (s *idleRequests) fits(p *track.Process, r *track.Request, w *nearmiss.Want) bool {
	v, send, peer, tag, ok := s.x.Tracker.Starting(p, r)
	if !ok || v.Comm != w.Comm || send != w.Send {
		return false
	}
	same := func(a, b int32) bool { return a == match.Any || b == match.Any || a == b }
	return same(w.Peer, v.Me) && same(peer, w.Me) && same(tag, w.Tag)
}
