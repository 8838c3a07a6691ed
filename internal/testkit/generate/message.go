package generate

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// message is a message with one half called, or none yet.
type message struct {
	id             int
	g              *group
	from, to       int // in MPI_COMM_WORLD
	tag            int
	payload        payload // room for it; the message may be shorter
	short          bool    // the message may be shorter
	sent, received bool
	anyTag         bool // in the receive
	anySource      bool // there is no other message with this tag to that rank
	requests       []*request
}

// overhead is an upper bound of the bytes that a buffered send needs in addition to its data (MPI_BSEND_OVERHEAD of
// both MPIs is less).
const overhead = 512

// newMessage returns a message between two ranks that can exchange one now, nil if there are no such ranks.
func (b *builder) newMessage() *message {
	g := pick(b, b.comms)
	from := pick(b, g.members())
	to := pick(b, g.peers(from))
	s := g.stream(from, to)
	if from == to || s.locked {
		return nil
	}
	m := b.between(g, from, to)
	if len(s.busy) == 0 && b.chance(4) {
		m.anyTag = true
	}
	if b.chance(4) && m.tag >= firstTag {
		m.anySource = true
		m.anyTag = false
	}
	return m
}

// firstTag is the first tag that is used for only one kind of message.
const firstTag = 100

func (b *builder) between(g *group, from, to int) *message {
	b.numbers.message++
	m := &message{id: b.numbers.message, g: g, from: from, to: to, short: b.chance(3)}
	if t := b.rng.IntN(len(patterns)); b.chance(2) && !g.stream(from, to).busy[t] {
		m.tag, m.payload = t, payload{patterns[t], 8} // the maximum of all messages with this tag
		m.short = true
	} else {
		m.tag = b.fresh()
		m.payload = b.somePayload()
	}
	return m
}

// fresh returns a tag that no other message has.
func (b *builder) fresh() int {
	b.tag++
	return b.tag
}

func (b *builder) somePayload() payload {
	n := pick(b, []int{0, 1, 2, 4, 6, 8, 8, 64, 1024})
	return payload{pick(b, patterns), n}
}

// begun notes that one half of a message was called.
func (b *builder) begun(m *message) {
	b.open = append(b.open, m)
	s := m.g.stream(m.from, m.to)
	s.busy[m.tag] = true
	s.locked = s.locked || m.anyTag
}

// closed notes that both halves were called.
func (b *builder) closed(m *message) {
	b.open = slices.DeleteFunc(b.open, func(o *message) bool { return o == m })
	s := m.g.stream(m.from, m.to)
	delete(s.busy, m.tag)
	s.locked = false
	for _, q := range m.requests {
		q.ready = true
	}
}

// exchangeOne makes one rank send a message to another.
func (b *builder) exchangeOne() {
	m := b.newMessage()
	if m == nil {
		return
	}
	if b.chance(2) {
		b.send(m, b.chance(3))
		b.receive(m, b.chance(3))
	} else {
		b.receive(m, b.chance(3))
		b.send(m, b.chance(3))
	}
	b.closed(m)
}

// openHalf begins a message by a nonblocking call. The other half comes later.
func (b *builder) openHalf() {
	m := b.newMessage()
	if m == nil {
		return
	}
	if b.chance(2) {
		b.send(m, true)
	} else {
		b.receive(m, true)
	}
	b.begun(m)
}

// closeHalf adds the missing half of a message.
func (b *builder) closeHalf() {
	if len(b.open) > 0 {
		b.close(pick(b, b.open))
	}
}

func (b *builder) close(m *message) {
	if m.sent {
		b.receive(m, b.chance(3))
	} else {
		b.send(m, b.chance(3))
	}
	b.closed(m)
}

// send adds the sending half of a message.
func (b *builder) send(m *message, nonblocking bool) {
	m.sent = true
	p := m.payload
	if m.short {
		p.copies = b.rng.IntN(p.copies + 1)
	}
	x := b.as(m.from, p)
	a := Args{
		"buf": b.memory(m.from, x.extent), "count": Number(x.count), "datatype": x.typ, "dest": m.g.of(m.from, m.to),
		"tag": Number(m.tag), "comm": m.g.comm(),
	}
	mode := pick(b, []string{"", "", "", "b", "s"})
	if mode == "b" && b.ranks[m.from].crowded {
		mode = ""
	}
	if _, derived := x.typ.(Variable); derived && b.o.Real && mode == "b" {
		mode = ""
	}
	if mode == "b" {
		b.ranks[m.from].buffered += x.bytes + overhead
	}
	if !nonblocking {
		b.call(m.from, "MPI_"+map[string]string{"": "S", "b": "Bs", "s": "Ss"}[mode]+"end", a).Message = m.id
		return
	}
	q := b.request(m.from, request{send: true})
	m.requests = append(m.requests, q)
	b.call(m.from, "MPI_I"+mode+"send", a.with("request", q.value())).Message = m.id
}

// receive adds the receiving half of a message.
func (b *builder) receive(m *message, nonblocking bool) {
	m.received = true
	source, tag := Value(m.g.of(m.to, m.from)), Value(Number(m.tag))
	if m.anySource {
		source = Word("MPI_ANY_SOURCE")
	}
	if m.anyTag {
		tag = Word("MPI_ANY_TAG")
	}
	b.take(m, source, tag, nonblocking)
}

// take adds calls that receive m as a message from source with a tag.
func (b *builder) take(m *message, source, tag Value, nonblocking bool) {
	x := b.as(m.to, m.payload)
	buf := b.memory(m.to, x.extent)
	a := Args{"buf": buf, "count": Number(x.count), "datatype": x.typ}
	label := Args{"source": source, "tag": tag, "comm": m.g.comm()}
	recv := a.with("source", source).with("tag", tag).with("comm", m.g.comm())
	if nonblocking {
		q := b.request(m.to, request{})
		m.requests = append(m.requests, q)
		b.call(m.to, "MPI_Irecv", recv.with("request", q.value())).Message = m.id
		return
	}
	said := recv.with("source", Field("MPI_SOURCE")).with("tag", Field("MPI_TAG"))
	if _, known := source.(Number); known && b.chance(2) {
		said = recv
	}
	handle := Variable{mpiapi.Message, 0}
	b.count(mpiapi.Message, 1)
	how := b.rng.IntN(10)
	if how < 4 && !m.sent && !m.anySource {
		// the message is sent in this action; a probe would be correct, too, but receives should be more frequent
		how = 9
	}
	switch how {
	case 0:
		b.call(m.to, "MPI_Probe", label.with("status", Word("status"))).Message = m.id
		b.call(m.to, "MPI_Recv", said).Message = m.id
	case 1:
		b.call(m.to, "MPI_Iprobe", label.with("status", Word("status"))).Flag = true
		b.call(m.to, "MPI_Recv", said).Message = m.id
	case 2:
		b.call(m.to, "MPI_Mprobe", label.with("message", handle))
		b.call(m.to, "MPI_Mrecv", a.with("message", handle)).Message = m.id
	case 3:
		b.call(m.to, "MPI_Improbe", label.with("message", handle)).Flag = true
		q := b.request(m.to, request{})
		m.requests = append(m.requests, q)
		b.call(m.to, "MPI_Imrecv", a.with("message", handle).with("request", q.value())).Message = m.id
	default:
		b.call(m.to, "MPI_Recv", recv).Message = m.id
	}
}

// ring makes ranks pass messages on to the next one.
func (b *builder) ring() {
	g := pick(b, b.comms)
	if len(g.remote) > 0 || len(g.local) < 2 {
		return
	}
	ranks := slices.Clone(g.local)
	b.rng.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
	ranks = ranks[:2+b.rng.IntN(len(ranks)-1)]
	p, tag := b.somePayload(), b.fresh()
	next := func(i int) int { return ranks[(i+1)%len(ranks)] }
	last := func(i int) int { return ranks[(i+len(ranks)-1)%len(ranks)] }
	for i, r := range ranks {
		if g.stream(r, next(i)).locked {
			return
		}
	}
	replace := b.chance(3)
	isendrecv := b.o.Isendrecv && b.chance(3)
	halo := b.chance(3)
	for i, r := range ranks {
		in, out := b.as(r, p), b.as(r, p)
		a := Args{
			"dest": g.of(r, next(i)), "sendtag": Number(tag), "source": g.of(r, last(i)),
			"recvtag": Number(tag), "comm": g.comm(),
		}
		if b.chance(4) && !replace {
			a["recvtag"], a["source"] = Number(tag), Word("MPI_ANY_SOURCE")
		}
		switch {
		case halo:
			b.halo(r, in, out, Number(tag), g, next(i), last(i))
			continue
		case replace:
			a["buf"], a["count"], a["datatype"] = b.memory(r, in.extent), Number(in.count), in.typ
		default:
			a["sendbuf"], a["sendcount"], a["sendtype"] = b.memory(r, out.extent), Number(out.count), out.typ
			a["recvbuf"], a["recvcount"], a["recvtype"] = b.memory(r, in.extent), Number(in.count), in.typ
		}
		name := "MPI_Sendrecv"
		if isendrecv {
			name = "MPI_Isendrecv"
			a["request"] = b.request(r, request{ready: true}).value()
		}
		if replace {
			name += "_replace"
		}
		b.call(r, name, a)
	}
}

// halo receives from one, sends to another, and waits for both.
func (b *builder) halo(r int, in, out room, tag Number, g *group, to, from int) {
	q := b.request(r, request{ready: true})
	b.call(r, "MPI_Irecv", Args{
		"buf": b.memory(r, in.extent), "count": Number(in.count), "datatype": in.typ,
		"source": g.of(r, from), "tag": tag,
		"comm": g.comm(), "request": q.value(),
	})
	a := Args{
		"buf": b.memory(r, out.extent), "count": Number(out.count), "datatype": out.typ,
		"dest": g.of(r, to), "tag": tag,
		"comm": g.comm(),
	}
	if b.chance(2) {
		b.call(r, pick(b, []string{"MPI_Send", "MPI_Ssend"}), a)
	} else {
		a["request"] = b.request(r, request{ready: true, send: true}).value()
		b.call(r, pick(b, []string{"MPI_Isend", "MPI_Issend"}), a)
	}
}

// fan makes several ranks send to one rank, which receives from any source in any order.
func (b *builder) fan() {
	g := pick(b, b.comms)
	to := pick(b, g.members())
	senders := slices.DeleteFunc(slices.Clone(g.peers(to)), func(r int) bool {
		return r == to || g.stream(r, to).locked || b.chance(3)
	})
	if len(senders) == 0 {
		return
	}
	p, tag := b.somePayload(), b.fresh()
	posted := b.chance(2)
	var halves []*message
	for _, r := range senders {
		b.numbers.message++
		m := &message{id: b.numbers.message, g: g, from: r, to: to, tag: tag, payload: p, short: true}
		halves = append(halves, m)
	}
	receive := func() {
		for _, m := range halves {
			b.take(m, Word("MPI_ANY_SOURCE"), Number(tag), posted || b.chance(3))
		}
	}
	if posted {
		receive()
	}
	for _, m := range halves {
		b.send(m, b.chance(2))
	}
	if !posted {
		receive()
	}
	for _, m := range halves {
		for _, q := range m.requests {
			q.ready = true
		}
	}
}

// anything makes ranks send to one rank that receives from any source with any tag. Barriers separate them from other
// messages.
func (b *builder) anything() {
	g := pick(b, b.comms)
	to := pick(b, g.members())
	senders := slices.DeleteFunc(slices.Clone(g.peers(to)), func(r int) bool { return r == to || b.chance(3) })
	if len(senders) == 0 || !g.quiet(to) {
		return
	}
	b.joinLate(g)
	p := b.somePayload()
	var halves []*message
	for _, r := range senders {
		m := &message{g: g, from: r, to: to, tag: b.fresh(), payload: p, short: true}
		halves = append(halves, m)
		b.send(m, b.chance(2))
	}
	for _, m := range halves {
		b.take(m, Word("MPI_ANY_SOURCE"), Word("MPI_ANY_TAG"), false)
	}
	for _, m := range halves {
		for _, q := range m.requests {
			q.ready = true
		}
	}
	b.everyone(g, "MPI_Barrier", func(int) Args { return Args{} })
}
