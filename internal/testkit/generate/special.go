package generate

import (
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// pair is a pair of persistent requests for messages from one rank to another.
type pair struct {
	message
	send, recv *request
}

// newPair makes persistent requests for messages between two ranks, and starts them. (Requests that are never started
// give a finding.)
func (b *builder) newPair() {
	g := pick(b, b.comms)
	from := pick(b, g.members())
	to := pick(b, g.peers(from))
	if from == to || g.stream(from, to).locked {
		return
	}
	p := &pair{message: message{g: g, from: from, to: to, tag: b.fresh(), payload: b.somePayload()}}
	out, in := b.as(from, p.payload), b.as(to, p.payload)
	p.send, p.recv = b.request(from, request{persistent: true, send: true}), b.request(to, request{persistent: true})
	b.call(from, pick(b, []string{"MPI_Send_init", "MPI_Ssend_init"}), Args{
		"buf": b.memory(from, out.extent), "count": Number(out.count), "datatype": out.typ, "dest": g.of(from, to),
		"tag": Number(p.tag), "comm": g.comm(), "request": p.send.value(),
	})
	source := Value(g.of(to, from))
	if b.chance(4) {
		source = Word("MPI_ANY_SOURCE")
	}
	b.call(to, "MPI_Recv_init", Args{
		"buf": b.memory(to, in.extent), "count": Number(in.count), "datatype": in.typ, "source": source,
		"tag": Number(p.tag), "comm": g.comm(), "request": p.recv.value(),
	})
	b.pairs = append(b.pairs, p)
	b.start(p)
}

// startPair sends another message through persistent requests.
func (b *builder) startPair() {
	if len(b.pairs) > 0 {
		b.start(pick(b, b.pairs))
	}
}

func (b *builder) start(p *pair) {
	if p.send.active || p.recv.active || p.g.stream(p.from, p.to).locked {
		return
	}
	b.startRequest(p.from, p.send)
	b.startRequest(p.to, p.recv)
}

func (b *builder) startRequest(r int, q *request) {
	q.active, q.ready, q.unsure = true, true, false
	if b.chance(3) {
		b.call(r, "MPI_Startall", Args{"count": Number(1), "array_of_requests": Requests{q.variable, 1}})
	} else {
		b.call(r, "MPI_Start", Args{"request": q.value()})
	}
}

// nobody makes a rank exchange messages with MPI_PROC_NULL.
func (b *builder) nobody() {
	g := pick(b, b.comms)
	r := pick(b, g.members())
	x := b.as(r, b.somePayload())
	a := Args{
		"buf": b.memory(r, x.extent), "count": Number(x.count), "datatype": x.typ,
		"tag": Number(7), "comm": g.comm(),
	}
	out, in := a.with("dest", Word("MPI_PROC_NULL")), a.with("source", Word("MPI_PROC_NULL"))
	switch b.rng.IntN(5) {
	case 0:
		b.call(r, "MPI_Send", out)
	case 1:
		b.call(r, "MPI_Recv", in)
	case 2:
		b.call(r, "MPI_Issend", out.with("request", b.request(r, request{ready: true, send: true}).value()))
	case 3:
		b.call(r, "MPI_Irecv", in.with("request", b.request(r, request{ready: true}).value()))
	case 4:
		b.call(r, "MPI_Probe", Args{"source": Word("MPI_PROC_NULL"), "tag": Number(7), "comm": g.comm()})
	}
}

// cancelled cancels a receive. Either no rank sends a message for it; or, if the receive could be cancelled, another
// receive gets the message.
func (b *builder) cancelled() {
	m := b.newMessage()
	if m == nil {
		return
	}
	m.anyTag, m.tag, m.payload = false, b.fresh(), b.somePayload()
	x := b.as(m.to, m.payload)
	source := Value(m.g.of(m.to, m.from))
	if m.anySource {
		source = Word("MPI_ANY_SOURCE")
	}
	recv := Args{
		"buf": b.memory(m.to, x.extent), "count": Number(x.count), "datatype": x.typ, "source": source,
		"tag": Number(m.tag), "comm": m.g.comm(),
	}
	q := b.request(m.to, request{})
	comes := b.chance(2)
	b.call(m.to, "MPI_Irecv", recv.with("request", q.value()))
	if comes {
		b.send(m, true)
		for _, s := range m.requests {
			s.ready = true
		}
	}
	b.call(m.to, "MPI_Cancel", Args{"request": q.value()})
	b.call(m.to, "MPI_Wait", Args{"request": q.value(), "status": Word("status")})
	b.over(m.to, q)
	if comes {
		b.call(m.to, "MPI_Recv", recv).IfCancelled = true
	}
}

// givenUp frees the request of a send that is under way.
func (b *builder) givenUp() {
	m := b.newMessage()
	if m == nil {
		return
	}
	b.receive(m, b.chance(2))
	b.send(m, true)
	b.closed(m)
	for _, q := range m.requests {
		if q.send {
			b.call(m.from, "MPI_Request_free", Args{"request": q.value()})
			b.over(m.from, q)
		}
	}
}

// readySend sends in ready mode after the receiver has sent a message that its receive is posted.
func (b *builder) readySend() {
	m := b.newMessage()
	if m == nil || m.g.stream(m.to, m.from).locked || len(m.g.remote) > 0 {
		return
	}
	b.receive(m, true)
	// A message back from the receiver.
	back := &message{g: m.g, from: m.to, to: m.from, tag: b.fresh(), payload: payload{patterns[0], 0}}
	b.send(back, b.chance(2))
	b.receive(back, false)
	for _, q := range back.requests {
		q.ready = true
	}
	m.sent = true
	x := b.as(m.from, m.payload)
	a := Args{
		"buf": b.memory(m.from, x.extent), "count": Number(x.count), "datatype": x.typ, "dest": m.g.of(m.from, m.to),
		"tag": Number(m.tag), "comm": m.g.comm(),
	}
	if b.chance(2) {
		b.call(m.from, "MPI_Rsend", a).Message = m.id
	} else {
		q := b.request(m.from, request{send: true, ready: true})
		b.call(m.from, "MPI_Irsend", a.with("request", q.value())).Message = m.id
	}
	b.closed(m)
}

// toSelf makes a rank send a message to itself.
func (b *builder) toSelf() {
	r := b.rng.IntN(len(b.ranks))
	g := &group{id: 1, local: []int{r}}
	if b.chance(2) {
		g = b.comms[0]
	}
	m := &message{g: g, from: r, to: r, tag: b.fresh(), payload: b.somePayload()}
	b.numbers.message++
	m.id = b.numbers.message
	if b.chance(2) {
		b.receive(m, true)
		b.send(m, b.chance(2))
	} else {
		b.send(m, true)
		b.receive(m, b.chance(2))
	}
	for _, q := range m.requests {
		q.ready = true
	}
}

// name gives objects names.
func (b *builder) name() {
	g := pick(b, b.comms)
	for _, r := range g.members() {
		if g.id > 1 {
			b.call(r, "MPI_Comm_set_name", Args{
				"comm":      g.comm(),
				"comm_name": Text(fmt.Sprintf("communicator %d", g.id)),
			})
		}
		if k := b.ranks[r]; len(k.types) > 0 {
			t := pick(b, k.types)
			b.call(r, "MPI_Type_set_name", Args{
				"datatype":  t.value,
				"type_name": Text(fmt.Sprintf("type %d", t.value.Index)),
			})
		}
	}
}

// newComm makes a communicator from another one.
func (b *builder) newComm() {
	if len(b.comms) > 8 {
		return
	}
	g := pick(b, b.comms)
	if len(g.remote) > 0 {
		switch b.rng.IntN(2) {
		case 0:
			b.derive(g, "MPI_Comm_dup", [][2][]int{{g.local, g.remote}}, func(int, int) Args {
				return Args{}
			}, "newcomm")
		case 1:
			all := slices.Concat(g.local, g.remote)
			b.derive(g, "MPI_Intercomm_merge", [][2][]int{{all, nil}}, func(r, _ int) Args {
				high := 0
				if slices.Contains(g.remote, r) {
					high = 1
				}
				return Args{"intercomm": g.comm(), "high": Number(high)}
			}, "newintracomm")
		}
		return
	}
	switch b.rng.IntN(4) {
	case 0:
		b.derive(g, "MPI_Comm_dup", [][2][]int{{g.local, nil}}, func(int, int) Args { return Args{} }, "newcomm")
	case 1, 2:
		colors := 1 + b.rng.IntN(3)
		parts := make([][2][]int, colors)
		of := make(map[int]int)
		for _, r := range g.local {
			c := b.rng.IntN(colors+1) - 1 // -1: MPI_UNDEFINED
			of[r] = c
			if c >= 0 {
				parts[c][0] = append(parts[c][0], r)
			}
		}
		down := b.chance(2)
		if down {
			for i := range parts {
				slices.Reverse(parts[i][0])
			}
		}
		b.derive(g, "MPI_Comm_split", parts, func(r, _ int) Args {
			key := slices.Index(g.local, r)
			if down {
				key = -key
			}
			a := Args{"color": Number(of[r]), "key": Number(key)}
			if of[r] < 0 {
				a["color"] = Word("MPI_UNDEFINED")
			}
			return a
		}, "newcomm")
	case 3:
		b.intercomm(g)
	}
}

// derive adds a collective call on g that makes communicators of the given groups. Ranks in none of them get
// MPI_COMM_NULL.
func (b *builder) derive(g *group, function string, parts [][2][]int, args func(r, id int) Args, out string) {
	b.joinLate(g)
	var made []*group
	of := make(map[int]int)
	for _, p := range parts {
		if len(p[0]) == 0 {
			continue
		}
		n := b.addComm(p[0], p[1])
		made = append(made, n)
		for _, r := range n.members() {
			of[r] = n.id
		}
	}
	spare := len(b.p.Comms)
	b.p.Comms = append(b.p.Comms, Comm{}) // the communicator of the ranks without one
	b.count(mpiapi.Comm, len(b.p.Comms))
	b.numbers.collective++
	for _, r := range g.members() {
		id, ok := of[r]
		if !ok {
			id = spare
		}
		a := args(r, id)
		if a["intercomm"] == nil {
			a["comm"] = g.comm()
		}
		a[out] = Variable{mpiapi.Comm, id}
		b.call(r, function, a).Collective = b.numbers.collective
	}
	b.comms = append(b.comms, made...)
}

func (b *builder) addComm(local, remote []int) *group {
	n := &group{
		id: len(b.p.Comms), local: slices.Clone(local), remote: slices.Clone(remote),
		streams: make(map[[2]int]*stream),
	}
	b.p.Comms = append(b.p.Comms, Comm{n.local, n.remote})
	b.count(mpiapi.Comm, len(b.p.Comms))
	return n
}

// intercomm splits g into two parts and connects them by an inter-communicator.
func (b *builder) intercomm(g *group) {
	if len(g.local) < 2 {
		return
	}
	cut := 1 + b.rng.IntN(len(g.local)-1)
	if one, other := g.local[0], g.local[cut]; g.stream(one, other).locked || g.stream(other, one).locked {
		return // the leaders exchange messages
	}
	halves := [][2][]int{{g.local[:cut], nil}, {g.local[cut:], nil}}
	b.derive(g, "MPI_Comm_split", halves, func(r, _ int) Args {
		color := 0
		if slices.Index(g.local, r) >= cut {
			color = 1
		}
		return Args{"color": Number(color), "key": Number(0)}
	}, "newcomm")
	two := b.comms[len(b.comms)-2:]
	n := b.addComm(two[0].local, two[1].local)
	tag := b.fresh()
	b.numbers.collective++
	for i, half := range two {
		for _, r := range half.local {
			b.call(r, "MPI_Intercomm_create", Args{
				"local_comm": half.comm(), "local_leader": Number(0), "peer_comm": g.comm(),
				"remote_leader": g.of(r, two[1-i].local[0]), "tag": Number(tag),
				"newintercomm": Variable{mpiapi.Comm, n.id},
			}).Collective = b.numbers.collective
		}
	}
	b.comms = append(b.comms, n)
}

// freeComm frees a communicator, perhaps while operations on it have not completed.
func (b *builder) freeComm() {
	if len(b.comms) > 1 {
		b.free(b.comms[1+b.rng.IntN(len(b.comms)-1)])
	}
}

func (b *builder) free(g *group) {
	if slices.ContainsFunc(b.open, func(m *message) bool { return m.g == g }) ||
		slices.ContainsFunc(b.pairs, func(p *pair) bool { return p.g == g }) ||
		slices.ContainsFunc(b.repeats, func(p *repeat) bool { return p.g == g }) {
		return
	}
	b.joinLate(g)
	b.everyone(g, "MPI_Comm_free", func(int) Args { return Args{"comm": g.comm()} })
	b.comms = slices.DeleteFunc(b.comms, func(o *group) bool { return o == g })
}
