package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

const (
	damaged      = "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED"
	modified     = "LOCAL:MEMORY:ILLEGAL_MODIFICATION"
	inaccessible = "LOCAL:MEMORY:INACCESSIBLE"
)

// isend begins a send of ints: the operation with the given number, whose request goes to variable 0x5000+number.
func isend(k *Rank, request int, number uint64, count, dest int, told ...[]byte) {
	a := send(count, Int, dest, 0)
	a["*request"], a[">request"] = 0x5000+int(number), request
	k.Publish("isend", "MPI_Isend", a, 0, told...)
}

// complete completes the operation.
func complete(k *Rank, request int, number uint64, told ...[]byte) {
	a := Args{"request": request, "*request": 0x5000 + int(number), ">status": []Status{{Source: 0, Bytes: 4}}}
	if len(told) == 0 {
		k.Call("wait", "MPI_Wait", a)
		return
	}
	k.Publish("wait", "MPI_Wait", a, 0, told...)
}

func made(number uint64, bytes uint64, sums ...uint64) []byte {
	return Blocks(layout.SumsMade, number, 0, bytes, sums...)
}

func received(k *Rank, count int, bytes uint64, sums ...uint64) {
	k.Publish("recv", "MPI_Recv", recv(count, Int, 0, 0), 0, Blocks(layout.SumsReceived, 0, 0, bytes, sums...))
}

func sent(k *Rank, count int, bytes uint64, sums ...uint64) {
	k.Publish("send", "MPI_Send", send(count, Int, 1, 0), 0, Blocks(0, 0, 0, bytes, sums...))
}

func TestMessageSums(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(s, r *Rank)
		want  []string
	}{
		{"what is sent arrives", func(s, r *Rank) {
			sent(s, 4, 16, 7)
			received(r, 4, 16, 7)
		}, nil},
		{"something else arrives", func(s, r *Rank) {
			sent(s, 4, 16, 7)
			received(r, 4, 16, 8)
		}, []string{damaged + " [0 1]"}},
		{"a shorter message than the buffer", func(s, r *Rank) {
			sent(s, 4, 16, 7)
			received(r, 100, 16, 8)
			sent(s, 4, 16, 7)
			received(r, 100, 16, 7)
		}, []string{damaged + " [0 1]"}},
		{"no sum on one side", func(s, r *Rank) {
			s.Call("send", "MPI_Send", send(4, Int, 1, 0))
			received(r, 4, 16, 8)
			sent(s, 4, 16, 7)
			r.Call("recv", "MPI_Recv", recv(4, Int, 0, 0))
			sent(s, 4, 16, 5)
			received(r, 4, 16, 5)
		}, nil},
		{"messages of one place, the second damaged", func(s, r *Rank) {
			for i := range uint64(3) {
				sent(s, 4, 16, i)
			}
			received(r, 4, 16, 0)
			received(r, 4, 16, 17)
			received(r, 4, 16, 2)
		}, []string{damaged + " [0 1]"}},
		{"a nonblocking send", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			received(r, 4, 16, 8)
			complete(s, 9, 1)
		}, []string{damaged + " [0 1]"}},
		{"a nonblocking send that the program changes", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			received(r, 4, 16, 8)
			complete(s, 9, 1, Changed(1, true, 16, 5, 4))
		}, []string{modified + " [0]"}},
		{"a blocking send that another thread changes", func(s, r *Rank) {
			s.Publish("send", "MPI_Send", send(4, Int, 1, 0), 0, Blocks(0, 0, 0, 16, 7), Changed(0, true, 16, 5, 4))
			received(r, 4, 16, 8)
		}, []string{modified + " [0]"}},
		{"void", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			received(r, 4, 16, 8)
			complete(s, 9, 1, Sums(layout.SumsVoid, 1, 0, nil))
		}, nil},
		{"a nonblocking receive", func(s, r *Rank) {
			a := recv(4, Int, 0, 0)
			delete(a, "status")
			a["*request"], a[">request"] = 0x5001, 9
			r.Publish("irecv", "MPI_Irecv", a, 0, Sums(layout.SumsMade, 1, 0, nil))
			sent(s, 4, 16, 7)
			complete(r, 9, 1, Blocks(layout.SumsReceived, 1, 0, 16, 8))
		}, []string{damaged + " [0 1]"}},
		{"requests of one handle", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			isend(s, 9, 2, 4, 1, made(2, 16, 8))
			received(r, 4, 16, 7)
			received(r, 4, 16, 8)
			complete(s, 9, 1, Changed(1, true, 16, 0, 1), Changed(2, true, 16, 0, 1))
			complete(s, 9, 2)
		}, []string{modified + " [0]"}},
		{"another datatype", func(s, r *Rank) {
			sent(s, 4, 16, 7)
			r.Publish("recv", "MPI_Recv", recv(4, Float, 0, 0), 0, Blocks(layout.SumsReceived, 0, 0, 16, 8))
		}, []string{"GLOBAL:MSG:DATATYPE:MISMATCH [0 1]"}},
		{"packed data unpacked", func(s, r *Rank) {
			s.Publish("send", "MPI_Send", send(16, Packed, 1, 0), 0, Blocks(0, 0, 0, 16, 7))
			received(r, 4, 16, 8)
		}, nil},
		{"a persistent send", func(s, r *Rank) {
			a := send(4, Int, 1, 0)
			a["*request"], a[">request"] = 0x5001, 9
			s.Publish("init", "MPI_Send_init", a, 0, Sums(layout.SumsMade, 1, 0, nil))
			for round := range uint64(3) {
				s.Publish("start", "MPI_Start", Args{"request": 9, "*request": 0x5001}, 0,
					Blocks(0, 1, round+1, 16, 100+round))
				received(r, 4, 16, 100+2*(round/2)) // the second message is damaged
				if round == 2 {
					complete(s, 9, 1, Changed(1, false, 100000, 8192, 4096))
				} else {
					complete(s, 9, 1)
				}
			}
			s.Call("free", "MPI_Request_free", Args{"request": 9, "*request": 0x5001})
		}, []string{damaged + " [0 1]", modified + " [0]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := NewSumming(2)
				c.build(p.Ranks[0], p.Ranks[1])
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Errorf("found %v", got)
			}
		})
	}
}

// TestBufferTexts checks the texts about the place of a change, and about memory that does not exist.
func TestBufferTexts(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(s, r *Rank)
		say   string
	}{
		{"one byte", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			r.Call("recv", "MPI_Recv", recv(4, Int, 0, 0))
			complete(s, 9, 1, Changed(1, true, 16, 9, 1))
		}, "The send buffer of MPI_Isend was changed before MPI_Wait completed the operation: " +
			"byte 9 of the 16 (element 2 of 4 × MPI_INT) is different"},
		{"a range", func(s, r *Rank) {
			isend(s, 9, 1, 4, 1, made(1, 16, 7))
			r.Call("recv", "MPI_Recv", recv(4, Int, 0, 0))
			complete(s, 9, 1, Changed(1, true, 16, 3, 6))
		}, "of the 16 bytes, those from byte 3 (element 0 of 4 × MPI_INT) to byte 8 (element 2 of 4 × MPI_INT) are " +
			"different"},
		{"a block", func(s, r *Rank) {
			isend(s, 9, 1, 4096, 1, made(1, 16384, 7, 8, 9, 10))
			r.Call("recv", "MPI_Recv", recv(4096, Int, 0, 0))
			complete(s, 9, 1, Changed(1, false, 16384, 4096, 4096))
		}, "the first between byte 4096 (element 1024 of 4096 × MPI_INT) and byte 8191 (element 2047 of " +
			"4096 × MPI_INT)"},
		{"a damaged block", func(s, r *Rank) {
			sent(s, 4096, 16384, 1, 2, 3, 4)
			received(r, 4096, 16384, 1, 2, 5, 5)
		}, "MPI_Send of rank 0 sends 16384 bytes, but MPI_Recv of rank 1 receives other data\n" +
			"The first difference is between byte 8192 and byte 12287."},
		{"a buffer that is not there", func(s, r *Rank) {
			s.Publish("send", "MPI_Send", send(4, Int, 1, 0), 0, Unreachable(0x7000, 8, false, false))
			r.Call("recv", "MPI_Recv", recv(4, Int, 0, 0))
		}, "MPI cannot read the send buffer of MPI_Send: there is no memory for element 2 of 4 × MPI_INT"},
		{"a buffer that is not to be written", func(s, r *Rank) {
			s.Call("send", "MPI_Send", send(4, Int, 1, 0))
			r.Publish("recv", "MPI_Recv", recv(4, Int, 0, 0), 0, Unreachable(0x7000, 0, true, true))
		}, "MPI cannot write to the receive buffer of MPI_Recv: " +
			"the memory for element 0 of 4 × MPI_INT is not writable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := NewSumming(2)
				c.build(p.Ranks[0], p.Ranks[1])
				return finalize(p)
			})
			if len(found) != 1 || !strings.Contains(told(found[0]), c.say) {
				t.Errorf("%v", found.Names())
				for _, f := range found {
					t.Error(f.Message)
				}
			}
		})
	}
}

// TestFatalAccess: a process dies of an access to one of its buffers.
func TestFatalAccess(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault uint64
		build func(k *Rank)
		want  []string
	}{
		{
			"in a buffer of the call", 0x1008, func(k *Rank) { k.Open("recv", "MPI_Recv", recv(4, Int, 0, 0)) },
			[]string{inaccessible + " [1]"},
		},
		{"behind it", 0x1010, func(k *Rank) { k.Open("recv", "MPI_Recv", recv(4, Int, 0, 0)) }, nil},
		{"in that of a request", 0x1fff, func(k *Rank) {
			a := recv(1024, Int, 0, 0)
			delete(a, "status")
			a["*request"], a[">request"] = 0x5001, 9
			k.Call("irecv", "MPI_Irecv", a)
			k.Open("barrier", "MPI_Barrier", Args{"comm": World})
		}, []string{inaccessible + " [1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(2)
				p.Ranks[0].Call("send", "MPI_Send", send(4, Int, 1, 0))
				p.Ranks[0].Open("barrier", "MPI_Barrier", Args{"comm": World})
				c.build(p.Ranks[1])
				p.Ranks[1].End = &ring.ProcEnd{
					Kind: ring.Signaled, Code: 11, Initialized: true, InMPI: true, TID: 1001,
					FaultAddr: c.fault,
				}
				return p
			})
			got := slices.DeleteFunc(found.Names(), func(s string) bool { return !strings.HasPrefix(s, inaccessible) })
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v", found.Names())
			}
		})
	}
}

// TestModifiedCollective: if the sender of a collective changes the data that it sends, the data are not reported as
// damaged on the way.
func TestModifiedCollective(t *testing.T) {
	found := analyse(t, func() *Program {
		p := NewSumming(2)
		for r, k := range p.Ranks {
			a := Args{"count": 4, "datatype": Int, "root": 0, "comm": World, "*request": 0x5001, ">request": 9}
			var list []PartSum
			if r == 0 {
				list = []PartSum{{Peer: -1, Bytes: 16, Value: 5}}
			}
			k.Publish("ibcast", "MPI_Ibcast", a, 0, Sums(layout.SumsMade, 1, 0, list))
			over := []([]byte){Sums(layout.SumsReceived|layout.SumsOver, 1, 0, nil)}
			if r == 0 {
				over = append([][]byte{Changed(1, false, 16, 0, 16)}, over...)
			} else {
				over[0] = Sums(layout.SumsReceived|layout.SumsOver, 1, 0, []PartSum{{Peer: 0, Bytes: 16, Value: 6}})
			}
			complete(k, 9, 1, over...)
		}
		return finalize(p)
	})
	if got := found.Names(); !slices.Equal(got, []string{modified + " [0]"}) {
		t.Errorf("found %v", got)
	}
}
