package pipeline_test

import (
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// TestLateMember: a call that is wrong by itself is reported once, however long the other member takes to enter the
// collective. What the other member does wrong is reported, too, if it is something else.
func TestLateMember(t *testing.T) {
	allgather := func(recvtype int) []byte {
		return Record(1, "MPI_Allgatherv", Args{
			"sendbuf": uint64(0x10000), "sendcount": 1, "sendtype": Int, "recvbuf": uint64(0x20000),
			"recvcounts": []int32{1, 1}, "displs": []int32{0, 1}, "recvtype": recvtype, "comm": World,
		}, 0)
	}
	const (
		datatypes  = "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH"
		operations = "GLOBAL:COLLECTIVE:OPERATION_MISMATCH"
		deadlock   = "GLOBAL:DEADLOCK:HARD"
	)
	for _, k := range []struct {
		other []byte
		ticks int
		want  []string
	}{
		{allgather(Int), 0, []string{datatypes + " [0 1]"}},
		{allgather(Int), 10, []string{datatypes + " [1]"}},
		{
			Record(1, "MPI_Barrier", Args{"comm": World}, 0), 10,
			[]string{datatypes + " [1]", operations + " [0 1]", deadlock + " [0 1]"},
		},
	} {
		var found collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
		New(2).Deliver(p, 1000, 0)
		p.Batch(&ring.Batch{Thread: 1, Data: allgather(Float), Open: true})
		for range k.ticks {
			p.Tick()
		}
		p.Batch(&ring.Batch{Thread: 0, Data: k.other, Open: true})
		for range k.ticks {
			p.Tick()
		}
		if got := found.Names(); !slices.Equal(got, k.want) || len(found) != len(k.want) {
			t.Errorf("after %d ticks: %d reports of %q, want one of each of %q", k.ticks, len(found), got, k.want)
		}
	}
}
