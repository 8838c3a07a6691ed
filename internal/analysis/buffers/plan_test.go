package buffers

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// movements says how many times the send buffer and the receive buffer of each collective contain what their counts
// describe.
var movements = map[string][2]multiple{
	"MPI_Gather": {once, perPeer}, "MPI_Gatherv": {once, listed},
	"MPI_Scatter": {perPeer, once}, "MPI_Scatterv": {listed, once},
	"MPI_Allgather": {once, perPeer}, "MPI_Allgatherv": {once, listed}, "MPI_Alltoall": {perPeer, perPeer},
	"MPI_Alltoallv": {listed, listed}, "MPI_Alltoallw": {listed, listed}, "MPI_Reduce_scatter": {ofAll, ofMine},
	"MPI_Reduce_scatter_block": {perMember, once},
	"MPI_Neighbor_allgather":   {once, perSource}, "MPI_Neighbor_allgatherv": {once, listed},
	"MPI_Neighbor_alltoall": {perDest, perSource}, "MPI_Neighbor_alltoallv": {listed, listed},
	"MPI_Neighbor_alltoallw": {listed, listed},
}

// TestMultiples compares the result for each function with the standard, chapters 6, 8 and 14.
func TestMultiples(t *testing.T) {
	for _, f := range mpiapi.Funcs() {
		name := strings.TrimSuffix(f.Blocking(), "_c")
		p := newPlan(f)
		if p.begins != strings.HasSuffix(name, "_begin") || p.ends != strings.HasSuffix(name, "_end") {
			t.Errorf("%s: begins %v ends %v", f.Name, p.begins, p.ends)
		}
		if p.sides == nil {
			continue
		}
		send, recv := multiples(f)
		if want := movements[name]; want[0] != send || want[1] != recv {
			t.Errorf("%s: %v %v, want %v", f.Name, send, recv, want)
		}
		if p.sides.exscan != (name == "MPI_Exscan") || p.sides.bcast != (name == "MPI_Bcast") {
			t.Errorf("%s: %+v", f.Name, p.sides)
		}
	}
}
