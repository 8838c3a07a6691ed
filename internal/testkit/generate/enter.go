package generate

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// enter makes the process enter a call.
func (k *process) enter(c *Call) {
	f := mpiapi.ByName(c.Func)
	if len(c.Move) > 0 && k.total == 0 {
		k.moved = k.moved[:0]
		for _, v := range c.Move {
			k.moved = append(k.moved, k.requests[v])
			k.requests[v] = nil
		}
	}
	a := &activity{call: c, fn: f}
	site := k.site()
	a.args = k.arguments(c, f)
	k.in = a
	switch f.Class {
	case mpiapi.Send, mpiapi.Isend:
		a.ops = append(a.ops, k.sendOp(c, "dest", "tag", "count", "datatype"))
	case mpiapi.Recv, mpiapi.Irecv:
		a.ops = append(a.ops, k.recvOp(c, "source", "tag", "count", "datatype"))
	case mpiapi.SendRecv, mpiapi.Isendrecv:
		if c.Args["sendbuf"] != nil {
			a.ops = append(a.ops, k.sendOp(c, "dest", "sendtag", "sendcount", "sendtype"),
				k.recvOp(c, "source", "recvtag", "recvcount", "recvtype"))
		} else {
			a.ops = append(a.ops, k.sendOp(c, "dest", "sendtag", "count", "datatype"),
				k.recvOp(c, "source", "recvtag", "count", "datatype"))
		}
	case mpiapi.Start:
		for _, t := range k.tickets(c) {
			k.start(t)
		}
	case mpiapi.Collective, mpiapi.Icollective, mpiapi.CollectiveInit:
		a.coll = k.joins(c, f)
	case mpiapi.RequestOp:
		if c.Func == "MPI_Cancel" {
			k.cancel(k.requests[c.Args["request"].(Variable).Index])
		}
	}
	for _, o := range a.ops {
		o.call = [2]int{k.rank, k.pc}
		k.m.post(o)
	}
	a.enter = k.m.event(k.rank, Enter, fakerun.Record(site, c.Func, a.args, 0))
	if f.Name == "MPI_Finalize" {
		a.coll = k.m.join(place{-1, 0, 0}, k.rank, f, k.m.p.Comms[0].Local, -1)
	}
}

// comm returns the number of the communicator that a call works on.
func comm(c *Call) int {
	for _, name := range []string{"comm", "local_comm", "intercomm"} {
		switch v := c.Args[name].(type) {
		case Variable:
			return v.Index
		case Word:
			if v == "MPI_COMM_SELF" {
				return 1
			}
			return 0
		}
	}
	panic(c.Func + " has no communicator")
}

func (k *process) number(v Value) int {
	switch v := v.(type) {
	case Number:
		return int(v)
	case Word:
		return int(int32(k.lib.words[v]))
	case Field:
		if v == "MPI_TAG" {
			return int(k.status.Tag)
		}
		return int(k.status.Source)
	}
	panic("not a number")
}

// bytes returns the size of count elements of a datatype.
func (k *process) bytes(count, typ Value) int {
	n := k.number(count)
	switch t := typ.(type) {
	case Word:
		return n * sizes[t]
	case Variable:
		return n * k.types[t]
	}
	panic("not a datatype")
}

func (k *process) sendOp(c *Call, dest, tag, count, typ string) *operation {
	o := &operation{
		send: true, comm: comm(c), from: k.rank, tag: k.number(c.Args[tag]), bytes: k.bytes(c.Args[count], c.Args[typ]),
	}
	_, peers := k.m.group(o.comm, k.rank)
	to := k.number(c.Args[dest])
	if to < 0 || to >= len(peers) {
		o.nobody = true
		return o
	}
	o.to = peers[to]
	switch c.Func {
	case "MPI_Ssend", "MPI_Issend", "MPI_Ssend_init":
	case "MPI_Bsend", "MPI_Ibsend":
		o.buffered = true
	default:
		o.buffered = k.m.eager == 0 || k.m.IntN(k.m.eager+1) > 0
	}
	return o
}

func (k *process) recvOp(c *Call, source, tag, count, typ string) *operation {
	o := &operation{
		comm: comm(c), from: -1, to: k.rank, tag: -1, bytes: k.bytes(c.Args[count], c.Args[typ]), label: -1, source: -1,
	}
	if c.Args[tag] != Word("MPI_ANY_TAG") {
		o.tag = k.number(c.Args[tag])
	}
	_, peers := k.m.group(o.comm, k.rank)
	if c.Args[source] != Word("MPI_ANY_SOURCE") {
		from := k.number(c.Args[source])
		if from < 0 || from >= len(peers) {
			o.nobody = true
			o.source = k.number(Word("MPI_PROC_NULL"))
			return o
		}
		o.from = peers[from]
	}
	return o
}

func (k *process) start(t *ticket) {
	t.active = true
	f := mpiapi.ByName(t.call.Func)
	switch f.Class {
	case mpiapi.SendInit:
		t.ops = []*operation{k.sendOp(t.call, "dest", "tag", "count", "datatype")}
	case mpiapi.RecvInit:
		t.ops = []*operation{k.recvOp(t.call, "source", "tag", "count", "datatype")}
	case mpiapi.CollectiveInit:
		t.at.times++
		t.coll = k.m.join(t.at, k.rank, f, t.coll.members, t.coll.root)
	}
	for _, o := range t.ops {
		o.call = [2]int{k.rank, t.number}
		k.m.post(o)
	}
}

func (k *process) cancel(t *ticket) {
	for _, o := range t.ops {
		if o.send || o.partner != nil {
			continue
		}
		b := k.m.box(box{o.comm, o.to})
		if i := slices.Index(b.posted, o); i >= 0 {
			b.posted = slices.Delete(b.posted, i, i+1)
		}
		o.cancelled = true
	}
}

// joins puts the process into the next collective of a communicator.
func (k *process) joins(c *Call, f *mpiapi.Func) *instance {
	id := comm(c)
	at := place{id, k.colls[id], 0}
	k.colls[id]++
	own, peers := k.m.group(id, k.rank)
	root := -1
	if v := c.Args["root"]; v != nil {
		switch v {
		case Word("MPI_ROOT"):
			root = k.rank
		case Word("MPI_PROC_NULL"):
		default:
			root = peers[k.number(v)]
		}
	}
	members := own
	if &own[0] != &peers[0] && id != 1 {
		members = slices.Concat(own, peers)
		if root < 0 {
			root = -1 // strict enough: every rank waits for all others
		}
	}
	if id == 1 {
		at.comm = -2 - k.rank
	}
	return k.m.join(at, k.rank, f, members, root)
}

// tickets returns the requests in a call's arguments, nil for null ones.
func (k *process) tickets(c *Call) []*ticket {
	switch v := c.Args["array_of_requests"].(type) {
	case Requests:
		return k.requests[v.From : v.From+v.N]
	case Moved:
		return k.moved
	}
	return k.requests[c.Args["request"].(Variable).Index:][:1]
}

// complete reports whether the operation of a request is complete.
func (k *process) complete(t *ticket) bool {
	if t.coll != nil {
		return t.coll.lets(k.rank)
	}
	for _, o := range t.ops {
		if !o.done() {
			return false
		}
	}
	return true
}

// succeeds reports whether a test or probe would succeed now.
func (k *process) succeeds(c *Call, f *mpiapi.Func) bool {
	if f.Class == mpiapi.Probe {
		return k.probe(c) != nil
	}
	any, all := false, true
	for _, t := range k.tickets(c) {
		if t != nil && t.active {
			done := k.complete(t)
			any, all = any || done, all && done
		}
	}
	switch c.Func {
	case "MPI_Testany", "MPI_Testsome":
		return any
	}
	return all
}

// probe returns the message that a probe finds, nil if there is none.
func (k *process) probe(c *Call) *operation {
	o := k.recvOp(c.with("count", Number(0)).with("datatype", Word("MPI_INT")), "source", "tag", "count", "datatype")
	if o.nobody {
		return o
	}
	b := k.m.box(box{o.comm, k.rank})
	if i := slices.IndexFunc(b.unexpected, o.accepts); i >= 0 {
		return b.unexpected[i]
	}
	return nil
}

func (c *Call) with(name string, v Value) *Call {
	d := *c
	d.Args = c.Args.with(name, v)
	return &d
}
