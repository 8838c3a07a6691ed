package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/testkit/wholerun"
)

// collected is what most tests here get: the findings of a whole program.
type collected = wholerun.Findings

func analyse(t *testing.T, build func() *Program) collected {
	t.Helper()
	return wholerun.Analyse(t, build)
}

func message(count int, typ uint64, peer string, rank, tag int) Args {
	return Args{"count": count, "datatype": typ, peer: rank, "tag": tag, "comm": World, "buf": uint64(0x1000)}
}

func recv(count int, typ uint64, rank, tag int) Args {
	a := message(count, typ, "source", rank, tag)
	a["status"] = Ignore
	return a
}

func send(count int, typ uint64, rank, tag int) Args { return message(count, typ, "dest", rank, tag) }

func finalize(p *Program) *Program {
	for _, k := range p.Ranks {
		k.Call("main", "MPI_Finalize", nil)
		k.End = &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: true}
	}
	return p
}

func TestFindings(t *testing.T) {
	cases := []struct {
		name  string
		build func() *Program
		want  []string
		text  string // part of the first message
	}{
		{"nothing wrong", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Send", send(1, Int, 1, 5))
			p.Ranks[1].Call("b", "MPI_Recv", recv(4, Int, 0, 5))
			for _, k := range p.Ranks {
				k.Call("c", "MPI_Barrier", Args{"comm": World})
			}
			return finalize(p)
		}, nil, ""},
		{
			"another type", func() *Program {
				p := New(2)
				p.Ranks[0].Call("a", "MPI_Send", send(2, Float, 1, 5))
				p.Ranks[1].Call("b", "MPI_Recv", recv(1, Double, 0, 5))
				return finalize(p)
			},
			[]string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 1]"},
			"MPI_Send of rank 0 sends 2 × MPI_FLOAT, but MPI_Recv of rank 1 receives it as 1 × MPI_DOUBLE",
		},
		{"bytes", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Send", send(2, Int, 1, 5))
			p.Ranks[1].Call("b", "MPI_Recv", recv(8, Byte, 0, 5))
			return finalize(p)
		}, []string{"GLOBAL:MSG:DATATYPE:MISMATCH:BYTE [0 1]"}, "MPI_BYTE matches only MPI_BYTE"},
		{"nothing sent as another type, and packed", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Send", send(0, Float, 1, 5))
			p.Ranks[0].Call("a", "MPI_Send", send(8, Packed, 1, 5))
			p.Ranks[1].Call("b", "MPI_Recv", recv(1, Double, 0, 5))
			p.Ranks[1].Call("b", "MPI_Recv", recv(1, Double, 0, 5))
			return finalize(p)
		}, nil, ""},
		{
			"wildcards by status", func() *Program {
				p := New(3)
				p.Ranks[1].Call("a", "MPI_Send", send(1, Int, 0, 7))
				p.Ranks[2].Call("a", "MPI_Send", send(1, Double, 0, 7))
				for _, from := range []int32{2, 1} {
					a := recv(1, Double, AnySource, AnyTag)
					if from == 1 {
						a = recv(1, Int, AnySource, AnyTag)
					}
					a[">status"] = []Status{{Source: from, Tag: 7}}
					p.Ranks[0].Call("b", "MPI_Recv", a)
				}
				return finalize(p)
			},
			[]string{"GLOBAL:MSG:RACE [0 1 2]"},
			"receives the message of rank 1, 1 × MPI_INT, as 1 × MPI_DOUBLE: that is another datatype",
		},
		{"nonblocking wildcards completed out of order", func() *Program {
			p := New(3)
			p.Ranks[1].Call("a", "MPI_Send", send(1, Int, 0, 1))
			p.Ranks[2].Call("a", "MPI_Send", send(1, Double, 0, 2))
			k := p.Ranks[0]
			for i, typ := range []uint64{Int, Double} {
				a := message(1, typ, "source", AnySource, i+1)
				a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
				k.Call("b", "MPI_Irecv", a)
			}
			k.Call("c", "MPI_Waitany", Args{
				"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001}, ">index": 1,
				">status": []Status{{Source: 2, Tag: 2}},
			})
			k.Call("c", "MPI_Waitall", Args{
				"count": 2, "array_of_requests": []uint64{0x98000000, RequestNull},
				">array_of_statuses": []Status{{Source: 1, Tag: 1}, {}},
			})
			return finalize(p)
		}, nil, ""},
		{"request left", func() *Program {
			p := New(2)
			a := send(1, Int, 1, 0)
			a[">request"], a["*request"] = 0x98000000, 0x5000
			p.Ranks[0].Call("a", "MPI_Isend", a)
			p.Ranks[1].Call("b", "MPI_Recv", recv(1, Int, 0, 0))
			return finalize(p)
		}, []string{"LOCAL:REQUEST:NOT_FREED [0]"}, "This MPI_Isend is never completed"},
		{"requests that share a handle", func() *Program {
			p := New(2)
			for i := range 2 {
				a := send(1, Int, 1, 0)
				a[">request"], a["*request"] = 0x6c000001, 0x5000+4*i
				p.Ranks[0].Call(fmt.Sprint("a", i), "MPI_Isend", a)
				p.Ranks[1].Call("b", "MPI_Recv", recv(1, Int, 0, 0))
			}
			p.Ranks[0].Call("c", "MPI_Wait", Args{"request": 0x6c000001, "*request": 0x5000, ">status": []Status{{}}})
			return finalize(p)
		}, []string{"LOCAL:REQUEST:NOT_FREED [0]"}, "This MPI_Isend is never completed"},
		{"a copied handle that two requests share", func() *Program {
			// Rank 0 waits for its second send with a copy of the handle. It waits for the first send when that can be
			// received.
			p := New(3)
			k := p.Ranks[0]
			for i := range 2 {
				a := send(1, Int, 1+i, 0)
				a[">request"], a["*request"] = 0x6c000001, 0x5000+4*i
				k.Call(fmt.Sprint("a", i), "MPI_Isend", a)
			}
			wait := func(at int) {
				k.Call("b", "MPI_Wait", Args{"request": 0x6c000001, "*request": at, ">status": []Status{{}}})
			}
			wait(0x7000)
			p.Ranks[2].Call("c", "MPI_Recv", recv(1, Int, 0, 0))
			for _, k := range p.Ranks {
				k.Call("d", "MPI_Barrier", Args{"comm": World})
			}
			p.Ranks[1].Call("c", "MPI_Recv", recv(1, Int, 0, 0))
			wait(0x5000)
			return finalize(p)
		}, nil, ""},
		{
			"different collectives", func() *Program {
				p := New(4)
				for r, k := range p.Ranks {
					if r == 2 {
						k.Call("a", "MPI_Barrier", Args{"comm": World})
					} else {
						k.Call("b", "MPI_Bcast", Args{"count": 1, "datatype": Int, "root": 0, "comm": World})
					}
				}
				return finalize(p)
			},
			[]string{"GLOBAL:COLLECTIVE:OPERATION_MISMATCH [0 1 2 3]"},
			"Ranks 0,1,3 call MPI_Bcast, but rank 2 calls MPI_Barrier",
		},
		{"different roots", func() *Program {
			p := New(3)
			for r, k := range p.Ranks {
				k.Call("b", "MPI_Bcast", Args{"count": 1, "datatype": Int, "root": r / 2, "comm": World})
			}
			return finalize(p)
		}, []string{"GLOBAL:COLLECTIVE:ROOT_MISMATCH [0 1 2]"}, "ranks 0,1 pass root=0, but rank 2 passes root=1"},
		{
			"receives that wait for each other", func() *Program {
				p := New(2)
				for r, k := range p.Ranks {
					k.Open("a", "MPI_Recv", recv(1, Int, 1-r, 3))
				}
				return p
			},
			[]string{"GLOBAL:DEADLOCK:HARD [0 1]"},
			"MPI_Recv waits for rank 1 to send, but rank 1 is itself in MPI_Recv",
		},
		{"a receive from itself", func() *Program {
			p := New(2)
			p.Ranks[1].Open("a", "MPI_Recv", recv(1, Int, 1, 3))
			p.Ranks[0].Call("a", "MPI_Barrier", Args{"comm": World})
			return p
		}, []string{"GLOBAL:DEADLOCK:HARD [1]"}, "MPI_Recv waits for rank 1 itself to send"},
		{"one computes", func() *Program {
			p := New(3)
			p.Ranks[0].Open("a", "MPI_Recv", recv(1, Int, 1, 3))
			p.Ranks[1].Open("a", "MPI_Recv", recv(1, Int, 2, 3))
			return p
		}, nil, ""},
		{"wildcard that the computing rank may serve", func() *Program {
			p := New(3)
			p.Ranks[0].Open("a", "MPI_Recv", recv(1, Int, AnySource, 3))
			p.Ranks[1].Open("a", "MPI_Recv", recv(1, Int, 0, 3))
			return p
		}, nil, ""},
		{
			"collective that one will never join", func() *Program {
				p := New(3)
				p.Ranks[0].Open("a", "MPI_Barrier", Args{"comm": World})
				p.Ranks[1].Open("a", "MPI_Barrier", Args{"comm": World})
				p.Ranks[2].Open("b", "MPI_Recv", recv(1, Int, 0, 3))
				return p
			},
			[]string{"GLOBAL:COLLECTIVE:MISSING [0 1 2]", "GLOBAL:DEADLOCK:HARD [0 1 2]"},
			"it waits in MPI_Recv for rank 0 to send",
		},
		{
			"collectives that do not fit", func() *Program {
				p := New(2)
				p.Ranks[0].Open("a", "MPI_Barrier", Args{"comm": World})
				p.Ranks[1].Open("b", "MPI_Allreduce", Args{"count": 1, "datatype": Int, "comm": World})
				return p
			},
			[]string{"GLOBAL:COLLECTIVE:OPERATION_MISMATCH [0 1]", "GLOBAL:DEADLOCK:HARD [0 1]"},
			"Rank 0 calls MPI_Barrier, but rank 1 calls MPI_Allreduce",
		},
		{"waits for a rank that has ended", func() *Program {
			p := New(2)
			p.Ranks[0].Open("a", "MPI_Recv", recv(1, Int, 1, 3))
			p.Ranks[1].Open("b", "MPI_Finalize", nil)
			return p
		}, []string{"GLOBAL:DEADLOCK:HARD [0]"}, "rank 1 is in MPI_Finalize"},
		{
			"an error that ends the program", func() *Program {
				p := New(1)
				p.Ranks[0].Call("a", "MPI_Barrier", Args{"comm": World})
				p.Ranks[0].Fail("b", "MPI_Send", send(1, Int, 0, 0), 6, "no way to rank 0", false)
				return finalize(p)
			},
			[]string{"LOCAL:MPI:CALL_FAILED [0]"},
			"MPI_Send fails with MPI_ERR_RANK\nMPI says: no way to rank 0",
		},
		{"leaves without finalize", func() *Program {
			p := New(2)
			p = finalize(p)
			q := New(2)
			q.Ranks[0] = p.Ranks[0]
			q.Ranks[1].Call("last", "MPI_Barrier", Args{"comm": Self})
			q.Ranks[1].End = &ring.ProcEnd{Kind: ring.Exited, Code: 3, Initialized: true}
			return q
		}, []string{"LOCAL:EXIT:BEFORE_MPI_FINALIZE [1]"}, "Rank 1 exits with status 3"},
		{"killed, and the launcher kills the other", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 20}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, FaultAddr: 16, Initialized: true, Time: 10}
			return p
		}, []string{"LOCAL:EXIT:SIGNAL [1]"}, "SIGSEGV"},
		{"communicators split alike on different ranks", func() *Program {
			// Ranks 0 and 1, and ranks 2 and 3, get separate communicators with the same handle. The messages on them
			// are separate.
			p := New(4)
			const half = 0x84000002
			for r, k := range p.Ranks {
				low := int32(r / 2 * 2)
				k.Comm(half, r%2, []int32{low, low + 1}, nil, 0)
				k.Call("split", "MPI_Comm_split", Args{"comm": World, "color": r / 2, ">newcomm": half})
				typ := uint64(Int)
				if r > 1 {
					typ = Double
				}
				a := message(1, typ, "dest", 1, 0)
				if r%2 == 1 {
					a = recv(1, typ, 0, 0)
				}
				a["comm"] = half
				if r%2 == 0 {
					k.Call("a", "MPI_Send", a)
				} else {
					k.Call("b", "MPI_Recv", a)
				}
				k.Call("c", "MPI_Bcast", Args{"count": 1, "datatype": Int, "root": r / 2, "comm": half})
				k.Call("d", "MPI_Comm_free", Args{"comm": half})
			}
			return finalize(p)
		}, nil, ""},
		{
			"messages between groups", func() *Program {
				// Groups {0,1} and {2}: rank 0 of the remote group is a different process on each side.
				p := New(3)
				const inter = 0x84000003
				for r, k := range p.Ranks {
					if r < 2 {
						k.Comm(inter, r, []int32{0, 1}, []int32{2}, 0)
					} else {
						k.Comm(inter, 0, []int32{2}, []int32{0, 1}, 0)
					}
					k.Call("create", "MPI_Intercomm_create",
						Args{"local_comm": Self, "peer_comm": World, "tag": 1, ">newintercomm": inter})
				}
				on := func(a Args) Args { a["comm"] = inter; return a }
				p.Ranks[0].Call("a", "MPI_Send", on(send(1, Int, 0, 0)))
				p.Ranks[1].Call("a", "MPI_Send", on(send(1, Double, 0, 0)))
				p.Ranks[2].Call("b", "MPI_Recv", on(recv(1, Double, 1, 0)))
				p.Ranks[2].Call("b", "MPI_Recv", on(recv(1, Float, 0, 0)))
				for r, k := range p.Ranks {
					root := RootSelf
					if r == 1 {
						root = ProcNull
					} else if r == 2 {
						root = 0
					}
					k.Call("c", "MPI_Bcast", Args{"count": 1, "datatype": Int, "root": root, "comm": inter})
					k.Call("d", "MPI_Comm_free", Args{"comm": inter})
				}
				return finalize(p)
			},
			[]string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 2]"},
			"MPI_Send of rank 0 sends 1 × MPI_INT, but MPI_Recv of rank 2 receives it as 1 × MPI_FLOAT",
		},
		{"inter-communicators of pairs", func() *Program {
			// {0} with {3}, and {1} with {2}, are two communicators.
			p := New(4)
			const inter = 0x84000003
			for r, k := range p.Ranks {
				k.Comm(inter, 0, []int32{int32(r)}, []int32{int32(3 - r)}, 0)
				k.Call("create", "MPI_Intercomm_create",
					Args{"local_comm": Self, "peer_comm": World, "tag": 1, ">newintercomm": inter})
				if r == 0 || r == 3 {
					k.Call("a", "MPI_Barrier", Args{"comm": inter})
				}
				k.Call("b", "MPI_Comm_free", Args{"comm": inter, ">comm": CommNull})
			}
			return finalize(p)
		}, nil, ""},
		{"persistent requests", func() *Program {
			p := New(2)
			s, r := send(1, Int, 1, 0), message(1, Double, "source", 0, 0)
			for _, a := range []Args{s, r} {
				a[">request"], a["*request"] = 0x98000000, 0x5000
			}
			p.Ranks[0].Call("a", "MPI_Send_init", s)
			p.Ranks[1].Call("b", "MPI_Recv_init", r)
			for _, k := range p.Ranks {
				for range 2 {
					k.Call("start", "MPI_Start", Args{"request": 0x98000000, "*request": 0x5000})
					k.Call("wait", "MPI_Wait", Args{"request": 0x98000000, "*request": 0x5000, ">status": []Status{{}}})
				}
			}
			p.Ranks[0].Call("free", "MPI_Request_free", Args{"request": 0x98000000, "*request": 0x5000})
			return finalize(p)
		}, []string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 1]", "LOCAL:REQUEST:NOT_FREED [1]"}, "never freed"},
		{"a cancelled receive leaves its message to the next", func() *Program {
			p := New(2)
			a := message(1, Double, "source", 0, 0)
			a[">request"], a["*request"] = 0x98000000, 0x5000
			k := p.Ranks[1]
			k.Call("a", "MPI_Irecv", a)
			k.Call("b", "MPI_Cancel", Args{"request": 0x98000000, "*request": 0x5000})
			k.Call("c", "MPI_Wait",
				Args{"request": 0x98000000, "*request": 0x5000, ">status": []Status{{Cancelled: true}}})
			k.Call("e", "MPI_Barrier", Args{"comm": World})
			k.Call("d", "MPI_Recv", recv(1, Int, 0, 0))
			p.Ranks[0].Call("e", "MPI_Barrier", Args{"comm": World})
			p.Ranks[0].Call("f", "MPI_Send", send(1, Int, 1, 0))
			return finalize(p)
		}, nil, ""},
		{"a matched probe takes its message out of the way", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Send", send(1, Int, 1, 0))
			p.Ranks[0].Call("a", "MPI_Send", send(1, Double, 1, 0))
			k := p.Ranks[1]
			k.Call("b", "MPI_Mprobe",
				Args{"source": AnySource, "tag": 0, "comm": World, ">message": 0x77, ">status": []Status{{Source: 0}}})
			k.Call("c", "MPI_Recv", recv(1, Double, 0, 0))
			k.Call("d", "MPI_Mrecv",
				Args{
					"buf": uint64(0x1000), "count": 1, "datatype": Int, "message": 0x77,
					">status": []Status{{Source: 0}},
				})
			return finalize(p)
		}, nil, ""},
		{"waits for one of several that may still come", func() *Program {
			p := New(3)
			k := p.Ranks[0]
			for i, from := range []int{1, 2} {
				a := message(1, Int, "source", from, 0)
				a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
				k.Call("a", "MPI_Irecv", a)
			}
			k.Open("b", "MPI_Waitany", Args{"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001}})
			p.Ranks[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
			return p
		}, nil, ""},
		{
			"waits for all of several, one of which can't come", func() *Program {
				p := New(3)
				k := p.Ranks[0]
				for i, from := range []int{1, 2} {
					a := message(1, Int, "source", from, 0)
					a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
					k.Call("a", "MPI_Irecv", a)
				}
				k.Open("b", "MPI_Waitall", Args{"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001}})
				p.Ranks[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
				return p
			},
			[]string{"GLOBAL:DEADLOCK:HARD [0 1]"},
			"MPI_Waitall for MPI_Irecv waits for rank 1 to send, but rank 1 is itself in MPI_Recv from rank 0",
		},
		{"synchronous sends to each other", func() *Program {
			p := New(2)
			for r, k := range p.Ranks {
				k.Open("a", "MPI_Ssend", send(1, Int, 1-r, 3))
			}
			return p
		}, []string{"GLOBAL:DEADLOCK:HARD [0 1]"}, "MPI_Ssend waits for rank 1 to receive"},
		{"becomes another program after MPI_Finalize", func() *Program {
			p := finalize(New(2))
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Finalized: true}
			return p
		}, nil, ""},
		{"killed after MPI_Finalize", func() *Program {
			p := finalize(New(2))
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, Finalized: true}
			return p
		}, []string{"LOCAL:EXIT:SIGNAL [1]"}, "killed by SIGKILL, after MPI_Finalize"},
		{"killed after MPI_Finalize by the launcher, as another has failed", func() *Program {
			p := finalize(New(2))
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Exited, Code: 1, Initialized: true, Finalized: true, Time: 1}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, Finalized: true, Time: 2}
			return p
		}, nil, ""},
		{"killed as the launcher was", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Signaled, Code: 13, Initialized: true, Asked: true, Time: 1}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, Asked: true, Time: 2}
			return p
		}, nil, ""},
		{"killed without a trace", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Barrier", Args{"comm": Self})
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 1}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 2}
			return p
		}, []string{"LOCAL:EXIT:SIGNAL [0]"}, "SIGKILL"},
		{"a communicator that is not the same for all", func() *Program {
			p := New(3)
			const comm = 0x84000003
			for r, k := range p.Ranks {
				members := []int32{0, 1}
				if r == 2 {
					members = append(members, 2)
				}
				k.Comm(comm, r, members, nil, 0)
				k.Call("a", "MPI_Comm_split", Args{"comm": World, "color": 0, "key": 0, ">newcomm": comm})
				k.Call("b", "MPI_Barrier", Args{"comm": comm})
			}
			return finalize(p)
		}, []string{"LOCAL:COMM:NOT_FREED [0]", "LOCAL:COMM:NOT_FREED [1]", "LOCAL:COMM:NOT_FREED [2]"}, ""},
		{"killed as another has begun to exit, and gone before it", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 2}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Time: 1}
			return p
		}, []string{"LOCAL:EXIT:BEFORE_MPI_FINALIZE [1]"}, ""},
		{"killed, so the launcher ends another", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Signaled, Code: 15, Initialized: true, Asked: true, Time: 7e6}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 8e6}
			return p
		}, []string{"LOCAL:EXIT:SIGNAL [1]"}, "SIGKILL"},
		{"killed by the launcher, as it does not end when it is asked to", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Signaled, Code: 15, Initialized: true, Asked: true, Time: 7e6}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 1007e6}
			return p
		}, nil, ""},
		{"killed before another exits", func() *Program {
			p := New(2)
			p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Vanished, Initialized: true, Time: 1}
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Time: 2}
			return p
		}, []string{"LOCAL:EXIT:BEFORE_MPI_FINALIZE [1]", "LOCAL:EXIT:SIGNAL [0]"}, "SIGKILL"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := analyse(t, c.build)
			if !slices.Equal(got.Names(), c.want) {
				t.Fatalf("found %q, want %q", got.Names(), c.want)
			}
			if c.text != "" &&
				!slices.ContainsFunc(got, func(f *finding.Finding) bool { return strings.Contains(told(f), c.text) }) {
				t.Errorf("no finding says %q:\n%s", c.text, got[0].Message)
			}
		})
	}
}

// TestEndedByMPI: a process that MPI has ended gives the launcher some time to end the others, which wait for it.
func TestEndedByMPI(t *testing.T) {
	const hard = "GLOBAL:DEADLOCK:HARD [1]"
	for _, c := range []struct {
		inMPI bool
		ticks int
		want  bool
	}{{false, 10, true}, {true, 100, false}, {true, 250, true}} {
		p := New(2)
		p.Ranks[0].Open("a", "MPI_Type_commit", Args{"datatype": Int})
		p.Ranks[0].End = &ring.ProcEnd{Kind: ring.Exited, Code: 2, Initialized: true, InMPI: c.inMPI}
		p.Ranks[1].Open("b", "MPI_Barrier", Args{"comm": World})
		var got collected
		pl := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		p.Deliver(pl, 1000, 0)
		for range c.ticks {
			pl.Tick()
		}
		if found := slices.Contains(got.Names(), hard); found != c.want {
			t.Errorf("inside MPI %v, after %d ticks: found %q", c.inMPI, c.ticks, got.Names())
		}
	}
}

// usual returns the checks that are on by default.
func usual() []*check.Check {
	return slices.DeleteFunc(all.Checks(), func(c *check.Check) bool { return c.Severity == finding.Off })
}

// BenchmarkPingPong analyses two ranks that send 8 bytes back and forth: ns per call.
func BenchmarkPingPong(b *testing.B) {
	prog := New(2)
	var none collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
	prog.Deliver(p, 1000, 0)
	const n = 128
	var data [2][]byte
	for r := range data {
		s := Record(0, "MPI_Send", send(8, Byte, 1-r, 1), 0)
		v := Record(0, "MPI_Recv", recv(8, Byte, 1-r, 1), 0)
		for range n {
			if r == 0 {
				data[r] = append(append(data[r], s...), v...)
			} else {
				data[r] = append(append(data[r], v...), s...)
			}
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 4 * n {
		p.Batch(&ring.Batch{Thread: 0, Data: data[0]})
		p.Batch(&ring.Batch{Thread: 1, Data: data[1]})
	}
	if len(none) != 0 || p.Matcher.Messages == 0 {
		b.Fatal("not what it should be")
	}
}

// BenchmarkAllreduce analyses 4 ranks that call MPI_Allreduce: ns per call.
func BenchmarkAllreduce(b *testing.B) {
	prog := New(4)
	var none collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
	prog.Deliver(p, 1000, 0)
	const n = 128
	var data []byte
	for range n {
		data = append(data, Record(0, "MPI_Allreduce", Args{
			"sendbuf": uint64(0x7f0000000000), "recvbuf": uint64(0x7f0000000008), "count": 1, "datatype": Double,
			"comm": World,
		}, 0)...)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 4 * n {
		for r := range 4 {
			p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: data})
		}
	}
	if len(none) != 0 || p.Matcher.Collectives == 0 {
		b.Fatal("not what it should be")
	}
}

// BenchmarkHalo analyses two ranks that exchange messages by MPI_Irecv, MPI_Isend and MPI_Waitall: ns per call.
func BenchmarkHalo(b *testing.B) {
	prog := New(2)
	var none collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
	prog.Deliver(p, 1000, 0)
	const n = 40
	var data [2][]byte
	for r := range data {
		in, out := message(1, Double, "source", 1-r, 1), message(1, Double, "dest", 1-r, 1)
		in[">request"], in["*request"] = 0x98000000, 0x5000
		out[">request"], out["*request"] = 0x6c000001, 0x5004
		in["buf"], out["buf"] = uint64(0x7f0000000000), uint64(0x7f0000000008)
		for range n {
			data[r] = append(data[r], Record(0, "MPI_Irecv", in, 0)...)
			data[r] = append(data[r], Record(0, "MPI_Isend", out, 0)...)
			data[r] = append(data[r], Record(0, "MPI_Waitall", Args{
				"count": 2, "array_of_requests": []uint64{0x98000000, 0x6c000001},
				">array_of_statuses": []Status{{}, {}},
			}, 0)...)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 6 * n {
		p.Batch(&ring.Batch{Thread: 0, Data: data[0]})
		p.Batch(&ring.Batch{Thread: 1, Data: data[1]})
	}
	if len(none) != 0 || p.Matcher.Messages == 0 {
		b.Fatal("not what it should be")
	}
}

// BenchmarkPersistent analyses two ranks that exchange messages by persistent requests, which MPI_Startall starts and
// MPI_Waitall completes, while each sends and receives a blocking message: ns per call.
func BenchmarkPersistent(b *testing.B) {
	prog := New(2)
	for r, rank := range prog.Ranks {
		in, out := message(1, Double, "source", 1-r, 1), message(1, Double, "dest", 1-r, 1)
		in[">request"], in["*request"] = 0x98000000, 0x5000
		out[">request"], out["*request"] = 0x6c000001, 0x5004
		in["buf"], out["buf"] = uint64(0x7f0000000000), uint64(0x7f0000000008)
		rank.Call("in", "MPI_Recv_init", in)
		rank.Call("out", "MPI_Send_init", out)
	}
	var none collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
	prog.Deliver(p, 1000, 0)
	const n = 40
	handles := []uint64{0x98000000, 0x6c000001}
	var data [2][]byte
	for r := range data {
		for range n {
			blocking := [][]byte{
				Record(0, "MPI_Send", send(8, Byte, 1-r, 2), 0),
				Record(0, "MPI_Recv", recv(8, Byte, 1-r, 2), 0),
			}
			data[r] = append(data[r], Record(0, "MPI_Startall", Args{
				"count": 2, "array_of_requests": handles, "*array_of_requests": 0x5000,
			}, 0)...)
			data[r] = append(append(data[r], blocking[r]...), blocking[1-r]...)
			data[r] = append(data[r], Record(0, "MPI_Waitall", Args{
				"count": 2, "array_of_requests": handles, "*array_of_requests": 0x5000,
				">array_of_statuses": []Status{{}, {}},
			}, 0)...)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 8 * n {
		p.Batch(&ring.Batch{Thread: 0, Data: data[0]})
		p.Batch(&ring.Batch{Thread: 1, Data: data[1]})
	}
	if len(none) != 0 || p.Matcher.Messages == 0 {
		b.Fatal("not what it should be")
	}
}

// told returns the message of a finding and why it matters.
func told(f *finding.Finding) string { return f.Message + "\n" + f.Why }
