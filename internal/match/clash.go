package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/group"
)

// Clash is two members that name different groups for new communicators, though the second is in the group that the first
// names, or, between groups, in the same group as the first.
type Clash struct {
	Members [2]int32
	Groups  [2]group.Group
	Calls   [2]Call
}

// clashLimit is how many clashes are told of one collective.
const clashLimit = 64

// Crowded reports whether there may be more ways in which members called the collective than there are variants.
func (c *Collective) Crowded() bool { return len(c.Variants) > variantLimit }

// clash finds the clashes in MPI_Comm_create, which all members have entered, e last (MPI standard, section 7.4.2): who is
// in a group that anybody names must name the same, so that different groups have nobody in common. Between groups, all of
// one side name the same. Each group is looked at once, so that this takes a time proportional to the number of members
// where all is well.
func (s *slot) clash(c *Comm, e *Entry) (list []Clash) {
	if !e.Grouped || len(s.variants) == 0 || s.unsure || s.other || s.conflicts.Has(Validity) {
		return nil
	}
	note := func(a, b int32) {
		if x, y := &s.moved[a], &s.moved[b]; len(list) < clashLimit {
			list = append(list, Clash{[2]int32{a, b}, [2]group.Group{x.group, y.group}, [2]Call{x.call.Clone(), y.call.Clone()}})
		}
	}
	if c.Split != 0 {
		for _, side := range [][2]int{{0, c.Split}, {c.Split, len(c.Members)}} {
			for m := side[0] + 1; m < side[1]; m++ {
				if s.moved[m].group != s.moved[side[0]].group {
					note(int32(side[0]), int32(m))
					break
				}
			}
		}
		return list
	}
	seen := make(map[group.Group]bool)
	for m := range c.Members {
		g := s.moved[m].group
		if seen[g] {
			continue
		}
		seen[g] = true
		ranks := g.List()
		i := slices.IndexFunc(ranks, func(rank int32) bool {
			other := c.Index(rank)
			return other >= 0 && s.moved[other].group != g
		})
		if i >= 0 {
			note(int32(m), c.Index(ranks[i]))
		}
	}
	return list
}
