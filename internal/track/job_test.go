package track

import (
	"testing"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// TestAlone: processes that one launcher has started are alone if each has a world of its own.
func TestAlone(t *testing.T) {
	type process struct{ launcherRank, launcherSize, rank, size int } // size 0: it has not left MPI_Init
	for _, c := range []struct {
		what      string
		processes []process
		want      int
	}{
		{"two of another launcher", []process{{0, 2, 0, 1}, {1, 2, 0, 1}}, 2},
		{"the second one is still in MPI_Init", []process{{0, 2, 0, 1}, {1, 2, 0, 0}}, 0},
		{"the second one has not started", []process{{0, 2, 0, 1}}, 0},
		{"together", []process{{0, 2, 0, 2}, {1, 2, 1, 2}}, 0},
		{"one process", []process{{0, 1, 0, 1}}, 0},
		{"without a launcher", []process{{-1, -1, 0, 1}, {-1, -1, 0, 1}}, 0},
		{"one after another, in a batch script of a job with two tasks", []process{{0, 2, 0, 1}, {0, 2, 0, 1}}, 0},
		{"together, and another program alone", []process{{0, 2, 0, 2}, {1, 2, 1, 2}, {0, 2, 0, 1}, {1, 2, 0, 1}}, 0},
	} {
		j := newJob()
		for _, p := range c.processes {
			pr := &Process{Proc: &ring.Proc{Rank: p.launcherRank, WorldSize: p.launcherSize}, Rank: p.launcherRank}
			j.Processes = append(j.Processes, pr)
			if p.size > 0 {
				j.place(pr, p.rank, p.size)
			}
		}
		if got := j.Alone(); got != c.want {
			t.Errorf("%s: %d, not %d", c.what, got, c.want)
		}
	}
}
