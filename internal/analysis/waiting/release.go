package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/track"
)

// Released returns the processes that could go on, directly or indirectly, if the processes in free did what others
// wait for. The result includes free.
func (d *Deadlock) Released(free map[*track.Process]bool) map[*track.Process]bool {
	g := graph{need: slices.Clone(d.graph.need), head: d.graph.head, arcs: d.graph.arcs, procs: d.graph.procs}
	all := make(map[*track.Process]bool, len(free))
	for p := range free {
		all[p] = true
		if p != nil {
			g.release(number(p))
		}
	}
	g.spread()
	for i := range d.Blocked {
		if p := d.Blocked[i].Thread.Process; g.released(number(p)) {
			all[p] = true
		}
	}
	return all
}
