package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/track"
)

// graph is the AND-OR graph of what processes wait for. Its first nodes are the processes, by number. The other nodes
// are what they wait for: sets of processes of which one is enough, and lists of which all are needed. An arc leads
// from a node to a node that waits for it. A list or set that several threads share is one node. So p processes that
// each wait for any of p processes make 2p arcs, not p².
type graph struct {
	// need is the number of predecessors of a node that must still be released before the node is released. At 0, the
	// node is released.
	need  []int32
	all   []bool  // the node needs all of its predecessors, and has more than one
	head  []int32 // first arc from a node, -1 if there is none
	arcs  []graphArc
	procs int

	queue []int32
	lists map[*Clause]int32         // by their first element; only lists that are shared
	sets  map[**track.Process]int32 // by their first element
}

type graphArc struct{ to, next int32 }

// reset makes g a graph of n processes that wait for nothing and are not released.
func (g *graph) reset(n int) {
	g.procs = n
	g.need, g.all, g.head, g.arcs, g.queue = g.need[:0], g.all[:0], g.head[:0], g.arcs[:0], g.queue[:0]
	g.lists, g.sets = make(map[*Clause]int32), make(map[**track.Process]int32)
	for range n {
		g.node(1)
	}
}

// node adds a node that is released when need of its predecessors are released, and returns its number.
func (g *graph) node(need int) int32 {
	g.need = append(g.need, int32(need))
	g.all = append(g.all, need > 1)
	g.head = append(g.head, -1)
	return int32(len(g.need) - 1)
}

func (g *graph) arc(from, to int32) {
	g.arcs = append(g.arcs, graphArc{to, g.head[from]})
	g.head[from] = int32(len(g.arcs) - 1)
}

func number(p *track.Process) int32 { return int32(p.Proc.ID) }

// list returns the node that represents all of cs.
func (g *graph) list(cs []Clause) int32 {
	if len(cs) == 1 {
		return g.clause(&cs[0])
	}
	shared := cs[0].What == ToJoin || cs[0].What == ToStart
	if n, ok := g.lists[&cs[0]]; ok && shared {
		return n
	}
	n := g.node(len(cs))
	if shared {
		g.lists[&cs[0]] = n
	}
	for i := range cs {
		g.arc(g.clause(&cs[i]), n)
	}
	return n
}

// clause returns the node that represents any of the processes, or ways, of c.
func (g *graph) clause(c *Clause) int32 {
	switch {
	case c.What == Either:
		n := g.node(1)
		for _, way := range c.Ways {
			g.arc(g.list(way), n)
		}
		return n
	case len(c.Procs) == 0: // no process can release it
		return g.node(1)
	case len(c.Procs) == 1:
		return number(c.Procs[0])
	}
	n, ok := g.sets[&c.Procs[0]]
	if !ok {
		n = g.node(1)
		g.sets[&c.Procs[0]] = n
		for _, p := range c.Procs {
			g.arc(number(p), n)
		}
	}
	return n
}

// solve adds threads to the graph. It returns the threads that remain blocked after everything that can be released has
// been released.
func (g *graph) solve(blocked []Blocked) []Blocked {
	for i := range blocked {
		b := &blocked[i]
		g.arc(g.list(b.Clauses), number(b.Thread.Process))
	}
	g.spread()
	return slices.DeleteFunc(blocked, func(b Blocked) bool { return g.released(number(b.Thread.Process)) })
}

// release lets a process go on.
func (g *graph) release(p int32) {
	if g.need[p] > 0 {
		g.need[p] = 0
		g.queue = append(g.queue, p)
	}
}

func (g *graph) released(n int32) bool { return g.need[n] <= 0 }

// spread releases all nodes that can be released because of the released nodes, in time linear in the arcs.
func (g *graph) spread() {
	for len(g.queue) > 0 {
		n := g.queue[len(g.queue)-1]
		g.queue = g.queue[:len(g.queue)-1]
		for i := g.head[n]; i >= 0; i = g.arcs[i].next {
			to := g.arcs[i].to
			if g.need[to]--; g.need[to] == 0 {
				g.queue = append(g.queue, to)
			}
		}
	}
}
