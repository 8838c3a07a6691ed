package mpiapi

import (
	"slices"
	"strings"
	"sync"
)

// CollKind is a kind of collective operations. Calls are counted by kind (enum mv_collective of preload/record.h).
// The numbers are stable: new kinds come at the end. A function and its large-count twin are one kind. The blocking,
// the nonblocking and the persistent form of an operation are different kinds, because they do not match each other
// (MPI standard, section 6.12).
type CollKind uint8

// MaxCollKinds is the greatest possible number of kinds.
const MaxCollKinds = 192

// Groups of kinds. The first four groups have Movements kinds each: the blocking, the nonblocking and the persistent
// form of the operations, and starts of the persistent form. An operation has the same place in each of these groups.
const (
	Movements   = 22                      // length of a group
	CollStarted = CollKind(3 * Movements) // first kind of the group of starts
)

var movements = [Movements]string{
	"Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv",
	"Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw",
	"Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan",
	"Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw",
}

// otherKinds are the kinds after the groups of movements. First come operations that make a communicator from another
// one. Then come operations in which only some of the members of the communicator need to take part.
var otherKinds = []string{
	"Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info",
	"Comm_create", "Comm_split", "Comm_split_type",
	"Intercomm_merge", "Cart_create", "Graph_create", "Cart_sub", "Dist_graph_create", "Dist_graph_create_adjacent",
	"Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect",
	"Comm_create_group", "Comm_create_from_group", "Intercomm_create", "Intercomm_create_from_groups",
	"Comm_free", "Comm_disconnect", "Comm_set_info", "Cart_map", "Graph_map", "Finalize",
	"Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic",
	"Win_fence", "Win_free", "Win_set_info",
	"File_open", "File_close", "File_set_size", "File_preallocate", "File_set_info", "File_set_view",
	"File_set_atomicity", "File_sync", "File_seek_shared",
	"File_read_at_all", "File_write_at_all", "File_read_all", "File_write_all",
	"File_read_ordered", "File_write_ordered",
	"File_iread_at_all", "File_iwrite_at_all", "File_iread_all", "File_iwrite_all",
	"File_read_at_all_begin", "File_read_at_all_end", "File_read_all_begin", "File_read_all_end",
	"File_read_ordered_begin", "File_read_ordered_end", "File_write_at_all_begin", "File_write_at_all_end",
	"File_write_all_begin", "File_write_all_end", "File_write_ordered_begin", "File_write_ordered_end",
	"Comm_shrink", "Comm_agree",
}

// nonblocking returns the name of an operation's nonblocking form: Ibcast, Ineighbor_alltoall.
func nonblocking(name string) string { return "I" + strings.ToLower(name[:1]) + name[1:] }

var collKinds = sync.OnceValue(func() []string {
	var list []string
	for _, form := range []func(string) string{
		func(n string) string { return "MPI_" + n },
		func(n string) string { return "MPI_" + nonblocking(n) },
		func(n string) string { return "MPI_" + n + "_init" },
		func(n string) string { return "MPI_Start of MPI_" + n + "_init" },
	} {
		for _, n := range movements {
			list = append(list, form(n))
		}
	}
	for _, n := range otherKinds {
		if n == "Comm_shrink" || n == "Comm_agree" {
			list = append(list, "MPIX_"+n)
		} else {
			list = append(list, "MPI_"+n)
		}
	}
	return list
})

var collKindOf = sync.OnceValue(func() map[string]CollKind {
	m := make(map[string]CollKind)
	for i, n := range collKinds() {
		m[n] = CollKind(i)
	}
	return m
})

// CollKinds returns the names of the kinds in their order. A name is that of the function, or "MPI_Start of
// MPI_Bcast_init" for starts of a persistent request by MPI_Start or MPI_Startall.
func CollKinds() []string { return slices.Clone(collKinds()) }

// String returns the kind's name.
func (k CollKind) String() string {
	if int(k) < len(collKinds()) {
		return collKinds()[k]
	}
	return "an unknown collective"
}

// Constant returns the kind's name in enum mv_collective.
func (k CollKind) Constant() string {
	name := strings.TrimPrefix(strings.TrimPrefix(k.String(), "MPIX_"), "MPI_")
	if of, ok := strings.CutPrefix(name, "Start of MPI_"); ok {
		name = strings.TrimSuffix(of, "_init") + "_start"
	}
	return "MV_COLL_" + strings.ToUpper(name)
}

// CollKind returns the kind of the function's calls. It returns false if the function is not collective.
func (f *Func) CollKind() (CollKind, bool) {
	if b := ByID(f.Base); b != nil {
		k, ok := collKindOf()[b.Name]
		return k, ok
	}
	return 0, false
}

// Started returns the kind of the starts of a persistent collective, if k is the kind of its _init function. It returns
// false if k is another kind.
func (k CollKind) Started() (CollKind, bool) {
	return k + Movements, k >= 2*Movements && k < CollStarted
}
