package state

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Object is a communicator, window or file, on all ranks that have it. Ranks are ranks in MPI_COMM_WORLD.
type Object struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // "communicator", "window", "file"
	World      int    `json:"world"`
	Size       int    `json:"size"`        // number of members on the side of its lowest rank
	RemoteSize int    `json:"remote_size"` // of an inter-communicator: size of the other group; else 0
	Ranks      []int  `json:"ranks"`       // ranks that have it
	// Without are members that run on this node and do not have the object: they have freed it, or have not returned
	// from the call that makes it. Unseen are members that are not seen on this node.
	Without     []int         `json:"without,omitempty"`
	Unseen      []int         `json:"unseen,omitempty"`
	Collectives []*Collective `json:"collectives,omitempty"`
}

// Collective says how many times each rank has called a kind of collective.
type Collective struct {
	Name   string      `json:"name"`
	Counts []RankCount `json:"counts"` // the highest count first
	Inside []int       `json:"inside,omitempty"`
	// Behind are ranks that have called it fewer times than another rank had already called it some time earlier.
	Behind []int `json:"behind,omitempty"`
}

// RankCount says which ranks have begun the given number of calls.
type RankCount struct {
	Count uint64 `json:"count"`
	Ranks []int  `json:"ranks"`
}

// identity is the same for an object on all ranks. Objects without a common identity have a separate one for each
// process.
type identity struct {
	world int
	id    uint64
	alone *Process
}

// member is an object in one process.
type member struct {
	*ring.ObjectView
	proc  *Process
	first *ring.ObjectView // at the first look; nil if it did not exist then
}

// compare combines the calls of the processes on each object.
func compare(first, second *ring.RunView, procs []*Process) []*Object {
	groups := make(map[identity][]member)
	var order []identity
	for _, p := range procs {
		before := sameProcess(first, p.view)
		for _, o := range p.view.Objects {
			k := identity{world: p.World, id: o.ID}
			if o.Alone {
				k.alone = p
			}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], member{o, p, sameObject(before, o)})
		}
	}
	labels := make(map[identity]string)
	list := make([]*Object, 0, len(order))
	for _, k := range order {
		list = append(list, newObject(groups[k], labelOf(k, groups, labels), procs))
	}
	slices.SortStableFunc(list, func(a, b *Object) int { return cmp.Compare(a.World, b.World) })
	return list
}

func sameObject(p *ring.ProcessView, o *ring.ObjectView) *ring.ObjectView {
	if p == nil {
		return nil
	}
	for _, q := range p.Objects {
		if q.Serial == o.Serial {
			return q
		}
	}
	return nil
}

// labelOf returns the label of an object. It includes the label of the object's parent.
func labelOf(k identity, groups map[identity][]member, labels map[identity]string) string {
	if s, ok := labels[k]; ok {
		return s
	}
	labels[k] = "itself" // a damaged object may be its own parent
	var one *ring.ObjectView
	for _, m := range groups[k] {
		if one == nil || one.Name == "" && m.Name != "" {
			one = m.ObjectView
		}
	}
	of, parent := "", identity{world: k.world, id: one.Parent, alone: k.alone}
	if groups[parent] == nil {
		parent.alone = nil
	}
	if one.Parent != 0 && groups[parent] != nil {
		of = labelOf(parent, groups, labels)
	}
	s := tables.Label(one, of)
	labels[k] = s
	return s
}

func newObject(members []member, name string, procs []*Process) *Object {
	lead := members[0]
	out := &Object{
		Name: name, World: lead.proc.World, Size: lead.Size, RemoteSize: lead.RemoteSize,
		Kind: map[ring.ObjectKind]string{
			ring.CommObject: "communicator", ring.WinObject: "window", ring.FileObject: "file",
		}[lead.Kind],
	}
	kinds := make(map[mpiapi.CollKind]bool)
	for _, m := range members {
		out.Ranks = append(out.Ranks, m.proc.Rank)
		for _, c := range m.Counts {
			kinds[c.Kind] = true
		}
	}
	slices.Sort(out.Ranks)
	if !lead.Alone {
		out.absent(lead.Members, procs)
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		out.Collectives = append(out.Collectives, newCollective(k, members))
	}
	return out
}

// absent finds the members that do not have the object.
func (o *Object) absent(members []int, procs []*Process) {
	runs := make(map[int]bool)
	for _, p := range procs {
		runs[p.Rank] = runs[p.Rank] || p.World == o.World && p.view.Alive
	}
	for _, r := range members {
		switch {
		case r < 0 || slices.Contains(o.Ranks, r):
		case runs[r]:
			o.Without = append(o.Without, r)
		default:
			o.Unseen = append(o.Unseen, r)
		}
	}
	slices.Sort(o.Without)
	slices.Sort(o.Unseen)
}

// count returns an object's count of a kind of collective.
func count(o *ring.ObjectView, k mpiapi.CollKind) ring.Count {
	if o != nil {
		for _, c := range o.Counts {
			if c.Kind == k {
				return c
			}
		}
	}
	return ring.Count{Kind: k}
}

func newCollective(k mpiapi.CollKind, members []member) *Collective {
	out := &Collective{Name: k.String()}
	byCount := make(map[uint64][]int)
	var most uint64 // at the first look
	for _, m := range members {
		c := count(m.ObjectView, k)
		byCount[c.Entered] = append(byCount[c.Entered], m.proc.Rank)
		if c.Entered > c.Left {
			out.Inside = append(out.Inside, m.proc.Rank)
		}
		most = max(most, count(m.first, k).Entered)
	}
	for _, m := range members {
		if count(m.ObjectView, k).Entered < most {
			out.Behind = append(out.Behind, m.proc.Rank)
		}
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byCount))) {
		out.Counts = append(out.Counts, RankCount{n, byCount[n]})
	}
	return out
}
