package threads_test

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
	"github.com/mpivet/mpivet/internal/testkit/wholerun"
)

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
		{
			"left from before", func(k *Rank) { info(k); init(k); end(k) }, leak,
			"1 info object made by MPI_Info_create is never freed",
		},
		{
			"left from after", func(k *Rank) { init(k); end(k); info(k) }, leak,
			"1 info object made by MPI_Info_create is never freed",
		},
		{
			"before", func(k *Rank) { k.Open("b", "MPI_Barrier", Args{"comm": World}) }, out,
			"MPI_Barrier is called before MPI_Init",
		},
		{"after", func(k *Rank) { init(k); end(k); barrier(k) }, out, "after MPI_Finalize"},
		{
			"finalized twice", func(k *Rank) { init(k); end(k); end(k) }, out,
			"MPI_Finalize is called after MPI_Finalize",
		},
		{
			"initialized twice", func(k *Rank) { init(k); k.Call("again", "MPI_Init", nil); end(k) }, out,
			"initialized already",
		},
		{
			"initialized again", func(k *Rank) { init(k); end(k); k.Call("again", "MPI_Init", nil) }, out,
			"cannot be initialized again",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := wholerun.Analyse(t, func() *Program {
				k := Uninitialized(0, 1)
				c.build(k)
				return &Program{Ranks: []*Rank{k}}
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			if c.text != "" && !strings.Contains(found[0].Message+found[0].Why, c.text) {
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
		{
			"another one", single,
			[]call{enter(1, "MPI_Recv", toSelf(1)), leave(1)},
			"from another thread than the one that has initialized MPI",
		},
		{"another one, funneled", funneled, []call{enter(1, "MPI_Recv", toSelf(1)), leave(1)}, "MPI_THREAD_FUNNELED"},
		{"the right one, funneled", funneled, []call{enter(0, "MPI_Recv", toSelf(1)), leave(0)}, ""},
		{"another one asks", funneled, []call{enter(1, "MPI_Info_create", Args{">info": 0x9c000000}), leave(1)}, ""},
		{
			"one after the other", serialized,
			[]call{enter(1, "MPI_Recv", toSelf(1)), leave(1), enter(0, "MPI_Recv", toSelf(1)), leave(0)},
			"",
		},
		{
			"two at once", serialized,
			[]call{enter(1, "MPI_Recv", toSelf(1)), enter(0, "MPI_Recv", toSelf(1)), leave(0), leave(1)},
			"while another thread is in MPI",
		},
		{
			"two at once, multiple", multiple,
			[]call{enter(1, "MPI_Recv", toSelf(1)), enter(0, "MPI_Recv", toSelf(1)), leave(0), leave(1)},
			"",
		},
		{
			"two in collectives", multiple,
			[]call{enter(1, "MPI_Barrier", barrier), enter(0, "MPI_Barrier", barrier), leave(0), leave(1)},
			"in a collective operation on the same",
		},
		{
			"in collectives of their own", multiple,
			[]call{enter(1, "MPI_Barrier", barrier), enter(0, "MPI_Barrier", Args{"comm": Self}), leave(0), leave(1)},
			"",
		},
		{"two wait", multiple, []call{
			enter(0, "MPI_Irecv",
				Args{
					"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World,
					">request": 0x98000000, "*request": 0x5000,
				}), leave(0),
			enter(1, "MPI_Wait", waitFor(0x5000)), enter(0, "MPI_Wait", waitFor(0x5000)), leave(0), leave(1),
		}, "that another thread is waiting for"},
		{"two wait for two", multiple, []call{
			enter(0, "MPI_Irecv",
				Args{
					"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World,
					">request": 0x98000000, "*request": 0x5000,
				}), leave(0),
			enter(0, "MPI_Irecv",
				Args{
					"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World,
					">request": 0x98000000, "*request": 0x6000,
				}), leave(0),
			enter(1, "MPI_Wait", waitFor(0x5000)), enter(0, "MPI_Wait", waitFor(0x6000)), leave(0), leave(1),
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got wholerun.Findings
			p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			k := Uninitialized(0, 1)
			k.Append(Names([]Name{
				{Value: single, Name: "MPI_THREAD_SINGLE"},
				{Value: funneled, Name: "MPI_THREAD_FUNNELED"},
				{Value: serialized, Name: "MPI_THREAD_SERIALIZED"},
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
				p.Batch(&ring.Batch{
					Thread: ring.ThreadID(x.thread), Data: open[x.thread], Open: !x.leaves,
					Resume: x.leaves,
				})
			}
			if len(got) > 1 || len(got) != min(len(c.want), 1) {
				t.Fatalf("found %q, want %q", got.Names(), c.want)
			}
			if len(got) == 1 &&
				(got[0].Check != "LOCAL:MPI:OUT_OF_ORDER" || !strings.Contains(got[0].Message+got[0].Why, c.want)) {
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

// Two calls at the same time are reported if they overlap for longer than the error of the clocks. Otherwise a lock may
// separate them.
func TestOverlappingCalls(t *testing.T) {
	for _, c := range []struct {
		name        string
		enter, left uint64 // the second call is entered, the first left
		want        int
	}{
		{"long", 1000, 9000, 1},
		{"hardly", 1000, 1100, 0},
		{"forever", 1000, 0, 1},
	} {
		var got wholerun.Findings
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
			t.Errorf("%s: found %q, want %d findings", c.name, got.Names(), c.want)
		}
	}
}

func message(count int, typ uint64, peer string, rank, tag int) Args {
	return Args{"count": count, "datatype": typ, peer: rank, "tag": tag, "comm": World, "buf": uint64(0x1000)}
}
