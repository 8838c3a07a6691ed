package track_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/track"
)

// many returns a tracker of n processes. Each has announced 200 more constants, with values from first(rank) on.
func many(n int, first func(rank int) int64) *track.Tracker {
	t, _ := newTracker()
	for r := range n {
		Start(handler{t}, r, n)
		k := NewRank(r, n)
		k.Append(Constants(200, first(r)))
		t.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: k.Bytes()})
	}
	return t
}

// Each process has its own values, whether processes share their names or not.
func TestNames(t *testing.T) {
	const n = 30
	for name, first := range map[string]func(int) int64{
		"same":      func(int) int64 { return 7000 },
		"two kinds": func(r int) int64 { return int64(7000 + r%2) },
		"all other": func(r int) int64 { return int64(7000 + 1000*r) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := many(n, first)
			for r, p := range tr.Processes {
				for _, i := range []int64{0, 1, 199} {
					if v, ok := p.Constant(fmt.Sprintf("MPI_CONSTANT_%d", i)); !ok || v != first(r)+i {
						t.Fatalf("rank %d: constant %d is %d, %v; want %d", r, i, v, ok, first(r)+i)
					}
				}
				if _, ok := p.Constant("MPI_CONSTANT_200"); ok {
					t.Fatalf("rank %d: a constant that was not told", r)
				}
				for _, c := range []struct {
					kind   mpiapi.Kind
					handle uint64
					want   string
				}{
					{mpiapi.Datatype, Double, "MPI_DOUBLE"},
					{mpiapi.Op, Sum, "MPI_SUM"},
					{mpiapi.Comm, Self, "MPI_COMM_SELF"},
					{mpiapi.Comm, Double, ""}, // a handle of one kind says nothing about another kind
					{mpiapi.Datatype, Double + 1, ""},
				} {
					if got := p.NameHandle(c.kind, c.handle); got != c.want {
						t.Fatalf("rank %d: %#x is %q, want %q", r, c.handle, got, c.want)
					}
				}
				if ty := p.Type(Double); ty == nil || ty != tr.Processes[0].Type(Double) {
					t.Fatalf("rank %d: MPI_DOUBLE is %v", r, ty)
				}
				if p.Type(TypeNull) != nil {
					t.Fatalf("rank %d: MPI_DATATYPE_NULL is a type", r)
				}
				if got := p.ErrorClass(14); got != "MPI_ERR_TRUNCATE" {
					t.Fatalf("rank %d: error class 14 is %q", r, got)
				}
			}
		})
	}
}

// A process must be small if there are many, and must not grow with their number.
func TestMemoryOfProcesses(t *testing.T) {
	many(1, func(int) int64 { return 0 }) // memory that is needed only once
	for _, c := range []struct {
		name  string
		first func(int) int64
		limit uint64 // bytes
	}{
		{"same values", func(int) int64 { return 7000 }, 4 << 10},
		{"own values", func(r int) int64 { return int64(r) << 20 }, 8 << 10},
	} {
		for _, n := range []int{500, 4000} {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			tr := many(n, c.first)
			runtime.GC()
			runtime.ReadMemStats(&after)
			if per := (after.HeapAlloc - before.HeapAlloc) / uint64(n); per > c.limit {
				t.Errorf("%s: a process of %d takes %d bytes, want at most %d", c.name, n, per, c.limit)
			}
			runtime.KeepAlive(tr)
		}
	}
}
