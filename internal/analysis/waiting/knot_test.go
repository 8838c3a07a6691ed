package waiting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// waiting is a generated state: the clauses of the threads of some processes.
type waiting struct {
	procs   []*track.Process
	free    []bool
	blocked []Blocked
}

func drawWaiting(t *rapid.T) *waiting {
	w := new(waiting)
	n := rapid.IntRange(1, 8).Draw(t, "processes")
	for i := range n {
		w.procs = append(w.procs, &track.Process{Proc: &ring.Proc{ID: ring.ProcID(i)}, Rank: i})
	}
	w.free = make([]bool, n)
	anyOf := slices.Clone(w.procs) // shared, as for receives from any source
	var clause func(depth int) Clause
	list := func(depth int) (cs []Clause) {
		for range rapid.IntRange(1, 3).Draw(t, "clauses") {
			cs = append(cs, clause(depth))
		}
		return cs
	}
	one := func() []*track.Process { i := rapid.IntRange(0, n-1).Draw(t, "process"); return w.procs[i : i+1 : i+1] }
	clause = func(depth int) Clause {
		switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case k == 0:
			return Clause{What: ToSend, Procs: anyOf}
		case k < 3:
			return Clause{What: ToSend, Procs: append(slices.Clone(one()), one()...)}
		case k < 5 && depth < 2:
			c := Clause{What: Either}
			for range rapid.IntRange(1, 3).Draw(t, "ways") {
				c.Ways = append(c.Ways, list(depth+1))
			}
			return c
		}
		return Clause{What: ToSend, Procs: one()}
	}
	var shared []Clause // shared, as for threads in one collective
	for range rapid.IntRange(1, 4).Draw(t, "missing") {
		shared = append(shared, Clause{What: ToJoin, Procs: one()})
	}
	for i, p := range w.procs {
		switch k := rapid.IntRange(0, 7).Draw(t, "state"); k {
		case 0:
			w.free[i] = true
		case 1: // it has ended
		case 2:
			w.blocked = append(w.blocked, Blocked{Thread: &track.Thread{Process: p}, Clauses: shared})
		default:
			for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "threads") {
				w.blocked = append(w.blocked, Blocked{Thread: &track.Thread{Process: p}, Clauses: list(0)})
			}
		}
	}
	return w
}

// holds reports whether all of cs are released if the processes in free are.
func holds(cs []Clause, free []bool) bool {
	return !slices.ContainsFunc(cs, func(c Clause) bool {
		if c.What == Either {
			return !slices.ContainsFunc(c.Ways, func(way []Clause) bool { return holds(way, free) })
		}
		return !slices.ContainsFunc(c.Procs, func(p *track.Process) bool { return free[p.Proc.ID] })
	})
}

// spread computes which processes the free processes release, by the simplest method.
func (w *waiting) spread(free []bool) []bool {
	free = slices.Clone(free)
	for changed := true; changed; {
		changed = false
		for _, b := range w.blocked {
			if id := b.Thread.Process.Proc.ID; !free[id] && holds(b.Clauses, free) {
				free[id], changed = true, true
			}
		}
	}
	return free
}

// TestKnots: a deadlock is the set that the simple method finds, and its knots explain it. Each knot is blocked only by
// itself and by processes that have ended. Knots are disjoint. If the knots were released, all other processes could go
// on.
func TestKnots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWaiting(t)
		free := w.spread(w.free)
		d := w.solve()
		stuck := make([]bool, len(w.procs))
		for _, b := range w.blocked {
			stuck[b.Thread.Process.Proc.ID] = !free[b.Thread.Process.Proc.ID]
		}
		for i := range w.procs {
			in := slices.ContainsFunc(d.Blocked, func(b Blocked) bool { return int(b.Thread.Process.Proc.ID) == i })
			if in != stuck[i] {
				t.Fatalf("process %d: in the deadlock: %t, want %t", i, in, stuck[i])
			}
		}
		ended := func(i int) bool { return !free[i] && !stuck[i] }
		explained := slices.Clone(free)
		check := func(links []Link, cycle bool) {
			members := make([]bool, len(w.procs))
			for _, l := range links {
				members[l.Blocked.Thread.Process.Proc.ID] = true
			}
			others := make([]bool, len(w.procs))
			for i := range w.procs {
				others[i] = !members[i] && !ended(i)
			}
			for j, l := range links {
				id := l.Blocked.Thread.Process.Proc.ID
				if explained[id] && !slices.ContainsFunc(links[:j], func(m Link) bool {
					return m.Blocked.Thread.Process.Proc.ID == id
				}) {
					t.Fatalf("process %d is in two knots, or free", id)
				}
				explained[id] = true
				if holds([]Clause{*l.Clause}, others) {
					t.Fatalf("process %d could be released from outside its knot by %+v", id, *l.Clause)
				}
				if next := links[(j+1)%len(links)].Blocked.Thread.Process.Proc.ID; cycle {
					only := slices.Clone(others)
					for i := range members {
						only[i] = only[i] || members[i] && i != int(next)
					}
					if holds([]Clause{*l.Clause}, only) {
						t.Fatalf("process %d does not wait for %d alone", id, next)
					}
				}
			}
			for _, b := range w.blocked { // all threads of a member, not only the thread that is shown
				if members[b.Thread.Process.Proc.ID] && holds(b.Clauses, others) {
					t.Fatalf("process %d could be released from outside its knot", b.Thread.Process.Proc.ID)
				}
			}
		}
		check(d.Orphans, false)
		for _, k := range d.Knots {
			check(k.Links, k.Cycle)
		}
		for i, ok := range w.spread(explained) {
			if stuck[i] && !ok {
				t.Fatalf("nothing explains why process %d is stuck", i)
			}
		}
		some := map[*track.Process]bool{w.procs[0]: true}
		got := d.Released(some)
		want := slices.Clone(free)
		want[0] = true
		want = w.spread(want)
		for i, p := range w.procs {
			if stuck[i] && got[p] != want[i] {
				t.Fatalf("with process 0, process %d is released: %t, want %t", i, got[p], want[i])
			}
		}
	})
}

func (w *waiting) solve() *Deadlock {
	g := new(graph)
	g.reset(len(w.procs))
	for i, p := range w.procs {
		if w.free[i] {
			g.release(number(p))
		}
	}
	return describe(g, g.solve(slices.Clone(w.blocked)), func(*track.Thread) bool { return false })
}

// TestShortCycle: of the cycles that a process is in, a short one is shown.
func TestShortCycle(t *testing.T) {
	const n = 1000
	w := new(waiting)
	for i := range n {
		w.procs = append(w.procs, &track.Process{Proc: &ring.Proc{ID: ring.ProcID(i)}, Rank: i})
	}
	w.free = make([]bool, n)
	for i, p := range w.procs {
		one := func(j int) Clause { j = (j + n) % n; return Clause{What: ToSend, Procs: w.procs[j : j+1]} }
		cs := []Clause{one(i + 1)}
		if i == 500 {
			cs = append(cs, one(498))
		}
		w.blocked = append(w.blocked, Blocked{Thread: &track.Thread{Process: p}, Clauses: cs})
	}
	d := w.solve()
	var ranks []int
	for _, p := range d.Cycle() {
		ranks = append(ranks, p.Rank)
	}
	if !slices.Equal(ranks, []int{498, 499, 500}) || len(d.Knots) != 1 || len(d.Blocked) != n {
		t.Fatalf("the cycle is %v of %d blocked processes, in %d knots", ranks, len(d.Blocked), len(d.Knots))
	}
}
