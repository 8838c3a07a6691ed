package match

import "slices"

// Incomplete returns the positions [first, end) of the collectives on c that some members have entered and others have
// not; end is first if there are none.
func (c *Comm) Incomplete() (first, end uint64) {
	if c.Unmatchable() {
		return c.base, c.base
	}
	return c.base, max(c.base, slices.Max(c.pos))
}

// Entered returns how many collectives on c a member has entered.
func (c *Comm) Entered(member int32) uint64 { return c.pos[member] }

// Incomplete returns the communicators, windows and files with collectives that some members have entered and others
// have not, in the order in which they were made.
func (r *Registry) Incomplete() []*Comm {
	var list []*Comm
	for _, c := range r.comms {
		if first, end := c.Incomplete(); first < end {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Comm) int { return int(a.number - b.number) })
	return list
}
