package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// whom says which other members a member waits for in a collective, as far as the standard determines it.
type whom uint8

const (
	some   whom = iota // this depends on the algorithm
	others             // every other member
	root               // the root
)

// waitsFor returns which members a member waits for in f. moves: the collective has data to move. atRoot: the member is
// the root.
//
// The root of MPI_Bcast has data for every other member, and in MPI_Reduce every member has data for the root. If the
// counts vary, a member may have no data to move, and need not wait (MPI standard, section 6.1).
func waitsFor(f *mpiapi.Func, moves, atRoot bool) whom {
	switch {
	case f.Waits == mpiapi.WaitsAll, moves && f.Exchanges():
		return others
	case !moves || f.CountsVary():
	case f.Flow == mpiapi.AllToOne && atRoot:
		return others
	case f.Flow == mpiapi.OneToAll && !atRoot:
		return root
	}
	return some
}

// moves reports whether a collective with these arguments has data to move.
func moves(v *match.Variant) bool {
	s := &v.Sides[0]
	return s.Count > 0 && s.Type != nil && s.Type.Of().Size > 0
}

// joins are the collectives that threads are in. The clauses of a collective are worked out once for all threads in it.
// If many threads are in a collective and many are missing, separate clauses for each thread would not fit into memory.
type joins map[instance]*join

type instance struct {
	comm     *match.Comm
	position uint64
	round    uint32 // number of the start of a persistent collective
}

// join is a collective that not all members have entered in the same way, or a persistent collective that not all
// members have started.
type join struct {
	match.Collective
	start   bool          // it is a persistent collective
	variant map[int32]int // index of each member's variant, if there are several variants
	parts   map[role]parts
}

// role is the way in which a member takes part in a collective.
type role struct {
	variant int
	root    bool
}

// at returns the join for a collective. It is nil if the collective is complete, or if not all its calls are matched.
func (j joins) at(c *match.Comm, position uint64) *join {
	k := instance{comm: c, position: position}
	if in, ok := j[k]; ok {
		return in
	}
	v, ok := c.At(position)
	if !ok {
		j[k] = nil
		return nil
	}
	in := newJoin(v)
	j[k] = in
	return in
}

func newJoin(v match.Collective) *join {
	in := &join{Collective: v, variant: make(map[int32]int), parts: make(map[role]parts)}
	if len(v.Variants) > 1 {
		for i := range v.Variants { // the last variant may stand for several
			for _, m := range v.Variants[i].Members {
				in.variant[m] = i
			}
		}
	}
	return in
}

// started returns the join for the last start of a persistent collective by a request.
func (j joins) started(r *track.Request) *join {
	n := r.Rounds.Round(r.View.Me)
	k := instance{r.View.Comm, r.Pos, n}
	if in, ok := j[k]; ok {
		return in
	}
	v, ok := r.View.At(r.Pos) // ok if the members' calls differ
	if !ok {
		v = match.Collective{Comm: r.View.Comm, Position: r.Pos, Variants: []match.Variant{{Entry: r.Rounds.Entry}}}
	}
	v.Missing = r.Rounds.Behind(n)
	in := newJoin(v)
	in.start = true
	j[k] = in
	return in
}

// round works out which processes a started persistent collective waits for.
func (l *look) round(r *track.Request) parts {
	v := r.View
	if r.Rounds == nil || v.Opaque || v.World != nil && v.World.Unsure {
		return parts{unknown: true}
	}
	return l.role(l.joins.started(r), v)
}

// collective works out which processes member v.Me waits for in the collective at position pos. Threads share the
// result.
func (l *look) collective(v *track.View, pos uint64) parts {
	if v.Opaque {
		return parts{unknown: true}
	}
	in := l.joins.at(v.Comm, pos)
	if in == nil {
		if v.Complete(pos) { // the collective still requires all members to call MPI
			return l.part(Clause{
				What: ToTransfer, Comm: v, Pos: pos, Procs: l.members(v.Comm, 0, int32(v.Size())), Loose: true,
			})
		}
		return parts{unknown: true}
	}
	return l.role(in, v)
}

// role works out which processes member v.Me waits for in a collective.
func (l *look) role(in *join, v *track.View) parts {
	r := role{}
	if len(in.Variants) > 1 {
		i, ok := in.variant[v.Me]
		if !ok {
			return parts{unknown: true}
		}
		r.variant = i
	}
	r.root = in.Variants[r.variant].Root == v.Me
	ps, ok := in.parts[r]
	if !ok {
		ps = l.join(in, v, r)
		in.parts[r] = ps
	}
	return ps
}

func (l *look) join(in *join, v *track.View, r role) parts {
	mine := &in.Variants[r.variant]
	// A member that is in another collective at this position, or has another root, will never join this one.
	absent := slices.Clone(in.Missing)
	for i := range in.Variants {
		if !in.Variants[i].Meets(mine) {
			absent = append(absent, in.Variants[i].Members...)
		}
	}
	if m := mine.Root; v.Split != 0 && m != match.None && in.Conflicts.Has(match.Root) && !in.Claimed(m) &&
		!slices.Contains(absent, m) {
		absent = append(absent, m) // it passes MPI_PROC_NULL
	}
	slices.Sort(absent)
	if len(absent) == 0 {
		return parts{unknown: true}
	}
	what, waits := ToJoin, some
	if in.start {
		what = ToStart
	}
	// A call that makes a persistent request need not wait for other members.
	if f := mpiapi.ByID(mine.Func); in.start || f.Class != mpiapi.CollectiveInit {
		waits = waitsFor(f, moves(mine), r.root)
	}
	one := func(m int32) Clause {
		return Clause{What: what, Comm: v, Pos: in.Position, Procs: l.member(v.Comm, m)}
	}
	switch {
	case v.Split == 0 && waits == others:
		var ps parts
		ps.firm = make([]Clause, 0, len(absent))
		for _, m := range absent {
			if c := one(m); c.Procs != nil {
				ps.firm = append(ps.firm, c)
			} else {
				ps.unknown = true
			}
		}
		return ps
	case waits == root && slices.Contains(absent, mine.Root):
		return l.part(one(mine.Root))
	}
	// Which of the absent members are waited for depends on the algorithm: any of them may be.
	cl := Clause{What: what, Comm: v, Pos: in.Position, Loose: true}
	for _, m := range absent {
		p := l.member(v.Comm, m)
		if p == nil {
			return parts{unknown: true}
		}
		cl.Procs = append(cl.Procs, p[0])
		if p[0].Ended != nil || p[0].Finalizing && !p[0].Callbacks {
			cl.Loose = false // it will never come, but must: the call is wrong, whatever MPI does with it
		}
	}
	return l.part(cl)
}
