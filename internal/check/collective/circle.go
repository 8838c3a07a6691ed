package collective

import (
	"slices"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// arc is a process of a circle. It is in a collective that the next process has not entered.
type arc struct {
	process *track.Process
	blocked *waiting.Blocked
	clause  *waiting.Clause
}

// circle returns a short circle of processes that block each other in collectives: each is in one that the next process
// has not entered. It is nil if there is none, or if members disagree on one of the collectives: then that is the
// cause.
//
// Processes with several threads are left out: any of the threads might enter the other collective.
func circle(d *waiting.Deadlock) []arc {
	blocked := make(map[*track.Process]*waiting.Blocked)
	for i := range d.Blocked {
		if b := &d.Blocked[i]; len(b.Thread.Process.Threads) == 1 {
			blocked[b.Thread.Process] = b
		}
	}
	prune(blocked)
	var best []arc
	tries := 0
	for i := range d.Blocked {
		p := d.Blocked[i].Thread.Process
		if blocked[p] == nil {
			continue
		}
		if path := back(blocked, onCircle(blocked, p)); best == nil || len(path) < len(best) {
			best = path
		}
		if tries++; tries == circleTries || len(best) == 2 {
			break
		}
	}
	if slices.ContainsFunc(best, func(a arc) bool { return outOfStep(a.clause.Comm.Comm, a.clause.Pos) }) {
		return nil
	}
	return best
}

// circleTries is how many processes the search for a short circle starts from.
const circleTries = 64

// prune takes out the processes that do not lead to a circle. Threads in one collective share their clauses, so one
// look at these is enough for all of them.
func prune(blocked map[*track.Process]*waiting.Blocked) {
	for changed := true; changed; {
		changed = false
		leads := make(map[*waiting.Clause]bool) // lists of clauses, by their beginning
		for p, b := range blocked {
			yes, ok := leads[&b.Clauses[0]]
			if !ok {
				yes = next(blocked, b) != nil
				leads[&b.Clauses[0]] = yes
			}
			if !yes {
				delete(blocked, p)
				changed = true
			}
		}
	}
}

// next returns a blocked process that b waits for in a collective, nil if there is none.
func next(blocked map[*track.Process]*waiting.Blocked, b *waiting.Blocked) *track.Process {
	for i := range b.Clauses {
		if b.Clauses[i].What != waiting.ToJoin {
			continue
		}
		for _, q := range b.Clauses[i].Procs {
			if blocked[q] != nil {
				return q
			}
		}
	}
	return nil
}

// onCircle follows the processes from p to one that is on a circle.
func onCircle(blocked map[*track.Process]*waiting.Blocked, p *track.Process) *track.Process {
	seen := make(map[*track.Process]bool)
	for !seen[p] {
		seen[p] = true
		p = next(blocked, blocked[p])
	}
	return p
}

// outOfStep reports whether members are known to be in different operations at a position or before it, or to pass
// arguments that keep them apart.
func outOfStep(c *match.Comm, position uint64) bool {
	v, ok := c.At(position)
	return ok && (v.FollowUp || !settled(&v) || v.Apart())
}

// explained reports whether a thread waits in a collective whose members disagree. Another finding reports that.
func explained(b *waiting.Blocked) bool {
	var last *waiting.Clause // of several clauses about one collective, the first is enough
	for i := range b.Clauses {
		c := &b.Clauses[i]
		if c.What != waiting.ToJoin || last != nil && last.Comm.Comm == c.Comm.Comm && last.Pos == c.Pos {
			continue
		}
		if outOfStep(c.Comm.Comm, c.Pos) {
			return true
		}
		last = c
	}
	return false
}

// back returns a shortest path from a process to itself.
func back(blocked map[*track.Process]*waiting.Blocked, start *track.Process) []arc {
	from := make(map[*track.Process]arc)   // how each process was reached
	done := make(map[*waiting.Clause]bool) // lists of clauses, by their beginning
	queue := []*track.Process{start}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		b := blocked[p]
		if done[&b.Clauses[0]] {
			continue
		}
		done[&b.Clauses[0]] = true
		for i := range b.Clauses {
			c := &b.Clauses[i]
			if c.What != waiting.ToJoin {
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
