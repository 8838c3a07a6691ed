package call

import (
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// disagreements finds collectives that fail because their members disagree: another check reports that. The records of
// the other members may come later, so failures are held back for a moment.
type disagreements struct {
	x    *check.Run
	held []heldCollective
}

type heldCollective struct {
	comm     *match.Comm
	position uint64
	finding  *finding.Finding
	ticks    int
}

// failed reports whether to withhold the finding about a failed call, for now or for good.
func (d *disagreements) failed(f *track.Failure, out *finding.Finding) bool {
	if f == nil || f.Comm == nil {
		return false
	}
	if c, ok := f.Comm.SoFar(f.Position); !ok || c.Agreed() {
		d.held = append(d.held, heldCollective{f.Comm, f.Position, out, 0})
	}
	return true
}

// reportOverdue reports the findings that were held back for longer than limit ticks.
func (d *disagreements) reportOverdue(limit int) {
	d.held = slices.DeleteFunc(d.held, func(h heldCollective) bool {
		return !d.undecided(&h, limit)
	})
	for i := range d.held {
		d.held[i].ticks++
	}
}

func (d *disagreements) undecided(h *heldCollective, limit int) bool {
	if c, ok := h.comm.SoFar(h.position); ok && !c.Agreed() {
		return false
	}
	if h.ticks < limit {
		return true
	}
	d.x.Report(h.finding)
	return false
}
