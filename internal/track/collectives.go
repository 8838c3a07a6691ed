package track

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

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
	m := agree.Member{Comm: v.Comm, Me: v.Me}
	if top := v.topology; top != nil {
		m.Sources, m.Destinations, m.Known = top.sources, top.destinations, true
	}
	p.agree.Fill(&t.entry, c, pr, m, &t.memo)
	if t.entry.Invalid != 0 {
		th.explained = argumentExplained
	}
	t.scratch.Keep(rec)
	t.scratch.Thread = th.ID
	th.view = v
	th.pos = t.Match.Enter(v.Comm, v.Me, &t.entry, &t.scratch)
}

// Constant returns the value of a constant of the process's MPI, false if it is not known.
func (p *Process) Constant(name string) (int64, bool) {
	switch name {
	case "MPI_IN_PLACE":
		return p.inPlace.value, p.inPlace.known
	case "MPI_ROOT":
		return int64(p.rootSelf), p.rootSelf != -1<<31
	case "MPI_PROC_NULL":
		return int64(p.procNull), p.procNull != -1<<31
	}
	v, ok := p.names.constants[name]
	return v, ok
}

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
	} else if name := p.names.handles[handleKey{mpiapi.Op, handle}]; name != "" {
		id = hashText(name)
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
		i := f.Param(name)
		a, ok := c.In(i)
		out := make([]int64, a.Len())
		for k := range out {
			out[k] = a.At(k)
		}
		return out, ok || c.Int(f.Param("comm")) == 0
	}
	switch f.Base {
	case mpiapi.IDCommDup, mpiapi.IDCommDupWithInfo, mpiapi.IDCommIdup, mpiapi.IDCommIdupWithInfo:
		if parent != nil {
			return parent.topology
		}
	case mpiapi.IDCartCreate:
		dims, ok1 := list("dims")
		periods, ok2 := list("periods")
		if ok1 && ok2 && len(dims) == len(periods) {
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
		if !ok1 || !ok2 || int(me) >= len(index) {
			return nil
		}
		from := int64(0)
		if me > 0 {
			from = index[me-1]
		}
		if to := index[me]; from >= 0 && from <= to && to <= int64(len(edges)) {
			n := members(edges[from:to])
			return &topology{sources: n, destinations: n}
		}
	case mpiapi.IDDistGraphCreateAdjacent:
		sources, ok1 := list("sources")
		destinations, ok2 := list("destinations")
		if (ok1 || c.Int(f.Param("indegree")) == 0) && (ok2 || c.Int(f.Param("outdegree")) == 0) {
			return &topology{sources: members(sources), destinations: members(destinations)}
		}
	}
	return nil
}

func members(ranks []int64) []int32 {
	out := make([]int32, len(ranks))
	for i, r := range ranks {
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
