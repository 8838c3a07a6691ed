package collargs

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/group"
)

// among returns the group that a parameter names; false if the group is not known. All its processes must be members of
// c.
func (f *filler) among(name string, c *match.Comm) (group.Group, bool) {
	i := f.param(name)
	g, ok := f.process.Group(f.call.Handle(i))
	if ok && !f.memo.within(c, g) {
		f.wrong(i, "has processes that are not in the communicator")
	}
	return g, ok
}

// create notes the group of MPI_Comm_create. On an inter-communicator, its processes must be in the member's own group
// (MPI standard, section 7.4.2).
func (f *filler) create() {
	e, c := f.entry, f.member.Comm
	e.Pairwise = true // the group that each member names is kept
	g, ok := f.among("group", c)
	if !ok {
		e.Unsure = true
		return
	}
	if f.inter() && e.Invalid == 0 {
		from, to := c.Group(f.member.Me)
		for r := range g.Ranks() {
			if m := c.Index(r); m < from || m >= to {
				f.wrong(f.param("group"), "has processes that are not in the local group of the inter-communicator")
				break
			}
		}
	}
	e.Grouped, e.Group = true, g
	f.set(match.Groups, g.Hash())
}

// leaders notes the leaders of the two groups that make an inter-communicator. Both sides name both leaders (section
// 7.6.2).
func (f *filler) leaders() {
	var at [2]int64
	for i, name := range [...]string{"local_group", "remote_group"} {
		leader := f.param([...]string{"local_leader", "remote_leader"}[i])
		g, ok := f.process.Group(f.call.Handle(f.param(name)))
		if at[i] = f.call.Int(leader); ok && (at[i] < 0 || at[i] >= int64(g.Size())) {
			f.wrong(leader, "is no rank of "+name)
		}
	}
	if f.second() { // both sides must note the leaders in the same order
		at[0], at[1] = at[1], at[0]
	}
	f.set(match.Leader, mix(mix(1, uint64(at[0])+1), uint64(at[1])+1))
}
