package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// TestOverlaps: memory that MPI uses twice is reported if this is certain. One process sends to itself.
func TestOverlaps(t *testing.T) {
	const (
		a, b, c = 0x98000000, 0x98000001, 0x98000002
		buf     = 0x7f0000000000
		vec     = 0x8c000001
	)
	overlap, reads := []string{"LOCAL:MEMORY:OVERLAP [0]"}, []string{"LOCAL:MEMORY:READ_OVERLAP [0]"}
	begin := func(k *Rank, function string, at, count, request, variable int) {
		peer := "source"
		if !strings.Contains(function, "recv") && !strings.Contains(function, "Recv") {
			peer = "dest"
		}
		m := message(count, Int, peer, 0, 1)
		m["buf"], m[">request"], m["*request"] = uint64(buf+at), request, variable
		k.Call(function, function, m)
	}
	blocking := func(k *Rank, function string, at, count int) {
		peer := map[string]string{"MPI_Send": "dest", "MPI_Recv": "source"}[function]
		m := message(count, Int, peer, 0, 1)
		m["buf"] = uint64(buf + at)
		if peer == "source" {
			m["status"] = Ignore
		}
		k.Call(function, function, m)
	}
	on := func(k *Rank, function string, request, variable int) {
		k.Call(function, function, Args{"request": request, "*request": variable})
	}
	wait := func(k *Rank, request, variable int) {
		k.Call("wait", "MPI_Wait", Args{"request": request, "*request": variable, ">status": []Status{{Bytes: 4}}})
	}
	// Operations that are not complete at the end, and messages without a receive, are not part of this test.
	only := func(found collected) (list collected) {
		for _, f := range found {
			if strings.HasPrefix(f.Check, "LOCAL:MEMORY:") {
				list = append(list, f)
			}
		}
		return list
	}
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  []string
		text  string
	}{
		{"collectives without buffers beside", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 1, a, 0x5000)
			for range 10 {
				k.Call("barrier", "MPI_Barrier", Args{"comm": Self})
			}
			blocking(k, "MPI_Send", 4, 1)
			wait(k, a, 0x5000)
		}, nil, ""},
		{"side by side", func(k *Rank) {
			for range 3 {
				begin(k, "MPI_Irecv", 0, 10, a, 1)
				begin(k, "MPI_Irecv", 40, 10, b, 2)
				blocking(k, "MPI_Send", 80, 10)
				blocking(k, "MPI_Send", 80, 10)
				wait(k, a, 1)
				wait(k, b, 2)
			}
		}, nil, ""},
		{
			"one byte",
			func(k *Rank) { begin(k, "MPI_Irecv", 0, 10, a, 1); begin(k, "MPI_Irecv", 39, 1, b, 2) }, overlap,
			"element 0 of buf of MPI_Irecv (1 × MPI_INT), which is element 9 of buf of MPI_Irecv (10 × MPI_INT)",
		},
		{
			"sent and received",
			func(k *Rank) { begin(k, "MPI_Isend", 0, 10, a, 1); begin(k, "MPI_Irecv", 0, 10, b, 2) },
			overlap, "writes to memory that MPI_Isend is still reading",
		},
		{
			"sent twice",
			func(k *Rank) { begin(k, "MPI_Isend", 0, 10, a, 1); begin(k, "MPI_Isend", 4, 10, b, 2) }, reads,
			"Both only read",
		},
		{"a blocking send", func(k *Rank) {
			for range 3 {
				begin(k, "MPI_Irecv", 0, 10, a, 1)
				blocking(k, "MPI_Send", 40, 10)
				wait(k, a, 1)
			}
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			blocking(k, "MPI_Send", 36, 10)
			blocking(k, "MPI_Send", 40, 10)
		}, overlap, "reads memory that MPI_Irecv is still filling"},
		{
			"after completion",
			func(k *Rank) { begin(k, "MPI_Irecv", 0, 10, a, 1); wait(k, a, 1); begin(k, "MPI_Irecv", 0, 10, b, 2) },
			nil, "",
		},
		{"freed", func(k *Rank) {
			begin(k, "MPI_Isend", 0, 10, a, 1)
			on(k, "MPI_Request_free", a, 1)
			begin(k, "MPI_Irecv", 0, 10, b, 2)
		}, nil, ""},
		{"known to be complete", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			k.Call("status", "MPI_Request_get_status", Args{"request": a, ">flag": 1, ">status": []Status{{}}})
			begin(k, "MPI_Irecv", 0, 10, b, 2)
		}, nil, ""},
		{"not known to be complete", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			k.Call("status", "MPI_Request_get_status", Args{"request": a, ">flag": 0})
			begin(k, "MPI_Irecv", 0, 10, b, 2)
		}, overlap, ""},
		{"cancelled", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			on(k, "MPI_Cancel", a, 1)
			k.Call("wait", "MPI_Wait", Args{"request": a, "*request": 1, ">status": []Status{{Cancelled: true}}})
			begin(k, "MPI_Irecv", 0, 10, b, 2)
		}, nil, ""},
		{"a failed wait", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			k.Fail("wait", "MPI_Wait", Args{"request": a, "*request": 1}, 15, "internal error", false)
			begin(k, "MPI_Irecv", 0, 10, b, 2)
		}, nil, ""},
		{"another one is waited for", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 10, a, 1)
			begin(k, "MPI_Irecv", 40, 10, b, 2)
			k.Call("any", "MPI_Waitany",
				Args{
					"count": 2, "array_of_requests": []uint64{a, b}, "*array_of_requests": 1, ">index": 1,
					">status": []Status{{}},
				})
			begin(k, "MPI_Irecv", 40, 10, b, 2)
			begin(k, "MPI_Irecv", 36, 1, b, 2)
		}, overlap, "element 9 of buf of MPI_Irecv (10 × MPI_INT)"},
		{"persistent, not started", func(k *Rank) {
			begin(k, "MPI_Recv_init", 0, 10, a, 1)
			begin(k, "MPI_Send_init", 0, 10, b, 2)
			for range 3 {
				on(k, "MPI_Start", a, 1)
				wait(k, a, 1)
				on(k, "MPI_Start", b, 2)
				wait(k, b, 2)
			}
		}, nil, ""},
		{"persistent, both started", func(k *Rank) {
			begin(k, "MPI_Recv_init", 0, 10, a, 1)
			begin(k, "MPI_Send_init", 0, 10, b, 2)
			on(k, "MPI_Start", a, 1)
			on(k, "MPI_Start", b, 2)
		}, overlap, "MPI_Start reads memory that MPI_Recv_init is still filling"},
		{"one handle for several", func(k *Rank) {
			begin(k, "MPI_Isend", 0, 1, a, 1)
			begin(k, "MPI_Isend", 40, 1, a, 2)
			begin(k, "MPI_Irecv", 40, 1, b, 3)
		}, overlap, ""},
		{"one handle for several, one of which is complete", func(k *Rank) {
			begin(k, "MPI_Isend", 0, 1, a, 1)
			begin(k, "MPI_Isend", 40, 1, a, 2)
			wait(k, a, 1) // or, of the program's own accord, the other one
			begin(k, "MPI_Irecv", 40, 1, b, 3)
		}, nil, ""},
		{"a column beside another", func(k *Rank) {
			k.Call("vector", "MPI_Type_vector",
				Args{"count": 10, "blocklength": 1, "stride": 10, "oldtype": uint64(Int), ">newtype": uint64(vec)})
			k.Call("commit", "MPI_Type_commit", Args{"datatype": uint64(vec)})
			for range 3 {
				for i, r := range []int{a, b} {
					m := message(1, vec, "source", 0, 1)
					m["buf"], m[">request"], m["*request"] = uint64(buf+4*i), r, i
					k.Call("column", "MPI_Irecv", m)
				}
				blocking(k, "MPI_Send", 8, 8)
				wait(k, a, 0)
				wait(k, b, 1)
			}
			k.Call("free", "MPI_Type_free", Args{"datatype": uint64(vec)})
		}, nil, ""},
		{"in a column", func(k *Rank) {
			k.Call("vector", "MPI_Type_vector",
				Args{"count": 10, "blocklength": 1, "stride": 10, "oldtype": uint64(Int), ">newtype": uint64(vec)})
			k.Call("commit", "MPI_Type_commit", Args{"datatype": uint64(vec)})
			m := message(1, vec, "source", 0, 1)
			m["buf"], m[">request"], m["*request"] = uint64(buf), a, 1
			k.Call("column", "MPI_Irecv", m)
			blocking(k, "MPI_Send", 44, 8)
			blocking(k, "MPI_Send", 36, 2)
		}, overlap, "buf(VECTOR)[1][0](INT)"},
		{"both buffers of a call", func(k *Rank) {
			k.Call("exchange", "MPI_Sendrecv", Args{
				"sendbuf": uint64(buf), "sendcount": 4, "sendtype": Int, "dest": 0, "sendtag": 0,
				"recvbuf": uint64(buf + 12), "recvcount": 4, "recvtype": Int,
				"source": 0, "recvtag": 0, "comm": World, "status": Ignore,
			})
		}, overlap, "The send buffer and the receive buffer of MPI_Sendrecv overlap"},
		{"collectives", func(k *Rank) {
			for i := range 30 { // also when they are known
				k.Call("sum", "MPI_Allreduce",
					Args{
						"sendbuf": uint64(buf), "recvbuf": uint64(buf + 16), "count": 4, "datatype": Int, "op": Sum,
						"comm": World,
					})
				if i == 20 {
					k.Call("sum", "MPI_Allreduce",
						Args{
							"sendbuf": uint64(buf), "recvbuf": uint64(buf + 15), "count": 4, "datatype": Int,
							"op": Sum, "comm": World,
						})
				}
			}
		}, overlap, "The send buffer and the receive buffer of MPI_Allreduce overlap"},
		{"parts that overlap", func(k *Rank) {
			k.Call("gather", "MPI_Gatherv", Args{
				"sendbuf": uint64(buf), "sendcount": 4, "sendtype": Int, "recvbuf": uint64(buf + 100),
				"recvcounts": []int32{4}, "displs": []int32{3}, "recvtype": Int,
				"root": 0, "comm": World,
			})
			k.Call("exchange", "MPI_Alltoallv", Args{
				"sendbuf": uint64(buf), "sendcounts": []int32{4}, "sdispls": []int32{3}, "sendtype": Int,
				"recvbuf": uint64(buf), "recvcounts": []int32{4}, "rdispls": []int32{7}, "recvtype": Int, "comm": World,
			})
			k.Call("exchange", "MPI_Alltoallv", Args{
				"sendbuf": uint64(buf), "sendcounts": []int32{4}, "sdispls": []int32{3}, "sendtype": Int,
				"recvbuf": uint64(buf), "recvcounts": []int32{4}, "rdispls": []int32{6}, "recvtype": Int, "comm": World,
			})
		}, overlap, "The send buffer and the receive buffer of MPI_Alltoallv begin at the same address"},
		{"parts under way", func(k *Rank) {
			k.Call("gather", "MPI_Igatherv", Args{
				"sendbuf": uint64(buf), "sendcount": 4, "sendtype": Int, "recvbuf": uint64(buf + 100),
				"recvcounts": []int32{4}, "displs": []int32{3}, "recvtype": Int,
				"root": 0, "comm": World, ">request": a, "*request": 1,
			})
			blocking(k, "MPI_Send", 100, 3)
			blocking(k, "MPI_Send", 128, 3)
			blocking(k, "MPI_Recv", 4, 1)
			wait(k, a, 1)
			blocking(k, "MPI_Send", 100, 10)
		}, overlap, "MPI_Recv writes to memory that MPI_Igatherv is still reading"},
		{"a root only reads", func(k *Rank) {
			k.Call("bcast", "MPI_Ibcast",
				Args{
					"buffer": uint64(buf), "count": 4, "datatype": Int, "root": 0, "comm": World, ">request": a,
					"*request": 1,
				})
			blocking(k, "MPI_Send", 0, 4)
			blocking(k, "MPI_Recv", 12, 4)
		}, []string{"LOCAL:MEMORY:OVERLAP [0]", "LOCAL:MEMORY:READ_OVERLAP [0]"}, "MPI_Ibcast is still reading"},
		{"a persistent collective", func(k *Rank) {
			k.Call("sum", "MPI_Allreduce_init", Args{
				"sendbuf": uint64(buf), "recvbuf": uint64(buf + 16), "count": 4, "datatype": Int, "op": Sum,
				"comm": World, ">request": a, "*request": 1,
			})
			blocking(k, "MPI_Send", 16, 4)
			for range 2 {
				on(k, "MPI_Start", a, 1)
				blocking(k, "MPI_Recv", 32, 4)
				wait(k, a, 1)
				blocking(k, "MPI_Recv", 0, 8)
			}
			on(k, "MPI_Start", a, 1)
			blocking(k, "MPI_Recv", 28, 4)
		}, overlap, "MPI_Allreduce_init is still filling"},
		{"gathered in place, and sent", func(k *Rank) {
			begin(k, "MPI_Isend", 0, 4, a, 1)
			k.Call("gather", "MPI_Allgather", Args{
				"sendbuf": InPlace, "sendcount": 0, "sendtype": uint64(TypeNull), "recvbuf": uint64(buf),
				"recvcount": 4, "recvtype": Int, "comm": World,
			})
		}, reads, "MPI_Allgather"},
		{"gathered in place, and received", func(k *Rank) {
			begin(k, "MPI_Irecv", 0, 4, a, 1)
			k.Call("gather", "MPI_Allgather", Args{
				"sendbuf": InPlace, "sendcount": 0, "sendtype": uint64(TypeNull), "recvbuf": uint64(buf),
				"recvcount": 4, "recvtype": Int, "comm": World,
			})
		}, overlap, "MPI_Allgather"},
		{"an attached buffer", func(k *Rank) {
			k.Call("attach", "MPI_Buffer_attach", Args{"buffer": uint64(buf), "size": 1000})
			blocking(k, "MPI_Send", 1000, 4)
			blocking(k, "MPI_Send", 996, 4)
			k.Call("detach", "MPI_Buffer_detach", Args{})
			blocking(k, "MPI_Recv", 0, 4)
		}, overlap, "MPI_Buffer_attach has attached for buffered sends"},
		{"a collective while a receive is under way", func(k *Rank) {
			sum := func() {
				k.Call("sum", "MPI_Allreduce",
					Args{
						"sendbuf": uint64(buf), "recvbuf": uint64(buf + 16), "count": 4, "datatype": Int, "op": Sum,
						"comm": World,
					})
			}
			for range 30 {
				sum()
			}
			begin(k, "MPI_Irecv", 32, 10, a, 1)
			sum()
			wait(k, a, 1)
			begin(k, "MPI_Irecv", 31, 1, b, 2)
			sum()
		}, overlap, "MPI_Allreduce"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := only(analyse(t, func() *Program {
				p := New(1)
				c.build(p.Ranks[0])
				return p
			}))
			if !slices.Equal(got.Names(), c.want) {
				t.Fatalf("found %q, want %q", got.Names(), c.want)
			}
			if c.text != "" &&
				!slices.ContainsFunc(got, func(f *finding.Finding) bool { return strings.Contains(told(f), c.text) }) {
				t.Errorf("no finding says %q:\n%s", c.text, got[0].Message)
			}
			if n := len(got); n > len(c.want) && c.name != "a blocking send" {
				t.Errorf("%d findings: %q", n, got.Names())
			}
		})
	}
}
