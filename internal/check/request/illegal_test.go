package request_test

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type collected []*finding.Finding

func (c *collected) Report(f *finding.Finding) { *c = append(*c, f) }

// Calls with a request of the wrong kind or in the wrong state are found, also in arrays. The tests of the pipeline
// have more cases.
func TestIllegalCalls(t *testing.T) {
	const a, b = 0x98000000, 0x98000001
	begin := func(k *Rank, function string, request int) {
		peer := "source"
		if strings.Contains(function, "end") {
			peer = "dest"
		}
		k.Call(function, function, Args{
			"count": 1, "datatype": uint64(Int), peer: ProcNull, "tag": 0, "comm": World,
			"*request": 0x5000 + request, ">request": request,
		})
	}
	on := func(k *Rank, function string, request int) {
		k.Call(function, function, Args{"request": request, "*request": 0x5000 + request})
	}
	startall := func(k *Rank, requests ...uint64) {
		k.Call("startall", "MPI_Startall", Args{
			"count": len(requests), "array_of_requests": requests, "*array_of_requests": 0x9000,
		})
	}
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  string // a part of the message, "" if nothing is found
	}{
		{
			"started together",
			func(k *Rank) { begin(k, "MPI_Recv_init", a); begin(k, "MPI_Send_init", b); startall(k, a, b) }, "",
		},
		{"started twice in an array", func(k *Rank) {
			begin(k, "MPI_Recv_init", a)
			startall(k, a, a)
		}, "a request of MPI_Recv_init, element 1 of the array, that is in the array more than once"},
		{"the second is active", func(k *Rank) {
			begin(k, "MPI_Recv_init", a)
			begin(k, "MPI_Send_init", b)
			on(k, "MPI_Start", b)
			startall(k, a, b)
		}, "a request of MPI_Send_init, element 1 of the array, that is active already"},
		{"the second is not persistent", func(k *Rank) {
			begin(k, "MPI_Recv_init", a)
			begin(k, "MPI_Irecv", b)
			startall(k, a, b)
		}, "a request of MPI_Irecv, element 1 of the array, that is not persistent"},
		{
			"null in an array", func(k *Rank) { begin(k, "MPI_Recv_init", a); startall(k, a, RequestNull) },
			"a request, element 1 of the array, that is MPI_REQUEST_NULL",
		},
		{"never seen", func(k *Rank) { startall(k, 4711) }, ""},
		{"ready, but not partitioned", func(k *Rank) {
			begin(k, "MPI_Send_init", a)
			k.Call("ready", "MPI_Pready", Args{"partition": 0, "request": a})
		}, "that is not a partitioned send"},
		{"arrived, but not partitioned", func(k *Rank) {
			begin(k, "MPI_Recv_init", a)
			k.Call("arrived", "MPI_Parrived", Args{"request": a, "partition": 0})
		}, "that is not a partitioned receive"},
		{
			"an idle request is cancelled", func(k *Rank) { begin(k, "MPI_Recv_init", a); on(k, "MPI_Cancel", a) },
			"that is inactive",
		},
		{"a receive is cancelled", func(k *Rank) { begin(k, "MPI_Irecv", a); on(k, "MPI_Cancel", a) }, ""},
		{"a collective is cancelled", func(k *Rank) {
			k.Call("barrier", "MPI_Ibarrier", Args{"comm": World, "*request": 0x5000 + a, ">request": a})
			on(k, "MPI_Cancel", a)
		}, "can be neither freed nor cancelled"},
	} {
		p := New(1)
		c.build(p.Ranks[0])
		var found collected
		l := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
		p.Deliver(l, 7, 0)
		l.Finish()
		if l.Trouble() != "" {
			t.Fatal(l.Trouble())
		}
		var of []*finding.Finding
		for _, f := range found {
			if f.Check == "LOCAL:REQUEST:ILLEGAL_CALL" {
				of = append(of, f)
			}
		}
		switch {
		case c.want == "" && len(of) > 0:
			t.Errorf("%s: found %s", c.name, of[0].Message)
		case c.want != "" && (len(of) != 1 || !strings.Contains(of[0].Message, c.want)):
			t.Errorf("%s: found %+v, want %q", c.name, of, c.want)
		}
	}
}
