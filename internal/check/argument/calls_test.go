package argument_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/testkit/wholerun"
)

// Kinds of names besides those of package synth, as record.h numbers them.
const (
	kindGroup = 2
	kindWin   = 6
)

// Arguments are judged before MPI acts. An error that MPI then returns is not a second finding.
func TestArguments(t *testing.T) {
	const (
		infoNull, groupNull, winNull, noOp = 0x1c000000, 0x08000000, 0x20000000, 0x18000000
		comm, group, win                   = 0x84000005, 0x88000003, 0xa0000001
		errComm, errTag                    = 5, 4
	)
	invalid := []string{"LOCAL:MPI:INVALID_ARGUMENT [0]"}
	parameter := []string{"GLOBAL:COLLECTIVE:INVALID_PARAMETER [0]"}
	names := Names([]Name{
		{Kind: KindConst, Value: errComm, Name: "MPI_ERR_COMM"},
		{Kind: KindConst, Value: errTag, Name: "MPI_ERR_TAG"},
		{Kind: KindInfo, Value: infoNull, Name: "MPI_INFO_NULL"},
		{Kind: kindGroup, Value: groupNull, Name: "MPI_GROUP_NULL"},
		{Kind: kindWin, Value: winNull, Name: "MPI_WIN_NULL"},
		{Kind: KindOp, Value: noOp, Name: "MPI_OP_NULL"},
		{Kind: KindConst, Value: 1, Name: "MPI_LOCK_EXCLUSIVE"},
		{Kind: KindConst, Value: 2, Name: "MPI_LOCK_SHARED"},
		{Kind: KindConst, Value: 0x7fff8002, Name: "MPI_UNDEFINED"},
		{Kind: KindConst, Value: 2, Name: "MPI_MODE_RDONLY"},
		{Kind: KindConst, Value: 4, Name: "MPI_MODE_WRONLY"},
		{Kind: KindConst, Value: 8, Name: "MPI_MODE_RDWR"},
		{Kind: KindConst, Value: 1, Name: "MPI_MODE_CREATE"},
	})
	with := func(a Args, more Args) Args {
		for k, v := range more {
			a[k] = v
		}
		return a
	}
	fails := func(k *Rank, function string, a Args, class int32) { k.Fail(function, function, a, class, "no", false) }
	split := func(k *Rank) {
		k.Comm(comm, 0, []int32{0}, nil, 1)
		k.Call("split", "MPI_Comm_split", Args{"comm": World, "color": 0, "key": 0, ">newcomm": comm})
	}
	freeComm := func(k *Rank) { k.Call("free", "MPI_Comm_free", Args{"comm": comm}) }
	window := func(k *Rank) {
		k.Call("win", "MPI_Win_create", Args{"size": 8, "disp_unit": 4, "info": infoNull, "comm": World, ">win": win})
	}
	put := func(target int) Args {
		return Args{
			"origin_count": 1, "origin_datatype": uint64(Int), "target_rank": target, "target_disp": 0,
			"target_count":    1,
			"target_datatype": uint64(Int), "win": win,
		}
	}
	freeWin := func(k *Rank) { k.Call("winfree", "MPI_Win_free", Args{"win": win}) }
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  []string
		text  string
	}{
		{"what may be passed", func(k *Rank) {
			k.Call("a", "MPI_Send", with(send(0, Int, ProcNull, 0), Args{"*buf": 0}))
			k.Call("b", "MPI_Send", with(send(5, Int, ProcNull, 0), Args{"*buf": 0}))
			k.Call("c", "MPI_Recv", recv(1, Int, ProcNull, AnyTag))
			k.Call("d", "MPI_Send", send(1, Int, ProcNull, 1<<20))
			split(k)
			k.Call("e", "MPI_Barrier", Args{"comm": comm})
			freeComm(k)
			split(k)
			k.Call("f", "MPI_Barrier", Args{"comm": comm})
			freeComm(k)
			window(k)
			k.Call("g", "MPI_Put", put(ProcNull))
			k.Call("h", "MPI_Put", put(0))
			freeWin(k)
			k.Call("i", "MPI_Comm_split", Args{"comm": World, "color": 0x7fff8002, "key": 0, ">newcomm": CommNull})
		}, nil, ""},
		{
			"no rank", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 1, 0), 6) }, invalid,
			"with dest=1, which is not a rank of the communicator: ranks go from 0 to 0",
		},
		{"no rank, and no error", func(k *Rank) { k.Call("a", "MPI_Send", send(1, Int, -7, 0)) }, invalid, "dest=-7"},
		{"no rank to receive from", func(k *Rank) { fails(k, "MPI_Irecv", recv1(5), 6) }, invalid, "source=5"},
		{
			"anybody", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, AnySource, 0), 6) }, invalid,
			"only receives and probes allow it",
		},
		{
			"negative tag", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 0, -4), errTag) }, invalid,
			"tag=-4, which is negative",
		},
		{"negative tag, and no error", func(k *Rank) {
			k.Call("i", "MPI_Irecv", with(recv1(0), Args{"tag": -4, ">request": 0x98000000}))
			k.Call("a", "MPI_Send", send(1, Int, 0, -4))
			completed(k, 0x98000000, Status{Tag: -4, Bytes: 4})
		}, invalid, "MPI_Irecv with tag=-4"},
		{
			"large tag", func(k *Rank) { fails(k, "MPI_Recv", recv(1, Int, 0, 1<<20+1), errTag) }, invalid,
			"is more than MPI_TAG_UB, which is 1048576",
		},
		{
			"any tag", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 0, AnyTag), errTag) }, invalid,
			"only receives and probes allow it",
		},
		{
			"negative count", func(k *Rank) { fails(k, "MPI_Send", send(-1, Int, 0, 1), 2) }, invalid,
			"count=-1, which is negative",
		},
		{
			"null buffer",
			func(k *Rank) { fails(k, "MPI_Send", with(send(1, Int, 0, 1), Args{"*buf": 0}), 1) }, invalid,
			"*buf=NULL, which is a null pointer though there are data",
		},
		{"null buffer, and no error", func(k *Rank) {
			k.Call("i", "MPI_Irecv", with(recv1(0), Args{">request": 0x98000000}))
			k.Call("a", "MPI_Send", with(send(1, Int, 0, 0), Args{"*buf": 0}))
			completed(k, 0x98000000, Status{Bytes: 4})
		}, invalid, "MPI_Send with *buf=NULL"},
		{"null buffer to receive into, and no error", func(k *Rank) {
			k.Call("i", "MPI_Isend", with(send(1, Int, 0, 0), Args{">request": 0x98000000}))
			k.Call("b", "MPI_Recv", with(recv(1, Int, 0, 0), Args{"*buf": 0}))
			completed(k, 0x98000000, Status{})
		}, invalid, "MPI_Recv with *buf=NULL"},
		{"null buffers of an empty message", func(k *Rank) {
			k.Call("i", "MPI_Irecv", with(message(0, Int, "source", 0, 0), Args{"*buf": 0, ">request": 0x98000000}))
			k.Call("a", "MPI_Send", with(send(0, Int, 0, 0), Args{"*buf": 0}))
			completed(k, 0x98000000, Status{})
		}, nil, ""},
		{"null buffer in MPI_Sendrecv", func(k *Rank) {
			fails(k, "MPI_Sendrecv", Args{
				"sendcount": 1, "sendtype": uint64(Int), "dest": 0, "sendtag": 0, "recvcount": 1,
				"recvtype": uint64(Int), "source": 0, "recvtag": 0,
				"comm": World, "*recvbuf": 0,
			}, 1)
		}, invalid, "*recvbuf=NULL"},
		{
			"no communicator", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": CommNull}, errComm) }, invalid,
			"comm=MPI_COMM_NULL, which is not a communicator",
		},
		{
			"no communicator to free", func(k *Rank) { fails(k, "MPI_Comm_free", Args{"comm": CommNull}, errComm) },
			invalid, "freed already",
		},
		{"a freed communicator", func(k *Rank) {
			split(k)
			freeComm(k)
			fails(k, "MPI_Send", with(send(1, Int, 0, 1), Args{"comm": comm}), errComm)
		}, invalid, "was freed before"},
		{
			"a datatype", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": Int}, errComm) }, invalid,
			"is a datatype, not a communicator",
		},
		{
			"garbage", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": 4711}, errComm) }, invalid,
			"no MPI call has returned such a handle",
		},
		{"garbage, and no error", func(k *Rank) { k.Call("a", "MPI_Barrier", Args{"comm": 4711}) }, nil, ""},
		{
			"garbage, and a crash", func(k *Rank) {
				k.Open("a", "MPI_Barrier", Args{"comm": 4711})
				k.End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: 1000, Initialized: true, InMPI: true}
			},
			[]string{"LOCAL:EXIT:SIGNAL [0]", "LOCAL:MPI:INVALID_ARGUMENT [0]"},
			"no MPI call has returned such a handle",
		},
		{
			"no variable for a result", func(k *Rank) {
				k.Open("a", "MPI_Isend", with(send(1, Int, 0, 0), Args{"*request": 0}))
				k.End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: 1000, Initialized: true, InMPI: true}
			},
			[]string{"LOCAL:EXIT:SIGNAL [0]", "LOCAL:MPI:INVALID_ARGUMENT [0]"},
			"*request=NULL, which is a null pointer",
		},
		{
			"a query", func(k *Rank) { fails(k, "MPI_Comm_rank", Args{"comm": CommNull}, errComm) }, invalid,
			"MPI_Comm_rank with comm=MPI_COMM_NULL",
		},
		{
			"an error of another kind", func(k *Rank) { fails(k, "MPI_Comm_rank", Args{"comm": World}, errComm) },
			[]string{"LOCAL:MPI:CALL_FAILED [0]"},
			"",
		},
		{
			"MPI_COMM_WORLD is freed", func(k *Rank) { fails(k, "MPI_Comm_free", Args{"comm": World}, errComm) },
			parameter, "must not be freed",
		},
		{
			"not a rank of the window",
			func(k *Rank) { window(k); fails(k, "MPI_Put", put(1), 6); freeWin(k) }, invalid,
			"not a rank of the window",
		},
		{
			"a freed window", func(k *Rank) { window(k); freeWin(k); fails(k, "MPI_Put", put(0), 6) }, invalid,
			"was freed before",
		},
		{"no kind of lock", func(k *Rank) {
			window(k)
			fails(k, "MPI_Win_lock", Args{"lock_type": 0, "rank": 0, "assert": 0, "win": win}, 6)
			freeWin(k)
		}, invalid, "lock_type=0, which is not one of MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED"},
		{"no operation", func(k *Rank) {
			window(k)
			fails(k, "MPI_Accumulate", with(put(0), Args{"op": noOp}), 6)
			freeWin(k)
		}, invalid, "op=MPI_OP_NULL, which is not a reduction operation"},
		{
			"a negative color",
			func(k *Rank) { fails(k, "MPI_Comm_split", Args{"comm": World, "color": -1, "key": 0}, 6) }, parameter,
			"color=-1",
		},
		{"no way of access", func(k *Rank) {
			fails(k, "MPI_File_open", Args{"comm": World, "filename": "x", "amode": 1, "info": infoNull}, 6)
		}, parameter, "lacks one of MPI_MODE_RDONLY"},
		{"not in the group", func(k *Rank) {
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			fails(k, "MPI_Group_incl", Args{"group": group, "n": 2, "ranks": []int32{0, 1}}, 6)
			k.Call("f", "MPI_Group_free", Args{"group": group})
		}, invalid, "ranks[1], which names rank 1, but the ranks of the group"},
		{"twice in the group", func(k *Rank) {
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			fails(k, "MPI_Group_incl", Args{"group": group, "n": 2, "ranks": []int32{0, 0}}, 6)
			k.Call("f", "MPI_Group_free", Args{"group": group})
		}, invalid, "a second time"},
		{
			"no processes for a grid",
			func(k *Rank) { k.Call("a", "MPI_Dims_create", Args{"nnodes": 0, "ndims": 1, "dims": []int32{0}}) },
			invalid, "nnodes=0, which is not positive",
		},
		{"a grid that is too large", func(k *Rank) {
			k.Call("a", "MPI_Dims_create", Args{"nnodes": 8, "ndims": 3, "dims": []int32{1 << 20, 0, 1 << 20}})
		}, invalid, "nnodes=8, which is less than the product of the given dimensions"},
		{"an epoch with the window's group", func(k *Rank) {
			k.Comm(comm, 0, []int32{0}, nil, 1)
			k.Call("split", "MPI_Comm_split", Args{"comm": World, "color": 0, "key": 0, ">newcomm": comm})
			k.Call("win", "MPI_Win_create",
				Args{"size": 8, "disp_unit": 4, "info": infoNull, "comm": comm, ">win": win})
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			k.Call("a", "MPI_Win_start", Args{"group": group, "assert": 0, "win": win})
			k.Call("c", "MPI_Win_complete", Args{"win": win})
			k.Call("f", "MPI_Group_free", Args{"group": group})
			freeWin(k)
			freeComm(k)
		}, nil, ""},
		{"a freed group", func(k *Rank) {
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			k.Call("f", "MPI_Group_free", Args{"group": group})
			fails(k, "MPI_Group_free", Args{"group": group}, 6)
		}, invalid, "was freed before"},
		{"a group of which there are two references", func(k *Rank) {
			for range 2 {
				k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			}
			for range 2 {
				k.Call("f", "MPI_Group_free", Args{"group": group})
			}
		}, nil, ""},
		{"packed beyond the end", func(k *Rank) {
			fails(k, "MPI_Pack",
				Args{"incount": 4, "datatype": uint64(Int), "outsize": 16, "position": 4, "comm": World}, 6)
		}, invalid, "outsize=16, which is too small"},
		{"packed beyond an int", func(k *Rank) {
			fails(k, "MPI_Pack",
				Args{
					"incount": 1 << 28, "datatype": uint64(Double), "outsize": 1<<31 - 1, "position": 4,
					"comm": World,
				}, 6)
		}, []string{"LOCAL:INTEGER:OVERFLOW [0]"}, "overflows an int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := wholerun.Analyse(t, func() *Program {
				p := New(1)
				k := p.Ranks[0]
				k.Append(names)
				c.build(k)
				if k.End == nil {
					finalize(p)
				}
				return p
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			text := ""
			for _, f := range found {
				text += f.Message + "\n" + f.Why + "\n"
			}
			if !strings.Contains(text, c.text) {
				t.Errorf("%q is not in\n%s", c.text, text)
			}
		})
	}
}

func recv1(source int) Args { return message(1, Int, "source", source, 0) }

// Displacements that are sums which an int can't hold have overflowed.
func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		displs, counts []int32
		want           []string
	}{
		{[]int32{0, 1 << 30, -1 << 31}, []int32{1 << 30, 1 << 30, 1 << 30}, []string{"LOCAL:INTEGER:OVERFLOW [0]"}},
		{[]int32{0, 1 << 30, -5}, []int32{1 << 30, 1 << 30, 5}, nil}, // relative to the middle of an array
		{[]int32{0, 0, 0}, []int32{1 << 30, 0, 0}, nil},
	} {
		found := wholerun.Analyse(t, func() *Program {
			p := New(3)
			for r, k := range p.Ranks {
				k.Call("a", "MPI_Allgatherv", Args{
					"sendcount": int(c.counts[r]), "sendtype": uint64(Byte), "recvtype": uint64(Byte),
					"recvcounts": c.counts,
					"displs":     c.displs, "comm": World,
				})
			}
			return finalize(p)
		})
		want := c.want
		if want != nil {
			want = []string{"LOCAL:INTEGER:OVERFLOW [0]", "LOCAL:INTEGER:OVERFLOW [1]", "LOCAL:INTEGER:OVERFLOW [2]"}
		}
		if got := found.Names(); !slices.Equal(got, want) {
			t.Errorf("%d: found %q, want %q", c.displs, got, want)
		}
	}
}

func message(count int, typ uint64, peer string, rank, tag int) Args {
	return Args{"count": count, "datatype": typ, peer: rank, "tag": tag, "comm": World, "buf": uint64(0x1000)}
}

func send(count int, typ uint64, rank, tag int) Args { return message(count, typ, "dest", rank, tag) }

func recv(count int, typ uint64, rank, tag int) Args {
	a := message(count, typ, "source", rank, tag)
	a["status"] = Ignore
	return a
}

func completed(k *Rank, request int, s Status) {
	k.Call("wait", "MPI_Wait", Args{"request": request, "*request": 0x5000 + request, ">status": []Status{s}})
}

func finalize(p *Program) *Program {
	for _, k := range p.Ranks {
		k.Call("main", "MPI_Finalize", nil)
		k.End = &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: true}
	}
	return p
}
