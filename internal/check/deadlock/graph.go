package deadlock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/report/waitgraph"
	"github.com/mpivet/mpivet/internal/track"
)

// apart is the largest number of processes in knots that have a node each. If there are more, those at one place share
// one.
const apart = 24

// drawing turns a deadlock into a graph for the report.
type drawing struct {
	x      *check.Run
	graph  waitgraph.Graph
	node   []int32 // by process: its node, from 1 on; 0: none
	groups map[string]int
	arcs   map[waitgraph.Arc]bool
}

// draw returns the graph of a deadlock. Processes that block each other have a node each, all others one for each
// place.
func draw(x *check.Run, d *waiting.Deadlock) *waitgraph.Graph {
	g := &drawing{
		x: x, node: make([]int32, len(x.Tracker.Processes)),
		groups: make(map[string]int), arcs: make(map[waitgraph.Arc]bool),
	}
	n := 0
	for i := range d.Knots {
		n += len(d.Knots[i].Links)
	}
	for i := range d.Knots {
		for j, l := range d.Knots[i].Links {
			key := ""
			if n <= apart {
				key = fmt.Sprint(i, j)
			}
			g.add(waitgraph.Knot, l.Blocked, key)
		}
	}
	for i := range d.Blocked {
		g.add(waitgraph.Waiting, &d.Blocked[i], "")
	}
	for _, p := range d.Gone {
		g.addGone(p)
	}
	done := make(map[int]bool) // a node for many processes has the arcs of the first
	arcs := func(b *waiting.Blocked, cs []waiting.Clause) {
		if from, _ := g.of(b.Thread.Process); !done[from] {
			done[from] = true
			g.connect(from, cs, false)
		}
	}
	for i := range d.Knots {
		for _, l := range d.Knots[i].Links {
			arcs(l.Blocked, []waiting.Clause{*l.Clause})
		}
	}
	for _, l := range d.Orphans {
		arcs(l.Blocked, []waiting.Clause{*l.Clause})
	}
	for i := range d.Blocked {
		arcs(&d.Blocked[i], d.Blocked[i].Clauses)
	}
	return &g.graph
}

// of returns the node that a process is in.
func (g *drawing) of(p *track.Process) (int, bool) {
	n := g.node[p.Proc.ID]
	return int(n) - 1, n > 0
}

// add puts a thread's process into the node of its kind, key and place, if it is in no node yet.
func (g *drawing) add(kind waitgraph.Kind, b *waiting.Blocked, key string) {
	p := b.Thread.Process
	if _, ok := g.of(p); ok {
		return
	}
	g.enter(p, string(kind)+key+g.x.Place(b.Call), func() waitgraph.Node {
		name, place, _ := strings.Cut(g.x.CallAt(b.Call), " at ")
		return waitgraph.Node{Kind: kind, Call: name, Place: place}
	})
}

func (g *drawing) addGone(p *track.Process) {
	how := ending(p)
	g.enter(p, how, func() waitgraph.Node { return waitgraph.Node{Kind: waitgraph.Ended, Call: how} })
}

// enter puts a process into the node of a key. It makes the node for the first process.
func (g *drawing) enter(p *track.Process, key string, node func() waitgraph.Node) {
	i, ok := g.groups[key]
	if !ok {
		i = len(g.graph.Nodes)
		g.groups[key] = i
		g.graph.Nodes = append(g.graph.Nodes, node())
	}
	g.node[p.Proc.ID] = int32(i + 1)
	n := &g.graph.Nodes[i]
	n.Ranks = append(n.Ranks, p.Rank)
}

// connect adds the arcs for what the processes of a node wait for.
func (g *drawing) connect(from int, cs []waiting.Clause, either bool) {
	for i := range cs {
		c := &cs[i]
		for _, way := range c.Ways {
			g.connect(from, way, true)
		}
		if c.What == waiting.Either || c.What == waiting.ToTransfer {
			continue
		}
		last := -1
		for _, p := range c.Procs {
			to, ok := g.of(p)
			if !ok || to == last {
				continue // one arc for many processes at one place
			}
			last = to
			a := waitgraph.Arc{From: from, To: to, Any: either || len(c.Procs) > 1, Label: label(c)}
			if !g.arcs[a] {
				g.arcs[a] = true
				g.graph.Arcs = append(g.graph.Arcs, a)
			}
		}
	}
}

// label says in a few words what a clause waits for.
func label(c *waiting.Clause) string {
	tagged := func(what string, t int32) string {
		if t == match.Any {
			return what + ", any tag"
		}
		return fmt.Sprintf("%s, tag %d", what, t)
	}
	switch c.What {
	case waiting.ToReceive:
		return tagged("to receive", c.Op.Tag)
	case waiting.ToSend:
		return tagged("to send", c.Tag)
	case waiting.ToJoin:
		return "to call it too"
	case waiting.ToStart:
		return "to start it too"
	case waiting.ToReady:
		return tagged("to mark partitions ready", c.Op.Tag)
	}
	return "to lead"
}

// sorted sorts the ranks of all nodes.
func sorted(g *waitgraph.Graph) *waitgraph.Graph {
	for i := range g.Nodes {
		slices.Sort(g.Nodes[i].Ranks)
	}
	return g
}
