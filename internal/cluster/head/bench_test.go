package head

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// parts collects the parts that a Writer writes.
type parts struct {
	list  [][]byte
	bytes int
}

func (p *parts) Write(b []byte) (int, error) {
	p.list = append(p.list, bytes.Clone(b))
	p.bytes += len(b)
	return len(b), nil
}

// simulated is a node whose ranks pass messages to their neighbours in MPI_COMM_WORLD.
type simulated struct {
	w      *ring.Writer
	parts  parts
	stream *ring.Stream
	first  int // rank
	ranks  int
}

// exchange returns the records of n rounds of a process: a message to the next rank and from the one before, and a
// reduction after every eighth round. It has the addresses of a program with many buffers.
func exchange(rank, size, n int) (data []byte, calls int) {
	for i := range n {
		at := uint64(0x10000000) + uint64(rank)<<16 + uint64(i%4)<<12
		data = append(data, fakerun.Record(1, "MPI_Sendrecv", fakerun.Args{
			"*sendbuf": at, "sendcount": 100, "sendtype": fakerun.Double, "dest": (rank + 1) % size, "sendtag": i % 4,
			"*recvbuf": at + 2048, "recvcount": 100, "recvtype": fakerun.Double, "source": (rank + size - 1) % size,
			"recvtag": i % 4, "comm": fakerun.World, "status": fakerun.Ignore,
		}, 0)...)
		calls++
		if i%8 == 7 {
			data = append(data, fakerun.Record(2, "MPI_Allreduce", fakerun.Args{
				"*sendbuf": at, "*recvbuf": at + 8, "count": 1, "datatype": fakerun.Double, "op": fakerun.Sum,
				"comm": fakerun.World,
			}, 0)...)
			calls++
		}
	}
	return data, calls
}

// none fails if there is a finding.
type none struct{ b *testing.B }

func (n none) Report(f *finding.Finding) { n.b.Fatalf("finding %s: %s", f.Check, f.Message) }

// BenchmarkNodes analyses jobs of many nodes: unpacking on all cores, and the analysis in one order.
func BenchmarkNodes(b *testing.B) {
	for _, c := range []struct{ nodes, ranks int }{{2, 2}, {16, 16}, {64, 64}, {1024, 128}} {
		b.Run(fmt.Sprintf("%dx%d", c.nodes, c.ranks), func(b *testing.B) { simulate(b, c.nodes, c.ranks) })
	}
}

func simulate(b *testing.B, nodes, ranks int) {
	const rounds = 16
	pipeline.TuneGC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // reset the peak of memory
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: none{b}})
	numbers := new(ring.Numbers)
	size := nodes * ranks
	job := make([]*simulated, nodes)
	for i := range job {
		n := &simulated{first: i * ranks, ranks: ranks}
		job[i] = n
		var err error
		if n.w, err = ring.NewWriter(&n.parts, ring.Meta{}); err != nil {
			b.Fatal(err)
		}
		for r := range ranks {
			fakerun.Start(local{n.w, r}, n.first+r, size)
			n.w.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: fakerun.NewRank(n.first+r, size).Bytes()})
		}
	}
	var sent, calls int
	deliver := func() {
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		raw := make([][][]byte, nodes)
		for i, n := range job {
			g.Go(func() error {
				for _, part := range n.parts.list {
					if n.stream == nil {
						var err error
						n.stream, err = ring.NewStream(part, func(uint64) bool { return true }, numbers, i+1, "n")
						if err != nil {
							return err
						}
						continue
					}
					one, err := n.stream.Unpack(part)
					if err != nil {
						return err
					}
					raw[i] = append(raw[i], one)
				}
				n.parts.list = nil
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
		for i, n := range job {
			for _, one := range raw[i] {
				if _, err := n.stream.Deliver(one, p); err != nil && !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
		}
	}
	flush(job)
	deliver()
	for b.Loop() {
		b.StopTimer()
		for _, n := range job {
			n.parts.bytes = 0
			for r := range ranks {
				data, k := exchange(n.first+r, size, rounds)
				calls += k
				n.w.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: data})
			}
		}
		flush(job)
		for _, n := range job {
			sent += n.parts.bytes
		}
		b.StartTimer()
		deliver()
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
	b.ReportMetric(float64(sent)/float64(calls), "B/call")
	b.ReportMetric(peak()/float64(size)/1024, "KiB-peak/rank")
	if p.Trouble() != "" || p.Matcher.Messages == 0 {
		b.Fatalf("%d messages %s", p.Matcher.Messages, p.Trouble())
	}
}

// flush makes all nodes write what they have.
func flush(job []*simulated) {
	for _, n := range job {
		n.w.Flush()
		for !n.w.Written() {
			runtime.Gosched()
		}
	}
}

// local gives a process and its thread the numbers that they have on their node.
type local struct {
	*ring.Writer
	rank int
}

func (l local) Proc(p *ring.Proc) {
	p.ID = ring.ProcID(l.rank)
	l.Writer.Proc(p)
}

func (l local) Thread(t *ring.Thread) {
	t.ID, t.Proc = ring.ThreadID(l.rank), ring.ProcID(l.rank)
	l.Writer.Thread(t)
}

func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kib, _ := strconv.ParseFloat(string(m[1]), 64)
	return kib * 1024
}
