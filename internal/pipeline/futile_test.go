package pipeline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

func iprobe(from, tag int) []byte {
	return Record(1, "MPI_Iprobe", Args{"source": from, "tag": tag, "comm": World, ">flag": 0, "status": Ignore}, 0)
}

// TestFutile: threads that poll for something that can no longer happen are found after some time, if none of their
// polls can succeed.
func TestFutile(t *testing.T) {
	irecv := func(from, tag, i int) []byte {
		a := message(1, Int, "source", from, tag)
		a[">request"], a["*request"] = 0x98000000+i, 0x5000+4*i
		return Record(1, "MPI_Irecv", a, 0)
	}
	test := func(i int) []byte {
		return Record(1, "MPI_Test",
			Args{"request": 0x98000000 + i, "*request": 0x5000 + 4*i, ">flag": 0, "status": Ignore}, 0)
	}
	testany := Record(1, "MPI_Testany", Args{
		"count": 2, "array_of_requests": []uint64{0x98000000, 0x98000001}, "*array_of_requests": 0x5000, ">flag": 0,
		">index": 0, "status": Ignore,
	}, 0)
	stuck := func(from int) []byte { return Record(1, "MPI_Recv", recv(1, Int, from, 9), 0) }
	cases := []struct {
		name   string
		before [][]byte       // calls that rank 0 makes first
		polls  [][]byte       // calls that rank 0 then repeats
		others map[int][]byte // calls in which other ranks stay forever
		ended  []int
		ticks  int // number of polls
		want   []int
	}{
		{"a message of one that has ended", nil, [][]byte{iprobe(1, 0)}, nil, []int{1}, 40, []int{0}},
		{"but not at once", nil, [][]byte{iprobe(1, 0)}, nil, []int{1}, 20, nil},
		{"of one that computes", nil, [][]byte{iprobe(1, 0)}, nil, nil, 40, nil},
		{"of any, one of which computes", nil, [][]byte{iprobe(AnySource, 0)}, nil, []int{1}, 40, nil},
		{"of any, all of which have ended", nil, [][]byte{iprobe(AnySource, 0)}, nil, []int{1, 2}, 40, []int{0}},
		{
			"of two that block each other", nil,
			[][]byte{iprobe(1, 0), iprobe(2, 0)},
			map[int][]byte{1: stuck(2), 2: stuck(1)},
			nil, 40,
			[]int{0},
		},
		{
			"of one that waits for the poll's end", nil,
			[][]byte{iprobe(1, 0)},
			map[int][]byte{1: stuck(0)},
			nil, 40,
			nil,
		},
		{"one of two polls may succeed", nil, [][]byte{iprobe(1, 0), iprobe(2, 0)}, nil, []int{1}, 40, nil},
		{"a receive", [][]byte{irecv(1, 0, 0)}, [][]byte{test(0)}, nil, []int{1}, 40, []int{0}},
		{
			"two receives, one of which may come",
			[][]byte{irecv(1, 0, 0), irecv(2, 0, 1)},
			[][]byte{testany},
			nil,
			[]int{1},
			40, nil,
		},
		{"two receives", [][]byte{irecv(1, 0, 0), irecv(2, 0, 1)}, [][]byte{testany}, nil, []int{1, 2}, 40, []int{0}},
	}
	for _, c := range cases {
		// batch is the number of polls at a time. Most are read in the fast way. With 0, they are repeated and only
		// counted.
		for _, batch := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s/%d", c.name, batch), func(t *testing.T) {
				found := make(map[int]bool)
				watcher := &check.Check{ID: "X", Needs: []analysis.Need{waiting.Fact}, Start: func(x *check.Run) {
					x.Track.Tick.On(x.Owner, func(struct{}) {
						for _, b := range waiting.Fact.Of(x.Facts).Futile(20) {
							found[b.Thread.Process.Rank] = true
							if x.Waiting(&b) == "" {
								t.Error("nothing is said of what it polls for")
							}
						}
					})
				}}
				p := pipeline.New(pipeline.Options{Checks: []*check.Check{watcher}, Reporter: new(collected)})
				const n = 3
				for r := range n {
					Start(p, r, n)
					p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: NewRank(r, n).Bytes()})
				}
				for r, rec := range c.others {
					p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: rec, Open: true})
				}
				for _, r := range c.ended {
					p.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: Record(1, "MPI_Finalize", nil, 0)})
					p.End(ring.ProcID(r), &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: true})
				}
				p.Batch(&ring.Batch{Data: slices.Concat(c.before...)})
				for i := range c.ticks {
					if batch > 0 || i == 0 {
						p.Batch(&ring.Batch{Data: slices.Repeat(slices.Concat(c.polls...), max(batch, 1))})
					} else {
						p.Batch(&ring.Batch{Repeats: 1000})
					}
					p.Tick()
				}
				if n := p.Tracker.Calls(); batch == 0 && n < uint64(c.ticks-1)*1000 {
					t.Errorf("%d calls", n)
				}
				if p.Trouble() != "" || p.Tracker.Damaged() != 0 {
					t.Fatal(p.Trouble())
				}
				got := []int(nil)
				for r := range found {
					got = append(got, r)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("ranks %v poll in vain, want %v", got, c.want)
				}
			})
		}
	}
}
