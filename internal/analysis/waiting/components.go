package waiting

import "slices"

// components returns the strongly connected sets of nodes that are not released and lie on a cycle. next gives the arcs
// of a node. A set comes after the sets that its arcs lead to. The search begins at the blocked processes.
func (u *untier) components(next func(int32) []int32) [][]int32 {
	t := &tarjan{
		next:  next,
		skip:  func(n int32) bool { return u.released(n) || u.isProcess(n) && u.gone(n) },
		index: make([]int32, len(u.need)),
		low:   make([]int32, len(u.need)),
	}
	for _, p := range u.stuck() {
		if t.index[p] == 0 {
			t.search(p)
		}
	}
	return t.sets
}

// tarjan finds strongly connected components (Tarjan, Depth-first search and linear graph algorithms, 1972). It does
// not recurse, because a path may be as long as there are processes.
type tarjan struct {
	next func(int32) []int32 // the nodes that a node's arcs lead to
	skip func(int32) bool    // the node is not part of the graph
	sets [][]int32           // found so far

	count int32
	index []int32 // per node, its position in the order of discovery, from 1 on; 0: not discovered
	low   []int32 // per node, the lowest index known to be reachable; 0 once the node's component is complete
	stack []int32 // discovered nodes whose component is not complete
	path  []step
}

// step is a node on the path of the depth-first search, and how many of its arcs have been followed.
type step struct {
	node int32
	at   int
}

// discover adds a node to the path.
func (t *tarjan) discover(n int32) {
	t.count++
	t.index[n], t.low[n] = t.count, t.count
	t.stack = append(t.stack, n)
	t.path = append(t.path, step{node: n})
}

// search finds all components that can be reached from a node.
func (t *tarjan) search(root int32) {
	for t.discover(root); len(t.path) > 0; {
		s := &t.path[len(t.path)-1]
		if targets := t.next(s.node); s.at < len(targets) {
			s.at++
			t.follow(s.node, targets[s.at-1])
		} else {
			t.leave(s.node)
		}
	}
}

// follow follows the arc from n to k.
func (t *tarjan) follow(n, k int32) {
	switch {
	case t.skip(k):
	case t.index[k] == 0:
		t.discover(k)
	case t.low[k] != 0:
		t.low[n] = min(t.low[n], t.index[k])
	}
}

// leave removes a node from the end of the path, and completes its component if the node was discovered first in it.
func (t *tarjan) leave(n int32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		before := t.path[len(t.path)-1].node
		t.low[before] = min(t.low[before], t.low[n])
	}
	if t.low[n] != t.index[n] {
		return
	}
	set := t.popUntil(n)
	if len(set) > 1 || slices.Contains(t.next(n), n) {
		t.sets = append(t.sets, set)
	}
}

// popUntil removes nodes from the stack up to and including n. They are a component.
func (t *tarjan) popUntil(n int32) (set []int32) {
	for {
		k := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.low[k] = 0
		set = append(set, k)
		if k == n {
			return set
		}
	}
}
