package collargs

import (
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// TestMovement checks how the operations of chapters 6 and 8 of the MPI standard move data, in all their forms.
func TestMovement(t *testing.T) {
	want := map[string]movement{
		"MPI_Bcast": everybody, "MPI_Reduce": everybody, "MPI_Allreduce": everybody, "MPI_Scan": everybody,
		"MPI_Exscan": everybody, "MPI_Gather": toRoot, "MPI_Gatherv": toRootParts, "MPI_Scatter": fromRoot,
		"MPI_Scatterv": fromRootParts, "MPI_Allgather": allToAll, "MPI_Allgatherv": gatherParts,
		"MPI_Alltoall":  allToAll,
		"MPI_Alltoallv": pairs, "MPI_Alltoallw": pairs, "MPI_Reduce_scatter": parts, "MPI_Reduce_scatter_block": block,
		"MPI_Neighbor_allgather": neighbours, "MPI_Neighbor_allgatherv": neighbours,
		"MPI_Neighbor_alltoall":  neighbours,
		"MPI_Neighbor_alltoallv": neighbours, "MPI_Neighbor_alltoallw": neighbours,
	}
	for _, f := range mpiapi.Funcs() {
		if got := movementOf(f); got != want[f.Blocking()] {
			t.Errorf("%s: movement %d, want %d", f.Name, got, want[f.Blocking()])
		}
	}
}

// TestAgreements checks that there is code for every value of the column agree.
func TestAgreements(t *testing.T) {
	for _, f := range mpiapi.Funcs() {
		if a := f.Agree; int(a) >= len(agreements) || (agreements[a] == nil) != (a == mpiapi.NoAgreement) {
			t.Errorf("%s: no code for agree=%v", f.Name, a)
		}
	}
}
