package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// structType lets a rank make and commit a struct with one element of each of the given types.
func structType(k *Rank, handle uint64, types ...uint64) {
	ones, displacements := make([]int32, len(types)), make([]uint64, len(types))
	for i := range ones {
		ones[i], displacements[i] = 1, uint64(8*i)
	}
	k.Call("make", "MPI_Type_create_struct", Args{
		"count": len(types), "array_of_blocklengths": ones, "array_of_displacements": displacements,
		"array_of_types": types, ">newtype": handle,
	})
	k.Call("commit", "MPI_Type_commit", Args{"datatype": handle})
}

func freeType(k *Rank, handle uint64) {
	k.Call("free", "MPI_Type_free", Args{"datatype": handle})
}

func TestMismatchOfStructs(t *testing.T) {
	const mine, yours = 0x8c000001, 0x8c000002
	found := analyse(t, func() *Program {
		p := New(2)
		structType(p.Ranks[0], mine, Int, Int, Double)
		structType(p.Ranks[1], yours, Int, Double, Int)
		p.Ranks[0].Call("a", "MPI_Send", send(2, mine, 1, 5))
		p.Ranks[1].Call("b", "MPI_Recv", recv(3, yours, 0, 5))
		freeType(p.Ranks[0], mine)
		freeType(p.Ranks[1], yours)
		return finalize(p)
	})
	if got := found.Names(); !slices.Equal(got, []string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 1]"}) {
		t.Fatal(got)
	}
	f := found[0]
	for _, want := range []string{
		"MPI_Send of rank 0 sends 2 × struct{INT @0, INT @8, DOUBLE @16}, but MPI_Recv of rank 1 receives it as " +
			"3 × struct{INT @0, DOUBLE @8, INT @16}",
		"Sent: 2×{2×INT, DOUBLE}\nExpected: 3×{INT, DOUBLE, INT}",
		"element 1: MPI_INT is sent, MPI_DOUBLE is expected",
		"copy 0 of sendtype(STRUCT)[1][0](INT)", "copy 0 of recvtype(STRUCT)[1][0](DOUBLE)",
	} {
		if !strings.Contains(told(f), want) {
			t.Errorf("%q is not in\n%s", want, f.Message)
		}
	}
	var roles []string
	for _, s := range f.Sites {
		roles = append(roles, s.Role)
	}
	if want := []string{
		"send", "receive", "send type made", "receive type made",
	}; !slices.Equal(roles, want) {
		t.Errorf("sites %q", roles)
	}
}

// TestTruncated: MPI's error about a message that is too long is part of the finding about that message, whichever
// record is read first. MPI's error about another message is not.
func TestTruncated(t *testing.T) {
	const truncate, inStatus, text = 14, 17, "message truncated"
	irecv := func(k *Rank, site string, request, count, tag int) {
		a := message(count, Int, "source", 0, tag)
		a[">request"], a["*request"] = request, 0x5000+request
		k.Call(site, "MPI_Irecv", a)
	}
	wait := func(request int) Args {
		return Args{
			"request": request, "*request": 0x5000 + request,
			">status": []Status{{Source: 0, Tag: 5, Error: truncate, Bytes: 16}},
		}
	}
	both := []string{"GLOBAL:MSG:TRUNCATED [0 1]"}
	for _, c := range []struct {
		name  string
		build func(s, r *Rank)
		want  []string
	}{
		{"receive, returned", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			r.Fail("b", "MPI_Recv", recv(4, Int, 0, 5), truncate, text, false)
		}, both},
		{"not said by MPI", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			r.Call("b", "MPI_Recv", recv(4, Int, 0, 5))
		}, both},
		{"wait", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			irecv(r, "b", 0x98000000, 4, 5)
			r.Fail("c", "MPI_Wait", wait(0x98000000), truncate, text, false)
		}, both},
		{"wildcards", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			s.Call("a", "MPI_Send", send(8, Int, 1, 6))
			a := recv(4, Int, AnySource, AnyTag)
			a[">status"] = []Status{{Source: 0, Tag: 5, Error: truncate}}
			r.Fail("b", "MPI_Recv", a, truncate, text, false)
			a = message(4, Int, "source", AnySource, AnyTag)
			a[">request"], a["*request"] = 0x98000000, 0x5000
			r.Call("b", "MPI_Irecv", a)
			r.Fail("c", "MPI_Wait",
				Args{
					"request": 0x98000000, "*request": 0x5000,
					">status": []Status{{Source: 0, Tag: 6, Error: truncate}},
				},
				truncate, text, false)
		}, both},
		{"a wildcard of which MPI does not tell", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			a := message(4, Int, "source", AnySource, 5)
			a[">request"], a["*request"] = 0x98000000, 0x5000
			r.Call("b", "MPI_Irecv", a)
			r.Fail("c", "MPI_Wait", Args{"request": 0x98000000, "*request": 0x5000, ">status": []Status{{}}}, truncate,
				text, false)
		}, []string{"LOCAL:MPI:CALL_FAILED [1]"}},
		{"waitall", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(4, Int, 1, 5))
			s.Call("b", "MPI_Send", send(8, Int, 1, 6))
			irecv(r, "c", 0x98000000, 4, 5)
			irecv(r, "d", 0x98000001, 4, 6)
			r.Fail("e", "MPI_Waitall", Args{
				"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001},
				">array_of_statuses": []Status{{Tag: 5}, {Tag: 6, Error: truncate}},
			}, inStatus, text, false)
		}, both},
		{"waitall, and another error", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(4, Int, 1, 5))
			s.Call("b", "MPI_Send", send(8, Int, 1, 6))
			irecv(r, "c", 0x98000000, 4, 5)
			irecv(r, "d", 0x98000001, 4, 6)
			r.Fail("e", "MPI_Waitall", Args{
				"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001},
				">array_of_statuses": []Status{{Tag: 5, Error: 6}, {Tag: 6, Error: truncate}},
			}, inStatus, text, false)
		}, []string{"GLOBAL:MSG:TRUNCATED [0 1]", "LOCAL:MPI:CALL_FAILED [1]"}},
		{"another datatype leads", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			r.Fail("b", "MPI_Recv", recv(4, Float, 0, 5), truncate, text, false)
		}, []string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 1]"}},
		{"packed data, of which only MPI knows the length", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(99, Packed, 1, 5))
			r.Fail("b", "MPI_Recv", recv(4, Int, 0, 5), truncate, text, false)
		}, []string{"LOCAL:MPI:CALL_FAILED [1]"}},
		{"one that is known and one that only MPI knows", func(s, r *Rank) {
			s.Call("a", "MPI_Send", send(8, Int, 1, 5))
			s.Call("a", "MPI_Send", send(99, Packed, 1, 5))
			r.Fail("b", "MPI_Recv", recv(4, Int, 0, 5), truncate, text, false)
			r.Fail("c", "MPI_Recv", recv(4, Int, 0, 5), truncate, text, false)
		}, []string{"GLOBAL:MSG:TRUNCATED [0 1]", "LOCAL:MPI:CALL_FAILED [1]"}},
		{"a collective", func(_, r *Rank) {
			r.Fail("b", "MPI_Bcast", Args{"count": 1, "datatype": Int, "root": 0, "comm": Self}, truncate, text, false)
		}, []string{"LOCAL:MPI:CALL_FAILED [1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(2)
				c.build(p.Ranks[0], p.Ranks[1])
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Errorf("found %v", got)
			}
			for _, f := range found {
				if f.Check == "GLOBAL:MSG:TRUNCATED" &&
					(f.Severity != finding.Error || !strings.Contains(told(f), "the message has 32 bytes, the "+
						"buffer 16 bytes")) {
					t.Errorf("%v: %s", f.Severity, f.Message)
				}
			}
		})
	}
}
