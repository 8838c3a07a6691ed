package leak_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type collected []*finding.Finding

func (c *collected) Report(f *finding.Finding) { *c = append(*c, f) }

// analyse lists what is found, with numbers of occurrences.
func analyse(t *testing.T, p *Program) []string {
	t.Helper()
	var found collected
	l := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
	p.Deliver(l, 7, 0)
	l.Finish()
	if l.Trouble() != "" {
		t.Fatal(l.Trouble())
	}
	var list []string
	for _, f := range found {
		list = append(list, fmt.Sprintf("%s %s %d", f.Check, f.Severity, f.Count))
	}
	return list
}

// Handles with the form of MPICH's.
const (
	comm    = 0x84000000
	group   = 0x88000000
	handler = 0x94000000
	key     = 0x64400000
	typ     = 0x8c000000
)

func TestNotFreed(t *testing.T) {
	type calls = func(k *Rank)
	dup := func(h int) calls {
		return func(k *Rank) {
			k.Comm(uint64(h), 0, []int32{0}, nil, 1)
			k.Call("dup", "MPI_Comm_dup", Args{"comm": World, ">newcomm": h})
		}
	}
	call := func(function string, a Args) calls { return func(k *Rank) { k.Call(function, function, a) } }
	groupOf := func(variable int) calls {
		return call("MPI_Comm_group", Args{"comm": World, ">group": group, "*group": variable})
	}
	freeGroup := func(variable int) calls {
		return call("MPI_Group_free", Args{"group": group, "*group": variable})
	}
	newHandler := call("MPI_Comm_create_errhandler", Args{"comm_errhandler_fn": 0x4000, ">errhandler": handler})
	getHandler := call("MPI_Comm_get_errhandler", Args{"comm": World, ">errhandler": handler})
	setHandler := func(c int) calls {
		return call("MPI_Comm_set_errhandler", Args{"comm": c, "errhandler": handler})
	}
	newType := call("MPI_Type_contiguous", Args{"count": 2, "oldtype": uint64(Int), ">newtype": typ})
	deleting := call("MPI_Comm_create_keyval", Args{"comm_delete_attr_fn": 0x4000, ">comm_keyval": key})
	newKey := call("MPI_Comm_create_keyval", Args{">comm_keyval": key})
	setKey := func(c int) calls {
		return call("MPI_Comm_set_attr", Args{"comm": c, "comm_keyval": key, "attribute_val": 0x5000})
	}
	for _, c := range []struct {
		name  string
		calls []calls
		want  []string
		over  bool // MPI_Finalize is among the calls
	}{
		{"freed", []calls{dup(comm), call("MPI_Comm_free", Args{"comm": comm})}, nil, false},
		{"disconnected", []calls{dup(comm), call("MPI_Comm_disconnect", Args{"comm": comm})}, nil, false},
		{"two of one place", []calls{dup(comm), dup(comm + 1)}, []string{"LOCAL:COMM:NOT_FREED warning 2"}, false},
		{
			"a handle that was made again",
			[]calls{dup(comm), dup(comm)},
			[]string{"LOCAL:COMM:NOT_FREED warning 1"},
			false,
		},
		{
			"null",
			[]calls{call("MPI_Comm_split", Args{"comm": World, "color": -32766, ">newcomm": CommNull})},
			nil,
			false,
		},
		{"the parent is MPI's", []calls{call("MPI_Comm_get_parent", Args{">parent": comm})}, nil, false},
		{
			"one group, three times",
			[]calls{groupOf(1), groupOf(2), groupOf(1), freeGroup(2)},
			[]string{"LOCAL:GROUP:NOT_FREED warning 2"},
			false,
		},
		{
			"one group, twice, and freed by a copy",
			[]calls{groupOf(1), groupOf(2), freeGroup(3), freeGroup(1)},
			nil,
			false,
		},
		{"an error handler that is used", []calls{newHandler, setHandler(World)}, nil, false},
		{
			"and asked for",
			[]calls{newHandler, setHandler(World), getHandler},
			[]string{"LOCAL:ERRHANDLER:NOT_FREED warning 1"},
			false,
		},
		{
			"used by what is gone",
			[]calls{newHandler, dup(comm), setHandler(comm), call("MPI_Comm_free", Args{"comm": comm})},
			[]string{"LOCAL:ERRHANDLER:NOT_FREED warning 1"},
			false,
		},
		{"a key that is used", []calls{newKey, setKey(World)}, nil, false},
		{
			"a key whose attribute is deleted",
			[]calls{newKey, setKey(World), call("MPI_Comm_delete_attr", Args{"comm": World, "comm_keyval": key})},
			[]string{"LOCAL:KEYVAL:NOT_FREED warning 1"},
			false,
		},
		{"a key that a copy has an attribute of", []calls{
			newKey, setKey(World), dup(comm), call("MPI_Comm_delete_attr", Args{"comm": World, "comm_keyval": key}),
		}, []string{"LOCAL:COMM:NOT_FREED warning 1"}, false},
		{"an error handler that a communicator has inherited", []calls{
			newHandler, setHandler(World), dup(comm),
			call("MPI_Comm_set_errhandler", Args{"comm": World, "errhandler": 0}),
		}, []string{"LOCAL:COMM:NOT_FREED warning 1"}, false},
		{"an error that is handled by freeing", []calls{newHandler, dup(comm), setHandler(World), func(k *Rank) {
			k.Callback("call", "MPI_Comm_call_errhandler", Args{"comm": World, "errorcode": 1},
				map[uint64]string{comm: "MPI_Comm_free"})
		}}, nil, false},
		{"an error that is handled without freeing", []calls{newHandler, dup(comm), setHandler(World), func(k *Rank) {
			k.Call("call", "MPI_Comm_call_errhandler", Args{"comm": World, "errorcode": 1})
		}}, []string{"LOCAL:COMM:NOT_FREED warning 1"}, false},
		{
			"freed when MPI_Finalize deletes an attribute",
			[]calls{deleting, dup(comm), dup(comm + 1), setKey(World), newType, func(k *Rank) {
				k.Callback("main", "MPI_Finalize", nil, map[uint64]string{
					comm: "MPI_Comm_free", comm + 1: "MPI_Comm_disconnect", key: "MPI_Comm_free_keyval",
					typ: "MPI_Type_free",
				})
			}},
			nil, true,
		},
		{
			"not freed when MPI_Finalize deletes an attribute",
			[]calls{deleting, dup(comm), setKey(World), newType},
			[]string{"LOCAL:DATATYPE:NOT_FREED warning 1", "LOCAL:COMM:NOT_FREED warning 1"},
			false,
		},
		{"an attribute that may not have been deleted yet", []calls{deleting, dup(comm), setKey(World), func(k *Rank) {
			k.Open("main", "MPI_Finalize", nil)
		}}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := New(1)
			for _, f := range c.calls {
				f(p.Ranks[0])
			}
			if !c.over {
				p.Ranks[0].Call("main", "MPI_Finalize", nil)
			}
			if got := analyse(t, p); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// An object that one process frees and another does not is one finding, but not a leak.
func TestFreedBySome(t *testing.T) {
	p := New(2)
	for r, k := range p.Ranks {
		k.Comm(comm, r, []int32{0}, nil, 2)
		k.Call("dup", "MPI_Comm_dup", Args{"comm": World, ">newcomm": comm})
		if r == 0 {
			k.Call("free", "MPI_Comm_free", Args{"comm": comm})
		}
		k.Call("main", "MPI_Finalize", nil)
	}
	want := []string{"GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH warning 1"}
	if got := analyse(t, p); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
