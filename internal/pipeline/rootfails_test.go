package pipeline_test

import (
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// TestCollectiveFailsAtRoot: a gather fails at its root, because one part is larger than the root's space for it. MPI
// ends the program. In whatever order the analyzer learns of this, it reports the same.
func TestCollectiveFailsAtRoot(t *testing.T) {
	gather := func(count int) Args {
		return Args{
			"sendbuf": uint64(0x10000), "sendcount": count, "sendtype": Int, "recvbuf": uint64(0x20000),
			"recvcounts": []int32{1, 1, 1},
			"displs":     []int32{0, 1, 2}, "recvtype": Int, "root": 0, "comm": World,
		}
	}
	const ranks = 3
	const truncate = 14 // MPI_ERR_TRUNCATE
	type step func(p *pipeline.Pipeline)
	enter := func(rank int, rec []byte) step {
		return func(p *pipeline.Pipeline) {
			p.Batch(&ring.Batch{Thread: ring.ThreadID(rank), Data: rec, Open: true})
		}
	}
	end := func(rank int, e ring.ProcEnd) step {
		return func(p *pipeline.Pipeline) { p.End(ring.ProcID(rank), &e) }
	}
	for name, second := range map[string]func(rec []byte) []step{
		"killed in the call": func(rec []byte) []step {
			return []step{
				enter(1, rec),
				end(1, ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, InMPI: true, Asked: true}),
			}
		},
		"killed behind it": func(rec []byte) []step {
			return []step{
				enter(1, rec),
				func(p *pipeline.Pipeline) { p.Batch(&ring.Batch{Thread: 1, Data: rec, Resume: true}) },
				end(1, ring.ProcEnd{Kind: ring.Signaled, Code: 15, Initialized: true, Asked: true}),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			var try func(done []int)
			program := func() [][]step {
				root := Record(1, "MPI_Gatherv", gather(1), 0)
				last := Record(1, "MPI_Gatherv", gather(1), 0)
				return [][]step{
					{
						enter(0, root),
						func(p *pipeline.Pipeline) {
							p.Batch(&ring.Batch{Thread: 0, Data: Error(truncate, "Message truncated", true)})
						},
						end(0, ring.ProcEnd{Kind: ring.Exited, Code: 1, Initialized: true, InMPI: true}),
					},
					second(Record(1, "MPI_Gatherv", gather(5), 0)),
					{
						enter(2, last),
						func(p *pipeline.Pipeline) { p.Batch(&ring.Batch{Thread: 2, Data: last, Resume: true}) },
						end(2, ring.ProcEnd{Kind: ring.Vanished, Code: 9, Initialized: true, Asked: true}),
					},
				}
			}
			lengths := []int{3, len(second(nil)), 3}
			try = func(done []int) {
				if len(done) < lengths[0]+lengths[1]+lengths[2] {
					for r, n := range lengths {
						count := 0
						for _, d := range done {
							if d == r {
								count++
							}
						}
						if count < n {
							try(append(slices.Clip(done), r))
						}
					}
					return
				}
				orders++
				var found collected
				p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
				New(ranks).Deliver(p, 1000, 0)
				steps := program()
				next := make([]int, ranks)
				for _, r := range done {
					steps[r][next[r]](p)
					next[r]++
				}
				p.Finish()
				if p.Trouble() != "" {
					t.Fatal(p.Trouble())
				}
				if got := found.Names(); !slices.Equal(got, []string{"GLOBAL:COLLECTIVE:SIZE_MISMATCH [0 1]"}) {
					t.Errorf("in the order %v of ranks: found %q", done, got)
				}
			}
			try(nil)
			if orders < 500 {
				t.Errorf("only %d orders", orders)
			}
		})
	}
}
