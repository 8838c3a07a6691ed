package generate

import "slices"

// intergroup returns a collective between two groups.
func (b *builder) intergroup(g *group) (string, func(r int) Args) {
	c := shaper{b: b, g: g, p: payload{pick(b, patterns), b.rng.IntN(9)}}
	c.prepare()
	sender := pick(b, g.members())
	side := g.local
	if slices.Contains(g.remote, sender) {
		side = g.remote
	}
	root := func(r int) Value {
		switch {
		case r == sender:
			return Word("MPI_ROOT")
		case slices.Contains(side, r):
			return Word("MPI_PROC_NULL")
		}
		return Number(slices.Index(side, sender))
	}
	others := func(r int) bool { return !slices.Contains(side, r) }
	n := func(r int) int { return len(g.peers(r)) }
	shapes := []struct {
		name string
		args func(r int) Args
	}{
		{"MPI_Barrier", func(int) Args { return Args{} }},
		{"MPI_Bcast", func(r int) Args {
			a := Args{"root": root(r)}
			if r == sender || others(r) {
				c.fill(r, a, "buffer", "count", "datatype", 1)
			}
			return a
		}},
		{"MPI_Gather", func(r int) Args {
			a := Args{"root": root(r)}
			if r == sender {
				c.fill(r, a, "recvbuf", "recvcount", "recvtype", n(r))
			} else if others(r) {
				c.fill(r, a, "sendbuf", "sendcount", "sendtype", 1)
			}
			return a
		}},
		{"MPI_Scatter", func(r int) Args {
			a := Args{"root": root(r)}
			if r == sender {
				c.fill(r, a, "sendbuf", "sendcount", "sendtype", n(r))
			} else if others(r) {
				c.fill(r, a, "recvbuf", "recvcount", "recvtype", 1)
			}
			return a
		}},
		{"MPI_Allgather", func(r int) Args {
			a := Args{}
			c.fill(r, a, "sendbuf", "sendcount", "sendtype", 1)
			c.fill(r, a, "recvbuf", "recvcount", "recvtype", n(r))
			return a
		}},
		{"MPI_Alltoall", func(r int) Args {
			a := Args{}
			c.fill(r, a, "sendbuf", "sendcount", "sendtype", n(r))
			c.fill(r, a, "recvbuf", "recvcount", "recvtype", n(r))
			return a
		}},
		{"MPI_Allreduce", func(r int) Args {
			a := Args{"count": Number(c.p.copies)}
			c.combined(r, a, 8*c.p.copies)
			return a
		}},
		{"MPI_Reduce", func(r int) Args {
			a := Args{"count": Number(c.p.copies), "root": root(r)}
			c.combined(r, a, 8*c.p.copies)
			if r == sender && !b.o.Real {
				delete(a, "sendbuf")
			} else if r != sender {
				delete(a, "recvbuf")
			}
			return a
		}},
	}
	s := pick(b, shapes)
	return s.name, s.args
}
