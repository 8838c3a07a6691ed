package collorder

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Crossing is a circle of collectives. Each can end only after the next has ended, and the last only after the first.
type Crossing struct {
	Links []Link

	comms []*comm
}

// Sound reports whether the crossing still holds: each process uses each of the communicators in one thread only, as
// far as is known by now. Where several threads take turns, another order is possible, and there is no circle.
func (x *Crossing) Sound() bool {
	return !slices.ContainsFunc(x.comms, func(c *comm) bool { return c.unclear })
}

// Link says which threads enter First before Second. So Second cannot end before First has ended. First is the Second
// of the next link.
type Link struct {
	First, Second Instance
	Threads       []Order
}

// Instance is a collective: a position in the sequence of a communicator.
type Instance struct {
	Comm     *match.Comm
	Position uint64
}

// Order is the two calls of one thread that make a link. The second call may be an earlier collective than Second, if
// the collectives between them do not block.
type Order struct {
	Thread        ring.ThreadID
	First, Second *match.Call
}

// Tick notes that time passes.
func (s *Simulation) Tick() {
	s.Advance()
	for _, t := range s.busy {
		if t.idle.passed != t.passed {
			t.idle = ticks{passed: t.passed}
		}
		t.idle.n++
	}
}

// heldUp returns the number of ticks for which a thread has not gone on.
func (t *thread) heldUp() int {
	if t.idle.passed != t.passed {
		return 0
	}
	return t.idle.n
}

// established is the number of ticks that a thread must have been held up before it is examined. Few threads of a
// program that goes on are held up that long.
const established = 2

// Gone reports whether a member of a communicator will enter no more collectives.
type Gone func(c *match.Comm, member int32) bool

// Crossing returns a crossing, or nil if there is none. It waits for processes that may still take the same part in the
// crossing as others: until there are no such processes, or until none has joined for the given number of ticks. Each
// crossing is returned once: after that, the simulation goes on as if one of its collectives did not synchronise.
func (s *Simulation) Crossing(patience int, gone Gone) *Crossing {
	s.Advance()
	for _, held := range []int{min(established, patience), patience} {
		g := s.graph(held)
		if len(g.edges) == 0 {
			return nil
		}
		g.prune()
		path := g.circle()
		if path == nil {
			return nil
		}
		all := s.graph(0) // includes the threads that arrived last
		if held == patience && !all.growing(path, patience) || !awaited(path, gone) {
			return all.take(path)
		}
	}
	return nil
}

// between calls f for all threads that make a link of a circle.
func (g *graph) between(link edge, f func(edge)) {
	for _, o := range g.edges[link.from] {
		if o.to == link.to {
			f(o)
		}
	}
}

// growing reports whether a thread has joined a circle in the last ticks.
func (g *graph) growing(path []edge, patience int) (young bool) {
	for _, e := range path {
		g.between(e, func(o edge) { young = young || o.thread.heldUp() < patience })
	}
	return young
}

// take makes a crossing of a circle. The circle does not hold up its threads any longer.
func (g *graph) take(path []edge) *Crossing {
	x := new(Crossing)
	for _, e := range path {
		l := Link{First: e.to, Second: e.from}
		g.between(e, func(o edge) {
			first, second := &o.thread.queue[o.thread.head], &o.thread.queue[o.at]
			l.Threads = append(l.Threads, Order{o.thread.id, first.call, second.call})
			first.blocks = false
		})
		x.Links = append(x.Links, l)
		c := e.thread.queue[e.at].comm
		c.crossed++
		x.comms = append(x.comms, c)
	}
	return x
}

// awaited reports whether a process that belongs to both communicators of a link has not yet entered both of its
// collectives.
func awaited(path []edge, gone Gone) bool {
	for _, e := range path {
		first, second := e.thread.inside, e.thread.queue[e.at].comm
		if first.of.World != second.of.World {
			continue
		}
		member := make(map[int32]int, len(first.members)) // member numbers in the first communicator, by rank
		for i, rank := range first.of.Members {
			member[rank] = i
		}
		for i, rank := range second.of.Members {
			k, both := member[rank]
			both = both && rank >= 0
			if both && (first.members[k].next <= e.to.Position || second.members[i].next <= e.from.Position) &&
				!gone(second.of, int32(i)) {
				return true
			}
		}
	}
	return false
}

// agenda is what a thread will enter after it is no longer held up: the first item of each communicator.
type agenda struct {
	first  map[*comm]int
	order  []*comm
	looked int    // items of the queue that have been examined
	passed uint64 // the agenda is valid as long as the thread has not gone on since
}

// ahead brings a thread's agenda up to date.
func (t *thread) ahead() *agenda {
	a := &t.plan
	if a.first == nil || a.passed != t.passed {
		*a = agenda{first: make(map[*comm]int), looked: t.head + 1, passed: t.passed}
	}
	for ; a.looked < len(t.queue); a.looked++ {
		c := t.queue[a.looked].comm
		if _, ok := a.first[c]; !ok {
			a.first[c] = a.looked
			a.order = append(a.order, c)
		}
	}
	return a
}

// edge says that the collective from cannot end before a thread leaves the collective to, in which the thread is held
// up.
type edge struct {
	from, to Instance
	thread   *thread
	at       int // index in its queue: the item that contains from, or an earlier item of the same communicator
}

// graph says which collectives wait for which others. It contains the collectives in which threads are held up.
type graph struct {
	nodes []Instance // in the order in which they were found
	edges map[Instance][]edge
}

func (s *Simulation) graph(patience int) *graph {
	g := &graph{edges: make(map[Instance][]edge)}
	held := make(map[*comm][]Instance)
	var threads []*thread
	for _, t := range s.busy {
		if t.heldUp() < patience || t.inside.free() {
			continue
		}
		threads = append(threads, t)
		if in := t.in(); !slices.Contains(held[t.inside], in) {
			held[t.inside] = append(held[t.inside], in)
			g.nodes = append(g.nodes, in)
		}
	}
	for _, t := range threads {
		a := t.ahead()
		for _, c := range a.order {
			at := a.first[c]
			if c == t.inside || c.free() {
				continue
			}
			for _, in := range held[c] {
				if c.members[t.queue[at].me].arrived <= in.Position {
					g.edges[in] = append(g.edges[in], edge{in, t.in(), t, at})
				}
			}
		}
	}
	return g
}

// in returns the collective that a thread is held up in.
func (t *thread) in() Instance {
	return Instance{t.inside.of, max(t.inside.done, t.queue[t.head].from)}
}

// prune removes the nodes that cannot be part of a circle, because no edge leads to them or from them.
func (g *graph) prune() {
	for before := -1; before != len(g.nodes); {
		before = len(g.nodes)
		into := make(map[Instance]bool)
		for _, n := range g.nodes {
			for _, e := range g.edges[n] {
				into[e.to] = true
			}
		}
		g.nodes = slices.DeleteFunc(g.nodes, func(n Instance) bool {
			leads := slices.ContainsFunc(g.edges[n], func(e edge) bool { return len(g.edges[e.to]) > 0 })
			if leads && into[n] {
				return false
			}
			delete(g.edges, n)
			return true
		})
	}
}

// tries is the number of nodes on circles that are examined to find a shorter circle.
const tries = 64

// circle returns a short circle, or nil if there is none.
func (g *graph) circle() []edge {
	var best []edge
	found := 0
	for _, n := range g.nodes {
		path := g.back(n)
		if path == nil {
			continue
		}
		if best == nil || len(path) < len(best) {
			best = path
		}
		if found++; found == tries || len(best) == 2 {
			break
		}
	}
	return best
}

// back returns a shortest path from a node to itself, or nil if there is none.
func (g *graph) back(start Instance) []edge {
	via := make(map[Instance]edge)
	queue := []Instance{start}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range g.edges[n] {
			if _, seen := via[e.to]; seen {
				continue
			}
			via[e.to] = e
			if e.to != start {
				queue = append(queue, e.to)
				continue
			}
			var path []edge
			for at := start; ; {
				e := via[at]
				path = append(path, e)
				if at = e.from; at == start {
					slices.Reverse(path)
					return path
				}
			}
		}
	}
	return nil
}
