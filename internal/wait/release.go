package wait

import (
	"maps"

	"github.com/mpivet/mpivet/internal/track"
)

// Released returns which processes could go on, directly or in the end, if those in free did what others wait for. It
// includes free.
func (d *Deadlock) Released(free map[*track.Process]bool) map[*track.Process]bool {
	all := maps.Clone(free)
	for changed := true; changed; {
		changed = false
		turn := make(turn)
		for i := range d.Blocked {
			if b := &d.Blocked[i]; !all[b.Thread.Process] && turn.released(b.Clauses, all) {
				all[b.Thread.Process], changed = true, true
			}
		}
	}
	return all
}
