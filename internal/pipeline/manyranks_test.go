package pipeline_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// many is a program of many processes. Each makes a few calls and stays in the last one, or ends.
type many struct {
	name  string
	calls func(rank, ranks int) [][]byte
	ends  bool
	stuck func(ranks int) int // number of processes in the deadlock
	cycle int                 // number of processes in its cycle; 0 if there is none; -1: all of them
}

func everybody(n int) int { return n }

var manies = []many{
	{ // each process receives from the next
		name:  "Ring",
		calls: func(r, n int) [][]byte { return [][]byte{Record(1, "MPI_Recv", recv(1, Int, (r+1)%n, 0), 0)} },
		stuck: everybody, cycle: -1,
	},
	{ // all processes receive from any source: p² arcs
		name:  "Wildcards",
		calls: func(_, _ int) [][]byte { return [][]byte{Record(1, "MPI_Recv", recv(1, Int, AnySource, 0), 0)} },
		stuck: everybody,
	},
	{ // each process exchanges with both neighbours, ten times
		name: "Halo",
		calls: func(r, n int) (list [][]byte) {
			left, right := (r+n-1)%n, (r+1)%n
			begin := func(function string, i int, a Args) []byte {
				a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
				return Record(1, function, a, 0)
			}
			for range 10 {
				list = append(list,
					begin("MPI_Irecv", 0, recvFrom(left, 0)), begin("MPI_Irecv", 1, recvFrom(right, 1)),
					begin("MPI_Isend", 2, send(1, Int, right, 0)), begin("MPI_Isend", 3, send(1, Int, left, 1)),
					Record(1, "MPI_Waitall", Args{
						"count": 4, "array_of_requests": handles(4), "*array_of_requests": 0x5000,
						">array_of_statuses": []Status{{Source: int32(left)}, {Source: int32(right), Tag: 1}, {}, {}},
					}, 0))
			}
			return append(list, Record(1, "MPI_Finalize", nil, 0))
		},
		ends: true,
	},
	{ // three processes block each other, the others wait for them
		name: "ThreeOfMany",
		calls: func(r, n int) [][]byte {
			if r >= n/2 && r < n/2+3 {
				return [][]byte{Record(1, "MPI_Recv", recv(1, Int, n/2+(r-n/2+1)%3, 0), 0)}
			}
			return [][]byte{Record(1, "MPI_Barrier", Args{"comm": World}, 0)}
		},
		stuck: everybody, cycle: 3,
	},
	{ // every second process is in a collective; the others wait for one of these
		name: "HalfInBarrier",
		calls: func(r, _ int) [][]byte {
			if r%2 == 1 {
				return [][]byte{Record(1, "MPI_Recv", recv(1, Int, 0, 0), 0)}
			}
			return [][]byte{Record(1, "MPI_Barrier", Args{"comm": World}, 0)}
		},
		stuck: everybody, cycle: 2,
	},
}

// phase is a part of the records of each process.
type phase byte

const (
	beginning phase = iota // up to the end of MPI_Init
	calling                // the rest
)

// source generates the records of a phase for `some` processes from number from on, or fewer at the end. The result is
// valid until the next call.
type source func(ph phase, from int) [][]byte

// some is the number of processes whose records are generated at a time. The records of all processes would take more
// memory than their analysis.
const some = 256

// made returns a source for a program of n processes.
func (m *many) made(n int) source {
	return func(ph phase, from int) (list [][]byte) {
		for r := from; r < min(from+some, n); r++ {
			if ph == beginning {
				list = append(list, scale{ranks: n}.begin(r))
			} else {
				list = append(list, slices.Concat(m.calls(r, n)...))
			}
		}
		return list
	}
}

// makingFor is the environment variable that makes the test binary act as the other process of elsewhere.
const makingFor = "MPIVET_TEST_MAKES_RECORDS"

func TestMain(m *testing.M) {
	if name := os.Getenv(makingFor); name != "" {
		if err := serve(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// elsewhere returns a source that generates the records in another process, as ranks do. Their generation makes ten
// times as much garbage as their analysis.
func (m *many) elsewhere(t testing.TB, n int) (from source, stop func()) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s/%d", makingFor, m.name, n))
	cmd.Stderr = os.Stderr
	ask, err1 := cmd.StdinPipe()
	answer, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(answer)
	var room []byte
	get := func(ph phase, from int) (list [][]byte) {
		sizes := make([]uint32, min(some, n-from))
		err := errors.Join(
			binary.Write(ask, binary.LittleEndian, []uint32{uint32(ph), uint32(from)}),
			binary.Read(in, binary.LittleEndian, sizes))
		all := 0
		for _, size := range sizes {
			all += int(size)
		}
		room = slices.Grow(room[:0], all)[:all]
		if _, err2 := io.ReadFull(in, room); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		at := 0
		for _, size := range sizes {
			list = append(list, room[at:at+int(size)])
			at += int(size)
		}
		return list
	}
	return get, func() {
		_ = ask.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// serve generates the records of a program for elsewhere.
func serve(program string) error {
	var m *many
	name, ranks, _ := strings.Cut(program, "/")
	n, err := strconv.Atoi(ranks)
	for i := range manies {
		if manies[i].name == name {
			m = &manies[i]
		}
	}
	if m == nil || err != nil {
		return fmt.Errorf("no program %s", program)
	}
	get := m.made(n)
	out := bufio.NewWriter(os.Stdout)
	for {
		var asked [2]uint32
		if err := binary.Read(os.Stdin, binary.LittleEndian, &asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		list := get(phase(asked[0]), int(asked[1]))
		for _, data := range list {
			_ = binary.Write(out, binary.LittleEndian, uint32(len(data)))
		}
		for _, data := range list {
			_, _ = out.Write(data)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// run analyses the program with all checks, until it ends or its deadlock is reported. It returns the time that this
// took, without the generation of the records, and the processor time, including garbage collection.
func (m *many) run(t testing.TB, n int, source source) (took, cpu time.Duration) {
	var got collected
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
	timed := func(f func()) {
		start, worked := time.Now(), cpuTime()
		f()
		took += time.Since(start)
		cpu += cpuTime() - worked
	}
	each := func(ph phase, analyse func(r int, data []byte)) {
		for from := 0; from < n; from += some {
			data := source(ph, from)
			timed(func() {
				for i := range data {
					analyse(from+i, data[i])
				}
			})
		}
	}
	each(beginning, func(r int, data []byte) {
		Start(p, r, n)
		p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: data})
	})
	each(calling, func(r int, data []byte) {
		p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: data, Open: !m.ends})
	})
	timed(func() {
		for range 8 {
			p.Tick()
		}
		if m.ends {
			for r := range n {
				p.End(ring.ProcID(r), &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: true})
			}
		}
		p.Finish()
	})
	if p.Trouble() != "" {
		t.Fatal(p.Trouble())
	}
	m.judge(t, n, got)
	return took, cpu
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (m *many) judge(t testing.TB, n int, got collected) {
	for _, f := range got {
		if f.Check == "GLOBAL:COLLECTIVE:MISSING" && m.name == "HalfInBarrier" {
			continue
		}
		cycle, _ := f.Details["cycle"].([]int)
		want := m.cycle
		if want < 0 {
			want = n
		}
		if m.stuck == nil || f.Check != hardID || len(f.Ranks) != m.stuck(n) || len(cycle) != want {
			t.Fatalf("found %s of %d ranks with a cycle of %d: %.300s", f.Check, len(f.Ranks), len(cycle), f.Message)
		}
		return
	}
	if m.stuck != nil {
		t.Fatal("no deadlock was found")
	}
}

func TestManyRanks(t *testing.T) {
	for i := range manies {
		for _, n := range []int{16, 1024} {
			t.Run(fmt.Sprintf("%s/%d", manies[i].name, n),
				func(t *testing.T) { manies[i].run(t, n, manies[i].made(n)) })
		}
	}
}

// BenchmarkDeadlock finds the deadlocks of many processes, from their MPI_Init on. An iteration is a whole run. The run
// of 1,048,576 processes needs 8 GiB, so it must be requested by MPIVET_BENCH_RANKS=1048576.
func BenchmarkDeadlock(b *testing.B) {
	pipeline.TuneGC()
	sizes := []int{16, 1024, 16384}
	if n, err := strconv.Atoi(os.Getenv("MPIVET_BENCH_RANKS")); err == nil {
		sizes = []int{n}
	}
	for i := range manies {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", manies[i].name, n), func(b *testing.B) {
				var took, cpu time.Duration
				source, stop := manies[i].elsewhere(b, n)
				defer stop()
				for b.Loop() {
					debug.FreeOSMemory()
					_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // reset the peak of memory
					t, c := manies[i].run(b, n, source)
					took, cpu = took+t, cpu+c
				}
				b.ReportMetric(took.Seconds()/float64(b.N), "s/run")
				b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/run")
				b.ReportMetric(peakMiB(), "MiB-peak")
			})
		}
	}
}
