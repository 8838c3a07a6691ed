package rules

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/record/event"
)

const outside = "names rank %[2]d, but the ranks of the group go from 0 to %[1]d"

// chosen returns the group that ranks are chosen from, and the ranks. The result is false if these are unknown.
func (f function) chosen(list string) func(*call) (group.Group, event.Array, bool) {
	from, param := f.value(0), f.Param(list)
	return func(c *call) (group.Group, event.Array, bool) {
		g, ok := c.process.Group(from.Handle(c.rec))
		ranks, recorded := c.In(param)
		return g, ranks, ok && recorded
	}
}

// ranksRule checks the ranks that are passed to MPI_Group_incl and MPI_Group_excl (section 7.3.2).
func (f function) ranksRule() rule {
	chosen, param := f.chosen("ranks"), f.Param("ranks")
	return func(c *call) bool {
		g, list, ok := chosen(c)
		if !ok {
			return true
		}
		seen := make(map[int64]bool, list.Len())
		for k := range list.Len() {
			switch r := list.At(k); {
			case r < 0 || r >= int64(g.Size()):
				return c.rejectElement(param, k, fmt.Sprintf(outside, g.Size()-1, r))
			case seen[r]:
				return c.rejectElement(param, k, fmt.Sprintf("names rank %d a second time", r))
			default:
				seen[r] = true
			}
		}
		return true
	}
}

// rangesRule checks the triples that are passed to MPI_Group_range_incl and MPI_Group_range_excl (section 7.3.2).
func (f function) rangesRule() rule {
	chosen, param := f.chosen("ranges"), f.Param("ranges")
	return func(c *call) bool {
		g, list, ok := chosen(c)
		if !ok {
			return true
		}
		seen := make(map[int64]bool)
		for k := 0; k+2 < list.Len(); k += 3 {
			if why := triple(list.At(k), list.At(k+1), list.At(k+2), int64(g.Size()), seen); why != "" {
				return c.rejectElement(param, k/3, why)
			}
		}
		return true
	}
}

// triple says what is wrong with a range of ranks, "" if nothing is wrong. It adds the ranks of the range to seen.
func triple(first, last, stride, size int64, seen map[int64]bool) string {
	switch {
	case stride == 0:
		return "has a stride of 0"
	case first < 0 || first >= size:
		return fmt.Sprintf(outside, size-1, first)
	case (last-first)/stride < 0 || stride > 0 != (last >= first) && first != last:
		return "" // MPI libraries treat it as one rank, or none
	}
	for r := first; stride > 0 && r <= last || stride < 0 && r >= last; r += stride {
		switch {
		case r < 0 || r >= size:
			return fmt.Sprintf(outside, size-1, r)
		case seen[r]:
			return fmt.Sprintf("names rank %d, as another range does", r)
		}
		seen[r] = true
	}
	return ""
}

// epochRule checks the group of MPI_Win_start and MPI_Win_post: it must be part of the window's group (section 12.5).
func (f function) epochRule() rule {
	param := f.Param("group")
	at := f.value(param)
	return func(c *call) bool {
		g, ok := c.process.Group(at.Handle(c.rec))
		if !ok || c.view == nil {
			return true
		}
		all, ok := c.tracker.GroupOf(c.view)
		if !ok {
			return true
		}
		for r := range c.tracker.Difference(g, all).Ranks() {
			c.reject(param, fmt.Sprintf("has processes that are not in the group of the window: rank %d of "+
				"MPI_COMM_WORLD", r))
			c.mistake.Advice = "Make the group from the group of the window (MPI_Win_get_group), with the ranks in " +
				"that group."
			return false
		}
		return true
	}
}
