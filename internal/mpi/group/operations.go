package group

import "slices"

// Incl returns the processes with the given ranks in g, in that order (MPI_Group_incl). It returns false if g has no
// process with one of the ranks.
func (g Group) Incl(ranks []int64) (Group, bool) {
	list, ok := g.List(), true
	var b builder
	for _, r := range ranks {
		if r < 0 || r >= int64(len(list)) {
			ok = false
			break
		}
		b.add(list[r])
	}
	return b.group(), ok
}

// Excl returns the processes of g except those with the given ranks in g (MPI_Group_excl). It returns false if g has no
// process with one of the ranks.
func (g Group) Excl(ranks []int64) (Group, bool) {
	ranks = slices.Sorted(slices.Values(ranks))
	if n := len(ranks); n > 0 && (ranks[0] < 0 || ranks[n-1] >= int64(g.size)) {
		return Group{}, false
	}
	var b builder
	before := int64(0) // number of ranks in earlier runs of g
	for r := range g.all() {
		from := int32(0)
		for len(ranks) > 0 && ranks[0] < before+int64(r.count) {
			to := int32(ranks[0] - before)
			b.addRun(run{r.start + from*r.stride, r.stride, to - from})
			from = max(from, to+1) // ranks may contain a rank twice
			ranks = ranks[1:]
		}
		b.addRun(run{r.start + from*r.stride, r.stride, r.count - from})
		before += int64(r.count)
	}
	return b.group(), true
}

// Ranges returns the ranks of triples of first, last and stride, in order (section 7.3.2). It returns false if a triple
// is invalid, or if there are more than limit ranks.
func Ranges(triples []int64, limit int) ([]int64, bool) {
	var ranks []int64
	for ; len(triples) >= 3; triples = triples[3:] {
		first, last, stride := triples[0], triples[1], triples[2]
		if stride == 0 || (last-first)/stride < 0 || int((last-first)/stride) >= limit-len(ranks) {
			return nil, false
		}
		for i := range (last-first)/stride + 1 {
			ranks = append(ranks, first+i*stride)
		}
	}
	return ranks, len(triples) == 0
}

func (g Group) set() map[int32]bool {
	set := make(map[int32]bool, g.size)
	for r := range g.Ranks() {
		set[r] = true
	}
	return set
}

// only returns the processes of g that are in o, or those that are not in o if in is false, in the order of g.
func (g Group) only(o Group, in bool) Group {
	set := o.set()
	var b builder
	for r := range g.Ranks() {
		if set[r] == in {
			b.add(r)
		}
	}
	return b.group()
}

// Union returns the processes of g, followed by the processes of o that are not in g (MPI_Group_union).
func (g Group) Union(o Group) Group {
	var b builder
	for r := range g.all() {
		b.addRun(r)
	}
	for r := range o.only(g, false).all() {
		b.addRun(r)
	}
	return b.group()
}

// Intersection returns the processes of g that are in o (MPI_Group_intersection).
func (g Group) Intersection(o Group) Group { return g.only(o, true) }

// Difference returns the processes of g that are not in o (MPI_Group_difference).
func (g Group) Difference(o Group) Group { return g.only(o, false) }
