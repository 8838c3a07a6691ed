package generate

import (
	"slices"
	"strings"
)

// late is a nonblocking collective that some members have not called yet.
type late struct {
	function   string
	args       func(r int) Args
	missing    []int
	requests   []*request
	collective int
}

// repeat is a persistent collective: the request of each member.
type repeat struct {
	g        *group
	requests map[int]*request
}

// everyone adds a collective call by all members of g.
func (b *builder) everyone(g *group, function string, args func(r int) Args) {
	b.joinLate(g)
	b.numbers.collective++
	for _, r := range g.members() {
		a := args(r)
		if a["comm"] == nil {
			a["comm"] = g.comm()
		}
		b.call(r, function, a).Collective = b.numbers.collective
	}
}

// collective adds a blocking collective.
func (b *builder) collective() {
	g := pick(b, b.comms)
	function, args := b.shape(g)
	b.everyone(g, function, args)
}

// icollective adds a nonblocking collective. Some members may call it later.
func (b *builder) icollective() {
	g := pick(b, b.comms)
	b.joinLate(g)
	function, args := b.shape(g)
	b.numbers.collective++
	l := &late{
		function: "MPI_I" + strings.ToLower(function[4:5]) + function[5:], args: args, missing: g.members(),
		collective: b.numbers.collective,
	}
	b.rng.Shuffle(len(l.missing), func(i, j int) { l.missing[i], l.missing[j] = l.missing[j], l.missing[i] })
	g.late = l
	for range b.rng.IntN(len(l.missing)) + 1 {
		b.join(g)
	}
	if b.chance(2) {
		b.joinLate(g)
	}
}

// join makes the next missing member call the collective that is under way.
func (b *builder) join(g *group) {
	l := g.late
	r := l.missing[0]
	l.missing = l.missing[1:]
	q := b.request(r, request{})
	l.requests = append(l.requests, q)
	a := l.args(r).with("comm", g.comm()).with("request", q.value())
	b.call(r, l.function, a).Collective = l.collective
	if len(l.missing) == 0 {
		for _, q := range l.requests {
			q.ready = true
		}
		g.late = nil
	}
}

// joinLate makes all missing members call it.
func (b *builder) joinLate(g *group) {
	for g.late != nil {
		b.join(g)
	}
}

// newRepeat makes a persistent collective and starts it.
func (b *builder) newRepeat() {
	g := pick(b, b.comms)
	function, args := b.shape(g)
	p := &repeat{g: g, requests: make(map[int]*request)}
	b.everyone(g, function+"_init", func(r int) Args {
		q := b.request(r, request{persistent: true, coll: true})
		p.requests[r] = q
		return args(r).with("request", q.value())
	})
	b.repeats = append(b.repeats, p)
	b.again(p)
}

// startRepeat starts a persistent collective once more.
func (b *builder) startRepeat() {
	if len(b.repeats) > 0 {
		b.again(pick(b, b.repeats))
	}
}

func (b *builder) again(p *repeat) {
	for _, q := range p.requests {
		if q.active {
			return
		}
	}
	b.joinLate(p.g)
	for _, r := range p.g.members() {
		b.startRequest(r, p.requests[r])
	}
}

// shape returns a collective on g, and the arguments of each member except for the communicator.
func (b *builder) shape(g *group) (function string, args func(r int) Args) {
	if len(g.remote) > 0 {
		return b.intergroup(g)
	}
	c := shaper{b: b, g: g, n: len(g.local), p: b.somePayload()}
	c.p.copies = min(c.p.copies, 64)
	c.root = b.rng.IntN(c.n)
	c.inPlace = b.chance(3)
	shapes := []struct {
		name string
		args func(r int) Args
	}{
		{"MPI_Barrier", func(int) Args { return Args{} }},
		{"MPI_Bcast", c.bcast},
		{"MPI_Gather", c.gather},
		{"MPI_Gatherv", c.gatherv},
		{"MPI_Scatter", c.scatter},
		{"MPI_Scatterv", c.scatterv},
		{"MPI_Allgather", c.allgather},
		{"MPI_Allgatherv", c.allgatherv},
		{"MPI_Alltoall", c.alltoall},
		{"MPI_Alltoallv", c.alltoallv},
		{"MPI_Alltoallw", c.alltoallw},
		{"MPI_Reduce", c.reduce},
		{"MPI_Allreduce", c.allreduce},
		{"MPI_Scan", c.allreduce},
		{"MPI_Exscan", c.allreduce},
		{"MPI_Reduce_scatter", c.reduceScatter},
		{"MPI_Reduce_scatter_block", c.reduceScatterBlock},
	}
	c.prepare()
	s := pick(b, shapes)
	return s.name, s.args
}

// shaper makes the arguments of one collective within a group.
type shaper struct {
	b       *builder
	g       *group
	n, root int
	p       payload // of a part
	inPlace bool
	parts   []int   // copies for each member, if they differ
	matrix  [][]int // copies from each to each
	op      Value   // nil: of the program
	typ     Word    // of a reduction
}

func (c *shaper) prepare() {
	for range c.n {
		c.parts = append(c.parts, c.b.rng.IntN(5))
		var row []int
		for range c.n {
			row = append(row, c.b.rng.IntN(4))
		}
		c.matrix = append(c.matrix, row)
	}
	c.typ = pick(c.b, []Word{"MPI_INT", "MPI_DOUBLE", "MPI_LONG"})
	if !c.b.chance(4) {
		c.op = pick(c.b, []Word{"MPI_SUM", "MPI_MAX", "MPI_MIN"})
	}
}

func (c *shaper) me(r int) int      { return slices.Index(c.g.local, r) }
func (c *shaper) isRoot(r int) bool { return c.me(r) == c.root }

// fill sets the arguments of one side: its buffer, count and datatype, for a number of parts.
func (c *shaper) fill(r int, a Args, buf, count, typ string, parts int) {
	x := c.b.as(r, c.p)
	a[buf], a[count], a[typ] = c.b.memory(r, parts*x.extent), Number(x.count), x.typ
}

// unit returns a datatype that is one copy, for a side with other numbers of copies, and its extent.
func (c *shaper) unit(r int) (typ Value, extent int) {
	x := c.b.as(r, payload{c.p.pattern, 1})
	return x.typ, x.extent
}

// displacements places blocks one after the other, with gaps.
func (c *shaper) displacements(counts []int) (at Numbers, end int) {
	for _, n := range counts {
		at = append(at, end)
		end += n + c.b.rng.IntN(2)
	}
	return at, end + 1
}

func (c *shaper) vector(r int, a Args, buf, counts, displs, typ string, list []int) {
	t, extent := c.unit(r)
	at, end := c.displacements(list)
	a[buf], a[counts], a[displs], a[typ] = c.b.memory(r, end*extent), Numbers(list), at, t
}

// place passes MPI_IN_PLACE for a buffer. Its count and datatype do not matter then.
func (c *shaper) place(a Args, buf string) { a[buf] = Word("MPI_IN_PLACE") }

func (c *shaper) bcast(r int) Args {
	a := Args{"root": Number(c.root)}
	c.fill(r, a, "buffer", "count", "datatype", 1)
	return a
}

// rooted makes the arguments of an operation in which the root has one part for each member, and each member has its
// own part. In place, the root does not have its own part. whole and part set the arguments on the side with the name
// all or own.
func (c *shaper) rooted(r int, all, own string, whole, part func(a Args, side string)) Args {
	a := Args{"root": Number(c.root)}
	if c.isRoot(r) {
		whole(a, all)
	}
	if c.isRoot(r) && c.inPlace {
		c.place(a, own+"buf")
	} else {
		part(a, own)
	}
	return a
}

// even is rooted with parts of the same size.
func (c *shaper) even(r int, all, own string) Args {
	return c.rooted(r, all, own,
		func(a Args, s string) { c.fill(r, a, s+"buf", s+"count", s+"type", c.n) },
		func(a Args, s string) { c.fill(r, a, s+"buf", s+"count", s+"type", 1) })
}

// uneven is rooted with parts of different sizes.
func (c *shaper) uneven(r int, all, own string) Args {
	return c.rooted(r, all, own,
		func(a Args, s string) { c.vector(r, a, s+"buf", s+"counts", "displs", s+"type", c.parts) },
		func(a Args, s string) { c.part(r, a, s+"buf", s+"count", s+"type") })
}

func (c *shaper) gather(r int) Args   { return c.even(r, "recv", "send") }
func (c *shaper) scatter(r int) Args  { return c.even(r, "send", "recv") }
func (c *shaper) gatherv(r int) Args  { return c.uneven(r, "recv", "send") }
func (c *shaper) scatterv(r int) Args { return c.uneven(r, "send", "recv") }

func (c *shaper) part(r int, a Args, buf, count, typ string) {
	t, extent := c.unit(r)
	n := c.parts[c.me(r)]
	a[buf], a[count], a[typ] = c.b.memory(r, n*extent), Number(n), t
}

func (c *shaper) allgather(r int) Args {
	a := Args{}
	c.fill(r, a, "recvbuf", "recvcount", "recvtype", c.n)
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		c.fill(r, a, "sendbuf", "sendcount", "sendtype", 1)
	}
	return a
}

func (c *shaper) allgatherv(r int) Args {
	a := Args{}
	c.vector(r, a, "recvbuf", "recvcounts", "displs", "recvtype", c.parts)
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		c.part(r, a, "sendbuf", "sendcount", "sendtype")
	}
	return a
}

func (c *shaper) alltoall(r int) Args {
	a := Args{}
	c.fill(r, a, "recvbuf", "recvcount", "recvtype", c.n)
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		c.fill(r, a, "sendbuf", "sendcount", "sendtype", c.n)
	}
	return a
}

// from returns the number of copies that each member sends to member i. In place, i sends the same numbers to each
// member.
func (c *shaper) from(i int) []int {
	var list []int
	for j := range c.n {
		if c.inPlace {
			list = append(list, c.matrix[max(i, j)][min(i, j)])
		} else {
			list = append(list, c.matrix[j][i])
		}
	}
	return list
}

func (c *shaper) alltoallv(r int) Args {
	a := Args{}
	c.vector(r, a, "recvbuf", "recvcounts", "rdispls", "recvtype", c.from(c.me(r)))
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		c.vector(r, a, "sendbuf", "sendcounts", "sdispls", "sendtype", c.matrix[c.me(r)])
	}
	return a
}

func (c *shaper) alltoallw(r int) Args {
	a := Args{}
	side := func(buf, counts, displs, types string, list []int) {
		at, list2, end := Numbers{}, Types{}, 0
		for _, n := range list {
			t, extent := c.unit(r)
			at, list2 = append(at, end), append(list2, t)
			end += n * extent
		}
		a[buf], a[counts], a[displs], a[types] = c.b.memory(r, end), Numbers(list), at, list2
	}
	side("recvbuf", "recvcounts", "rdispls", "recvtypes", c.from(c.me(r)))
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		side("sendbuf", "sendcounts", "sdispls", "sendtypes", c.matrix[c.me(r)])
	}
	return a
}

// combined sets the arguments that all reductions have.
func (c *shaper) combined(r int, a Args, bytes int) {
	a["datatype"] = c.typ
	a["op"] = c.op
	if c.op == nil {
		a["op"] = c.b.operation(r)
	}
	if c.inPlace {
		c.place(a, "sendbuf")
	} else {
		a["sendbuf"] = c.b.memory(r, bytes)
	}
	a["recvbuf"] = c.b.memory(r, bytes)
}

func (c *shaper) reduce(r int) Args {
	a := Args{"root": Number(c.root), "count": Number(c.p.copies)}
	c.combined(r, a, 8*c.p.copies)
	if !c.isRoot(r) {
		a["sendbuf"] = c.b.memory(r, 8*c.p.copies)
		delete(a, "recvbuf")
	}
	return a
}

func (c *shaper) allreduce(r int) Args {
	a := Args{"count": Number(c.p.copies)}
	c.combined(r, a, 8*c.p.copies)
	return a
}

func (c *shaper) reduceScatter(r int) Args {
	a := Args{"recvcounts": Numbers(c.parts)}
	c.combined(r, a, 8*5*c.n)
	return a
}

func (c *shaper) reduceScatterBlock(r int) Args {
	a := Args{"recvcount": Number(c.p.copies)}
	c.combined(r, a, 8*c.p.copies*c.n)
	return a
}
