package waiting

// components returns the strongly connected sets of nodes that are not released and on a cycle, by the arcs that `next`
// gives (Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion, as paths may be as long as
// there are processes). A set comes after those that it leads to. It begins at the processes that are held up.
func (u *untier) components(next func(int32) []int32) (sets [][]int32) {
	type step struct {
		node int32
		at   int
	}
	var (
		index = make([]int32, len(u.need)) // in the order of discovery, from 1 on
		low   = make([]int32, len(u.need)) // 0 once the node's set is complete
		count int32
		stack []int32
		path  []step
	)
	visit := func(n int32) {
		count++
		index[n], low[n] = count, count
		stack = append(stack, n)
		path = append(path, step{node: n})
	}
	for _, p := range u.stuck() {
		if index[p] != 0 {
			continue
		}
		for visit(p); len(path) > 0; {
			s := &path[len(path)-1]
			n := s.node
			if kids := next(n); s.at < len(kids) {
				k := kids[s.at]
				s.at++
				switch {
				case u.released(k) || u.isProcess(k) && u.gone(k):
				case index[k] == 0:
					visit(k)
				case low[k] != 0:
					low[n] = min(low[n], index[k])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].node
				low[up] = min(low[up], low[n])
			}
			if low[n] != index[n] {
				continue
			}
			var set []int32
			for {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				low[k] = 0
				set = append(set, k)
				if k == n {
					break
				}
			}
			loop := len(set) > 1
			for _, k := range next(n) {
				loop = loop || k == n
			}
			if loop {
				sets = append(sets, set)
			}
		}
	}
	return sets
}
