package threads_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/threads"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type messages []string

func (m *messages) Report(f *finding.Finding) { *m = append(*m, f.Message) }

// request is the handle of the request that the programs of these tests use.
const request = 0x98000000

// TestTwoThreads: the check alone, without any other, judges calls that two threads of a process are in at the same
// time.
func TestTwoThreads(t *testing.T) {
	const funneled, serialized, multiple = 1, 2, 3
	barrier := func(comm uint64) []byte { return Record(1, "MPI_Barrier", Args{"comm": comm}, 0) }
	on := func(function string) []byte {
		return Record(1, function, Args{"request": request, "*request": 0x5000}, 0)
	}
	group := Record(1, "MPI_Comm_create_group", Args{"comm": World, "group": 0x88000003, "tag": 1}, 0)
	for _, c := range []struct {
		name          string
		level         int
		first, second []byte // the calls of the second and of the first thread
		want          string // in the only finding; "" if there is none
	}{
		{
			"nobody initializes again", multiple, barrier(World), Record(1, "MPI_Init", nil, 0),
			"MPI_Init is called a second time",
		},
		{"one may ask", serialized, barrier(World), Record(1, "MPI_Initialized", Args{">flag": 1}, 0), ""},
		{
			"one at a time", serialized, barrier(World), Record(1, "MPI_Comm_rank", Args{"comm": World, ">rank": 0}, 0),
			"MPI_Comm_rank is called while another thread is in MPI",
		},
		{"the other thread", funneled, barrier(World), barrier(Self), "MPI_Barrier is called from another thread"},
		{
			"one communicator", multiple, barrier(World), barrier(World),
			"in a collective operation on the same communicator",
		},
		{"two communicators", multiple, barrier(World), barrier(Self), ""},
		{"a group is told apart by its tag", multiple, barrier(World), group, ""},
		{"one waits, one tests all", multiple, on("MPI_Wait"), Record(1, "MPI_Testall", Args{
			"count": 1, "array_of_requests": []uint64{request}, "*array_of_requests": 0x5000, ">flag": 0,
		}, 0), "for a request that another thread is waiting for"},
		{"one waits, one tests it as the second", multiple, on("MPI_Wait"), Record(1, "MPI_Testall", Args{
			"count": 2, "array_of_requests": []uint64{request + 1, request}, "*array_of_requests": 0x4ffc, ">flag": 0,
		}, 0), "for a request that another thread is waiting for"},
		{"one waits, one tests", multiple, on("MPI_Wait"), on("MPI_Test"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got messages
			p := pipeline.New(pipeline.Options{Checks: []*check.Check{threads.Check}, Reporter: &got})
			k := Uninitialized(0, 1)
			k.Append(Names([]Name{
				{Value: funneled, Name: "MPI_THREAD_FUNNELED"},
				{Value: serialized, Name: "MPI_THREAD_SERIALIZED"},
			}))
			k.Level = c.level
			k.Init("MPI_Init_thread", Args{"required": c.level, ">provided": c.level})
			k.Call("recv", "MPI_Irecv", Args{
				"count": 1, "datatype": uint64(Int), "source": ProcNull, "tag": 0, "comm": World, ">request": request,
				"*request": 0x5000,
			})
			Start(p, 0, 1)
			p.Batch(&ring.Batch{Data: k.Bytes()})
			p.Thread(&ring.Thread{ID: 1, Index: 1, TID: 2000})
			p.Batch(&ring.Batch{Thread: 1, Data: c.first, Open: true})
			p.Batch(&ring.Batch{Data: c.second, Open: true})
			if p.Trouble() != "" {
				t.Fatal(p.Trouble())
			}
			if len(got) != min(len(c.want), 1) ||
				!slices.ContainsFunc(append(got, ""), func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("found %q, want one with %q", got, c.want)
			}
		})
	}
}
