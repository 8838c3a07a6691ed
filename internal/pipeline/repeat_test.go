package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// TestRepeatedCollectives generates processes that call a few collectives repeatedly. Sometimes a process passes
// something else, or makes a new datatype under the handle of another. The findings must not depend on the number of
// records that are read at a time. If records are read one by one, each call is examined separately.
func TestRepeatedCollectives(t *testing.T) {
	const (
		inPlace = 0x7777
		derived = uint64(0x8c000000)
	)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "ranks")
		p := New(n)
		types := []uint64{Int, Double, derived, derived + 1}
		made := make([]map[uint64]bool, n) // datatypes, by rank
		for r := range made {
			p.Ranks[r].Append(Names([]Name{{Kind: KindConst, Value: inPlace, Name: "MPI_IN_PLACE"}}))
			made[r] = make(map[uint64]bool)
		}
		makeType := func(r int, handle uint64, count int) {
			k := p.Ranks[r]
			if made[r][handle] {
				k.Call("free", "MPI_Type_free", Args{"datatype": handle, ">datatype": uint64(TypeNull)})
			}
			k.Call("make", "MPI_Type_contiguous", Args{"count": count, "oldtype": Int, ">newtype": handle})
			k.Call("commit", "MPI_Type_commit", Args{"datatype": handle, ">datatype": handle})
			made[r][handle] = true
		}
		for r := range n {
			makeType(r, derived, 2)
			makeType(r, derived+1, 3)
		}
		type args struct {
			function         int
			count, typ, root int
			op               uint64
			inPlace          bool
			site             int
		}
		call := func(r int, a args, i int) {
			buf, other := uint64(0x1000+16*i), uint64(0x9000+16*i)
			if a.inPlace {
				buf = inPlace
			}
			site := fmt.Sprint("site", a.site)
			typ := types[a.typ]
			switch a.function {
			case 0:
				p.Ranks[r].Call(site, "MPI_Bcast",
					Args{"*buffer": other, "count": a.count, "datatype": typ, "root": a.root, "comm": World})
			case 1:
				p.Ranks[r].Call(site, "MPI_Allreduce",
					Args{
						"*sendbuf": buf, "*recvbuf": other, "count": a.count, "datatype": typ, "op": a.op,
						"comm": World,
					})
			case 2:
				p.Ranks[r].Call(site, "MPI_Barrier", Args{"comm": World})
			case 3:
				g := Args{"*sendbuf": buf, "sendcount": a.count, "sendtype": typ, "root": a.root, "comm": World}
				if a.inPlace && r != a.root {
					g["*sendbuf"] = other
				}
				if r == a.root {
					g["*recvbuf"], g["recvcount"], g["recvtype"] = other, a.count, typ
				}
				p.Ranks[r].Call(site, "MPI_Gather", g)
			}
		}
		draw := func(label string) args {
			return args{
				function: rapid.IntRange(0, 3).Draw(t, label), count: rapid.IntRange(0, 2).Draw(t, "count"),
				typ: rapid.IntRange(0, len(types)-1).Draw(t, "type"), root: rapid.IntRange(0, n-1).Draw(t, "root"),
				op:      rapid.SampledFrom([]uint64{Sum, Max}).Draw(t, "op"),
				inPlace: rapid.Bool().Draw(t, "in place"), site: rapid.IntRange(0, 4).Draw(t, "site"),
			}
		}
		loop := []args{draw("first"), draw("second"), draw("third")}[:rapid.IntRange(1, 3).Draw(t, "calls in the loop")]
		for i := range rapid.IntRange(10, 40).Draw(t, "rounds") {
			odd, fault := rapid.IntRange(0, n-1).Draw(t, "odd"), rapid.IntRange(0, 30).Draw(t, "fault")
			if fault == 1 {
				for r := range n {
					makeType(r, derived, 1+i%3)
				}
			}
			for j, a := range loop {
				for r := range n {
					b := a
					switch {
					case r != odd || j > 0:
					case fault == 2:
						b = draw("another")
					case fault == 3:
						makeType(r, derived+1, 4)
					case fault == 4:
						b.inPlace = !b.inPlace
					case fault == 5:
						b.count++
					}
					call(r, b, i)
				}
			}
		}
		var want []string
		for _, size := range []int{1, 2, 1000} {
			var got collected
			l := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			p.Deliver(l, size, 0)
			l.Finish()
			if l.Trouble() != "" || l.Tracker.Damaged() != 0 {
				t.Fatal(l.Trouble(), l.Tracker.Damaged())
			}
			var all []string
			for _, f := range got {
				// Which call represents all depends on the order in which they are read.
				all = append(all, fmt.Sprint(f.Check, f.Ranks, f.Details["position"]))
			}
			slices.Sort(all)
			if size == 1 {
				want = all
			} else if !slices.Equal(all, want) {
				t.Fatalf("in batches of %d:\n%s\nsingly:\n%s", size, strings.Join(all, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}
