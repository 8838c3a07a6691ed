package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// TestRequests: a call with an invalid request is reported once. Valid uses of requests are not reported.
func TestRequests(t *testing.T) {
	const (
		a, b       = 0x98000000, 0x98000001
		errRequest = 19
	)
	illegal := []string{"LOCAL:REQUEST:ILLEGAL_CALL [0]"}
	begin := func(k *Rank, request int) { nonblocking(k, "MPI_Irecv", "source", ProcNull, 0, request) }
	repeated := func(k *Rank, request int) { nonblocking(k, "MPI_Recv_init", "source", ProcNull, 0, request) }
	start := func(k *Rank, request int) { onRequest(k, "MPI_Start", request) }
	wait := func(k *Rank, request int) { completed(k, request, Status{}) }
	free := func(k *Rank, request int) { onRequest(k, "MPI_Request_free", request) }
	cancel := func(k *Rank, request int) { onRequest(k, "MPI_Cancel", request) }
	all := func(k *Rank, requests ...uint64) {
		k.Call("waitall", "MPI_Waitall", Args{
			"count": len(requests), "array_of_requests": requests, "*array_of_requests": 0x9000,
			">array_of_statuses": make([]Status, len(requests)),
		})
	}
	fails := func(k *Rank, function string, request int) {
		k.Fail(function, function, Args{"request": request, "*request": 0x7000}, errRequest, "Invalid request", false)
	}
	barrier := func(k *Rank, request int) {
		k.Call("barrier", "MPI_Ibarrier", Args{"comm": World, ">request": request, "*request": 0x5000 + request})
	}
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  []string
		text  string
	}{
		{"as it should be", func(k *Rank) {
			for range 3 {
				begin(k, a)
				wait(k, a)
				repeated(k, b)
				wait(k, b)
				start(k, b)
				cancel(k, b)
				wait(k, b)
				wait(k, b)
				free(k, b)
				wait(k, RequestNull)
				all(k, RequestNull, RequestNull)
			}
		}, nil, ""},
		{
			"a copy is waited for", func(k *Rank) { begin(k, a); wait(k, a); wait(k, a) }, illegal,
			"MPI_Wait gets a request of MPI_Irecv that is already complete or freed: the handle is an old copy",
		},
		{
			"a copy is waited for, and fails",
			func(k *Rank) { begin(k, a); wait(k, a); fails(k, "MPI_Wait", a) }, illegal,
			"complete or freed",
		},
		{"a copy is freed", func(k *Rank) { begin(k, a); wait(k, a); free(k, a) }, illegal, "MPI_Request_free"},
		{
			"the handle is that of another by now", func(k *Rank) { begin(k, a); wait(k, a); begin(k, a); wait(k, a) },
			nil, "",
		},
		{
			"a copy of what was freed",
			func(k *Rank) { repeated(k, a); start(k, a); wait(k, a); free(k, a); start(k, a) },
			illegal, "complete or freed",
		},
		{"two of one handle", func(k *Rank) { begin(k, a); begin(k, a); all(k, a, a) }, nil, ""},
		{
			"twice in an array", func(k *Rank) { begin(k, a); all(k, a, a) }, illegal,
			"a request of MPI_Irecv, element 1 of the array, that is in the array more than once",
		},
		{
			"inactive twice in an array",
			func(k *Rank) { repeated(k, a); start(k, a); wait(k, a); all(k, a, a); free(k, a) }, nil, "",
		},
		{
			"active", func(k *Rank) { repeated(k, a); start(k, a); start(k, a); wait(k, a); free(k, a) }, illegal,
			"active already",
		},
		{"not persistent", func(k *Rank) { begin(k, a); start(k, a); wait(k, a) }, illegal, "not persistent"},
		{"none", func(k *Rank) { start(k, RequestNull) }, illegal, "MPI_REQUEST_NULL"},
		{
			"inactive", func(k *Rank) { repeated(k, a); start(k, a); wait(k, a); cancel(k, a); free(k, a) }, illegal,
			"inactive",
		},
		{
			"a collective", func(k *Rank) { barrier(k, a); fails(k, "MPI_Request_free", a); wait(k, a) }, illegal,
			"MPI_Ibarrier",
		},
		{
			"a receive under way", func(k *Rank) { nonblocking(k, "MPI_Irecv", "source", 0, 0, a); free(k, a) },
			[]string{"LOCAL:REQUEST:PREMATURE_FREE [0]"},
			"is pending",
		},
		{"a send under way", func(k *Rank) {
			nonblocking(k, "MPI_Isend", "dest", 0, 0, a)
			free(k, a)
			k.Call("recv", "MPI_Recv", recv(1, Int, 0, 0))
		}, nil, ""},
		{
			"never started", func(k *Rank) { repeated(k, a); free(k, a) },
			[]string{"LOCAL:REQUEST:NOT_STARTED [0]"},
			"never started",
		},
		{
			"never made", func(k *Rank) { begin(k, a); fails(k, "MPI_Wait", 5); wait(k, a) }, illegal,
			"MPI_Wait gets a handle that no MPI call has returned",
		},
		{"never made, and no error", func(k *Rank) { begin(k, a); wait(k, 5); wait(k, a) }, nil, ""},
		{"not told which a failed wait has completed", func(k *Rank) {
			repeated(k, a)
			start(k, a)
			k.Fail("waitall", "MPI_Waitall",
				Args{"count": 1, "array_of_requests": []uint64{a}, "*array_of_requests": 0x5000 + a}, 6, "no", false)
			start(k, a)
			wait(k, a)
			free(k, a)
		}, []string{"LOCAL:MPI:CALL_FAILED [0]"}, ""},
		{"a function of the program may have completed it", func(k *Rank) {
			k.Call("greq", "MPI_Grequest_start", Args{">request": b, "*request": 0x6000})
			begin(k, a)
			wait(k, a)
			wait(k, a)
			wait(k, b)
		}, nil, ""},
		{"not a generalized request", func(k *Rank) {
			begin(k, a)
			k.Call("complete", "MPI_Grequest_complete", Args{"request": a})
			wait(k, a)
		}, illegal, "not a generalized request"},
		{"lost", func(k *Rank) {
			begin(k, a)
			x := message(1, Int, "source", ProcNull, 0)
			x[">request"], x["*request"] = b, 0x5000+a
			k.Call("again", "MPI_Irecv", x)
			wait(k, b)
		}, []string{"LOCAL:REQUEST:LOST [0]"}, "MPI_Irecv overwrites its request variable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(1)
				k := p.Ranks[0]
				k.Append(Names([]Name{{Kind: KindConst, Value: errRequest, Name: "MPI_ERR_REQUEST"}}))
				c.build(k)
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			if c.text != "" && !strings.Contains(told(found[0]), c.text) {
				t.Errorf("%q is not in\n%s", c.text, found[0].Message)
			}
		})
	}
}
