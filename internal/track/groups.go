package track

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// groupHandle is the meaning of a group's handle. Libraries return one handle for the same group several times (the
// group of a communicator), so this counts how often it must be freed.
type groupHandle struct {
	group.Group
	references int
}

// groupTable has the groups of a process by handle.
type groupTable struct{ groups map[uint64]groupHandle }

// Group returns the processes of a group, false if they are not known.
func (p *Process) Group(handle uint64) (group.Group, bool) {
	if h, ok := p.groups[handle]; ok {
		return h.Group, true
	}
	return group.Group{}, p.names.handleName(mpiapi.Group, handle) == "MPI_GROUP_EMPTY"
}

// newGroup enters the group that a call has made (MPI standard, section 7.3.2).
func (gs *groups) newGroup(pr *Process, c *event.Call) {
	h := uint64(c.After(c.Func.Arg(mpiapi.NewGroup)))
	g, ok := gs.resultingGroup(pr, c)
	if !ok {
		delete(pr.groups, h)
		return
	}
	if old, same := pr.groups[h]; same && old.Group == g {
		old.references++
		pr.groups[h] = old
		return
	}
	if name := pr.names.handleName(mpiapi.Group, h); name == "" {
		pr.groups = put(pr.groups, h, groupHandle{g, 1})
	}
}

// freeGroup follows MPI_Group_free.
func (gt *groupTable) freeGroup(handle uint64) {
	g, ok := gt.groups[handle]
	switch g.references--; {
	case !ok:
	case g.references > 0:
		gt.groups[handle] = g
	default:
		delete(gt.groups, handle)
	}
}

// groupKey is an operation that makes a group, with its operands.
type groupKey struct {
	function mpiapi.FuncID
	a, b     group.Group
	ranks    string      // arguments
	comm     *match.Comm // or the group of this
	second   bool        // the second one of an inter-communicator
}

// groupsKept is the number of remembered results of operations on groups. Most programs do the same on all processes.
// So the work is done once, and not for each process.
const groupsKept = 256

// groups remembers the results of operations on groups.
type groups struct{ results map[groupKey]group.Group }

func newGroups() groups { return groups{results: make(map[groupKey]group.Group)} }

// resultOf returns the result of an operation on groups. If it is not remembered, make determines it.
func (gs *groups) resultOf(k groupKey, make func() (group.Group, bool)) (group.Group, bool) {
	if g, ok := gs.results[k]; ok {
		return g, true
	}
	g, ok := make()
	if ok {
		if len(gs.results) >= groupsKept {
			clear(gs.results)
		}
		gs.results[k] = g
	}
	return g, ok
}

// resultingGroup determines the processes of the group that a call has made, false if they are not known.
func (gs *groups) resultingGroup(pr *Process, c *event.Call) (g group.Group, ok bool) {
	f := c.Func
	members := func(v *View, remote bool) (group.Group, bool) {
		if v == nil {
			return group.Group{}, false
		}
		return gs.membersOf(v, remote)
	}
	switch f.Base {
	case mpiapi.IDCommGroup:
		return members(pr.View(c.Handle(f.Param("comm"))), false)
	case mpiapi.IDCommRemoteGroup:
		return members(pr.View(c.Handle(f.Param("comm"))), true)
	case mpiapi.IDWinGetGroup:
		return members(pr.wins[c.Handle(f.Param("win"))], false)
	case mpiapi.IDFileGetGroup:
		return members(pr.files[c.Handle(f.Param("fh"))], false)
	case mpiapi.IDGroupFromSessionPset:
		return pr.processSet(c)
	case mpiapi.IDGroupUnion, mpiapi.IDGroupIntersection, mpiapi.IDGroupDifference:
		a, ok1 := pr.Group(c.Handle(0))
		b, ok2 := pr.Group(c.Handle(1))
		if !ok1 || !ok2 {
			return group.Group{}, false
		}
		return gs.resultOf(groupKey{function: f.Base, a: a, b: b}, func() (group.Group, bool) {
			switch f.Base {
			case mpiapi.IDGroupUnion:
				return a.Union(b), true
			case mpiapi.IDGroupIntersection:
				return a.Intersection(b), true
			}
			return a.Difference(b), true
		})
	case mpiapi.IDGroupIncl, mpiapi.IDGroupExcl, mpiapi.IDGroupRangeIncl, mpiapi.IDGroupRangeExcl:
		return gs.chooseRanks(pr, c)
	}
	return group.Group{}, false
}

// chooseRanks determines which processes of a group are selected or left out by rank.
func (gs *groups) chooseRanks(pr *Process, c *event.Call) (group.Group, bool) {
	f := c.Func
	ranged := f.Base == mpiapi.IDGroupRangeIncl || f.Base == mpiapi.IDGroupRangeExcl
	param := f.Param("ranks")
	if ranged {
		param = f.Param("ranges")
	}
	g, ok := pr.Group(c.Handle(0))
	list, recorded := c.In(param)
	if !ok || !recorded && c.Int(f.Param("n")) != 0 { // arrays without elements are not recorded
		return group.Group{}, false
	}
	ranks, text := make([]int64, list.Len()), make([]byte, 0, 4*list.Len())
	for i := range ranks {
		ranks[i] = list.At(i)
		text = binary.LittleEndian.AppendUint32(text, uint32(ranks[i]))
	}
	return gs.resultOf(groupKey{function: f.Base, a: g, ranks: string(text)}, func() (group.Group, bool) {
		ranks, ok := ranks, true
		if ranged {
			ranks, ok = group.Ranges(ranks, g.Size())
		}
		switch {
		case !ok:
			return group.Group{}, false
		case f.Base == mpiapi.IDGroupIncl || f.Base == mpiapi.IDGroupRangeIncl:
			return g.Incl(ranks)
		}
		return g.Excl(ranks)
	})
}

// membersOf returns the group of a communicator, window or file: the process's own one, or the other one. It returns
// false if some processes belong to other worlds.
func (gs *groups) membersOf(v *View, remote bool) (group.Group, bool) {
	second := v.Split != 0 && (int(v.Me) >= v.Split) != remote
	return gs.resultOf(groupKey{comm: v.Comm, second: second}, func() (group.Group, bool) {
		list := v.Members
		switch {
		case v.Split != 0 && second:
			list = list[v.Split:]
		case v.Split != 0:
			list = list[:v.Split]
		}
		return group.Of(slices.Values(list)), !slices.ContainsFunc(list, func(r int32) bool { return r < 0 })
	})
}

// GroupOf returns the processes of a communicator or window; for an inter-communicator, those of the process's own
// group. It returns false if some of them belong to another world.
func (gs *groups) GroupOf(v *View) (group.Group, bool) { return gs.membersOf(v, false) }

// Difference returns the processes of a that are not in b. Most processes need the same result, so it is remembered.
func (gs *groups) Difference(a, b group.Group) group.Group {
	g, _ := gs.resultOf(groupKey{function: mpiapi.IDGroupDifference, a: a, b: b},
		func() (group.Group, bool) { return a.Difference(b), true })
	return g
}

// processSet returns the processes of one of the sets that every MPI has (section 11.3.2).
func (p *Process) processSet(c *event.Call) (group.Group, bool) {
	name, ok := c.Text(c.Func.Param("pset_name"))
	switch {
	case !ok || p.World == nil || p.Rank < 0:
	case bytes.EqualFold(name, []byte("mpi://WORLD")):
		return group.First(p.World.Size), true
	case bytes.EqualFold(name, []byte("mpi://SELF")):
		return group.Of(slices.Values([]int32{int32(p.Rank)})), true
	}
	return group.Group{}, false
}
