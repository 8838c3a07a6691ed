package pipeline_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// scale is a program of many processes on MPI_COMM_WORLD.
type scale struct {
	ranks int
	// batch is the number of calls of a process that are delivered at a time. That many collectives are entered by some
	// processes and not by others.
	batch int
	// open: the last call of a batch has not returned; the next batch begins with it.
	open bool
	// scattered: constants have different values in all processes, as with an MPI whose constants are addresses.
	scattered bool
	call      func(rank, i int) []byte // the record of a process's i-th call
	patterns  int                      // number of ranks after which call returns the same records again
}

// run analyses the program with all checks. An iteration is one batch of each process. It reports process-calls per
// second: the average, and the median of pieces of about a millisecond, which is more meaningful on a machine with
// other users. The beginnings of the processes are not measured, but the peak of memory includes them.
func (s scale) run(b *testing.B) {
	pipeline.TuneGC()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // reset the peak of memory
	var none collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
	for r := range s.ranks {
		Start(p, r, s.ranks)
		p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: s.begin(r)})
	}
	batches := make([][]byte, min(s.patterns, s.ranks))
	for r := range batches {
		var first []byte
		for i := range s.batch {
			rec := s.call(r, i)
			if i == 0 {
				first = rec
			}
			batches[r] = append(batches[r], rec...)
		}
		if s.open {
			batches[r] = append(batches[r], first...) // of the next batch
		}
	}
	runtime.GC()         // collect the garbage of the generation
	var pieces []float64 // ns per call
	piece := max(1, 8192/s.batch)
	b.ReportAllocs()
	batch := ring.Batch{Open: s.open}
	for b.Loop() {
		start := time.Now()
		for r := range s.ranks {
			batch.Thread, batch.Data = ring.ThreadID(r), batches[r%len(batches)]
			p.Batch(&batch)
			if (r+1)%piece == 0 {
				now := time.Now()
				pieces = append(pieces, float64(now.Sub(start).Nanoseconds())/float64(piece*s.batch))
				start = now
			}
		}
		batch.Resume = s.open
	}
	calls := float64(b.N) * float64(s.ranks) * float64(s.batch)
	b.ReportMetric(calls/b.Elapsed().Seconds(), "calls/s")
	slices.Sort(pieces)
	if n := len(pieces); n > 0 {
		b.ReportMetric(1e9/pieces[n/2], "calls/s-median")
	}
	b.ReportMetric(peakMiB(), "MiB-peak")
	want := b.N * s.batch
	if s.open {
		want++
	}
	if len(none) != 0 || p.Trouble() != "" || p.Matcher.Collectives != uint64(want) {
		b.Fatalf("%d findings, %d of %d collectives %s", len(none), p.Matcher.Collectives, want, p.Trouble())
	}
}

// begin returns the records of a process up to the end of MPI_Init, about as many as with MPICH.
func (s scale) begin(r int) []byte {
	k := NewRank(r, s.ranks)
	if s.scattered {
		k.Append(Constants(moreNames, int64(r)<<20))
	} else {
		k.Append(sameNames())
	}
	for i := range 20 {
		at := uint64(0x7f0000000000) + uint64(r%1000)<<24 + uint64(i)<<20
		k.Append(Module(fmt.Sprintf("/usr/lib/x86_64-linux-gnu/libneeded%d.so.0", i), at, at+1<<20))
	}
	return k.Bytes()
}

// moreNames is the number of names that real MPI libraries have in addition to those of synth.
const moreNames = 280

var sameNames = sync.OnceValue(func() []byte { return Constants(moreNames, 1000) })

func peakMiB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kib, _ := strconv.ParseFloat(string(m[1]), 64)
	return kib / 1024
}

// patterns is the number of processes of a large program that pass different addresses.
const patterns = 256

func address(rank, i int) uint64 { return 0x10000000 + uint64(rank)<<16 + uint64(i)<<4 }

func allreduce(rank, i int) []byte {
	return Record(1, "MPI_Allreduce", Args{
		"*sendbuf": address(rank, i), "*recvbuf": address(rank, i) + 8, "count": 1, "datatype": Double, "op": Sum,
		"comm": World,
	}, 0)
}

// BenchmarkScale analyses programs of many processes. With -benchtime 40x, 65536x25 are 1,000 collectives of 65,536
// processes.
func BenchmarkScale(b *testing.B) {
	bcast := func(rank, i int) []byte {
		return Record(1, "MPI_Bcast",
			Args{"*buffer": address(rank, i), "count": 100, "datatype": Int, "root": i % patterns, "comm": World}, 0)
	}
	one := func(rank, i int) []byte {
		return Record(1, "MPI_Bcast",
			Args{"*buffer": address(0, 0), "count": 1, "datatype": Double, "root": 0, "comm": World}, 0)
	}
	gather := func(rank, i int) []byte {
		a := Args{"*sendbuf": address(rank, i), "sendcount": 1, "sendtype": Int, "root": 0, "comm": World}
		if rank == 0 {
			a["*recvbuf"], a["recvcount"], a["recvtype"] = address(rank, i)+8, 1, Int
		}
		return Record(1, "MPI_Gather", a, 0)
	}
	alltoallv := func(p int) func(rank, i int) []byte {
		recs := make(map[int][]byte)
		return func(rank, _ int) []byte {
			if recs[rank] == nil {
				counts := make([]int32, p)
				displs := make([]int32, p)
				for i := range counts {
					counts[i], displs[i] = int32(1+(i+rank)%7), int32(10*i)
				}
				recs[rank] = Record(1, "MPI_Alltoallv", Args{
					"*sendbuf": address(rank, 0), "sendcounts": counts, "sdispls": displs, "sendtype": Int,
					"*recvbuf": 1<<40 + address(rank, 1), "recvcounts": counts, "rdispls": displs, "recvtype": Int,
					"comm": World,
				}, 0)
			}
			return recs[rank]
		}
	}
	for _, c := range []struct {
		name string
		scale
	}{
		{"Allreduce/1024x25", scale{ranks: 1024, batch: 25, call: allreduce, patterns: patterns}},
		{"Allreduce/65536x25", scale{ranks: 65536, batch: 25, call: allreduce, patterns: patterns}},
		{"Allreduce/65536x1000", scale{ranks: 65536, batch: 1000, call: allreduce, patterns: patterns}},
		{"Allreduce/65536x25,open", scale{ranks: 65536, batch: 25, open: true, call: allreduce, patterns: patterns}},
		{
			"Allreduce/65536x25,scattered",
			scale{ranks: 65536, batch: 25, scattered: true, call: allreduce, patterns: patterns},
		},
		{"Bcast/4x400", scale{ranks: 4, batch: 400, call: one, patterns: 1}},
		{"Bcast/1024x25", scale{ranks: 1024, batch: 25, call: bcast, patterns: patterns}},
		{"Bcast/65536x25", scale{ranks: 65536, batch: 25, call: bcast, patterns: patterns}},
		{"Gather/1024x25", scale{ranks: 1024, batch: 25, call: gather, patterns: 1024}},
		{"Gather/16384x25", scale{ranks: 16384, batch: 25, call: gather, patterns: 16384}},
		{"Alltoallv/64x5", scale{ranks: 64, batch: 5, call: alltoallv(64), patterns: 64}},
		{"Alltoallv/256x5", scale{ranks: 256, batch: 5, call: alltoallv(256), patterns: 256}},
		{"Alltoallv/1024x5", scale{ranks: 1024, batch: 5, call: alltoallv(1024), patterns: 1024}},
	} {
		b.Run(c.name, c.run)
	}
}

// BenchmarkStuck looks for deadlocks while every second process waits in a collective for a process that computes.
func BenchmarkStuck(b *testing.B) {
	for _, n := range []int{1024, 65536} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var none collected
			p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
			rec := allreduce(0, 0)
			for r := range n {
				Start(p, r, n)
				p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: NewRank(r, n).Bytes()})
				if r%2 == 0 {
					p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: rec, Open: true})
				}
			}
			for b.Loop() {
				p.Tick()
			}
			if len(none) != 0 || p.Trouble() != "" {
				b.Fatalf("%d findings %s", len(none), p.Trouble())
			}
		})
	}
}

// TestDeadlockOfMany: half of many processes wait in a collective for the others. These wait for a message from one of
// the first half.
func TestDeadlockOfMany(t *testing.T) {
	const n = 2000
	var got collected
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
	for r := range n {
		Start(p, r, n)
		p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: NewRank(r, n).Bytes()})
		rec := allreduce(r, 0)
		if r%2 == 1 {
			rec = Record(1, "MPI_Recv", recv(8, Byte, 0, 1), 0)
		}
		p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: rec, Open: true})
	}
	for range 5 {
		p.Tick()
	}
	if p.Trouble() != "" {
		t.Fatal(p.Trouble())
	}
	var checks []string
	for _, f := range got {
		checks = append(checks, f.Check)
		if len(f.Ranks) != n {
			t.Errorf("%s names %d of %d ranks", f.Check, len(f.Ranks), n)
		}
	}
	slices.Sort(checks)
	if want := []string{"GLOBAL:COLLECTIVE:MISSING", "GLOBAL:DEADLOCK:HARD"}; !slices.Equal(checks, want) {
		t.Errorf("found %q, want %q", checks, want)
	}
}
