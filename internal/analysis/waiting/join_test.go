package waiting

import (
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// TestWaitsFor checks which members a member of a collective waits for, according to the semantics of the operation.
func TestWaitsFor(t *testing.T) {
	for _, c := range []struct {
		function      string
		moves, atRoot bool
		want          whom
	}{
		{"MPI_Barrier", false, false, others},
		{"MPI_Ibarrier", false, false, others},
		{"MPI_Comm_split", false, false, others},
		{"MPI_Comm_create_group", false, false, others},
		{"MPI_Comm_idup", false, false, some},
		{"MPI_Win_fence", false, false, some},
		{"MPI_Allreduce_c", true, false, others},
		{"MPI_Iallgather", true, false, others},
		{"MPI_Alltoall_init", true, false, others},
		{"MPI_Allreduce", false, false, some}, // nothing to reduce
		{"MPI_Allgatherv", true, false, some}, // the others may have nothing to send
		{"MPI_Alltoallw", true, false, some},
		{"MPI_Reduce_scatter", true, false, some},
		{"MPI_Reduce_scatter_block", true, false, others},
		{"MPI_Scan", true, false, some},
		{"MPI_Neighbor_alltoall", true, false, some},
		{"MPI_Bcast", true, false, root},
		{"MPI_Bcast", true, true, some},
		{"MPI_Bcast", false, false, some},
		{"MPI_Iscatter_c", true, false, root},
		{"MPI_Scatterv", true, false, some}, // the root may have nothing for this member
		{"MPI_Reduce", true, true, others},
		{"MPI_Reduce", true, false, some},
		{"MPI_Gather_init", true, true, others},
		{"MPI_Gatherv", true, true, some},
		{"MPI_File_write_all", true, false, some},
	} {
		if got := waitsFor(mpiapi.ByName(c.function), c.moves, c.atRoot); got != c.want {
			t.Errorf("%s, data %v, root %v: %v, want %v", c.function, c.moves, c.atRoot, got, c.want)
		}
	}
}
