package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/group"
)

// Clash is a pair of members that pass different groups for new communicators, although they must pass the same group.
// The second member is in the group that the first one passes. On an inter-communicator, both are in the same of its
// two groups.
type Clash struct {
	Members [2]int32
	Groups  [2]group.Group
	Calls   [2]Call
}

// clashLimit is the largest number of clashes reported for one collective.
const clashLimit = 64

// Crowded reports whether there may be more variants than c.Variants has.
func (c *Collective) Crowded() bool { return len(c.Variants) > variantLimit }

// clash finds the clashes in MPI_Comm_create once all members have entered it; e is the last entry. All processes in a
// group that a member passes must pass the same group, so different groups are disjoint (MPI standard, section 7.4.2).
// On an inter-communicator, all members of one side must pass the same group. Each group is compared once. So without
// clashes this takes a time proportional to the number of members.
func (s *slot) clash(c *Comm, e *Entry) (list []Clash) {
	if !e.Grouped || len(s.variants) == 0 || s.unsure || s.other || s.conflicts.Has(Validity) {
		return nil
	}
	note := func(a, b int32) {
		if x, y := &s.moved[a], &s.moved[b]; len(list) < clashLimit {
			list = append(list, Clash{
				[2]int32{a, b},
				[2]group.Group{x.group, y.group},
				[2]Call{x.call.Clone(), y.call.Clone()},
			})
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
