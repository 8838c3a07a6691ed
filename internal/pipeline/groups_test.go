package pipeline_test

import (
	"testing"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Handles of groups that the tests make.
const (
	wholeGroup = 0x88000000
	someGroup  = 0x88000001
)

// group lets a rank make a group of ranks in MPI_COMM_WORLD.
func group(k *Rank, ranks ...int32) {
	k.Call("group", "MPI_Comm_group", Args{"comm": World, ">group": wholeGroup})
	k.Call("incl", "MPI_Group_incl", Args{"group": wholeGroup, "n": len(ranks), "ranks": ranks, ">newgroup": someGroup})
	k.Call("free", "MPI_Group_free", Args{"group": wholeGroup})
}

// freeGroups lets the ranks that made a group free it.
func freeGroups(ranks ...*Rank) {
	for _, k := range ranks {
		k.Call("free", "MPI_Group_free", Args{"group": someGroup})
	}
}

func createGroup(tag int) Args {
	return Args{"comm": World, "group": someGroup, "tag": tag, ">newcomm": CommNull}
}

func TestGatherings(t *testing.T) {
	const (
		mismatch = "GLOBAL:COLLECTIVE:GROUP_MISMATCH"
		miss     = "GLOBAL:COLLECTIVE:MISSING"
		order    = "GLOBAL:COLLECTIVE:ORDER_MISMATCH"
		hard     = "GLOBAL:DEADLOCK:HARD"
	)
	for _, c := range []scenario{
		{"again and again, and by ranks that are not in the group", func() *Program {
			p := New(3)
			for r, k := range p.Ranks {
				group(k, 2, 0)
				for range 5 {
					if r != 1 {
						k.Call("a", "MPI_Comm_create_group", createGroup(3))
					}
				}
				if r == 1 {
					k.Call("a", "MPI_Comm_create_group", createGroup(3))
				}
			}
			freeGroups(p.Ranks...)
			return finalize(p)
		}, nil, ""},
		{
			"one never comes", func() *Program {
				p := New(3)
				for r, k := range p.Ranks {
					group(k, 2, 0)
					k.Call("a", "MPI_Comm_create_group", createGroup(3))
					if r == 2 {
						k.Open("a", "MPI_Comm_create_group", createGroup(3))
					} else {
						freeGroups(k)
						k.Open("b", "MPI_Finalize", nil)
					}
				}
				return p
			},
			[]string{miss + " [0 2]", hard + " [2]"},
			"but rank 0 never does: it has called MPI_Finalize.\n" +
				"This is collective 1 on the group of ranks 0,2 of MPI_COMM_WORLD",
		},
		{
			"other tags", func() *Program {
				p := New(3)
				for r, k := range p.Ranks {
					group(k, 0, 1, 2)
					k.Open("a", "MPI_Comm_create_group", createGroup(r/2))
				}
				return p
			},
			[]string{mismatch + " [0 1 2]", hard + " [0 1 2]"},
			"ranks 0,1 pass the group {0, 1, 2} and tag=0, but rank 2 passes the group {0, 1, 2} and tag=1",
		},
		{"other groups, which MPI did not mind", func() *Program {
			p := New(2)
			for r, k := range p.Ranks {
				group(k, int32(r), int32(1-r))
				k.Call("a", "MPI_Comm_create_group", createGroup(0))
			}
			freeGroups(p.Ranks...)
			return finalize(p)
		}, []string{mismatch + " [0 1]"}, "rank 0 passes the group {0, 1}"},
		{"a circle of groups", func() *Program {
			p := New(3)
			for r, k := range p.Ranks {
				group(k, int32(r), int32(r+1)%3)
				k.Open("a", "MPI_Comm_create_group", createGroup(0))
			}
			return p
		}, []string{order + " [0 1 2]", hard + " [0 1 2]"}, ""},
		{"an unknown group may be any", func() *Program {
			p := New(2)
			group(p.Ranks[0], 0, 1)
			p.Ranks[0].Call("a", "MPI_Comm_create_group", createGroup(0))
			p.Ranks[1].Call("a", "MPI_Comm_create_group", createGroup(0))
			freeGroups(p.Ranks[0])
			return finalize(p)
		}, nil, ""},
		{"groups that have nobody in common", func() *Program {
			p := New(4)
			for r, k := range p.Ranks {
				group(k, int32(r%2), int32(r%2)+2)
				k.Call("a", "MPI_Comm_create", Args{"comm": World, "group": someGroup, ">newcomm": CommNull})
			}
			freeGroups(p.Ranks...)
			return finalize(p)
		}, nil, ""},
		{"groups that have somebody in common", func() *Program {
			p := New(4)
			for r, k := range p.Ranks {
				group(k, []int32{0, 1, 2, 3}[:4-r%2]...)
				k.Call("a", "MPI_Comm_create", Args{"comm": World, "group": someGroup, ">newcomm": CommNull})
			}
			freeGroups(p.Ranks...)
			return finalize(p)
		}, []string{mismatch + " [0 1 2 3]"}, "ranks 0,2 pass group={0, 1, 2, 3}, but ranks 1,3 pass group={0, 1, 2}"},
		{"an operation that is freed where a datatype has been", func() *Program {
			const handle = 0x5555_0000_1000
			p := New(1)
			k := p.Ranks[0]
			k.Call("a", "MPI_Type_contiguous", Args{"count": 2, "oldtype": Int, ">newtype": uint64(handle)})
			k.Call("b", "MPI_Type_free", Args{"datatype": uint64(handle)})
			k.Call("c", "MPI_Op_create", Args{"*user_fn": 0x4000, "commute": 1, ">op": uint64(handle)})
			k.Call("d", "MPI_Op_free", Args{"op": uint64(handle)})
			return finalize(p)
		}, nil, ""},
	} {
		t.Run(c.name, c.run)
	}
}
