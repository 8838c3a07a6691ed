package track

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/agree"
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
)

// enterCollective takes the call's place in the order of collectives.
func (t *Tracker) enterCollective(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	pr := th.Process
	v := t.viewOf(pr, p, rec)
	if v == nil {
		return
	}
	m := &t.member
	*m = agree.Member{Comm: v.Comm, Me: v.Me}
	if top := v.topology; top != nil {
		m.Sources, m.Destinations, m.Known = top.sources, top.destinations, true
	}
	p.agree.Fill(&t.entry, c, pr, m, &t.memo)
	if v.Domain == match.File {
		v.splitOrder(&t.entry, th, p.agree.Name(), rec)
	}
	if t.entry.Invalid != 0 || t.entry.Disorder != "" {
		th.explained = argumentExplained
	}
	if p.fn.Base == mpiapi.IDIntercommCreate {
		t.enterLeader(th, v, c)
	}
	th.view = v
	t.scratch.Thread = th.ID
	t.scratch.Keep(rec)
	th.pos = t.Match.Enter(v.Comm, v.Me, &t.entry, t.scratch)
	t.sink.Entered(th, v, th.pos, t.scratch)
}

// leaders are two processes, by world rank, that lead the groups of a new inter-communicator.
type leaders struct {
	peer      *match.Comm
	low, high int
}

// leader is one of them, waiting for the other.
type leader struct {
	process *Process
	thread  *Thread
	peer    *View
	other   int // rank of the other leader, which may not be known yet
	tag     int64
	told    bool // its tag is not the other's
	call    match.Call
}

// enterLeader compares the tags that the two leaders pass to MPI_Intercomm_create: they must be equal (MPI standard,
// section 7.6.2). In a process with several threads another of them may be about to pass the right one.
func (t *Tracker) enterLeader(th *Thread, local *View, c *event.Call) {
	pr, f := th.Process, c.Func
	peer := pr.View(c.Handle(f.Param("peer_comm")))
	if peer == nil || peer.Opaque || c.Int(f.Param("local_leader")) != int64(local.Me-local.Base) {
		return
	}
	m, ok := peer.peer(c.Int(f.Param("remote_leader")))
	if !ok || peer.Members[m] < 0 {
		return
	}
	other := int(peer.Members[m])
	k := leaders{peer.Comm, min(pr.Rank, other), max(pr.Rank, other)}
	me := &leader{
		process: pr, thread: th, peer: peer, other: other, tag: c.Int(f.Param("tag")), call: th.call(c.Raw()),
	}
	list := t.leaders[k]
	at := slices.IndexFunc(list, func(l *leader) bool { return l.process != pr && l.tag == me.tag })
	if at < 0 {
		for _, l := range list {
			if l.process != pr && !l.told && !pr.Multiple && !l.process.Multiple {
				l.told, me.told = true, true
				t.sink.Leaders(l.call, me.call)
			}
		}
		t.leaders[k] = append(list, me)
		return
	}
	if list = slices.Delete(list, at, at+1); len(list) == 0 {
		delete(t.leaders, k)
	} else {
		t.leaders[k] = list
	}
}

// leaveLeader forgets a leader whose call has returned.
func (t *Tracker) leaveLeader(th *Thread) {
	for k, list := range t.leaders {
		list = slices.DeleteFunc(list, func(l *leader) bool { return l.thread == th && l.told })
		if len(list) == 0 {
			delete(t.leaders, k)
		} else {
			t.leaders[k] = list
		}
	}
}

// Counterpart returns the leader of the other group that a thread in MPI_Intercomm_create waits for, and the communicator
// that joins both, if the thread leads its own group and the other has not come with the same tag; else nil.
func (t *Tracker) Counterpart(th *Thread) (*View, *Process) {
	if th.Open.Func == nil || th.Open.Func.Base != mpiapi.IDIntercommCreate {
		return nil, nil
	}
	for _, list := range t.leaders {
		for _, l := range list {
			if l.thread == th {
				return l.peer, t.ProcessOf(l.process.World, l.other)
			}
		}
	}
	return nil, nil
}

// splitOrder follows the split collectives of a file (MPI standard, section 14.4.5): one at a time, ended by the function
// that goes with its beginning, and no other collective access in between.
func (v *View) splitOrder(e *match.Entry, th *Thread, name string, rec []byte) {
	active := ""
	if len(v.split.Raw) > 0 {
		active = mpiapi.ByID(v.split.Func()).Name
	}
	operation, begins := strings.CutSuffix(name, "_begin")
	ended, ends := strings.CutSuffix(name, "_end")
	switch {
	case begins && active != "":
		e.Disorder = name + " while " + active + " has not been ended"
	case begins:
		v.split = th.call(rec)
	case ends && active == "":
		e.Disorder = name + " though " + ended + "_begin was not called"
	case ends && strings.TrimSuffix(strings.TrimSuffix(active, "_c"), "_begin") != ended:
		e.Disorder = name + " after " + active
		v.split = match.Call{}
	case ends:
		v.split = match.Call{}
	case active != "" && (strings.HasSuffix(operation, "_all") || strings.HasSuffix(operation, "_ordered")):
		e.Disorder = name + " while " + active + " has not been ended"
	}
}

// Constant returns the value of a constant of the process's MPI, false if it is not known.
func (p *Process) Constant(name string) (int64, bool) {
	return p.names.constant(name)
}

// InPlace returns the address that is MPI_IN_PLACE, false if it is not known.
func (p *Process) InPlace() (uint64, bool) { return p.inPlace, p.hasInPlace }

// operation is a reduction operation that the program has made.
type operation struct {
	function    uint64
	commutative bool
	id          uint64
	made        match.Call
}

// Op returns a number that is the same for the same reduction operation on all processes, 0 if that is not known:
// operations of the program are the same if they are made of the same function (MPI standard, section 6.9.5).
func (p *Process) Op(handle uint64) uint64 {
	if p.recentOp.id != 0 && p.recentOp.handle == handle {
		return p.recentOp.id
	}
	var id uint64
	if o := p.ops[handle]; o != nil {
		id = o.id
	} else if w := p.names.handle(mpiapi.Op, handle); w != nil {
		id = w.op
	}
	p.recentOp.handle, p.recentOp.id = handle, id
	return id
}

// OpFunction returns the address of the function that the program made an operation of, and the call that did, false
// if it did not make it.
func (p *Process) OpFunction(handle uint64) (address uint64, made match.Call, ok bool) {
	o := p.ops[handle]
	if o == nil {
		return 0, match.Call{}, false
	}
	return o.function, o.made, true
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64() | 1
}

// newOp enters what MPI_Op_create has made.
func (p *Process) newOp(th *Thread, c *event.Call) {
	f := c.Func
	o := &operation{function: c.Addr(f.Param("user_fn")), commutative: c.Int(f.Param("commute")) != 0, made: th.call(c.Raw())}
	o.id = p.place(o.function)
	if o.id != 0 && o.commutative {
		o.id += 2
	}
	p.ops[uint64(c.After(f.Param("op")))] = o
	p.recentOp.id = 0
}

// place returns a number for the place of a function in the file that it comes from: the same in all processes that
// have loaded that file, wherever. It is 0 if the file is not known.
func (p *Process) place(address uint64) uint64 {
	for i := range p.modules {
		m := &p.modules[i]
		if address < m.Start || address >= m.End {
			continue
		}
		h := fnv.New64a()
		if len(m.BuildID) > 0 {
			_, _ = h.Write(m.BuildID)
		} else {
			_, _ = h.Write([]byte(m.Path))
		}
		_ = binary.Write(h, binary.LittleEndian, address-m.Base)
		return h.Sum64()&^3 | 1
	}
	return 0
}

// topology is who the neighbours of a process are on a communicator, as member numbers; -1 for MPI_PROC_NULL.
type topology struct {
	dims, periods         []int64 // of a Cartesian one
	sources, destinations []int32
}

// newTopology works out the topology of the communicator that a call has made (MPI standard, chapter 8), nil if it has
// none or that is not known.
func newTopology(c *event.Call, parent *View, me int32) *topology {
	f := c.Func
	list := func(name string) ([]int64, bool) {
		a, ok := c.In(f.Param(name))
		out := make([]int64, a.Len())
		for k := range out {
			out[k] = a.At(k)
		}
		return out, ok
	}
	// Arrays without elements are not recorded.
	none := func(number string) bool { return c.Int(f.Param(number)) == 0 }
	switch f.Base {
	case mpiapi.IDCommDup, mpiapi.IDCommDupWithInfo, mpiapi.IDCommIdup, mpiapi.IDCommIdupWithInfo:
		if parent != nil {
			return parent.topology
		}
	case mpiapi.IDCartCreate:
		dims, ok1 := list("dims")
		periods, ok2 := list("periods")
		if (ok1 && ok2 || none("ndims")) && len(dims) == len(periods) {
			return grid(dims, periods, me)
		}
	case mpiapi.IDCartSub:
		remain, ok := list("remain_dims")
		if !ok || parent == nil || parent.topology == nil || len(parent.topology.dims) != len(remain) {
			return nil
		}
		var dims, periods []int64
		for i, r := range remain {
			if r != 0 {
				dims, periods = append(dims, parent.topology.dims[i]), append(periods, parent.topology.periods[i])
			}
		}
		return grid(dims, periods, me)
	case mpiapi.IDGraphCreate:
		index, ok1 := list("index")
		edges, ok2 := list("edges")
		ok2 = ok2 || ok1 && len(index) > 0 && index[len(index)-1] == 0
		if !ok1 || !ok2 || int(me) >= len(index) {
			return nil
		}
		from := int64(0)
		if me > 0 {
			from = index[me-1]
		}
		if to := index[me]; from >= 0 && from <= to && to <= int64(len(edges)) {
			n := ranks(edges[from:to])
			return &topology{sources: n, destinations: n}
		}
	case mpiapi.IDDistGraphCreateAdjacent:
		sources, ok1 := list("sources")
		destinations, ok2 := list("destinations")
		if (ok1 || none("indegree")) && (ok2 || none("outdegree")) {
			return &topology{sources: ranks(sources), destinations: ranks(destinations)}
		}
	}
	return nil
}

// degrees are the numbers of neighbours in a distributed graph.
type degrees struct{ in, out int }

// setNeighbours takes the topology from MPI_Dist_graph_neighbors, which tells it in the order of neighbour collectives.
// How many of the elements count is known only if the program has asked for the degrees.
func (v *View) setNeighbours(c *event.Call) {
	d := v.degrees
	if d == nil || v.topology != nil {
		return
	}
	list := func(name string, n int) ([]int32, bool) {
		if n == 0 {
			return nil, true
		}
		a, ok := c.Out(c.Func.Param(name))
		if !ok || n < 0 || a.Len() < n {
			return nil, false
		}
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(a.At(i))
		}
		return out, true
	}
	sources, ok1 := list("sources", d.in)
	destinations, ok2 := list("destinations", d.out)
	if ok1 && ok2 {
		v.topology = &topology{sources: sources, destinations: destinations}
	}
}

func ranks(list []int64) []int32 {
	out := make([]int32, len(list))
	for i, r := range list {
		out[i] = int32(r)
	}
	return out
}

// grid returns the neighbours in a Cartesian topology: for each dimension the one before and the one behind (section
// 8.6), ranks in row-major order.
func grid(dims, periods []int64, me int32) *topology {
	t := &topology{dims: dims, periods: periods}
	stride := int64(1)
	var back []int32 // from the last dimension
	for i := len(dims) - 1; i >= 0; i-- {
		n := dims[i]
		if n <= 0 {
			return nil
		}
		at := int64(me) / stride % n
		neighbour := func(d int64) int32 {
			to := at + d
			if to < 0 || to >= n {
				if periods[i] == 0 {
					return -1
				}
				to = (to + n) % n
			}
			return int32(int64(me) + (to-at)*stride)
		}
		back = append(back, neighbour(1), neighbour(-1))
		stride *= n
	}
	slices.Reverse(back)
	t.sources, t.destinations = back, back
	return t
}
