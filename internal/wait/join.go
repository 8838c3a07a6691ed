package wait

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// synchronising collectives end for nobody before all members have entered (MPI standard, chapter 6).
var synchronising = map[string]bool{
	"MPI_Barrier": true, "MPI_Allreduce": true, "MPI_Allgather": true, "MPI_Alltoall": true,
	"MPI_Reduce_scatter_block": true, "MPI_Comm_dup": true, "MPI_Comm_split": true, "MPI_Comm_create": true,
	"MPI_Comm_create_group": true, "MPI_Comm_create_from_group": true,
	"MPI_Ibarrier": true, "MPI_Iallreduce": true, "MPI_Iallgather": true, "MPI_Ialltoall": true,
	"MPI_Ireduce_scatter_block": true,
}

var fromRoot = map[string]bool{
	"MPI_Bcast": true, "MPI_Scatter": true, "MPI_Scatterv": true,
	"MPI_Ibcast": true, "MPI_Iscatter": true, "MPI_Iscatterv": true,
}

var toRoot = map[string]bool{
	"MPI_Reduce": true, "MPI_Gather": true, "MPI_Gatherv": true,
	"MPI_Ireduce": true, "MPI_Igather": true, "MPI_Igatherv": true,
}

// joins are the collectives that threads are in. What they wait for is worked out once for all of them: with as many
// threads in a collective as are missing, the clauses of each would be more than fit into memory.
type joins struct {
	known  map[instance]*join
	unseen map[*Clause]bool // lists of clauses, by their beginning, that name processes which are not seen
}

func newJoins() joins { return joins{make(map[instance]*join), make(map[*Clause]bool)} }

type instance struct {
	comm     *match.Comm
	position uint64
}

// join is a collective that not all have entered alike.
type join struct {
	match.Collective
	variant map[int32]int // of each member, where there are several
	clauses map[role][]Clause
}

// role is in what way a member is in a collective.
type role struct {
	variant int
	root    bool
}

// at returns what is known of a collective, nil if it is complete, or if not all are matched.
func (j *joins) at(c *match.Comm, position uint64) *join {
	k := instance{c, position}
	if in, ok := j.known[k]; ok {
		return in
	}
	v, ok := c.At(position)
	if !ok {
		j.known[k] = nil
		return nil
	}
	in := &join{Collective: v, variant: make(map[int32]int), clauses: make(map[role][]Clause)}
	if len(v.Variants) > 1 {
		for i := range v.Variants { // the last may stand for others
			for _, m := range v.Variants[i].Members {
				in.variant[m] = i
			}
		}
	}
	j.known[k] = in
	return in
}

// open reports whether clauses name processes that are not seen, and so may do anything.
func (j *joins) open(cs []Clause) bool {
	open, ok := j.unseen[&cs[0]]
	if !ok {
		open = slices.ContainsFunc(cs, func(c Clause) bool { return slices.Contains(c.Procs, nil) })
		j.unseen[&cs[0]] = open
	}
	return open
}

// collective works out whom member v.Me waits for in the collective at position pos; nothing if that is not known. Threads
// share what it returns.
func (a *Analyzer) collective(v *track.View, pos uint64) []Clause {
	if v.Opaque {
		return nil
	}
	in := a.joins.at(v.Comm, pos)
	if in == nil {
		return nil
	}
	r := role{}
	if len(in.Variants) > 1 {
		i, ok := in.variant[v.Me]
		if !ok {
			return nil
		}
		r.variant = i
	}
	r.root = in.Variants[r.variant].Root == v.Me
	cs, ok := in.clauses[r]
	if !ok {
		cs = a.join(in, v, r)
		in.clauses[r] = cs
	}
	return cs
}

func (a *Analyzer) join(in *join, v *track.View, r role) []Clause {
	mine := &in.Variants[r.variant]
	// Who is in another collective at this position, or has another root, will never join this one.
	absent := slices.Clone(in.Missing)
	for i := range in.Variants {
		if !in.Variants[i].Meets(mine) {
			absent = append(absent, in.Variants[i].Members...)
		}
	}
	if root := mine.Root; v.Split != 0 && root != match.None && in.Conflicts.Has(match.Root) && !in.Claimed(root) && !slices.Contains(absent, root) {
		absent = append(absent, root) // it has nothing to do with it, it says
	}
	slices.Sort(absent)
	if len(absent) == 0 {
		return nil
	}
	name := mpiapi.ByID(mine.Func).Name
	one := func(m int32) Clause {
		return Clause{What: ToJoin, Comm: v, Pos: in.Position, Procs: []*track.Process{a.member(v.Comm, m)}}
	}
	switch {
	case v.Split == 0 && (synchronising[name] || toRoot[name] && r.root):
		var cs []Clause
		for _, m := range absent {
			cs = append(cs, one(m))
		}
		return cs
	case fromRoot[name] && !r.root && slices.Contains(absent, mine.Root):
		return []Clause{one(mine.Root)}
	}
	// Who of the absent is waited for depends on the algorithm: any may be.
	cl := Clause{What: ToJoin, Comm: v, Pos: in.Position, Loose: true}
	for _, m := range absent {
		p := a.member(v.Comm, m)
		cl.Procs = append(cl.Procs, p)
		if p != nil && (p.Ended != nil || p.Finalizing && !p.Callbacks) {
			cl.Loose = false // it will never come, but must: the call is wrong, whatever MPI makes of it
		}
	}
	return []Clause{cl}
}
