package track_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/track"
)

// told collects the events of a tracker about datatypes and memory.
type told struct {
	wrong []string
	crowd []int
}

// newTracker returns a tracker and its events.
func newTracker() (*track.Tracker, *told) {
	t, s, o := track.New(match.New()), new(told), &stream.Owner{Bare: true}
	t.Events.Crowded.On(o, func(e track.Crowded) { s.crowd = append(s.crowd, e.Process.DerivedDatatypes()) })
	t.Events.TypeRejected.On(o, func(e track.TypeRejected) {
		s.wrong = append(s.wrong, mpiapi.ByID(e.Call.Func()).Name+": "+e.Error.Error())
	})
	return t, s
}

func follow(p *Program) (*track.Tracker, *told) {
	t, s := newTracker()
	p.Deliver(handler{t}, 3, 0)
	return t, s
}

type handler struct{ *track.Tracker }

func (handler) Tick() {}

const derived = 0x8c000000 // the handle of a derived type; further ones follow it

func TestConstructors(t *testing.T) {
	for _, c := range []struct {
		call string
		args Args
		want string // kind, size, bounds, elements
	}{
		{"MPI_Type_contiguous", Args{"count": 3, "oldtype": uint64(Int)}, "CONTIGUOUS 12 0:12 3"},
		{"MPI_Type_contiguous_c", Args{"count": 3, "oldtype": uint64(Int)}, "CONTIGUOUS 12 0:12 3"},
		{
			"MPI_Type_vector",
			Args{"count": 2, "blocklength": 2, "stride": -4, "oldtype": uint64(Int)},
			"VECTOR 16 -16:8 4",
		},
		{
			"MPI_Type_create_hvector",
			Args{"count": 2, "blocklength": 1, "stride": 10, "oldtype": uint64(Int)},
			"HVECTOR 8 0:16 2",
		},
		{
			"MPI_Type_hvector",
			Args{"count": 2, "blocklength": 1, "stride": 10, "oldtype": uint64(Int)},
			"HVECTOR 8 0:16 2",
		},
		{"MPI_Type_indexed", Args{
			"count": 2, "array_of_blocklengths": []int32{1, 2}, "array_of_displacements": []int32{3, -1},
			"oldtype": uint64(Int),
		}, "INDEXED 12 -4:16 3"},
		{"MPI_Type_indexed_c", Args{
			"count": 2, "array_of_blocklengths": []uint64{1, 2}, "array_of_displacements": []uint64{3, 1},
			"oldtype": uint64(Int),
		}, "INDEXED 12 4:16 3"},
		{"MPI_Type_create_hindexed", Args{
			"count": 2, "array_of_blocklengths": []int32{1, 2}, "array_of_displacements": []uint64{16, 0},
			"oldtype": uint64(Int),
		}, "HINDEXED 12 0:20 3"},
		{"MPI_Type_hindexed", Args{
			"count": 2, "array_of_blocklengths": []int32{1, 2}, "array_of_displacements": []uint64{16, 0},
			"oldtype": uint64(Int),
		}, "HINDEXED 12 0:20 3"},
		{"MPI_Type_create_indexed_block", Args{
			"count": 2, "blocklength": 2, "array_of_displacements": []int32{4, 0}, "oldtype": uint64(Int),
		}, "INDEXED_BLOCK 16 0:24 4"},
		{"MPI_Type_create_hindexed_block", Args{
			"count": 2, "blocklength": 2, "array_of_displacements": []uint64{9, 0}, "oldtype": uint64(Int),
		}, "HINDEXED_BLOCK 16 0:20 4"},
		{"MPI_Type_create_struct", Args{
			"count": 2, "array_of_blocklengths": []int32{1, 1}, "array_of_displacements": []uint64{0, 8},
			"array_of_types": []uint64{Int, Double},
		}, "STRUCT 12 0:16 2"},
		{"MPI_Type_struct", Args{
			"count": 2, "array_of_blocklengths": []int32{1, 1}, "array_of_displacements": []uint64{0, 8},
			"array_of_types": []uint64{Double, Int},
		}, "STRUCT 12 0:16 2"},
		{"MPI_Type_create_subarray", Args{
			"ndims": 2, "array_of_sizes": []int32{3, 4}, "array_of_subsizes": []int32{2, 2},
			"array_of_starts": []int32{1, 2},
			"order":           OrderC, "oldtype": uint64(Int),
		}, "SUBARRAY 16 0:48 4"},
		{"MPI_Type_create_darray", Args{
			"size": 2, "rank": 1, "ndims": 1, "array_of_gsizes": []int32{7}, "array_of_distribs": []int32{Block},
			"array_of_dargs": []int32{DefaultDarg}, "array_of_psizes": []int32{2}, "order": OrderF,
			"oldtype": uint64(Int),
		}, "DARRAY 12 0:28 3"},
		{"MPI_Type_create_resized", Args{"lb": -4, "extent": 12, "oldtype": uint64(Int)}, "RESIZED 4 -4:8 1"},
		{"MPI_Type_dup", Args{"oldtype": uint64(Double)}, "DUP 8 0:8 1"},
		{"MPI_Type_create_f90_real", Args{"p": 15, "r": 300}, "F90_REAL 8 0:8 1"},
		{"MPI_Type_create_f90_complex", Args{"p": 6, "r": -32766}, "F90_COMPLEX 8 0:8 1"},
		{"MPI_Type_create_f90_integer", Args{"r": 9}, "F90_INTEGER 4 0:4 1"},
		{"MPI_Type_create_f90_integer", Args{"r": 38}, "F90_INTEGER -1 0:0 -1"},
	} {
		p := New(2)
		c.args[">newtype"] = uint64(derived)
		for _, k := range p.Ranks {
			k.Call("main", c.call, c.args)
		}
		tr, s := follow(p)
		ty := tr.Processes[0].Type(derived)
		if ty == nil {
			t.Errorf("%s: no type", c.call)
			continue
		}
		if got := fmt.Sprintf("%s %d %d:%d %d", ty.Kind, ty.Size, ty.LB, ty.UB, ty.Elements); got != c.want {
			t.Errorf("%s: %s, want %s", c.call, got, c.want)
		}
		if ty.Size > 0 && tr.Processes[1].Type(derived).Type != ty.Type {
			t.Errorf("%s: two ranks, two types", c.call)
		}
		if len(s.wrong) > 0 {
			t.Errorf("%s: %q", c.call, s.wrong)
		}
	}
}

func vector(handle int) Args {
	return Args{"count": 2, "blocklength": 1, "stride": 2, "oldtype": uint64(Int), ">newtype": uint64(handle)}
}

// TestDatatypeLife: the meaning of a handle changes as in the program. A datatype that others use stays the same.
func TestDatatypeLife(t *testing.T) {
	p := New(1)
	k := p.Ranks[0]
	k.Call("a", "MPI_Type_vector", vector(derived))
	k.Call("b", "MPI_Type_contiguous", Args{"count": 5, "oldtype": uint64(derived), ">newtype": uint64(derived + 1)})
	k.Call("c", "MPI_Type_dup", Args{"oldtype": uint64(derived), ">newtype": uint64(derived + 2)})
	k.Call("d", "MPI_Type_commit", Args{"datatype": uint64(derived)})
	k.Call("e", "MPI_Type_dup", Args{"oldtype": uint64(derived), ">newtype": uint64(derived + 3)})
	k.Call("f", "MPI_Type_free", Args{"datatype": uint64(derived)})
	k.Call("g", "MPI_Type_contiguous", Args{"count": 7, "oldtype": uint64(Double), ">newtype": uint64(derived + 4)})
	k.Call("h", "MPI_Type_free", Args{"datatype": uint64(derived + 4)})
	k.Call("i", "MPI_Type_contiguous", Args{"count": 9, "oldtype": uint64(Double), ">newtype": uint64(derived + 4)})
	tr, s := follow(p)
	pr := tr.Processes[0]
	if pr.Type(derived) != nil {
		t.Error("a freed handle stands for a datatype")
	}
	for i, want := range []match.Standing{
		match.UncommittedType, match.UncommittedType, match.CommittedType,
		match.UncommittedType,
	} {
		if got := pr.Type(uint64(derived + 1 + i)); got == nil || got.Standing != want {
			t.Errorf("handle %d: %+v, want standing %d", 1+i, got, want)
		}
	}
	if ty := pr.Type(derived + 1); ty.Elements != 10 {
		t.Errorf("%d elements of a datatype whose inner one is freed", ty.Elements)
	}
	if ty := pr.Type(derived + 4); ty.Elements != 9 {
		t.Errorf("%d elements of a datatype with the handle of a freed one", ty.Elements)
	}
	if n := pr.DerivedDatatypes(); n != 4 {
		t.Errorf("%d derived datatypes, want 4", n)
	}
	if len(s.wrong) > 0 {
		t.Errorf("found %q", s.wrong)
	}
}

// MPICH returns the handle of the inner type again. Open MPI returns a new one of an equal type. Elements beyond the
// actual number are undefined.
func TestGetContents(t *testing.T) {
	p := New(1)
	k := p.Ranks[0]
	contents := func(handles ...uint64) {
		k.Call("c", "MPI_Type_get_contents", Args{
			"datatype": uint64(derived + 1), "max_datatypes": len(handles), ">array_of_datatypes": handles,
		})
	}
	k.Call("a", "MPI_Type_vector", vector(derived))
	k.Call("b", "MPI_Type_contiguous", Args{"count": 5, "oldtype": uint64(derived), ">newtype": uint64(derived + 1)})
	contents(derived, 4711)
	k.Call("f", "MPI_Type_free", Args{"datatype": uint64(derived)})
	k.Call("u", "MPI_Type_contiguous", Args{"count": 1, "oldtype": uint64(derived), ">newtype": uint64(derived + 2)})
	k.Call("f", "MPI_Type_free", Args{"datatype": uint64(derived)})
	contents(derived)
	contents(derived + 9)
	k.Call("s", "MPI_Send", send(1, derived+9, 0, 0))
	tr, s := follow(p)
	pr := tr.Processes[0]
	for _, h := range []uint64{derived, derived + 9} {
		if ty := pr.Type(h); ty == nil || ty.Elements != 2 || ty.Standing != match.DoubtfulType || !ty.Given {
			t.Errorf("%#x stands for %+v", h, ty)
		}
	}
	if pr.Type(4711) != nil {
		t.Error("what was not returned stands for a datatype")
	}
	if n := pr.DerivedDatatypes(); n != 2 {
		t.Errorf("%d derived datatypes, want 2", n)
	}
	if len(s.wrong) > 0 {
		t.Errorf("found %q", s.wrong)
	}
}

func send(count, typ, rank, tag int) Args {
	return Args{"count": count, "datatype": uint64(typ), "dest": rank, "tag": tag, "comm": World}
}

// Arguments that do not make a datatype are reported; those that are not recorded are not.
func TestRejectedDatatypes(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Rank)
		want string
	}{
		{"negative count", func(k *Rank) {
			k.Call("c", "MPI_Type_contiguous", Args{"count": -3, "oldtype": uint64(Int), ">newtype": uint64(derived)})
		}, "MPI_Type_contiguous: count = -3 is negative"},
		{"negative length", func(k *Rank) {
			k.Call("c", "MPI_Type_indexed", Args{
				"count": 2, "array_of_blocklengths": []int32{1, -2}, "array_of_displacements": []int32{1, 2},
				"oldtype":  uint64(Int),
				">newtype": uint64(derived),
			})
		}, "MPI_Type_indexed: array_of_blocklengths[1] = -2 is negative"},
		{"no array", func(k *Rank) {
			k.Call("c", "MPI_Type_indexed", Args{
				"count": 2, "array_of_blocklengths": []int32{1, 2}, "*array_of_displacements": 0,
				"oldtype": uint64(Int), ">newtype": uint64(derived),
			})
		}, "MPI_Type_indexed: array_of_displacements is a null pointer"},
		{"no such order", func(k *Rank) {
			k.Call("c", "MPI_Type_create_subarray", Args{
				"ndims": 1, "array_of_sizes": []int32{3}, "array_of_subsizes": []int32{2},
				"array_of_starts": []int32{1},
				"order":           3, "oldtype": uint64(Int), ">newtype": uint64(derived),
			})
		}, "MPI_Type_create_subarray: order = 3 is not one of the constants for it (MPI_ORDER_C …)"},
		{"array lost", func(k *Rank) {
			k.Call("c", "MPI_Type_indexed", Args{
				"count": 2, "array_of_blocklengths": []int32{1, 2}, "*array_of_displacements": 4711,
				"oldtype":  uint64(Int),
				">newtype": uint64(derived),
			})
		}, ""},
	} {
		p := New(2)
		c.do(p.Ranks[0])
		_, s := follow(p)
		got := ""
		if len(s.wrong) > 0 {
			got = s.wrong[0]
		}
		if got != c.want || len(s.wrong) > 1 {
			t.Errorf("%s: found %q, want %q", c.name, s.wrong, c.want)
		}
	}
}

func TestCrowdedDatatypes(t *testing.T) {
	p := New(1)
	for i := range 2500 {
		p.Ranks[0].Call("a", "MPI_Type_vector", vector(derived+i))
	}
	_, s := follow(p)
	if len(s.crowd) != 2 || s.crowd[0] != 1000 || s.crowd[1] != 2000 {
		t.Errorf("told at %v datatypes, want 1000 and 2000", s.crowd)
	}
}

// A program that makes and frees datatypes forever takes no more memory than one that makes a few.
func TestDatatypesForgotten(t *testing.T) {
	tr, _ := newTracker()
	New(1).Deliver(handler{tr}, 100, 0)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round := func(from, n int) {
		for i := from; i < from+n; i++ {
			h := uint64(derived + i<<4)
			for _, rec := range [][]byte{
				Record(0, "MPI_Type_vector", Args{
					"count": 2, "blocklength": 1, "stride": i, "oldtype": uint64(Int),
					">newtype": h,
				}, 0),
				Record(0, "MPI_Type_free", Args{"datatype": h}, 0),
			} {
				tr.Batch(&ring.Batch{Data: rec})
			}
		}
	}
	round(0, 10000)
	before := heap()
	round(10000, 100000)
	if after := heap(); after > before+before/4+1<<20 {
		t.Errorf("%d bytes after 110000 datatypes, %d after 10000", after, before)
	}
	if n := tr.Processes[0].DerivedDatatypes(); n != 0 {
		t.Errorf("%d datatypes left", n)
	}
}
