package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Handles of communicators that the tests make.
const (
	first  = 0x84000000
	second = 0x84000001
)

// dup lets a rank duplicate MPI_COMM_WORLD.
func dup(p *Program, rank, handle int) {
	k := p.Ranks[rank]
	k.Comm(uint64(handle), rank, []int32{0}, nil, len(p.Ranks))
	k.Call("dup", "MPI_Comm_dup", Args{"comm": World, ">newcomm": handle})
}

func bcast(comm, root int) Args { return Args{"count": 1, "datatype": Int, "root": root, "comm": comm} }

func free(comm int) Args { return Args{"comm": comm, ">comm": CommNull} }

// two returns a program of two ranks with two communicators.
func two() *Program {
	p := New(2)
	for r := range p.Ranks {
		dup(p, r, first)
		dup(p, r, second)
	}
	return p
}

// scenario is a program and the findings in it.
type scenario struct {
	name  string
	build func() *Program
	want  []string
	text  string // part of the first finding's text
}

func (c scenario) run(t *testing.T) {
	got := analyse(t, c.build)
	if names := got.Names(); !slices.Equal(names, c.want) {
		t.Fatalf("found %q, want %q", names, c.want)
	}
	if c.text == "" {
		return
	}
	if text := told(got[0]); !strings.Contains(text, c.text) {
		t.Errorf("%q is not in\n%s", c.text, text)
	}
}

// freeBoth lets the ranks of a program of function two free its communicators.
func freeBoth(p *Program) *Program {
	for _, k := range p.Ranks {
		k.Call("free", "MPI_Comm_free", free(first))
		k.Call("free", "MPI_Comm_free", free(second))
	}
	return p
}

func TestCollectivesThatAreNotJoined(t *testing.T) {
	const (
		order = "GLOBAL:COLLECTIVE:ORDER_MISMATCH"
		miss  = "GLOBAL:COLLECTIVE:MISSING"
		freed = "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH"
		hard  = "GLOBAL:DEADLOCK:HARD"
	)
	for _, c := range []scenario{
		{
			"different orders", func() *Program {
				p := two()
				p.Ranks[0].Call("a", "MPI_Bcast", bcast(first, 0))
				p.Ranks[0].Call("b", "MPI_Bcast", bcast(second, 1))
				p.Ranks[1].Call("c", "MPI_Bcast", bcast(second, 1))
				p.Ranks[1].Call("d", "MPI_Bcast", bcast(first, 0))
				return finalize(freeBoth(p))
			},
			[]string{order + " [0 1]"},
			"rank 0 enters MPI_Bcast on communicator #1 made by MPI_Comm_dup first",
		},
		{"different orders of nonblocking ones", func() *Program {
			p := two()
			for r, k := range p.Ranks {
				for i := range 2 {
					a := bcast(first+(r+i)%2, 0)
					a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
					k.Call("a", "MPI_Ibcast", a)
				}
				k.Call("c", "MPI_Waitall", Args{
					"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001},
					">array_of_statuses": []Status{{}, {}},
				})
			}
			return finalize(freeBoth(p))
		}, nil, ""},
		{"different orders that hang", func() *Program {
			p := two()
			p.Ranks[0].Open("a", "MPI_Barrier", Args{"comm": first})
			p.Ranks[1].Open("b", "MPI_Barrier", Args{"comm": second})
			return p
		}, []string{order + " [0 1]", hard + " [0 1]"}, "rank 0 waits in MPI_Barrier for rank 1 to call it too"},
		{"a broadcast received as a message", func() *Program {
			p := New(3)
			p.Ranks[0].Call("a", "MPI_Bcast", bcast(World, 0))
			p.Ranks[0].Open("c", "MPI_Finalize", nil)
			for _, k := range p.Ranks[1:] {
				k.Open("b", "MPI_Recv", recv(1, Int, 0, 0))
			}
			return p
		}, []string{miss + " [0 1 2]", hard + " [1 2]"}, "they wait in MPI_Recv for rank 0 to send"},
		{"messages that cross, and a broadcast on the way", func() *Program {
			p := New(3) // ranks 1 and 2 would have entered it later
			p.Ranks[0].Call("a", "MPI_Bcast", bcast(World, 0))
			p.Ranks[0].Open("c", "MPI_Finalize", nil)
			p.Ranks[1].Open("b", "MPI_Recv", recv(1, Int, 2, 0))
			p.Ranks[2].Open("b", "MPI_Recv", recv(1, Int, 1, 0))
			return p
		}, []string{hard + " [1 2]"}, "rank 2 is itself in MPI_Recv from rank 1: ranks 1,2"},
		{"a message with another tag is in the way of a barrier", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Send", send(1, Int, 1, 1))
			p.Ranks[0].Open("c", "MPI_Barrier", Args{"comm": World})
			p.Ranks[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
			return p
		}, []string{hard + " [0 1]"}, ""},
		{"only one calls the broadcasts", func() *Program {
			p := New(3)
			for range 4 {
				p.Ranks[1].Call("a", "MPI_Bcast", bcast(World, 1))
			}
			return finalize(p)
		}, []string{miss + " [0 1 2]"}, "3 later collectives"},
		{"one calls another collective instead, and one less", func() *Program {
			p := New(2)
			p.Ranks[0].Call("a", "MPI_Bcast", bcast(World, 0))
			p.Ranks[0].Call("b", "MPI_Gather", Args{
				"sendcount": 1, "sendtype": Int, "recvcount": 1, "recvtype": Int, "root": 1, "comm": World,
			})
			p.Ranks[1].Call("c", "MPI_Gather", Args{
				"sendcount": 1, "sendtype": Int, "recvcount": 1, "recvtype": Int, "root": 1, "comm": World,
			})
			return finalize(p)
		}, []string{"GLOBAL:COLLECTIVE:OPERATION_MISMATCH [0 1]"}, ""},
		{"waits for a collective or for a message", func() *Program {
			p := New(2) // there is no information about the order
			for i, function := range []string{"MPI_Iscan", "MPI_Irecv"} {
				a := Args{"count": 1, "datatype": Int, "op": Sum, "comm": World}
				if i == 1 {
					a = message(1, Int, "source", AnySource, 0)
				}
				a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
				p.Ranks[0].Call("a", function, a)
			}
			p.Ranks[0].Open("b", "MPI_Waitany",
				Args{"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001}, "*array_of_requests": 0x5000})
			p.Ranks[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
			return p
		}, []string{miss + " [0 1]", hard + " [0 1]"}, ""},
		{"one is killed", func() *Program {
			p := two()
			p.Ranks[0].Call("a", "MPI_Bcast", bcast(World, 0))
			p.Ranks[0].Call("b", "MPI_Comm_free", free(first))
			p.Ranks[0].Call("b", "MPI_Comm_free", free(second))
			p.Ranks[0].Open("c", "MPI_Finalize", nil)
			p.Ranks[1].End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, Initialized: true}
			return p
		}, []string{"LOCAL:EXIT:SIGNAL [1]"}, ""},
		{
			"one frees a communicator", func() *Program {
				p := two()
				p.Ranks[1].Call("b", "MPI_Comm_free", free(first))
				for _, k := range p.Ranks {
					k.Call("c", "MPI_Comm_free", free(second))
				}
				return finalize(p)
			},
			[]string{freed + " [0 1]"},
			"Rank 1 frees communicator #1 made by MPI_Comm_dup with MPI_Comm_free, but rank 0 never does",
		},
		{"one tries, and is told that it may not", func() *Program {
			p := two()
			p.Ranks[0].Fail("a", "MPI_Bcast", bcast(first, 0), 16, "out of memory", false)
			p.Ranks[0].Call("b", "MPI_Bcast", bcast(second, 0))
			p.Ranks[1].Call("c", "MPI_Bcast", bcast(second, 0))
			for _, k := range p.Ranks {
				k.Call("d", "MPI_Comm_free", free(second))
			}
			return finalize(p)
		}, []string{"LOCAL:MPI:CALL_FAILED [0]"}, ""},
		{"both free both", func() *Program {
			p := two()
			for r, k := range p.Ranks {
				k.Call("b", "MPI_Comm_free", free(first+r))
				k.Call("b", "MPI_Comm_free", free(first+1-r))
			}
			return finalize(p)
		}, nil, ""},
	} {
		t.Run(c.name, c.run)
	}
}

func TestMissingIsToldWhenMembersAreInFinalize(t *testing.T) {
	var got collected
	h := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
	p := New(2)
	p.Ranks[0].Call("a", "MPI_Bcast", bcast(World, 0))
	p.Ranks[1].Open("b", "MPI_Finalize", nil) // and rank 0 computes for an hour
	p.Deliver(h, 1, 0)
	if want := []string{"GLOBAL:COLLECTIVE:MISSING [0 1]"}; !slices.Equal(got.Names(), want) {
		t.Errorf("found %q before the end, want %q", got.Names(), want)
	}
}

func TestTheCauseComesFirst(t *testing.T) {
	got := analyse(t, func() *Program {
		p := two()
		p.Ranks[0].Open("a", "MPI_Barrier", Args{"comm": first})
		p.Ranks[1].Open("b", "MPI_Barrier", Args{"comm": second})
		return p
	})
	if len(got) != 2 || got[0].Check != "GLOBAL:COLLECTIVE:ORDER_MISMATCH" {
		t.Errorf("found %v", got.Names())
	}
	got = analyse(t, func() *Program {
		p := New(2)
		p.Ranks[0].Open("a", "MPI_Barrier", Args{"comm": World})
		p.Ranks[1].Open("b", "MPI_Recv", recv(1, Int, 0, 0))
		return p
	})
	if len(got) != 2 || got[0].Check != "GLOBAL:COLLECTIVE:MISSING" {
		t.Errorf("found %v", got.Names())
	}
}
