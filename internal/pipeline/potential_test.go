package pipeline_test

import (
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/ring"
	. "github.com/mpivet/mpivet/internal/synth"
)

// BenchmarkHeadToHead analyses two ranks that both send before they receive: ns per call, each pair of which is a
// potential deadlock.
func BenchmarkHeadToHead(b *testing.B) {
	prog := New(2)
	var found collected
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
	prog.Deliver(p, 1000, 0)
	const n = 128
	var data [2][]byte
	for r := range data {
		for range n {
			data[r] = append(data[r], Record(0, "MPI_Send", send(8, Byte, 1-r, 1), 0)...)
			data[r] = append(data[r], Record(0, "MPI_Recv", recv(8, Byte, 1-r, 1), 0)...)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 4 * n {
		p.Batch(&ring.Batch{Thread: 0, Data: data[0]})
		p.Batch(&ring.Batch{Thread: 1, Data: data[1]})
	}
	p.Finish()
	if len(found) != 1 {
		b.Fatalf("%d findings", len(found))
	}
}
