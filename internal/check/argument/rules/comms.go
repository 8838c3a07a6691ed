package rules

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// commKind is a kind of communicator.
type commKind uint8

const (
	anyComm commKind = iota
	intra            // of one group
	inter            // between two groups
	cartesian
	graph
	distributed // a distributed graph
	neighbourly // any one with a topology
)

// commNeeds are the functions that want a certain kind of communicator, by the name of the blocking operation (MPI standard, the
// description of each function).
var commNeeds = map[string]commKind{
	"MPI_Scan": intra, "MPI_Exscan": intra, "MPI_Cart_create": intra, "MPI_Graph_create": intra, "MPI_Dist_graph_create": intra,
	"MPI_Dist_graph_create_adjacent": intra, "MPI_Cart_map": intra, "MPI_Graph_map": intra, "MPI_Intercomm_create": intra,
	"MPI_Comm_create_group": intra, "MPI_Comm_spawn": intra, "MPI_Comm_spawn_multiple": intra, "MPI_Comm_accept": intra,
	"MPI_Comm_connect": intra, "MPI_Win_create": intra, "MPI_Win_allocate": intra, "MPI_Win_allocate_shared": intra,
	"MPI_Win_create_dynamic": intra, "MPI_File_open": intra,
	"MPI_Intercomm_merge": inter, "MPI_Comm_remote_size": inter, "MPI_Comm_remote_group": inter,
	"MPI_Cart_sub": cartesian, "MPI_Cartdim_get": cartesian, "MPI_Cart_get": cartesian, "MPI_Cart_rank": cartesian,
	"MPI_Cart_coords": cartesian, "MPI_Cart_shift": cartesian,
	"MPI_Graphdims_get": graph, "MPI_Graph_get": graph, "MPI_Graph_neighbors_count": graph, "MPI_Graph_neighbors": graph,
	"MPI_Dist_graph_neighbors_count": distributed, "MPI_Dist_graph_neighbors": distributed,
	"MPI_Neighbor_allgather": neighbourly, "MPI_Neighbor_allgatherv": neighbourly, "MPI_Neighbor_alltoall": neighbourly,
	"MPI_Neighbor_alltoallv": neighbourly, "MPI_Neighbor_alltoallw": neighbourly,
}

// commRule finds communicators of the wrong kind: between groups, or without a topology.
func (f function) commRule() rule {
	i := f.Arg(mpiapi.TheComm)
	need := commNeeds[f.Blocking()]
	if i < 0 || need == anyComm {
		return nil
	}
	at := f.value(i)
	return func(c *call) bool {
		v := c.process.View(at.Handle(c.rec))
		switch {
		case v == nil:
			return true
		case need == inter:
			return v.Split != 0 || c.reject(i, "is no inter-communicator")
		case v.Split != 0:
			return c.reject(i, "is an inter-communicator, which the function does not work on")
		case need == intra:
			return true
		}
		have, known := topologyOf(v)
		return !known || have == need || need == neighbourly && have != intra || c.reject(i, lacks[need])
	}
}

// lacks says what is wrong with a communicator that is not of a kind.
var lacks = map[commKind]string{
	cartesian: "has no Cartesian topology", graph: "has no graph topology", distributed: "has no distributed graph topology",
	neighbourly: "has no topology, so that nobody is a neighbour",
}

// topologyOf returns the topology that a communicator of one group was made with, intra if it has none. It is false if that is not
// known.
func topologyOf(v *track.View) (commKind, bool) {
	if len(v.Made.Raw) == 0 {
		return intra, v.Name == "MPI_COMM_WORLD" || v.Name == "MPI_COMM_SELF"
	}
	switch mpiapi.ByID(v.Made.Func()).Base {
	case mpiapi.IDCartCreate, mpiapi.IDCartSub:
		return cartesian, true
	case mpiapi.IDGraphCreate:
		return graph, true
	case mpiapi.IDDistGraphCreate, mpiapi.IDDistGraphCreateAdjacent:
		return distributed, true
	case mpiapi.IDCommSplit, mpiapi.IDCommSplitType, mpiapi.IDCommCreate, mpiapi.IDCommCreateGroup, mpiapi.IDCommCreateFromGroup,
		mpiapi.IDIntercommMerge:
		return intra, true
	}
	return intra, false // copies have what the original has
}
