package waiting

import (
	"cmp"
	"slices"

	"github.com/mpivet/mpivet/internal/track"
)

// Knot is a minimal set of deadlocked processes: each waits for other processes of the set, or for processes that have
// ended, and no smaller part of the set is known to do so.
type Knot struct {
	// Cycle: each process waits for the next one, and the last for the first.
	Cycle bool
	// Links are the threads, beginning with the lowest rank. Each has a clause that only processes of the knot, or
	// processes that have ended, could satisfy.
	Links []Link
}

// Link is a thread with one of the clauses because of which it cannot go on.
type Link struct {
	Blocked *Blocked
	Clause  *Clause
}

// untie finds the minimal sets of processes that explain d. Except for cycles, this takes time linear in the arcs of
// the graph. Shorter cycles are searched as long as that is cheap. The sets are, in this order:
//  1. processes that only wait for processes that have ended;
//  2. of the others, cycles over arcs that are each enough to block a process. If all clauses of a process must be
//     satisfied, the arc of each clause is enough;
//  3. of the rest, strongly connected sets that no arc leaves. In these sets, only one clause of each process is used:
//     the one that the fewest processes could satisfy.
func (d *Deadlock) untie(told func(*track.Thread) bool) {
	u := newUntier(d)
	ended := newPicker(u.isGone)
	for _, p := range u.orphans() {
		for i := range u.threads(p) {
			b := &u.threads(p)[i]
			d.Orphans = append(d.Orphans, Link{b, ended.pick(b.Clauses)})
		}
	}
	d.News = slices.ContainsFunc(d.Orphans, func(l Link) bool { return !told(l.Blocked.Thread) })
	add := func(ps []int32, cycle bool) {
		k := u.knot(ps, cycle)
		d.News = d.News || slices.ContainsFunc(k.Links, func(l Link) bool { return !told(l.Blocked.Thread) })
		d.Knots = append(d.Knots, k)
	}
	for _, ps := range u.cycles() {
		add(ps, true)
	}
	for again := true; again; {
		again = false
		for _, ps := range u.closed() {
			add(ps, false)
			again = true
		}
	}
	slices.SortStableFunc(d.Knots, func(a, b Knot) int { return cmp.Compare(len(a.Links), len(b.Links)) })
}

// untier takes the graph of a deadlock apart. Its arcs lead from each node to the nodes that it waits for.
type untier struct {
	graph   // the nodes that are still blocked
	blocked []Blocked
	at      []int32 // index in blocked of a process's first thread; -1: it is free, or will make no more calls
	first   []int32 // index in child of a node's first child
	child   []int32
	barren  []int8 // per node: only processes that have ended could release it; 0: not known yet, 1: no, 2: yes

	member  []int32 // per node: the number of the set that it was last marked with
	sets    int32
	from    []int32 // per node: the node before it on the path; valid if visited is the number of the present search
	visited []int32
	search  int32
}

func newUntier(d *Deadlock) *untier {
	g := d.graph
	u := &untier{
		graph:   graph{need: slices.Clone(g.need), all: g.all, head: g.head, arcs: g.arcs, procs: g.procs},
		blocked: d.Blocked, at: make([]int32, g.procs), barren: make([]int8, len(g.need)),
		member: make([]int32, len(g.need)), from: make([]int32, len(g.need)), visited: make([]int32, len(g.need)),
	}
	for p := range u.at {
		u.at[p] = -1
	}
	for i := len(d.Blocked) - 1; i >= 0; i-- { // the threads of a process are adjacent
		u.at[number(d.Blocked[i].Thread.Process)] = int32(i)
	}
	u.first = make([]int32, len(g.need)+1)
	for n := range g.need {
		for i := g.head[n]; i >= 0; i = g.arcs[i].next {
			u.first[g.arcs[i].to+1]++
		}
	}
	for n := range g.need {
		u.first[n+1] += u.first[n]
	}
	u.child = make([]int32, u.first[len(g.need)])
	at := slices.Clone(u.first)
	for n := range g.need {
		for i := g.head[n]; i >= 0; i = g.arcs[i].next {
			to := g.arcs[i].to
			u.child[at[to]] = int32(n)
			at[to]++
		}
	}
	return u
}

// threads returns the threads of a process.
func (u *untier) threads(p int32) []Blocked {
	from := u.at[p]
	to := from + 1
	for int(to) < len(u.blocked) && u.blocked[to].Thread.Process == u.blocked[from].Thread.Process {
		to++
	}
	return u.blocked[from:to]
}

func (u *untier) rank(p int32) int { return u.blocked[u.at[p]].Thread.Process.Rank }

// mark makes nodes the current set, and returns the number of the set.
func (u *untier) mark(nodes []int32) int32 {
	u.sets++
	for _, n := range nodes {
		u.member[n] = u.sets
	}
	return u.sets
}

// children returns the nodes that a node needs: all or any of them.
func (u *untier) children(n int32) []int32 { return u.child[u.first[n]:u.first[n+1]] }

func (u *untier) isProcess(n int32) bool { return int(n) < u.procs }

// gone reports whether a process has ended, or will make no more MPI calls.
func (u *untier) gone(p int32) bool { return u.at[p] < 0 && !u.released(p) }

func (u *untier) isGone(p *track.Process) bool { return u.gone(number(p)) }

// spent reports whether only processes that have ended could release a node.
func (u *untier) spent(n int32) bool {
	if u.isProcess(n) {
		return u.gone(n)
	}
	if u.barren[n] == 0 {
		u.barren[n] = 1
		kids := u.children(n)
		if u.all[n] && slices.ContainsFunc(kids, u.spent) ||
			!u.all[n] && !slices.ContainsFunc(kids, func(k int32) bool { return !u.spent(k) }) {
			u.barren[n] = 2
		}
	}
	return u.barren[n] == 2
}

// stuck lists the processes that are still blocked, in the order of their numbers.
func (u *untier) stuck() (ps []int32) {
	for p := range int32(u.procs) {
		if !u.released(p) && !u.gone(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

func (u *untier) free(ps []int32) {
	for _, p := range ps {
		u.release(p)
	}
	u.spread()
}

// orphans removes the processes that only wait for processes that have ended, and returns them.
func (u *untier) orphans() (ps []int32) {
	for _, p := range u.stuck() {
		if !slices.ContainsFunc(u.children(p), func(n int32) bool { return !u.spent(n) }) {
			ps = append(ps, p)
		}
	}
	u.free(ps)
	return ps
}

// sole returns the nodes each of which is enough to block n: all children of a list; for any other node, the only child
// that could still release it.
func (u *untier) sole(n int32) []int32 {
	kids := u.children(n)
	if u.all[n] {
		return kids
	}
	at := -1
	for i, k := range kids {
		if u.spent(k) {
			continue
		}
		if at >= 0 {
			return nil
		}
		at = i
	}
	if at < 0 {
		return nil
	}
	return kids[at : at+1]
}

// cycles removes disjoint short cycles and returns them.
func (u *untier) cycles() (found [][]int32) {
	for _, set := range u.components(u.sole) {
		if path := u.shortest(set); path != nil {
			found = append(found, path)
		}
	}
	for _, path := range found {
		u.free(path)
	}
	return found
}

// effort limits how many times the arcs of a strongly connected set are traversed to find a shorter cycle.
const effort = 4

// shortest returns a short cycle in a strongly connected set of nodes: the shortest cycle through one of its first
// processes, found breadth first. It is nil if there is none. If there are several cycles, all except one pass through
// a process that has a choice, so these processes come first.
func (u *untier) shortest(set []int32) (best []int32) {
	in := u.mark(set)
	arcs := 0
	var choice, others []int32
	for _, n := range set {
		arcs += len(u.sole(n))
		switch first := u.sole(n); {
		case !u.isProcess(n):
		case len(first) == 1 && len(u.sole(first[0])) > 1:
			choice = append(choice, n)
		default:
			others = append(others, n)
		}
	}
	budget := effort*arcs + 1000
	for _, start := range append(choice, others...) {
		path, cost := u.back(start, in, len(best))
		if path != nil {
			best = path
		}
		if budget -= cost; budget < 0 || len(best) == 1 || len(best) == 2 {
			break
		}
	}
	low := 0
	for i, p := range best {
		if u.rank(p) < u.rank(best[low]) {
			low = i
		}
	}
	return slices.Concat(best[low:], best[:low])
}

// back returns the shortest path from a process to itself within a set, with fewer than limit processes (0: any
// number). It also returns the number of arcs that it examined.
func (u *untier) back(start, set int32, limit int) (path []int32, cost int) {
	u.search++
	layer := []int32{start}
	for length := 1; len(layer) > 0 && (limit == 0 || length < limit); length++ {
		var next []int32
		for i := 0; i < len(layer); i++ { // lists and sets of this layer join it
			n := layer[i]
			for _, k := range u.sole(n) {
				cost++
				if u.visited[k] == u.search || u.member[k] != set {
					continue
				}
				u.visited[k], u.from[k] = u.search, n
				if k == start {
					return u.trace(start), cost
				}
				if u.isProcess(k) {
					next = append(next, k)
				} else {
					layer = append(layer, k)
				}
			}
		}
		layer = next
	}
	return nil, cost
}

// trace returns the processes on the path that leads back to start.
func (u *untier) trace(start int32) []int32 {
	path := []int32{start}
	for n := u.from[start]; n != start; n = u.from[n] {
		if u.isProcess(n) {
			path = append(path, n)
		}
	}
	slices.Reverse(path[1:])
	return path
}

// closed removes the strongly connected sets that no arc leaves, and returns their processes.
func (u *untier) closed() (found [][]int32) {
	ps := u.stuck()
	if len(ps) == 0 {
		return nil
	}
	costs := make(map[int32]int)
	chosen := make(map[int32][]int32)
	needs := func(n int32) []int32 {
		if !u.all[n] {
			return u.children(n)
		}
		if chosen[n] == nil {
			k := u.cheapest(n, costs)
			chosen[n] = []int32{k}
		}
		return chosen[n]
	}
	sets := u.components(needs)
	for _, set := range sets {
		in := u.mark(set)
		leaves := slices.ContainsFunc(set, func(n int32) bool {
			return slices.ContainsFunc(needs(n), func(k int32) bool {
				return u.member[k] != in && !u.spent(k) && !u.released(k)
			})
		})
		if leaves {
			continue
		}
		var members []int32
		for _, n := range set {
			if u.isProcess(n) {
				members = append(members, n)
			}
		}
		slices.SortFunc(members, func(a, b int32) int { return cmp.Compare(u.rank(a), u.rank(b)) })
		found = append(found, members)
	}
	for _, members := range found {
		u.free(members)
	}
	return found
}

// cheapest returns the child of a list that the fewest processes could satisfy.
func (u *untier) cheapest(n int32, costs map[int32]int) (best int32) {
	least := -1
	for _, k := range u.children(n) {
		if u.released(k) {
			continue
		}
		if c := u.cost(k, costs); least < 0 || c < least {
			best, least = k, c
		}
	}
	return best
}

// cost returns how many processes must be in a knot for it to block a node. Some may be counted several times.
func (u *untier) cost(n int32, costs map[int32]int) int {
	switch {
	case u.isProcess(n) && u.gone(n):
		return 0
	case u.isProcess(n):
		return 1
	}
	if c, ok := costs[n]; ok {
		return c
	}
	sum, least := 0, -1
	for _, k := range u.children(n) {
		if u.released(k) {
			continue
		}
		c := u.cost(k, costs)
		sum += c
		if least < 0 || c < least {
			least = c
		}
	}
	if u.all[n] {
		sum = least
	}
	costs[n] = sum
	return sum
}

// knot describes a set of processes.
func (u *untier) knot(ps []int32, cycle bool) Knot {
	k := Knot{Cycle: cycle}
	in := u.mark(ps)
	within := newPicker(func(q *track.Process) bool { return u.isGone(q) || u.member[number(q)] == in })
	for i, p := range ps {
		threads := u.threads(p)
		if !cycle {
			for i := range threads {
				k.Links = append(k.Links, Link{&threads[i], within.pick(threads[i].Clauses)})
			}
			continue
		}
		if b := &threads[0]; len(threads) == 1 && len(b.Clauses) == 1 {
			k.Links = append(k.Links, Link{b, &b.Clauses[0]})
			continue
		}
		next := ps[(i+1)%len(ps)]
		follows := newPicker(func(q *track.Process) bool { return u.isGone(q) || number(q) == next })
		// Other threads of the process may wait for processes that have ended.
		at := max(0, slices.IndexFunc(threads, func(b Blocked) bool {
			c := follows.pick(b.Clauses)
			return follows.held(c) && !late(u, c)
		}))
		k.Links = append(k.Links, Link{&threads[at], follows.pick(threads[at].Clauses)})
	}
	return k
}

// late reports whether only processes that have ended could satisfy c.
func late(u *untier, c *Clause) bool {
	p := newPicker(u.isGone)
	return p.held(c)
}
