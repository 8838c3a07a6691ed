package generate

import (
	"maps"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// leave makes the process leave its call, if the call may return.
func (k *process) leave(force bool) bool {
	if !force && k.m.IntN(3) == 0 {
		return false
	}
	out := maps.Clone(k.in.args)
	succeeded, completed, ok := k.perform(out, force)
	if !ok {
		return false
	}
	k.recordReturn(out)
	c := k.in.call
	k.in = nil
	k.next(c, succeeded, completed)
	return true
}

// perform executes the effects of the call's return, and adds its results to out. succeeded is the result of a test or
// probe; completed is the number of requests that it has completed. ok is false if the call does not return yet.
func (k *process) perform(out fakerun.Args, force bool) (succeeded bool, completed int, ok bool) {
	a := k.in
	c, f := a.call, a.fn
	if a.coll != nil && !k.mayLeave(a) {
		return false, 0, false
	}
	switch f.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv:
		if slices.ContainsFunc(a.ops, func(o *operation) bool { return !o.done() }) {
			return false, 0, false
		}
		k.received(a, out)
	case mpiapi.Isend, mpiapi.Irecv, mpiapi.Isendrecv:
		k.newRequest(c, &ticket{ops: a.ops, active: true}, out)
	case mpiapi.SendInit, mpiapi.RecvInit:
		k.newRequest(c, &ticket{persistent: true, call: c, number: k.pc}, out)
	case mpiapi.Icollective:
		k.newRequest(c, &ticket{coll: a.coll, active: true}, out)
	case mpiapi.CollectiveInit:
		id := comm(c)
		k.newRequest(c, &ticket{coll: a.coll, persistent: true, call: c, at: place{id, k.colls[id] - 1, 0}}, out)
	case mpiapi.Collective:
		k.madeComm(c, f, out)
	case mpiapi.Probe, mpiapi.Mrecv:
		succeeded, ok = k.probed(c, f, out)
		return succeeded, 0, ok
	case mpiapi.Wait, mpiapi.Test:
		return k.waited(a, out, force)
	case mpiapi.RequestOp:
		if c.Func == "MPI_Request_free" {
			v := c.Args["request"].(Variable)
			k.lib.release(mpiapi.Request, k.requests[v.Index].handle)
			k.requests[v.Index] = nil
		}
	case mpiapi.Env: // no effect
	default:
		k.local(c, out)
	}
	return true, 0, true
}

// mayLeave reports whether a call that takes part in a collective may return.
func (k *process) mayLeave(a *activity) bool {
	switch a.fn.Class {
	case mpiapi.Collective, mpiapi.Env:
		return a.coll.lets(k.rank)
	case mpiapi.CollectiveInit:
		return !a.coll.strict || a.coll.lets(k.rank)
	}
	return true // nonblocking
}

// received adds the results of a blocking receive that is complete.
func (k *process) received(a *activity, out fakerun.Args) {
	for _, o := range a.ops {
		if o.send {
			continue
		}
		s := k.receiveStatus(o)
		if out[">status"] != nil {
			out[">status"] = []fakerun.Status{s}
		}
		a.class = k.truncated(o)
	}
}

// recordReturn adds the records of the call's return, and removes the results from its record at entry.
func (k *process) recordReturn(out fakerun.Args) {
	m, a := k.m, k.in
	site, name := k.sites[k.pc], a.call.Func
	m.run.Events[a.enter].Data = fakerun.Record(site, name, blank(out), 0)
	if a.made != nil {
		m.event(k.rank, Info, a.made)
	}
	if a.class != 0 {
		m.event(k.rank, Info, fakerun.Error(a.class, "message truncated", false))
	}
	m.event(k.rank, Leave, fakerun.Record(site, name, out, a.class))
}

// blank returns the arguments of a call that has not returned: with room for the results, but empty.
func blank(a fakerun.Args) fakerun.Args {
	b := make(fakerun.Args, len(a))
	for name, v := range a {
		if strings.HasPrefix(name, ">") {
			switch w := v.(type) {
			case []fakerun.Status:
				v = make([]fakerun.Status, len(w))
			case []int32:
				v = make([]int32, len(w))
			default:
				v = 0
			}
		}
		b[name] = v
	}
	return b
}

// receiveStatus returns the status of a complete receive.
func (k *process) receiveStatus(o *operation) fakerun.Status {
	s := fakerun.Status{Source: int32(o.source), Tag: int32(o.label), Bytes: int64(o.size), Cancelled: o.cancelled}
	if o.bytes < o.size {
		s.Error = k.truncated(o)
	}
	if k.in.call.Args["status"] != nil {
		k.status, k.cancelled = s, o.cancelled
	}
	return s
}

// truncated returns the error class of a receive that was too short, else 0.
func (k *process) truncated(o *operation) int32 {
	if o.partner != nil && o.bytes < o.partner.bytes {
		return int32(k.lib.words["MPI_ERR_TRUNCATE"])
	}
	return 0
}

func (k *process) newRequest(c *Call, t *ticket, out fakerun.Args) {
	v := c.Args["request"].(Variable)
	done := len(t.ops) > 0
	for _, o := range t.ops {
		done = done && (o.nobody || o.send && o.buffered)
	}
	if done {
		t.handle = k.lib.done
	} else {
		t.handle = k.lib.fresh(mpiapi.Request)
	}
	k.requests[v.Index] = t
	out[">request"] = t.handle
}

// madeComm executes the results of collectives that make communicators.
func (k *process) madeComm(c *Call, f *mpiapi.Func, out fakerun.Args) {
	if c.Func == "MPI_Comm_free" {
		v := c.Args["comm"].(Variable)
		k.lib.release(mpiapi.Comm, k.handles[v])
		delete(k.handles, v)
		out[">comm"] = k.lib.null(mpiapi.Comm)
		return
	}
	i := f.Arg(mpiapi.NewComm)
	if i < 0 {
		return
	}
	name := f.Params[i].Name
	v := c.Args[name].(Variable)
	own, peers := k.m.group(v.Index, k.rank)
	if len(own) == 0 {
		k.handles[v] = k.lib.null(mpiapi.Comm)
		out[">"+name] = k.handles[v]
		return
	}
	h := k.lib.fresh(mpiapi.Comm)
	k.handles[v] = h
	out[">"+name] = h
	if &own[0] == &peers[0] {
		peers = nil
	}
	k.in.made = fakerun.Comm(h, slices.Index(own, k.rank), ranks32(own), ranks32(peers), 0)
}

func ranks32(list []int) (out []int32) {
	for _, r := range list {
		out = append(out, int32(r))
	}
	return out
}

// probed executes probes, and the receives of the messages that they found. ok is false if the call does not return
// yet.
func (k *process) probed(c *Call, f *mpiapi.Func, out fakerun.Args) (succeeded, ok bool) {
	if f.Class == mpiapi.Mrecv {
		v := c.Args["message"].(Variable)
		s := k.messages[v]
		delete(k.messages, v)
		o := &operation{
			comm: s.comm, from: s.from, to: k.rank, tag: s.tag,
			bytes: k.bytes(c.Args["count"], c.Args["datatype"]),
		}
		o.call = [2]int{k.rank, k.pc}
		k.m.match(s, o)
		k.lib.release(mpiapi.Message, k.handles[v])
		delete(k.handles, v)
		if c.Func == "MPI_Imrecv" {
			k.newRequest(c, &ticket{ops: []*operation{o}, active: true}, out)
		} else {
			out[">status"] = []fakerun.Status{k.receiveStatus(o)}
			k.in.class = k.truncated(o)
		}
		return true, true
	}
	s := k.probe(c)
	nonblocking := f.Arg(mpiapi.Flag) >= 0
	if s == nil || nonblocking && k.polls < 3 && k.m.IntN(2) == 0 {
		if nonblocking {
			out[">flag"] = 0
		}
		return false, nonblocking
	}
	if nonblocking {
		out[">flag"] = 1
	}
	_, peers := k.m.group(comm(c), k.rank)
	st := fakerun.Status{Source: int32(slices.Index(peers, s.from)), Tag: int32(s.tag), Bytes: int64(s.bytes)}
	if s.nobody {
		st = fakerun.Status{Source: int32(k.number(Word("MPI_PROC_NULL"))), Tag: -1}
	}
	if c.Args["status"] != nil {
		k.status = st
	}
	out[">status"] = []fakerun.Status{st}
	if f.Arg(mpiapi.TheMessage) >= 0 {
		v := c.Args["message"].(Variable)
		b := k.m.box(box{comm(c), k.rank})
		b.unexpected = slices.DeleteFunc(b.unexpected, func(o *operation) bool { return o == s })
		k.messages[v] = s
		k.handles[v] = k.lib.fresh(mpiapi.Message)
		out[">message"] = k.handles[v]
	}
	return true, true
}

// local executes calls that make, change or free an object.
func (k *process) local(c *Call, out fakerun.Args) {
	if v, ok := c.Args["newtype"].(Variable); ok {
		k.handles[v] = k.lib.fresh(mpiapi.Datatype)
		k.types[v] = k.made(c)
		out[">newtype"] = k.handles[v]
		return
	}
	switch c.Func {
	case "MPI_Type_free":
		v := c.Args["datatype"].(Variable)
		k.lib.release(mpiapi.Datatype, k.handles[v])
		k.handles[v] = k.lib.null(mpiapi.Datatype)
		out[">datatype"] = k.handles[v]
	case "MPI_Op_create":
		v := c.Args["op"].(Variable)
		k.handles[v] = k.lib.fresh(mpiapi.Op)
		out[">op"] = k.handles[v]
	case "MPI_Op_free":
		v := c.Args["op"].(Variable)
		k.lib.release(mpiapi.Op, k.handles[v])
	}
}

// made returns the size of the datatype that a constructor makes.
func (k *process) made(c *Call) int {
	if types, ok := c.Args["array_of_types"].(Types); ok {
		n := 0
		for i, length := range c.Args["array_of_blocklengths"].(Numbers) {
			n += k.bytes(Number(length), types[i])
		}
		return n
	}
	one := k.bytes(Number(1), c.Args["oldtype"])
	if list, ok := c.Args["array_of_blocklengths"].(Numbers); ok {
		n := 0
		for _, length := range list {
			n += length * one
		}
		return n
	}
	if v, ok := c.Args["count"].(Number); ok {
		one *= int(v)
	}
	if v, ok := c.Args["blocklength"].(Number); ok {
		one *= int(v)
	}
	return one
}
