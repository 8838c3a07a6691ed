package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// gatherings finds the gatherings of processes that make a communicator from a group.
type gatherings struct {
	*core
	job       *job
	registry  *match.Registry
	strangers map[stranger]bool // processes with unknown gatherings
}

func newGatherings(c *core, j *job, r *match.Registry) gatherings {
	return gatherings{core: c, job: j, registry: r, strangers: make(map[stranger]bool)}
}

// gathering returns the gathering that a call takes part in. It returns nil if there is none, or if it is not known.
//
// Some functions are collective over the processes of a group, and not over a communicator (MPI standard, sections
// 7.4.2 and 7.6.2; column bygroup). Processes that pass the same communicator, groups and tag meet: they are a
// gathering. Their calls are counted in it, like collectives on a communicator.
func (gs *gatherings) gathering(th *Thread, c *event.Call) *View {
	pr, f := th.Process, c.Func
	if pr.World == nil {
		return nil
	}
	key := match.Key{World: pr.World, Kind: match.KeyGathering}
	handle := uint64(0)
	if i := f.Arg(mpiapi.TheComm); i >= 0 {
		parent := pr.View(c.Handle(i))
		if parent == nil || parent.Opaque || parent.Split != 0 {
			return nil
		}
		key.Parent, handle = parent.Comm, parent.Handle
	}
	if i := f.Arg(mpiapi.SendTag); i >= 0 {
		key.Seq = uint64(c.Int(i))
	} else {
		text, _ := c.Text(f.Param("stringtag"))
		key.Hash = hashText(string(text))
	}
	local, known := pr.Group(c.Handle(f.Arg(mpiapi.TheGroup)))
	var remote group.Group
	if i := f.Param("remote_group"); i >= 0 {
		var also bool
		remote, also = pr.Group(c.Handle(i))
		known = known && also
	}
	if !known {
		gs.distrustGatherings(pr, key.Parent)
		if gs.Replay != nil {
			gs.Replay.Doubt(th, false)
		}
		return nil
	}
	me := local.Index(int32(pr.Rank))
	if me < 0 {
		return nil // then the call concerns no other process
	}
	v := &View{Handle: handle, Me: int32(me), Peers: int32(local.Size())}
	groups := [2]group.Group{local, remote}
	if remote.Size() > 0 {
		v.Peers = int32(remote.Size())
		if lowest(local) < lowest(remote) {
			v.Base = int32(local.Size())
		} else {
			v.Me += int32(remote.Size())
			groups = [2]group.Group{remote, local}
		}
	}
	key.Hash ^= (groups[0].Hash()*31 + groups[1].Hash()) * 31
	v.Comm = gs.registry.Comm(key, func() *match.Comm {
		members, split := groups[0].List(), 0
		if remote.Size() > 0 {
			members, split = append(members, groups[1].List()...), groups[0].Size()
		}
		return &match.Comm{
			Domain: match.Gathering, Members: members, Split: split, World: pr.World, Made: th.call(c.Raw()),
			Opaque: gs.distrusted(pr.World, key.Parent, members),
		}
	})
	return v
}

func lowest(g group.Group) int32 {
	low := int32(-1)
	for r := range g.Ranks() {
		if low < 0 || r < low {
			low = r
		}
	}
	return low
}

// stranger is a process that has made a communicator with an unknown group, and the communicator that it was made from,
// if any.
type stranger struct {
	process *Process
	parent  *match.Comm
}

// distrustGatherings notes that a process takes part in an unknown gathering. So the process is missing in one
// gathering, but it may have come.
func (gs *gatherings) distrustGatherings(pr *Process, parent *match.Comm) {
	gs.strangers[stranger{pr, parent}] = true
	gs.registry.All(func(c *match.Comm) {
		if c.Domain == match.Gathering && c.World == pr.World && c.Parent() == parent && c.Index(int32(pr.Rank)) >= 0 {
			c.Opaque = true
		}
	})
	gs.registry.All(func(c *match.Comm) { // the communicators that others have already got by it
		if p := c.Parent(); p != nil && p.Domain == match.Gathering && p.Opaque {
			c.Opaque = true
		}
	})
}

// unclear reports whether other processes may know the communicator that a thread has made by another identity. That is
// the case if it is not known that all members were in the same gathering.
func (gs *gatherings) unclear(th *Thread, parent *match.Comm) bool {
	if th.view != nil {
		return th.view.Opaque
	}
	return gs.strangers[stranger{th.Process, parent}]
}

// distrusted reports whether one of the members has taken part in an unknown gathering.
func (gs *gatherings) distrusted(w *match.World, parent *match.Comm, members []int32) bool {
	return len(gs.strangers) > 0 && slices.ContainsFunc(members, func(rank int32) bool {
		return gs.strangers[stranger{gs.job.ProcessOf(w, int(rank)), parent}]
	})
}
