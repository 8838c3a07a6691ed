package call

import (
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// endings finds processes that MPI ends inside a call without calling an error handler. If an error of another process
// is fatal, or a process has called MPI_Abort, MPI may end all others in this way: MPICH 4.2 does. The records of that
// process may come later, so findings are held back for a moment.
type endings struct {
	x     *check.Run
	told  map[*track.Process]bool // processes with a fatal error that MPI has told the library of
	held  []heldEnd
	ticks int // since the last one was held back
}

// heldEnd is a process that MPI has ended, and the finding about that.
type heldEnd struct {
	p *track.Process
	f *finding.Finding
}

func (s *endings) end(p *track.Process) {
	if !s.told[p] && !explainedEnd(p) && s.x.EndedByMPI(p) && len(p.Threads) > 0 {
		s.held, s.ticks = append(s.held, heldEnd{p, ended(s.x, p)}), 0
	}
}

func (s *endings) tick() {
	if s.ticks++; s.ticks > patience {
		s.report()
	}
}

func (s *endings) report() {
	for _, h := range s.held {
		if len(s.told) == 0 && !s.x.Tracker.Aborting && !s.lostPeer(h.p) {
			s.x.Report(h.f)
		}
	}
	s.held = nil
}

// lostPeer reports whether MPI may have ended a process because another one had died. Which of them ended first is
// known only on one node. The launcher of Open MPI asks processes to end before it kills them, and those do not count.
func (s *endings) lostPeer(p *track.Process) bool {
	return s.x.MayHaveLostPeer(p) && slices.ContainsFunc(s.x.Tracker.Processes, func(q *track.Process) bool {
		e := q.Ended
		if q == p || q.Rank < 0 || e == nil || e.Asked || q.Finalizing || !q.Initialized ||
			q.Node == p.Node && e.Time > p.Ended.Time {
			return false
		}
		return e.Kind != ring.Replaced && !s.x.EndedByMPI(q)
	})
}

// ended describes a call in which MPI ended the process without calling its error handler. MPI does so for files and
// windows.
func ended(x *check.Run, p *track.Process) *finding.Finding {
	c := p.Threads[0].Last
	for _, th := range p.Threads {
		if th.Open.Func != nil && th.TID == p.Ended.TID {
			c = th.Last
		}
	}
	name := x.Func(c).Name
	return &finding.Finding{
		Key:     x.Place(c),
		Ranks:   []int{p.Rank},
		Message: fmt.Sprintf("%s fails, and MPI ends the program with exit status %d", name, p.Ended.Code),
		Why: "The error handler is MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT. MPI's own message on stderr says " +
			"what is wrong.",
		Advice: "Correct the arguments of the call, or what led to the error. To handle such errors in the program, " +
			"set MPI_ERRORS_RETURN or an error handler of your own.",
		Sites:   []finding.Site{x.Site("failing call", c)},
		Details: map[string]any{"function": name, "status": p.Ended.Code},
	}
}
