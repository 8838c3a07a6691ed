package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// topology is the neighbours of a process on a communicator, as member numbers; -1 for MPI_PROC_NULL.
type topology struct {
	dims, periods         []int64 // of a Cartesian one
	sources, destinations []int32
}

// Dims returns the number of dimensions of a Cartesian topology, 0 if the communicator has none or if it is not known.
func (v *View) Dims() int {
	if v.topology == nil {
		return 0
	}
	return len(v.topology.dims)
}

// Neighbours returns the members that the process receives from in a neighbourhood collective (MPI standard, section
// 8.6), or, if sources is false, those that it sends to. A member is negative for MPI_PROC_NULL. known is false if v
// is nil or the topology is not known.
func (v *View) Neighbours(sources bool) (members []int32, known bool) {
	if v == nil || v.topology == nil {
		return nil, false
	}
	if sources {
		return v.topology.sources, true
	}
	return v.topology.destinations, true
}

// newTopology returns the topology of the communicator that a call has made (MPI standard, chapter 8), nil if it has
// none or if it is not known. For a distributed graph, the neighbours are those that MPI returns, as MPI chooses their
// order.
func newTopology(c *event.Call, made *event.Comm, parent *View, me int32) *topology {
	f := c.Func
	if n := made.Neighbours; n != nil {
		outside := func(rank int32) bool { return int(rank) >= made.Size }
		if slices.ContainsFunc(n.Sources, outside) || slices.ContainsFunc(n.Destinations, outside) {
			return nil
		}
		return &topology{sources: n.Sources, destinations: n.Destinations}
	}
	if f.Copies {
		if parent == nil {
			return nil
		}
		return parent.topology
	}
	// Arrays without elements are not recorded.
	none := func(number string) bool { return c.Int(f.Param(number)) == 0 }
	switch f.Base {
	case mpiapi.IDCartCreate:
		dims, ok1 := numbers(c, "dims")
		periods, ok2 := numbers(c, "periods")
		if (ok1 && ok2 || none("ndims")) && len(dims) == len(periods) {
			return grid(dims, periods, me)
		}
	case mpiapi.IDCartSub:
		if remain, ok := numbers(c, "remain_dims"); ok && parent != nil && parent.topology != nil {
			return parent.topology.subgrid(remain, me)
		}
	case mpiapi.IDGraphCreate:
		index, ok1 := numbers(c, "index")
		edges, ok2 := numbers(c, "edges")
		if ok1 && (ok2 || len(index) > 0 && index[len(index)-1] == 0) {
			return graphNeighbours(index, edges, me)
		}
	case mpiapi.IDDistGraphCreateAdjacent:
		sources, ok1 := numbers(c, "sources")
		destinations, ok2 := numbers(c, "destinations")
		if (ok1 || none("indegree")) && (ok2 || none("outdegree")) {
			return &topology{sources: ranks(sources), destinations: ranks(destinations)}
		}
	}
	return nil
}

// numbers returns the elements of an array that a call reads, false if they are not recorded.
func numbers(c *event.Call, name string) ([]int64, bool) {
	a, ok := c.In(c.Func.Param(name))
	out := make([]int64, a.Len())
	for k := range out {
		out[k] = a.At(k)
	}
	return out, ok
}

// subgrid returns the topology of MPI_Cart_sub, which keeps some of the dimensions.
func (t *topology) subgrid(remain []int64, me int32) *topology {
	if len(t.dims) != len(remain) {
		return nil
	}
	var dims, periods []int64
	for i, r := range remain {
		if r != 0 {
			dims, periods = append(dims, t.dims[i]), append(periods, t.periods[i])
		}
	}
	return grid(dims, periods, me)
}

// graphNeighbours returns the topology of MPI_Graph_create. index has the cumulated numbers of neighbours, and edges
// lists the neighbours.
func graphNeighbours(index, edges []int64, me int32) *topology {
	if int(me) >= len(index) {
		return nil
	}
	from := int64(0)
	if me > 0 {
		from = index[me-1]
	}
	to := index[me]
	if from < 0 || from > to || to > int64(len(edges)) {
		return nil
	}
	n := ranks(edges[from:to])
	return &topology{sources: n, destinations: n}
}

func ranks(list []int64) []int32 {
	out := make([]int32, len(list))
	for i, r := range list {
		out[i] = int32(r)
	}
	return out
}

// grid returns the neighbours in a Cartesian topology: for each dimension the one before and the one after the process
// (section 8.6). Ranks are in row-major order.
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
