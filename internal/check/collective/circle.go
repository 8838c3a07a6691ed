package collective

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
	"github.com/mpivet/mpivet/internal/wait"
)

// arc is a process of a circle: it is in a collective that the next one has not entered.
type arc struct {
	process *track.Process
	blocked *wait.Blocked
	clause  *wait.Clause
}

// circle returns processes that block each other by nothing but collectives, each in one that the next has not entered;
// the shortest such circle. It is nil if there is none, or if members of one of the collectives are known to disagree
// on it: that is why they are stuck.
//
// A process with several threads is left out: it is not known which of them was to enter the other collective.
func circle(d *wait.Deadlock) []arc {
	blocked := make(map[*track.Process]*wait.Blocked)
	for i := range d.Blocked {
		if b := &d.Blocked[i]; len(b.Thread.Process.Threads) == 1 {
			blocked[b.Thread.Process] = b
		}
	}
	var best []arc
	for i := range d.Blocked {
		if path := back(blocked, d.Blocked[i].Thread.Process); path != nil && (best == nil || len(path) < len(best)) {
			best = path
		}
		if len(best) == 2 {
			break
		}
	}
	if slices.ContainsFunc(best, func(a arc) bool { return outOfStep(a.clause.Comm.Comm, a.clause.Pos) }) {
		return nil
	}
	return best
}

// outOfStep reports whether members are known not to be in the same operation at a position, or before it, or to pass
// arguments with which they do not find each other.
func outOfStep(c *match.Comm, position uint64) bool {
	v, ok := c.At(position)
	return ok && (v.FollowUp || !settled(&v) || v.Apart())
}

// explained reports whether a thread waits in a collective whose members disagree, which is told by itself.
func explained(b *wait.Blocked) bool {
	return slices.ContainsFunc(b.Clauses, func(c wait.Clause) bool {
		return c.What == wait.ToJoin && outOfStep(c.Comm.Comm, c.Pos)
	})
}

// back returns a shortest way from a process to itself, nil if there is none.
func back(blocked map[*track.Process]*wait.Blocked, start *track.Process) []arc {
	from := make(map[*track.Process]arc) // how each was come to
	queue := []*track.Process{start}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		b := blocked[p]
		if b == nil {
			continue
		}
		for i := range b.Clauses {
			c := &b.Clauses[i]
			if c.What != wait.ToJoin {
				continue
			}
			for _, q := range c.Procs {
				if _, seen := from[q]; seen || blocked[q] == nil {
					continue
				}
				from[q] = arc{p, b, c}
				queue = append(queue, q)
			}
		}
		if a, ok := from[start]; ok {
			path := []arc{a}
			for a.process != start {
				a = from[a.process]
				path = append(path, a)
			}
			slices.Reverse(path)
			return path
		}
	}
	return nil
}
