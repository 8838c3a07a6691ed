package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

const hardID = "GLOBAL:DEADLOCK:HARD"

// begin lets a rank begin an operation that returns a request: number i of the rank's requests.
func begin(k *Rank, function string, i int, a Args) {
	a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
	k.Call("begin", function, a)
}

func handles(n int) (list []uint64) {
	for i := range n {
		list = append(list, uint64(0x98000000+i))
	}
	return list
}

// await lets a rank stay in MPI_Waitall or MPI_Waitany for its first n requests.
func await(k *Rank, function string, n int) {
	k.Open("await", function, Args{"count": n, "array_of_requests": handles(n)})
}

func taking(a Args, from int32, tag int32) Args {
	a[">status"] = []Status{{Source: from, Tag: tag}}
	return a
}

func recvFrom(from, tag int) Args { return message(1, Int, "source", from, tag) }

// waitFor returns the arguments of a wait for request i.
func waitFor(i int) Args {
	return Args{"request": 0x98000000 + i, "*request": 0x5000 + 4*i, "status": Ignore}
}

// partitioned initialises a message of four partitions with tag 3.
func partitioned(from, to *Rank) {
	begin(from, "MPI_Psend_init", 0,
		Args{"*buf": uint64(0x1000), "partitions": 4, "count": 1, "datatype": Int, "dest": 1, "tag": 3, "comm": World})
	begin(to, "MPI_Precv_init", 0,
		Args{
			"*buf": uint64(0x1000), "partitions": 4, "count": 1, "datatype": Int, "source": 0, "tag": 3,
			"comm": World,
		})
}

func isHard(f *finding.Finding) bool { return f.Check == hardID }

// TestDeadlocks checks exactly which ranks wait for which, and the text of the report.
func TestDeadlocks(t *testing.T) {
	sendrecv := func(to, sendTag, from, recvTag int) Args {
		return Args{
			"*sendbuf": uint64(0x1000), "sendcount": 1, "sendtype": Int, "dest": to, "sendtag": sendTag,
			"*recvbuf": uint64(0x2000), "recvcount": 1, "recvtype": Int, "source": from, "recvtag": recvTag,
			"comm": World, "status": Ignore,
		}
	}
	iallreduce := func() Args {
		return Args{
			"*sendbuf": uint64(0x3000), "*recvbuf": uint64(0x4000), "count": 1, "datatype": Int, "op": Sum,
			"comm": World,
		}
	}
	cases := []struct {
		name  string
		ranks int
		build func(r []*Rank)
		want  string   // the ranks of the deadlock; "" for none
		says  []string // parts of its message
	}{
		{"the send of an exchange may have been copied", 3, func(r []*Rank) {
			r[0].Open("a", "MPI_Sendrecv", sendrecv(1, 1, 2, 1)) // rank 2 computes
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"a nonblocking send may have been copied", 3, func(r []*Rank) {
			begin(r[0], "MPI_Isend", 0, send(1, Int, 1, 1))
			begin(r[0], "MPI_Irecv", 1, recvFrom(2, 1))
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"unless nothing else can be what is waited for", 3, func(r []*Rank) {
			begin(r[0], "MPI_Isend", 0, send(1, Int, 1, 1))
			begin(r[0], "MPI_Irecv", 1, recvFrom(2, 1))
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
			r[2].Call("c", "MPI_Send", send(1, Int, 0, 1))
			r[2].Open("c", "MPI_Recv", recv(1, Int, 1, 1))
		}, "0-2", []string{
			"MPI_Waitall for MPI_Isend waits for rank 1 to receive tag 1, but rank 1 receives tag 2: ranks 0-2 are",
		}},
		{"a synchronous send has surely not completed", 3, func(r []*Rank) {
			begin(r[0], "MPI_Issend", 0, send(1, Int, 1, 1))
			begin(r[0], "MPI_Irecv", 1, recvFrom(2, 1))
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "0,1", []string{
			"MPI_Waitall for MPI_Issend waits for rank 1 to receive tag 1, but rank 1 receives tag 2: ranks 0,1 are",
		}},
		{"a request of unknown kind among others", 3, func(r []*Rank) {
			begin(r[0], "MPI_Isend", 0, send(1, Int, 1, 1))
			begin(r[0], "MPI_File_iwrite", 1, Args{"fh": uint64(0x77), "count": 1, "datatype": Int})
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"all of one of several", 3, func(r []*Rank) {
			begin(r[0], "MPI_Iallreduce", 0, iallreduce()) // waits for rank 1, which is stuck, and rank 2, which is not
			begin(r[0], "MPI_Irecv", 1, recvFrom(1, 0))
			await(r[0], "MPI_Waitany", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "0,1", []string{"MPI_Waitany waits for both rank 1 to call MPI_Iallreduce too and rank 2 to call " +
			"MPI_Iallreduce too or rank 1 to send, but rank 1 is itself in MPI_Recv from rank 0"}},
		{"one of several may come", 3, func(r []*Rank) {
			begin(r[0], "MPI_Iallreduce", 0, iallreduce())
			begin(r[0], "MPI_Irecv", 1, recvFrom(2, 0))
			await(r[0], "MPI_Waitany", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"one of several has its partner", 2, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(1, 0))
			begin(r[0], "MPI_Irecv", 1, recvFrom(1, 1))
			await(r[0], "MPI_Waitany", 2)
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"a sum of nothing may have been done at once", 3, func(r []*Rank) {
			a := iallreduce()
			a["count"] = 0
			begin(r[0], "MPI_Iallreduce", 0, a)
			begin(r[0], "MPI_Irecv", 1, recvFrom(2, 1))
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
		}, "", nil},
		{"the receive of an exchange has its message", 3, func(r []*Rank) {
			r[0].Open("a", "MPI_Sendrecv", sendrecv(1, 1, AnySource, 1))
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
			begin(r[2], "MPI_Isend", 0, send(1, Int, 0, 1))
			r[2].Open("d", "MPI_Recv", recv(1, Int, 1, 1))
		}, "0-2", []string{"MPI_Sendrecv waits for rank 1 to receive tag 1, but rank 1 receives tag 2"}},
		{"and it may still be moving", 3, func(r []*Rank) {
			r[0].Open("a", "MPI_Sendrecv", sendrecv(1, 1, AnySource, 1))
			r[1].Open("b", "MPI_Recv", recv(1, Int, 0, 2))
			begin(r[2], "MPI_Isend", 0, send(1, Int, 0, 1)) // rank 2 computes
		}, "", nil},
		{"fewer messages than receives", 3, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(AnySource, 1))
			begin(r[0], "MPI_Irecv", 1, recvFrom(AnySource, AnyTag))
			await(r[0], "MPI_Waitall", 2)
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
			r[2].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
		}, "0-2", []string{"MPI_Waitall for MPI_Irecv waits for any of ranks 0-2 to send one more message, but ranks " +
			"1,2 are themselves in MPI_Recv from rank 0: ranks 0-2 are deadlocked"}},
		{"as many as receives", 3, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(AnySource, 1))
			begin(r[0], "MPI_Irecv", 1, recvFrom(AnySource, AnyTag))
			await(r[0], "MPI_Waitall", 2)
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
			r[2].Call("b", "MPI_Send", send(1, Int, 0, 2))
			r[2].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
		}, "", nil},
		{"an earlier receive takes the message", 2, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(AnySource, AnyTag))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 1))
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
		}, "0,1", []string{
			"MPI_Recv waits for any of ranks 0,1 to send one more message, but rank 1 is itself in MPI_Recv",
		}},
		{"an earlier receive that may be cancelled takes no message", 2, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(AnySource, AnyTag))
			onRequest(r[0], "MPI_Cancel", 0x98000000)
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 1))
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
		}, "", nil},
		{"a probe does not see what an earlier receive takes", 2, func(r []*Rank) {
			begin(r[0], "MPI_Irecv", 0, recvFrom(AnySource, AnyTag))
			r[0].Open("a", "MPI_Probe", Args{"source": 1, "tag": 1, "comm": World, "status": Ignore})
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 1))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 0))
		}, "0,1", []string{"one more message"}},
		{"a persistent collective that one has started less often", 3, func(r []*Rank) {
			for i, k := range r {
				begin(k, "MPI_Allreduce_init", 0, iallreduce())
				onRequest(k, "MPI_Start", 0x98000000)
				k.Call("w", "MPI_Wait", waitFor(0))
				if i > 0 {
					onRequest(k, "MPI_Start", 0x98000000)
					k.Open("w", "MPI_Wait", waitFor(0))
				}
			}
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 0))
		}, "0-2", []string{
			"MPI_Recv waits for rank 1 to send, but rank 1 is itself in MPI_Wait: ranks 0-2 are deadlocked",
		}},
		{"the root of a persistent broadcast need not wait for anybody", 3, func(r []*Rank) {
			for i, k := range r {
				begin(k, "MPI_Bcast_init", 0,
					Args{"*buffer": uint64(0x1000), "count": 1, "datatype": Int, "root": 0, "comm": World})
				if i < 2 {
					onRequest(k, "MPI_Start", 0x98000000)
				}
			}
			begin(r[0], "MPI_File_iwrite", 1, Args{"fh": uint64(0x77), "count": 1, "datatype": Int})
			await(r[0], "MPI_Waitall", 2)
			r[2].Open("a", "MPI_Recv", recv(1, Int, 0, 0))
		}, "", nil},
		{"a persistent collective that all have started", 2, func(r []*Rank) {
			for i, k := range r {
				begin(k, "MPI_Barrier_init", 0, Args{"comm": World})
				onRequest(k, "MPI_Start", 0x98000000)
				if i == 0 {
					k.Open("w", "MPI_Wait", waitFor(0))
				} else {
					k.Open("a", "MPI_Recv", recv(1, Int, 0, 0))
				}
			}
		}, "", nil},
		{"a partition is not ready", 2, func(r []*Rank) {
			partitioned(r[0], r[1])
			onRequest(r[0], "MPI_Start", 0x98000000)
			r[0].Call("p", "MPI_Pready_range", Args{"partition_low": 0, "partition_high": 2, "request": 0x98000000})
			onRequest(r[1], "MPI_Start", 0x98000000)
			r[1].Open("w", "MPI_Wait", waitFor(0))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 0))
		}, "0,1", []string{"MPI_Recv waits for rank 1 to send, but rank 1 is itself in MPI_Wait for MPI_Precv_init"}},
		{"all partitions are ready", 2, func(r []*Rank) {
			partitioned(r[0], r[1])
			onRequest(r[0], "MPI_Start", 0x98000000)
			r[0].Call("p", "MPI_Pready_range", Args{"partition_low": 0, "partition_high": 2, "request": 0x98000000})
			r[0].Call("p", "MPI_Pready", Args{"partition": 3, "request": 0x98000000})
			onRequest(r[1], "MPI_Start", 0x98000000)
			r[1].Open("w", "MPI_Wait", waitFor(0))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 0))
		}, "", nil},
		{"a send of partitions may complete before its receive is started", 2, func(r []*Rank) {
			partitioned(r[0], r[1])
			onRequest(r[0], "MPI_Start", 0x98000000)
			r[0].Call("p", "MPI_Pready_range", Args{"partition_low": 0, "partition_high": 3, "request": 0x98000000})
			begin(r[0], "MPI_File_iwrite", 1, Args{"fh": uint64(0x77), "count": 1, "datatype": Int})
			await(r[0], "MPI_Waitall", 2)
			r[1].Open("a", "MPI_Recv", recv(1, Int, 0, 0))
		}, "", nil},
		{"three of many", 8, func(r []*Rank) {
			for i, k := range r {
				if i >= 2 && i <= 4 {
					k.Open("a", "MPI_Recv", recv(1, Int, 2+(i-1)%3, 0))
				} else {
					k.Open("b", "MPI_Barrier", Args{"comm": World})
				}
			}
		}, "0-7", []string{
			"MPI_Recv waits for rank 3 to send, but rank 3 is itself in MPI_Recv from rank 4, and so on in a cycle: " +
				"ranks 0-7 are deadlocked\nThe cycle is 2 -> 3 -> 4 -> 2.",
		}},
		{"two groups", 4, func(r []*Rank) {
			for i, k := range r {
				k.Open("a", "MPI_Recv", recv(1, Int, i^1, 0))
			}
		}, "0-3", []string{
			"MPI_Recv waits for rank 1 to send, but rank 1 is itself in MPI_Recv from rank 0: ranks 0-3 are " +
				"deadlocked " +
				"in 2 groups that block each other\nThe cycle is 2 -> 3 -> 2.",
		}},
		{"a knot of receives from anybody", 4, func(r []*Rank) {
			for i, k := range r {
				if i < 3 {
					k.Open("a", "MPI_Recv", recv(1, Int, AnySource, 7))
				} else {
					k.Open("b", "MPI_Ssend", send(1, Int, 0, 8))
				}
			}
		}, "0-3", []string{
			"MPI_Recv waits for tag 7 from any rank, but rank 3 sent tag 8: ranks 0-3 are deadlocked",
		}},
		{"computes after MPI_Finalize", 2, func(r []*Rank) {
			r[1].Call("b", "MPI_Finalize", nil)
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 0))
		}, "0", []string{"MPI_Recv waits for rank 1 to send, but rank 1 has left MPI_Finalize: rank 0 waits forever"}},

		{"another tag", 2, func(r []*Rank) {
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 5))
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 1))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 6))
		}, "0,1", []string{"MPI_Recv waits for tag 6 from rank 1, but rank 1 sent tag 5: ranks 0,1 are deadlocked"}},
		{"another tag, told once", 2, func(r []*Rank) {
			r[1].Open("b", "MPI_Ssend", send(1, Int, 0, 5))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 6))
		}, "0,1", []string{"MPI_Recv waits for tag 6 from rank 1, but rank 1 sent tag 5"}},
		{"another tag of a probe", 2, func(r []*Rank) {
			r[1].Open("b", "MPI_Ssend", send(1, Int, 0, 5))
			r[0].Open("a", "MPI_Probe", Args{"source": 1, "tag": 6, "comm": World, "status": Ignore})
		}, "0,1", []string{"MPI_Probe waits for tag 6 from rank 1, but rank 1 sent tag 5"}},
		{"another tag of a receive", 2, func(r []*Rank) {
			begin(r[1], "MPI_Irecv", 0, recvFrom(0, 6))
			r[1].Open("b", "MPI_Barrier", Args{"comm": World})
			r[0].Open("a", "MPI_Ssend", send(1, Int, 1, 5))
		}, "0,1", []string{"MPI_Ssend waits for rank 1 to receive tag 5, but rank 1 receives tag 6"}},
		{"another communicator", 2, func(r []*Rank) {
			p := &Program{Ranks: r}
			for i := range r {
				dup(p, i, first)
			}
			a := send(1, Int, 0, 5)
			a["comm"] = first
			r[1].Call("b", "MPI_Send", a)
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 1))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 5))
		}, "0,1", []string{"MPI_Recv waits for a message from rank 1 on MPI_COMM_WORLD, but rank 1 sent it on " +
			"communicator #1 made by MPI_Comm_dup"}},
		{"sent to another rank", 3, func(r []*Rank) {
			r[1].Call("b", "MPI_Send", send(1, Int, 2, 5))
			r[1].Open("c", "MPI_Barrier", Args{"comm": World})
			r[2].Open("c", "MPI_Barrier", Args{"comm": World})
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 5))
		}, "0-2", []string{"MPI_Recv waits for tag 5 from rank 1, but rank 1 sent it to rank 2"}},
		{"awaited from another rank", 3, func(r []*Rank) {
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 5))
			r[1].Open("c", "MPI_Barrier", Args{"comm": World})
			r[2].Open("c", "MPI_Barrier", Args{"comm": World})
			r[0].Open("a", "MPI_Recv", recv(1, Int, 2, 5))
		}, "0-2", []string{"MPI_Recv waits for tag 5 from rank 2, but the message comes from rank 1"}},
		{"received already, from anybody", 3, func(r []*Rank) {
			r[1].Call("b", "MPI_Send", send(1, Int, 0, 5))
			r[1].Open("c", "MPI_Barrier", Args{"comm": World})
			r[2].Open("c", "MPI_Barrier", Args{"comm": World})
			r[0].Call("a", "MPI_Recv", taking(recv(1, Int, AnySource, AnyTag), 1, 5))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 5))
		}, "0-2", []string{"MPI_Recv waits for tag 5 from rank 1, but an earlier receive took this message"}},
		{"one receive too many", 2, func(r []*Rank) {
			for range 3 {
				r[1].Call("b", "MPI_Send", send(1, Int, 0, 5))
				r[0].Call("a", "MPI_Recv", recv(1, Int, 1, 5))
			}
			r[1].Open("c", "MPI_Barrier", Args{"comm": World})
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 5))
		}, "0,1", []string{"MPI_Recv waits for tag 5 from rank 1 on MPI_COMM_WORLD, but rank 1 has sent only 3 " +
			"messages for 4 receives"}},
		{"one send too many", 2, func(r []*Rank) {
			r[1].Call("b", "MPI_Recv", recv(1, Int, 0, 5))
			r[1].Open("c", "MPI_Barrier", Args{"comm": World})
			r[0].Call("a", "MPI_Ssend", send(1, Int, 1, 5))
			r[0].Open("a", "MPI_Ssend", send(1, Int, 1, 5))
		}, "0,1", []string{"MPI_Ssend waits for rank 1 to receive tag 5 on MPI_COMM_WORLD, but rank 1 has begun only " +
			"1 receive for 2 messages"}},
		{"nothing that is near", 2, func(r []*Rank) {
			r[1].Open("c", "MPI_Recv", recv(1, Int, 0, 5))
			r[0].Open("a", "MPI_Recv", recv(1, Int, 1, 5))
		}, "0,1", []string{"MPI_Recv waits for rank 1 to send, but rank 1 is itself in MPI_Recv from rank 0"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := analyse(t, func() *Program {
				p := New(c.ranks)
				c.build(p.Ranks)
				return p
			})
			i := slices.IndexFunc(got, isHard)
			if (i >= 0) != (c.want != "") {
				t.Fatalf("found %q, want a deadlock of ranks %q", got.Names(), c.want)
			}
			if i < 0 {
				return
			}
			if ranks := finding.RankList(got[i].Ranks); ranks != c.want {
				t.Errorf("a deadlock of ranks %s, want %s", ranks, c.want)
			}
			for _, text := range c.says {
				if !strings.Contains(told(got[i]), text) {
					t.Errorf("does not say %q:\n%s", text, got[i].Message)
				}
			}
			if list := got[i].Details["near_misses"].([]map[string]any); len(list) > 1 {
				t.Errorf("%d near misses:\n%s", len(list), got[i].Message)
			}
		})
	}
}
