package datatype_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Uses that the state of a datatype forbids are found. Harmless uses are not.
func TestUses(t *testing.T) {
	const other = derived + 1
	vector := func(k *Rank) {
		k.Call("a", "MPI_Type_vector", Args{
			"count": 2, "blocklength": 1, "stride": 2, "oldtype": uint64(Int), ">newtype": uint64(derived),
		})
	}
	commit := func(k *Rank, handle uint64) { k.Call("c", "MPI_Type_commit", Args{"datatype": handle}) }
	free := func(k *Rank, handle uint64) { k.Call("f", "MPI_Type_free", Args{"datatype": handle}) }
	send := func(k *Rank, count int, handle uint64, dest int) {
		k.Call("s", "MPI_Send", Args{"count": count, "datatype": handle, "dest": dest, "tag": 0, "comm": World})
	}
	gather := func(k *Rank, root int) {
		k.Call("g", "MPI_Gather", Args{
			"sendcount": 1, "sendtype": uint64(Int), "recvcount": 1, "recvtype": uint64(TypeNull), "root": root,
			"comm": World,
		})
	}
	structure := func(k *Rank, lengths []int32, types ...uint64) {
		k.Call("x", "MPI_Type_create_struct", Args{
			"count": len(types), "array_of_blocklengths": lengths, "array_of_displacements": make([]uint64, len(types)),
			"array_of_types": types, ">newtype": uint64(other),
		})
	}
	alltoallw := func(k *Rank, types ...uint64) {
		k.Call("w", "MPI_Alltoallw", Args{
			"sendcounts": []int32{1, 1}, "sdispls": []int32{0, 0}, "sendtypes": types,
			"recvcounts": []int32{1, 1}, "rdispls": []int32{0, 0}, "recvtypes": []uint64{Int, Int}, "comm": World,
		})
	}
	const notCommitted, freed, redundant = "LOCAL:DATATYPE:NOT_COMMITTED", "LOCAL:DATATYPE:FREED",
		"LOCAL:DATATYPE:REDUNDANT"
	for _, c := range []struct {
		name string
		do   func(*Rank)
		want string // check, parameter and a part of the message
		text string
	}{
		{
			"uncommitted", func(k *Rank) { vector(k); send(k, 1, derived, 1) }, notCommitted + " datatype",
			"made by MPI_Type_vector",
		},
		{
			"uncommitted in an array", func(k *Rank) { vector(k); alltoallw(k, Int, derived) },
			notCommitted + " sendtypes[1]", "Alltoallw",
		},
		{
			"a block of an uncommitted one", func(k *Rank) { vector(k); structure(k, []int32{1, 1}, Int, derived) }, "",
			"",
		},
		{"reduced where no data are moved", func(k *Rank) {
			vector(k)
			k.Call("r", "MPI_Reduce_local", Args{"count": 1, "datatype": uint64(derived), "op": 0x58000003})
		}, "", ""},
		{"committed", func(k *Rank) { vector(k); commit(k, derived); send(k, 1, derived, 1) }, "", ""},
		{"freed", func(k *Rank) {
			vector(k)
			free(k, derived)
			k.Call("d", "MPI_Type_dup", Args{"oldtype": uint64(derived), ">newtype": uint64(other)})
		}, freed + " oldtype", "that is freed already"},
		{
			"a copy freed", func(k *Rank) { vector(k); free(k, derived); free(k, derived) }, freed + " datatype",
			"another copy of the handle",
		},
		{
			"a copy committed", func(k *Rank) { vector(k); free(k, derived); commit(k, derived) }, freed + " datatype",
			"MPI_Type_commit",
		},
		{
			"freed twice", func(k *Rank) { vector(k); free(k, derived); free(k, TypeNull) }, freed + " datatype",
			"a second time",
		},
		{"null", func(k *Rank) { send(k, 1, TypeNull, 1) }, freed + " datatype", "datatype=MPI_DATATYPE_NULL"},
		{"no element of null", func(k *Rank) { send(k, 0, TypeNull, 1) }, "", ""},
		{"null to no process", func(k *Rank) { send(k, 1, TypeNull, ProcNull) }, "", ""},
		{
			"a block of null", func(k *Rank) { structure(k, []int32{1, 1}, Int, TypeNull) },
			freed + " array_of_types[1]", "NULL",
		},
		{"an empty block of null", func(k *Rank) { structure(k, []int32{1, 0}, Int, TypeNull) }, "", ""},
		{"never seen", func(k *Rank) { send(k, 1, 4711, 1) }, "", ""},
		{"null where it means nothing", func(k *Rank) { gather(k, 1) }, "", ""},
		{"null at the root", func(k *Rank) { gather(k, 0) }, freed + " recvtype", "MPI_Gather"},
		{
			"committed twice", func(k *Rank) { vector(k); commit(k, derived); commit(k, derived) },
			redundant + " datatype", "again",
		},
		{
			"predefined committed", func(k *Rank) { commit(k, Int) }, redundant + " datatype",
			"commits MPI_INT, which is predefined",
		},
		{
			"predefined freed", func(k *Rank) { free(k, Int) }, redundant + " datatype",
			"frees MPI_INT, which is predefined",
		},
	} {
		p := New(2)
		c.do(p.Ranks[0])
		var got []string
		for _, f := range analyse(t, p) {
			if !strings.HasPrefix(f.Check, "LOCAL:DATATYPE") {
				continue
			}
			got = append(got, fmt.Sprintf("%s %v", f.Check, f.Details["parameter"]))
			if text := f.Message + " " + f.Why; !strings.Contains(text, c.text) {
				t.Errorf("%s: %s, which says nothing of %q", c.name, text, c.text)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}
