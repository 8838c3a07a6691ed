package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// exchange lets both ranks send to each other before they receive.
func exchange(p *Program) {
	for r, k := range p.Ranks {
		k.Call("a", "MPI_Send", send(1, Int, 1-r, 5))
		k.Call("b", "MPI_Recv", recv(1, Int, 1-r, 5))
	}
}

// controlled lets a rank post a receive, and returns a function that cancels it.
func controlled(p *Program, rank, source, tag int) (cancel func()) {
	k := p.Ranks[rank]
	begin(k, "MPI_Irecv", 0, recvFrom(source, tag))
	return func() {
		onRequest(k, "MPI_Cancel", 0x98000000)
		k.Call("w", "MPI_Wait",
			Args{
				"request": 0x98000000, "*request": 0x5000,
				">status": []Status{{Source: -1, Tag: -1, Cancelled: true}},
			})
	}
}

// shared is the handle of sends that are complete at once, as small ones are in MPICH and Open MPI.
const shared = 0x6c000001

// shares returns the arguments of a nonblocking send that is complete at once. Its request goes to the i-th variable.
func shares(dest, i int) Args {
	a := send(1, Int, dest, 0)
	a[">request"], a["*request"] = shared, 0x5000+4*i
	return a
}

// share sends to several ranks with the same handle.
func share(k *Rank, dests ...int) {
	for i, d := range dests {
		k.Call("s", "MPI_Isend", shares(d, i))
	}
}

// waited waits for the request in the i-th variable.
func waited(k *Rank, i int) {
	k.Call("w", "MPI_Wait", Args{"request": shared, "*request": 0x5000 + 4*i, ">status": []Status{{}}})
}

func TestPotentialDeadlocks(t *testing.T) {
	const potential = "GLOBAL:DEADLOCK:POTENTIAL [0 1]"
	world := Args{"comm": World}
	for _, c := range []struct {
		name  string
		build func() *Program
		want  []string
	}{
		{"both send first", func() *Program {
			p := New(2)
			exchange(p)
			return finalize(p)
		}, []string{potential}},
		{"messages that nobody receives belong to another finding", func() *Program {
			p := New(2)
			for r, k := range p.Ranks {
				k.Call("a", "MPI_Send", send(1, Int, 1-r, 5))
			}
			return finalize(p)
		}, []string{"GLOBAL:MSG:PENDING [0 1]"}},
		{"the program hangs in the same calls later", func() *Program {
			p := New(2)
			exchange(p)
			for r, k := range p.Ranks {
				k.Open("a", "MPI_Send", send(100000, Int, 1-r, 5))
			}
			return p
		}, []string{"GLOBAL:DEADLOCK:HARD [0 1]"}},
		{"the program hangs elsewhere later", func() *Program {
			p := New(2)
			exchange(p)
			for r, k := range p.Ranks {
				k.Open("c", "MPI_Recv", recv(1, Int, 1-r, 6))
			}
			return p
		}, []string{"GLOBAL:DEADLOCK:HARD [0 1]", potential}},
		{"behind a call that failed", func() *Program {
			p := New(2)
			p.Ranks[0].Fail("f", "MPI_Bcast", Args{"count": -1, "datatype": Int, "root": 0, "comm": Self}, 6, "no",
				false)
			exchange(p)
			return finalize(p)
		}, []string{"GLOBAL:COLLECTIVE:INVALID_PARAMETER [0]"}},
		{"behind a barrier behind a call that failed", func() *Program {
			p := New(2)
			p.Ranks[0].Fail("f", "MPI_Bcast", Args{"count": -1, "datatype": Int, "root": 0, "comm": Self}, 6, "no",
				false)
			for _, k := range p.Ranks {
				k.Call("g", "MPI_Barrier", world)
			}
			exchange(p)
			return finalize(p)
		}, []string{"GLOBAL:COLLECTIVE:INVALID_PARAMETER [0]", potential}},
		{"before a receive is cancelled", func() *Program {
			p := New(2)
			cancel := controlled(p, 0, AnySource, 9)
			exchange(p)
			cancel()
			return finalize(p)
		}, []string{potential}},
		{"behind a receive that is cancelled", func() *Program {
			p := New(2)
			controlled(p, 0, AnySource, 9)()
			exchange(p)
			return finalize(p)
		}, nil},
		{"behind a barrier behind a receive that is cancelled", func() *Program {
			p := New(2)
			controlled(p, 0, AnySource, 9)()
			for _, k := range p.Ranks {
				k.Call("g", "MPI_Barrier", world)
			}
			exchange(p)
			return finalize(p)
		}, []string{potential}},
		{"the receive that is cancelled would take the message if it came earlier", func() *Program {
			p := New(2)
			cancel := controlled(p, 0, 1, 5)
			p.Ranks[0].Call("a", "MPI_Send", send(1, Int, 1, 6))
			cancel()
			p.Ranks[0].Call("b", "MPI_Recv", recv(1, Int, 1, 5))
			p.Ranks[1].Call("a", "MPI_Send", send(1, Int, 0, 5))
			p.Ranks[1].Call("b", "MPI_Recv", recv(1, Int, 0, 6))
			return finalize(p)
		}, nil},
		{"a receive from any source might have got another message", func() *Program {
			// Rank 0's first receive got the message of rank 2, which is sent only after rank 1 has been answered. If
			// rank 1's message arrives first, there is no deadlock.
			p := New(3)
			from := func(r int32) Args {
				a := recv(1, Int, AnySource, 5)
				a[">status"] = []Status{{Source: r, Tag: 5}}
				return a
			}
			p.Ranks[0].Call("a", "MPI_Recv", from(2))
			p.Ranks[0].Call("b", "MPI_Recv", from(1))
			p.Ranks[1].Call("c", "MPI_Send", send(1, Int, 0, 5))
			p.Ranks[1].Call("d", "MPI_Send", send(1, Int, 2, 6))
			p.Ranks[2].Call("e", "MPI_Recv", recv(1, Int, 1, 6))
			p.Ranks[2].Call("f", "MPI_Send", send(1, Int, 0, 5))
			return finalize(p)
		}, []string{"GLOBAL:MSG:RACE [0 1 2]"}},
		{"requests of one handle in swapped variables", func() *Program {
			// Rank 0 first waits for the message to rank 2, with the former variable of the message to rank 1.
			p := New(3)
			share(p.Ranks[0], 1, 2)
			p.Ranks[1].Call("c", "MPI_Send", send(1, Int, 0, 0))
			p.Ranks[1].Call("d", "MPI_Recv", recv(1, Int, 0, 0))
			p.Ranks[2].Call("d", "MPI_Recv", recv(1, Int, 0, 0))
			waited(p.Ranks[0], 0)
			p.Ranks[0].Call("e", "MPI_Recv", recv(1, Int, 1, 0))
			waited(p.Ranks[0], 1)
			return finalize(p)
		}, nil},
		{"requests of one handle, one waited for after the other", func() *Program {
			p := New(2)
			for r, k := range p.Ranks {
				share(k, 1-r, 1-r)
				waited(k, 1)
				waited(k, 0)
				k.Call("e", "MPI_Recv", recv(1, Int, 1-r, 0))
				k.Call("e", "MPI_Recv", recv(1, Int, 1-r, 0))
			}
			return finalize(p)
		}, []string{potential}},
		{"requests of one handle, waited for together by copies", func() *Program {
			p := New(2)
			for r, k := range p.Ranks {
				share(k, 1-r, 1-r)
				k.Call("w", "MPI_Waitall",
					Args{
						"count": 2, "array_of_requests": []uint64{shared, shared}, "*array_of_requests": 0x9000,
						">array_of_statuses": []Status{{}, {}},
					})
				k.Call("e", "MPI_Recv", recv(1, Int, 1-r, 0))
				k.Call("e", "MPI_Recv", recv(1, Int, 1-r, 0))
			}
			return finalize(p)
		}, []string{potential}},
		{"of requests with one handle, one is freed", func() *Program {
			// Rank 0 waits for the message to rank 1, with the former variable of the other message.
			p := New(3)
			share(p.Ranks[0], 1, 2)
			p.Ranks[1].Call("c", "MPI_Send", send(1, Int, 0, 0))
			p.Ranks[1].Call("d", "MPI_Recv", recv(1, Int, 0, 0))
			p.Ranks[2].Call("d", "MPI_Recv", recv(1, Int, 0, 0))
			p.Ranks[0].Call("f", "MPI_Request_free", Args{"request": shared, "*request": 0x5004})
			waited(p.Ranks[0], 0)
			p.Ranks[0].Call("e", "MPI_Recv", recv(1, Int, 1, 0))
			return finalize(p)
		}, nil},
		{"requests of one handle without end", func() *Program {
			// There is always one request that was not waited for.
			p := New(2)
			p.Ranks[0].Call("s", "MPI_Isend", shares(1, 0))
			for i := range 1000 {
				p.Ranks[0].Call("s", "MPI_Isend", shares(1, 1+i))
				waited(p.Ranks[0], i)
				p.Ranks[1].Call("r", "MPI_Recv", recv(1, Int, 0, 0))
			}
			waited(p.Ranks[0], 1000)
			p.Ranks[1].Call("r", "MPI_Recv", recv(1, Int, 0, 0))
			exchange(p)
			return finalize(p)
		}, []string{potential}},
		{"one waits long for what another sends late", func() *Program {
			// Rank 0 has sent ten thousand messages when rank 1 begins to receive.
			p := New(2)
			for range 10000 {
				p.Ranks[0].Call("a", "MPI_Send", send(1, Int, 1, 5))
			}
			for range 10000 {
				p.Ranks[1].Call("b", "MPI_Recv", recv(1, Int, 0, 5))
			}
			return finalize(p)
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, c.build)
			slices.Sort(c.want)
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestPotentialDeadlockIsToldOnce(t *testing.T) {
	found := analyse(t, func() *Program {
		p := New(2)
		for range 5000 {
			exchange(p)
		}
		return finalize(p)
	})
	if len(found) != 1 || found[0].Count != 5000 {
		t.Fatalf("%d findings, the first %d times", len(found), found[0].Count)
	}
	for _, want := range []string{
		"MPI_Send may wait for rank 1 to receive (4 bytes), and rank 1 is itself in MPI_Send to rank 0",
		"MPI buffered the message",
	} {
		if !strings.Contains(told(found[0]), want) {
			t.Errorf("%q is not in\n%s", want, found[0].Message)
		}
	}
}

// TestPotentialDeadlockIsToldWhileTheProgramRuns: while the program runs, a potential deadlock is reported after three
// seconds. If it happens again, only the count follows.
func TestPotentialDeadlockIsToldWhileTheProgramRuns(t *testing.T) {
	var got collected
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
	prog := New(2)
	exchange(prog)
	prog.Deliver(p, 1000, 0)
	if len(got) != 0 {
		t.Fatalf("%d findings at once", len(got))
	}
	for range 30 {
		p.Tick()
	}
	if len(got) != 1 {
		t.Fatalf("%d findings after three seconds", len(got))
	}
	p.Finish()
	if len(got) != 1 {
		t.Fatalf("%d findings at the end", len(got))
	}
}

// TestPotentialDeadlockOfThreads: a process that may have several threads is judged when it is known that only one
// thread has called MPI.
func TestPotentialDeadlockOfThreads(t *testing.T) {
	for _, threads := range []int{1, 2} {
		var got collected
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
		prog := new(Program)
		for r := range 2 {
			k := Uninitialized(r, 2)
			k.Init("MPI_Init_thread", Args{"required": 3, ">provided": 3})
			prog.Ranks = append(prog.Ranks, k)
		}
		exchange(prog)
		prog.Deliver(p, 1000, 0)
		for range 100 {
			p.Tick()
		}
		if len(got) != 0 {
			t.Fatalf("%s, though another thread may come", got[0].Message)
		}
		if threads == 2 {
			p.Thread(&ring.Thread{ID: 2, Proc: 0, Index: 1, TID: 1})
		}
		p.Finish()
		if len(got) != 2-threads {
			t.Errorf("%d findings with %d threads", len(got), threads)
		}
	}
}

// BenchmarkHeadToHead analyses two ranks that both send before they receive: ns per call. Each pair of calls is a
// potential deadlock.
func BenchmarkHeadToHead(b *testing.B) {
	prog := New(2)
	var found collected
	p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &found})
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
