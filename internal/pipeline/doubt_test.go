package pipeline_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// untimed records everything but the ticks.
type untimed struct{ *ring.Writer }

func (untimed) Tick() {}

// TestDoubt: while the live analysis cannot confirm a deadlock, neither it nor the replay of its records reports it. A
// thread that has not called MPI yet may end the wait.
func TestDoubt(t *testing.T) {
	const hard = "GLOBAL:DEADLOCK:HARD [0 1]"
	for _, sure := range []bool{false, true} {
		p := New(2)
		for i, k := range p.Ranks {
			k.Open("recv", "MPI_Recv", Args{
				"count": 1, "datatype": uint64(Int), "source": 1 - i, "tag": 0, "comm": World,
			})
		}
		path := filepath.Join(t.TempDir(), "records")
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := ring.NewWriter(out, ring.Meta{TableHash: mpiapi.Hash()})
		if err != nil {
			t.Fatal(err)
		}
		var live, replayed collected
		pl := pipeline.New(pipeline.Options{
			Checks: all.Checks(), Reporter: &live, Confirm: func([]waiting.Blocked) bool { return sure },
		})
		p.Deliver(ring.Tee(untimed{w}, pl), 1000, 0)
		for range 10 {
			if pl.Tick(); pl.Doubtful() {
				w.TickInDoubt()
			} else {
				w.Tick()
			}
		}
		if err := errors.Join(w.Close(ring.Stats{}), out.Close()); err != nil {
			t.Fatal(err)
		}
		f, err := ring.OpenFile(path, mpiapi.Reads)
		if err != nil {
			t.Fatal(err)
		}
		again := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &replayed})
		for err == nil {
			_, err = f.Poll(again)
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for name, c := range map[string]collected{"live": live, "replay": replayed} {
			if found := slices.Contains(c.Names(), hard); found != sure {
				t.Errorf("%s, sure %v: found %q", name, sure, c.Names())
			}
		}
	}
}
