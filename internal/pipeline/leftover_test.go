package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// nonblocking begins a send, or a receive if peer is "source".
func nonblocking(k *Rank, function, peer string, rank, tag, request int) {
	a := message(1, Int, peer, rank, tag)
	a[">request"], a["*request"] = request, 0x5000+request
	k.Call(function, function, a)
}

func completed(k *Rank, request int, s Status) {
	k.Call("wait", "MPI_Wait", Args{"request": request, "*request": 0x5000 + request, ">status": []Status{s}})
}

func onRequest(k *Rank, function string, request int) {
	k.Call(function, function, Args{"request": request, "*request": 0x5000 + request})
}

// TestPending: messages that no process receives are reported if this is certain.
func TestPending(t *testing.T) {
	const r = 0x98000000
	pending := []string{"GLOBAL:MSG:PENDING [0 1]"}
	for _, c := range []struct {
		name  string
		build func(p *Program, s, r *Rank)
		want  []string
		text  string
	}{
		{"one of two", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Int, 1, 5))
			s.Call("a", "MPI_Send", send(0, Int, 1, 5))
			d.Call("b", "MPI_Recv", recv(1, Int, 0, 5))
			finalize(p)
		}, pending, "received 1 of the 2 messages of rank 0 on this communicator"},
		{"its receiver computes", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Int, 1, 5))
			s.Call("end", "MPI_Finalize", nil)
			d.Call("a", "MPI_Barrier", Args{"comm": Self})
		}, nil, ""},
		{"its receiver is killed", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Int, 1, 5))
			s.Call("end", "MPI_Finalize", nil)
			d.End = &ring.ProcEnd{Kind: ring.Signaled, Code: 9, Asked: true}
		}, nil, ""},
		{"cancelled", func(p *Program, s, d *Rank) {
			nonblocking(s, "MPI_Isend", "dest", 1, 5, r)
			onRequest(s, "MPI_Cancel", r)
			completed(s, r, Status{Cancelled: true})
			finalize(p)
		}, nil, ""},
		{"not cancelled in the end", func(p *Program, s, d *Rank) {
			nonblocking(s, "MPI_Isend", "dest", 1, 5, r)
			onRequest(s, "MPI_Cancel", r)
			completed(s, r, Status{})
			finalize(p)
		}, pending, ""},
		{"cancelled, perhaps", func(p *Program, s, d *Rank) {
			nonblocking(s, "MPI_Isend", "dest", 1, 5, r)
			onRequest(s, "MPI_Cancel", r)
			onRequest(s, "MPI_Request_free", r)
			finalize(p)
		}, nil, ""},
		{"its request is freed", func(p *Program, s, d *Rank) {
			nonblocking(s, "MPI_Isend", "dest", 1, 5, r)
			onRequest(s, "MPI_Request_free", r)
			finalize(p)
		}, pending, "MPI_Isend"},
		{"received by a request that is freed", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Int, 1, 5))
			nonblocking(d, "MPI_Irecv", "source", 0, 5, r)
			onRequest(d, "MPI_Request_free", r)
			finalize(p)
		}, []string{"LOCAL:REQUEST:PREMATURE_FREE [1]"}, ""},
		{"received, perhaps", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Int, 1, 5))
			nonblocking(d, "MPI_Irecv", "source", AnySource, 5, r)
			onRequest(d, "MPI_Cancel", r)
			onRequest(d, "MPI_Request_free", r)
			finalize(p)
		}, nil, ""},
		{"a receive that took nothing, as it was cancelled", func(p *Program, s, d *Rank) {
			s.Call("a", "MPI_Send", send(1, Double, 1, 5))
			nonblocking(d, "MPI_Irecv", "source", 0, 5, r)
			onRequest(d, "MPI_Cancel", r)
			onRequest(d, "MPI_Request_free", r)
			d.Call("b", "MPI_Recv", recv(1, Double, 0, 5))
			finalize(p)
		}, nil, ""},
		{
			"a receive that waits for another tag", func(p *Program, s, d *Rank) {
				s.Call("a", "MPI_Send", send(1, Int, 1, 5))
				nonblocking(d, "MPI_Irecv", "source", AnySource, 6, r)
				finalize(p)
			},
			[]string{"GLOBAL:MSG:PENDING [0 1]", "LOCAL:REQUEST:NOT_FREED [1]"},
			"never received: MPI_Irecv of rank 1 waits for tag 6",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(2)
				c.build(p, p.Ranks[0], p.Ranks[1])
				return p
			})
			slices.SortFunc(found, func(a, b *finding.Finding) int { return strings.Compare(a.Check, b.Check) })
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			if c.text != "" && !strings.Contains(told(found[0]), c.text) {
				t.Errorf("%q is not in\n%s", c.text, found[0].Message)
			}
		})
	}
}

// TestBufferIsFull: MPI's error about a buffered send without space is not a separate finding.
func TestBufferIsFull(t *testing.T) {
	const otherError, bufferError = 6, 1
	for _, c := range []struct {
		name  string
		size  int
		class int32
		want  []string
	}{
		{"besides others", 1000, bufferError, []string{"LOCAL:BUFFER:INSUFFICIENT [0]"}},
		{"alone", 10, bufferError, []string{"LOCAL:BUFFER:INSUFFICIENT [0]"}},
		{"another error", 1000, otherError, []string{"LOCAL:MPI:CALL_FAILED [0]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(2)
				k := p.Ranks[0]
				k.Append(Names([]Name{{Kind: KindConst, Value: bufferError, Name: "MPI_ERR_BUFFER"}}))
				k.Call("attach", "MPI_Buffer_attach", Args{"size": c.size})
				k.Fail("send", "MPI_Bsend", send(10, Int, 1, 0), c.class, "no room", false)
				return p
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
		})
	}
}
