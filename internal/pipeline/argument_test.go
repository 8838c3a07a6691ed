package pipeline_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Kinds of names besides those of package synth, as record.h numbers them.
const (
	kindGroup = 2
	kindWin   = 6
)

// Arguments are judged before MPI acts; what it then says about them is no finding of its own.
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
			"origin_count": 1, "origin_datatype": uint64(Int), "target_rank": target, "target_disp": 0, "target_count": 1,
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
		{"no rank", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 1, 0), 6) }, invalid, "with dest=1, which is no rank of the communicator: they go from 0 to 0"},
		{"no rank, and no error", func(k *Rank) { k.Call("a", "MPI_Send", send(1, Int, -7, 0)) }, invalid, "dest=-7"},
		{"no rank to receive from", func(k *Rank) { fails(k, "MPI_Irecv", recv1(5), 6) }, invalid, "source=5"},
		{"anybody", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, AnySource, 0), 6) }, invalid, "for receives and probes only"},
		{"negative tag", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 0, -4), errTag) }, invalid, "tag=-4, which is negative"},
		{"negative tag, and no error", func(k *Rank) {
			k.Call("i", "MPI_Irecv", with(recv1(0), Args{"tag": -4, ">request": 0x98000000}))
			k.Call("a", "MPI_Send", send(1, Int, 0, -4))
			completed(k, 0x98000000, Status{Tag: -4, Bytes: 4})
		}, invalid, "MPI_Irecv with tag=-4"},
		{"large tag", func(k *Rank) { fails(k, "MPI_Recv", recv(1, Int, 0, 1<<20+1), errTag) }, invalid, "is more than MPI_TAG_UB, which is 1048576"},
		{"any tag", func(k *Rank) { fails(k, "MPI_Send", send(1, Int, 0, AnyTag), errTag) }, invalid, "for receives and probes only"},
		{"negative count", func(k *Rank) { fails(k, "MPI_Send", send(-1, Int, 0, 1), 2) }, invalid, "count=-1, which is negative"},
		{"null buffer", func(k *Rank) { fails(k, "MPI_Send", with(send(1, Int, 0, 1), Args{"*buf": 0}), 1) }, invalid, "*buf=NULL, which is a null pointer though there are data"},
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
				"sendcount": 1, "sendtype": uint64(Int), "dest": 0, "sendtag": 0, "recvcount": 1, "recvtype": uint64(Int), "source": 0, "recvtag": 0,
				"comm": World, "*recvbuf": 0,
			}, 1)
		}, invalid, "*recvbuf=NULL"},
		{"no communicator", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": CommNull}, errComm) }, invalid, "comm=MPI_COMM_NULL, which is no communicator"},
		{"no communicator to free", func(k *Rank) { fails(k, "MPI_Comm_free", Args{"comm": CommNull}, errComm) }, invalid, "freed already"},
		{"a freed communicator", func(k *Rank) {
			split(k)
			freeComm(k)
			fails(k, "MPI_Send", with(send(1, Int, 0, 1), Args{"comm": comm}), errComm)
		}, invalid, "was freed before"},
		{"a datatype", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": Int}, errComm) }, invalid, "is no communicator, but a datatype"},
		{"garbage", func(k *Rank) { fails(k, "MPI_Barrier", Args{"comm": 4711}, errComm) }, invalid, "no MPI call has returned such a handle"},
		{"garbage, and no error", func(k *Rank) { k.Call("a", "MPI_Barrier", Args{"comm": 4711}) }, nil, ""},
		{"garbage, and a crash", func(k *Rank) {
			k.Open("a", "MPI_Barrier", Args{"comm": 4711})
			k.End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: 1000, Initialized: true, InMPI: true}
		}, []string{"LOCAL:EXIT:SIGNAL [0]", "LOCAL:MPI:INVALID_ARGUMENT [0]"}, "no MPI call has returned such a handle"},
		{"no variable for a result", func(k *Rank) {
			k.Open("a", "MPI_Isend", with(send(1, Int, 0, 0), Args{"*request": 0}))
			k.End = &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: 1000, Initialized: true, InMPI: true}
		}, []string{"LOCAL:EXIT:SIGNAL [0]", "LOCAL:MPI:INVALID_ARGUMENT [0]"}, "*request=NULL, which is a null pointer"},
		{"a query", func(k *Rank) { fails(k, "MPI_Comm_rank", Args{"comm": CommNull}, errComm) }, invalid, "MPI_Comm_rank with comm=MPI_COMM_NULL"},
		{"an error of another kind", func(k *Rank) { fails(k, "MPI_Comm_rank", Args{"comm": World}, errComm) }, []string{"LOCAL:MPI:CALL_FAILED [0]"}, ""},
		{"MPI_COMM_WORLD is freed", func(k *Rank) { fails(k, "MPI_Comm_free", Args{"comm": World}, errComm) }, parameter, "can't be freed"},
		{"no rank of the window", func(k *Rank) { window(k); fails(k, "MPI_Put", put(1), 6); freeWin(k) }, invalid, "no rank of the window"},
		{"a freed window", func(k *Rank) { window(k); freeWin(k); fails(k, "MPI_Put", put(0), 6) }, invalid, "was freed before"},
		{"no kind of lock", func(k *Rank) {
			window(k)
			fails(k, "MPI_Win_lock", Args{"lock_type": 0, "rank": 0, "assert": 0, "win": win}, 6)
			freeWin(k)
		}, invalid, "lock_type=0, which is none of MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED"},
		{"no operation", func(k *Rank) {
			window(k)
			fails(k, "MPI_Accumulate", with(put(0), Args{"op": noOp}), 6)
			freeWin(k)
		}, invalid, "op=MPI_OP_NULL, which is no reduction operation"},
		{"a negative color", func(k *Rank) { fails(k, "MPI_Comm_split", Args{"comm": World, "color": -1, "key": 0}, 6) }, parameter, "color=-1"},
		{"no way of access", func(k *Rank) {
			fails(k, "MPI_File_open", Args{"comm": World, "filename": "x", "amode": 1, "info": infoNull}, 6)
		}, parameter, "lacks one of MPI_MODE_RDONLY"},
		{"not in the group", func(k *Rank) {
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			fails(k, "MPI_Group_incl", Args{"group": group, "n": 2, "ranks": []int32{0, 1}}, 6)
			k.Call("f", "MPI_Group_free", Args{"group": group})
		}, invalid, "ranks[1], which names a rank that is not in the group"},
		{"twice in the group", func(k *Rank) {
			k.Call("g", "MPI_Comm_group", Args{"comm": World, ">group": group})
			fails(k, "MPI_Group_incl", Args{"group": group, "n": 2, "ranks": []int32{0, 0}}, 6)
			k.Call("f", "MPI_Group_free", Args{"group": group})
		}, invalid, "stands there before"},
		{"no processes for a grid", func(k *Rank) { k.Call("a", "MPI_Dims_create", Args{"nnodes": 0, "ndims": 1, "dims": []int32{0}}) }, invalid, "nnodes=0, which is not positive"},
		{"a grid that is too large", func(k *Rank) {
			k.Call("a", "MPI_Dims_create", Args{"nnodes": 8, "ndims": 3, "dims": []int32{1 << 20, 0, 1 << 20}})
		}, invalid, "nnodes=8, which is less than the product of the dimensions"},
		{"an epoch with the window's group", func(k *Rank) {
			k.Comm(comm, 0, []int32{0}, nil, 1)
			k.Call("split", "MPI_Comm_split", Args{"comm": World, "color": 0, "key": 0, ">newcomm": comm})
			k.Call("win", "MPI_Win_create", Args{"size": 8, "disp_unit": 4, "info": infoNull, "comm": comm, ">win": win})
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
			fails(k, "MPI_Pack", Args{"incount": 4, "datatype": uint64(Int), "outsize": 16, "position": 4, "comm": World}, 6)
		}, invalid, "outsize=16, which is too small"},
		{"packed beyond an int", func(k *Rank) {
			fails(k, "MPI_Pack", Args{"incount": 1 << 28, "datatype": uint64(Double), "outsize": 1<<31 - 1, "position": 4, "comm": World}, 6)
		}, []string{"LOCAL:INTEGER:OVERFLOW [0]"}, "further than an int can count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(1)
				k := p.Ranks[0]
				k.Append(names)
				c.build(k)
				if k.End == nil {
					finalize(p)
				}
				return p
			})
			if got := found.names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			text := ""
			for _, f := range found {
				text += f.Message + "\n"
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
		found := analyse(t, func() *Program {
			p := New(3)
			for r, k := range p.Ranks {
				k.Call("a", "MPI_Allgatherv", Args{
					"sendcount": int(c.counts[r]), "sendtype": uint64(Byte), "recvtype": uint64(Byte), "recvcounts": c.counts,
					"displs": c.displs, "comm": World,
				})
			}
			return finalize(p)
		})
		want := c.want
		if want != nil {
			want = []string{"LOCAL:INTEGER:OVERFLOW [0]", "LOCAL:INTEGER:OVERFLOW [1]", "LOCAL:INTEGER:OVERFLOW [2]"}
		}
		if got := found.names(); !slices.Equal(got, want) {
			t.Errorf("%d: found %q, want %q", c.displs, got, want)
		}
	}
}

// A process calls MPI after MPI_Init and before MPI_Finalize, and only once each.
func TestPhases(t *testing.T) {
	out := []string{"LOCAL:MPI:OUT_OF_ORDER [0]"}
	barrier := func(k *Rank) { k.Call("b", "MPI_Barrier", Args{"comm": World}) }
	init := func(k *Rank) { k.Init("MPI_Init", nil) }
	end := func(k *Rank) { k.Call("end", "MPI_Finalize", nil) }
	info := func(k *Rank) { k.Call("info", "MPI_Info_create", Args{">info": 0x9c000000}) }
	free := func(k *Rank) { k.Call("free", "MPI_Info_free", Args{"info": 0x9c000000}) }
	leak := []string{"LOCAL:INFO:NOT_FREED [0]"}
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  []string
		text  string
	}{
		{"in order", func(k *Rank) { info(k); init(k); barrier(k); end(k); free(k) }, nil, ""},
		{"left from before", func(k *Rank) { info(k); init(k); end(k) }, leak, "ends while it has 1 info object"},
		{"left from after", func(k *Rank) { init(k); end(k); info(k) }, leak, "ends while it has 1 info object"},
		{"before", func(k *Rank) { k.Open("b", "MPI_Barrier", Args{"comm": World}) }, out, "Rank 0 calls MPI_Barrier before MPI_Init."},
		{"after", func(k *Rank) { init(k); end(k); barrier(k) }, out, "after MPI_Finalize"},
		{"finalized twice", func(k *Rank) { init(k); end(k); end(k) }, out, "calls MPI_Finalize after MPI_Finalize"},
		{"initialized twice", func(k *Rank) { init(k); k.Call("again", "MPI_Init", nil); end(k) }, out, "initialized already"},
		{"initialized again", func(k *Rank) { init(k); end(k); k.Call("again", "MPI_Init", nil) }, out, "can't be initialized again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				k := Uninitialized(0, 1)
				c.build(k)
				return &Program{Ranks: []*Rank{k}}
			})
			if got := found.names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			if c.text != "" && !strings.Contains(found[0].Message, c.text) {
				t.Errorf("%q is not in\n%s", c.text, found[0].Message)
			}
		})
	}
}

// Threads call MPI as the provided level allows.
func TestThreadLevels(t *testing.T) {
	const single, funneled, serialized, multiple = 0, 1, 2, 3
	type call struct {
		thread   int
		function string
		args     Args
		leaves   bool // the thread's call returns
	}
	enter := func(thread int, function string, a Args) call { return call{thread, function, a, false} }
	leave := func(thread int) call { return call{thread: thread, leaves: true} }
	toSelf := func(count int) Args { return message(count, Int, "source", ProcNull, 0) }
	barrier := Args{"comm": World}
	waitFor := func(at int) Args { return Args{"request": 0x98000000, "*request": at} }
	for _, c := range []struct {
		name  string
		level int
		calls []call
		want  string
	}{
		{"one alone", single, []call{enter(0, "MPI_Recv", toSelf(1)), leave(0)}, ""},
		{"another one", single, []call{enter(1, "MPI_Recv", toSelf(1)), leave(1)}, "from another thread than the one that has initialized MPI"},
		{"another one, funneled", funneled, []call{enter(1, "MPI_Recv", toSelf(1)), leave(1)}, "MPI_THREAD_FUNNELED"},
		{"the right one, funneled", funneled, []call{enter(0, "MPI_Recv", toSelf(1)), leave(0)}, ""},
		{"another one asks", funneled, []call{enter(1, "MPI_Info_create", Args{">info": 0x9c000000}), leave(1)}, ""},
		{"one after the other", serialized, []call{enter(1, "MPI_Recv", toSelf(1)), leave(1), enter(0, "MPI_Recv", toSelf(1)), leave(0)}, ""},
		{"two at once", serialized, []call{enter(1, "MPI_Recv", toSelf(1)), enter(0, "MPI_Recv", toSelf(1)), leave(0), leave(1)}, "while another thread is in MPI"},
		{"two at once, multiple", multiple, []call{enter(1, "MPI_Recv", toSelf(1)), enter(0, "MPI_Recv", toSelf(1)), leave(0), leave(1)}, ""},
		{"two in collectives", multiple, []call{enter(1, "MPI_Barrier", barrier), enter(0, "MPI_Barrier", barrier), leave(0), leave(1)}, "in a collective operation on the same"},
		{"in collectives of their own", multiple, []call{enter(1, "MPI_Barrier", barrier), enter(0, "MPI_Barrier", Args{"comm": Self}), leave(0), leave(1)}, ""},
		{"two wait", multiple, []call{
			enter(0, "MPI_Irecv", Args{"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World, ">request": 0x98000000, "*request": 0x5000}), leave(0),
			enter(1, "MPI_Wait", waitFor(0x5000)), enter(0, "MPI_Wait", waitFor(0x5000)), leave(0), leave(1),
		}, "that another thread is waiting for"},
		{"two wait for two", multiple, []call{
			enter(0, "MPI_Irecv", Args{"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World, ">request": 0x98000000, "*request": 0x5000}), leave(0),
			enter(0, "MPI_Irecv", Args{"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World, ">request": 0x98000000, "*request": 0x6000}), leave(0),
			enter(1, "MPI_Wait", waitFor(0x5000)), enter(0, "MPI_Wait", waitFor(0x6000)), leave(0), leave(1),
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got collected
			p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			k := Uninitialized(0, 1)
			k.Append(Names([]Name{
				{Value: single, Name: "MPI_THREAD_SINGLE"}, {Value: funneled, Name: "MPI_THREAD_FUNNELED"}, {Value: serialized, Name: "MPI_THREAD_SERIALIZED"},
			}))
			k.Level = c.level
			k.Init("MPI_Init_thread", Args{"required": c.level, ">provided": c.level})
			Start(p, 0, 1)
			p.Batch(&ring.Batch{Data: k.Bytes()})
			p.Thread(&ring.Thread{ID: 1, Index: 1, TID: 2000})
			var open [2][]byte
			for _, x := range c.calls {
				if !x.leaves {
					open[x.thread] = Record(1, x.function, x.args, 0)
				}
				p.Batch(&ring.Batch{Thread: ring.ThreadID(x.thread), Data: open[x.thread], Open: !x.leaves, Resume: x.leaves})
			}
			if len(got) > 1 || len(got) != min(len(c.want), 1) {
				t.Fatalf("found %q, want %q", got.names(), c.want)
			}
			if len(got) == 1 && (got[0].Check != "LOCAL:MPI:OUT_OF_ORDER" || !strings.Contains(got[0].Message, c.want)) {
				t.Errorf("%s: %q is not in\n%s", got[0].Check, c.want, got[0].Message)
			}
		})
	}
}

// timed returns a record with the times at which its call was entered and left; 0 if it was not left.
func timed(rec []byte, enter, leave uint64) []byte {
	rec = append(slices.Clone(rec), make([]byte, layout.Line)...)
	binary.LittleEndian.PutUint16(rec[layout.RecordLinesAt:], uint16(len(rec)/layout.Line))
	rec[layout.RecordFlagsAt] |= layout.Timed
	binary.LittleEndian.PutUint64(rec[len(rec)-layout.SizeofTimes:], enter)
	binary.LittleEndian.PutUint64(rec[len(rec)-8:], leave)
	return rec
}

// Two calls at once are told of if they overlap for longer than clocks may be wrong: else a lock may have kept them apart.
func TestOverlappingCalls(t *testing.T) {
	for _, c := range []struct {
		name        string
		enter, left uint64 // the second call is entered, the first left
		want        int
	}{
		{"long", 1000, 9000, 1},
		{"hardly", 1000, 1100, 0},
		{"for ever", 1000, 0, 1},
	} {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		k := Uninitialized(0, 1)
		k.Append(Names([]Name{{Value: 2, Name: "MPI_THREAD_SERIALIZED"}}))
		k.Level = 2
		k.Init("MPI_Init_thread", Args{"required": 2, ">provided": 2})
		Start(p, 0, 1)
		p.Batch(&ring.Batch{Data: k.Bytes()})
		p.Thread(&ring.Thread{ID: 1, Index: 1, TID: 2000})
		call := Record(1, "MPI_Recv", message(1, Int, "source", ProcNull, 0), 0)
		p.Batch(&ring.Batch{Data: timed(call, 500, 0), Open: true})
		p.Batch(&ring.Batch{Thread: 1, Data: timed(call, c.enter, 0), Open: true})
		if c.left != 0 {
			p.Batch(&ring.Batch{Data: timed(call, 500, c.left), Resume: true})
			p.Batch(&ring.Batch{Thread: 1, Data: timed(call, c.enter, 20000), Resume: true})
		}
		for range 5 {
			p.Tick()
		}
		if len(got) != c.want {
			t.Errorf("%s: found %q, want %d findings", c.name, got.names(), c.want)
		}
	}
}
