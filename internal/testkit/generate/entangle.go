package generate

import "slices"

// Bugs that take several calls. They are planted while the program is built, as one more action.

const (
	race  = "GLOBAL:MSG:RACE"
	ready = "GLOBAL:MSG:READY_SEND"
	order = "GLOBAL:COLLECTIVE:ORDER_MISMATCH"
)

// entangled are the bugs of several calls.
var entangled = []*Bug{
	{
		Name: "sends to each other", Finds: []string{potential}, Hangs: true,
		act: func(b *builder) []*Call {
			g, ranks := b.some(2, 2)
			if g == nil {
				return nil
			}
			return b.around(g, ranks)
		},
	},
	{
		Name: "sends in a ring", Finds: []string{potential}, Hangs: true,
		act: func(b *builder) []*Call {
			g, ranks := b.some(3, 8)
			if g == nil {
				return nil
			}
			return b.around(g, ranks)
		},
	},
	{
		Name: "a send before a broadcast that its receiver enters first", Finds: []string{potential}, Hangs: true,
		act: func(b *builder) []*Call {
			g, ranks := b.some(2, 2)
			if g == nil {
				return nil
			}
			b.joinLate(g)
			tag := b.fresh()
			send := b.call(ranks[0], "MPI_Send", b.plain(g, "dest", ranks[0], ranks[1], tag))
			b.everyone(g, "MPI_Bcast", func(r int) Args {
				return Args{
					"buffer": b.memory(r, 4), "count": Number(1), "datatype": Word("MPI_INT"),
					"root": g.of(ranks[0], ranks[0]),
				}
			})
			b.call(ranks[1], "MPI_Recv", b.plain(g, "source", ranks[1], ranks[0], tag))
			return []*Call{send}
		},
	},
	{
		Name: "collectives on two communicators in another order", Finds: []string{order},
		Hangs: true, May: []string{order, missing},
		act: func(b *builder) []*Call {
			g, ranks := b.some(2, 8)
			if g == nil || len(b.comms) > 8 {
				return nil
			}
			b.derive(g, "MPI_Comm_dup", [][2][]int{{g.local, nil}}, func(int, int) Args { return Args{} }, "newcomm")
			two := []*group{g, b.comms[len(b.comms)-1]}
			var calls []*Call
			numbers := []int{b.numbers.collective + 1, b.numbers.collective + 2}
			b.numbers.collective += 2
			for _, r := range g.local {
				first := 0
				if r == ranks[0] {
					first = 1
				}
				for _, i := range []int{first, 1 - first} {
					c := b.call(r, "MPI_Barrier", Args{"comm": two[i].comm()})
					c.Collective = numbers[i]
					calls = append(calls, c)
				}
			}
			return calls
		},
	},
	{
		Name: "a receive from any source that may take another's message", Finds: []string{race}, Hangs: true,
		act: func(b *builder) []*Call {
			g, ranks := b.some(3, 3)
			if g == nil {
				return nil
			}
			tag, me := b.fresh(), ranks[0]
			for _, r := range ranks[1:] {
				b.call(r, "MPI_Send", b.plain(g, "dest", r, me, tag))
			}
			any := b.call(me, "MPI_Recv", b.plain(g, "source", me, me, tag).with("source", Word("MPI_ANY_SOURCE")))
			b.call(me, "MPI_Recv", b.plain(g, "source", me, ranks[1], tag))
			return []*Call{any}
		},
	},
	{
		Name: "a ready send before its receive", Finds: []string{ready}, Hangs: true, May: []string{ready},
		act: func(b *builder) []*Call {
			g, ranks := b.some(2, 2)
			if g == nil {
				return nil
			}
			from, to := ranks[0], ranks[1]
			early, late := b.fresh(), b.fresh()
			c := b.call(from, "MPI_Rsend", b.plain(g, "dest", from, to, early))
			b.call(from, "MPI_Send", b.plain(g, "dest", from, to, late))
			b.call(to, "MPI_Recv", b.plain(g, "source", to, from, late))
			b.call(to, "MPI_Recv", b.plain(g, "source", to, from, early))
			return []*Call{c}
		},
	},
	{
		Name: "a buffered send without room", Finds: []string{"LOCAL:BUFFER:INSUFFICIENT"},
		act: func(b *builder) []*Call {
			g, ranks := b.some(2, 2)
			if g == nil || b.ranks[ranks[0]].buffered > 0 {
				return nil
			}
			r, tag := ranks[0], b.fresh()
			const n, size = 1000, 3000 // bytes
			b.call(r, "MPI_Buffer_attach", Args{"buffer": b.memory(r, size), "size": Number(size)})
			long := func(a Args, r int) Args { return a.with("count", Number(n)).with("buf", b.memory(r, 4*n)) }
			c := b.call(r, "MPI_Bsend", long(b.plain(g, "dest", r, ranks[1], tag), r))
			b.call(ranks[1], "MPI_Recv", long(b.plain(g, "source", ranks[1], r, tag), ranks[1]))
			b.call(r, "MPI_Buffer_detach", Args{})
			b.ranks[r].crowded = true
			return []*Call{c}
		},
	},
}

// some returns a communicator and some ranks that may exchange any messages on it, nil if there are none.
func (b *builder) some(least, most int) (*group, []int) {
	var fit []*group
	for _, g := range b.comms {
		if len(g.remote) == 0 && len(g.local) >= least && !slices.ContainsFunc(g.local, func(r int) bool {
			return !g.quiet(r)
		}) {
			fit = append(fit, g)
		}
	}
	if len(fit) == 0 {
		return nil, nil
	}
	g := pick(b, fit)
	ranks := slices.Clone(g.local)
	b.rng.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
	return g, ranks[:min(len(ranks), least+b.rng.IntN(most-least+1))]
}

// plain returns the arguments of a send or receive of an int.
func (b *builder) plain(g *group, peer string, r, other, tag int) Args {
	return Args{
		"buf": b.memory(r, 4), "count": Number(1), "datatype": Word("MPI_INT"), peer: g.of(r, other),
		"tag":  Number(tag),
		"comm": g.comm(),
	}
}

// around makes each of some ranks send to the next one before it receives from the previous one.
func (b *builder) around(g *group, ranks []int) []*Call {
	tag := b.fresh()
	var calls []*Call
	n := len(ranks)
	for i, r := range ranks {
		calls = append(calls, b.call(r, "MPI_Send", b.plain(g, "dest", r, ranks[(i+1)%n], tag)))
	}
	for i, r := range ranks {
		b.call(r, "MPI_Recv", b.plain(g, "source", r, ranks[(i+n-1)%n], tag))
	}
	return calls
}
