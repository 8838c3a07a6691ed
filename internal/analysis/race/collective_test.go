package race_test

import (
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/message"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type reporter []*finding.Finding

func (r *reporter) Report(f *finding.Finding) { *r = append(*r, f) }

// TestBehindManyCollectives: races are found after more collectives than are remembered, and a collective between two
// messages orders them.
func TestBehindManyCollectives(t *testing.T) {
	one := func(peer string, rank int) fakerun.Args {
		return fakerun.Args{
			"*buf": uint64(0x1000), "count": 1, "datatype": fakerun.Int, peer: rank, "tag": 1, "comm": fakerun.World,
		}
	}
	barrier := func(k *fakerun.Rank, n int) {
		for range n {
			k.Call("barrier", "MPI_Barrier", fakerun.Args{"comm": fakerun.World})
		}
	}
	anybody := func(k *fakerun.Rank, site string, got int) {
		a := one("source", fakerun.AnySource)
		a[">status"] = []fakerun.Status{{Source: int32(got), Tag: 1, Bytes: 4}}
		k.Call(site, "MPI_Recv", a)
	}
	for _, c := range []struct {
		name string
		// asked: a question about orders is expected before the collectives. separate: a collective is between the
		// messages.
		asked, separate bool
		want            int
	}{
		{"unordered", false, false, 1},
		{"ordered", false, true, 0},
		{"unordered, asked before", true, false, 1},
		{"ordered, asked before", true, true, 0},
	} {
		for _, batch := range []int{1, 900, 1 << 20} {
			p := fakerun.New(3)
			if c.asked {
				p.Ranks[1].Call("first", "MPI_Send", one("dest", 0))
				anybody(p.Ranks[0], "first", 1)
			}
			for _, k := range p.Ranks {
				barrier(k, 5000)
			}
			between := 0
			if c.separate {
				between = 1
			}
			p.Ranks[1].Call("send", "MPI_Send", one("dest", 0))
			barrier(p.Ranks[1], between)
			barrier(p.Ranks[2], between)
			p.Ranks[2].Call("send", "MPI_Send", one("dest", 0))
			anybody(p.Ranks[0], "a", 1)
			barrier(p.Ranks[0], between)
			anybody(p.Ranks[0], "b", 2)
			var got reporter
			pl := pipeline.New(pipeline.Options{Checks: []*check.Check{message.Race}, Reporter: &got})
			p.Deliver(pl, batch, 2)
			pl.Finish()
			if pl.Trouble() != "" || len(got) != c.want {
				t.Errorf("%s, %d at a time: found %d, want %d %s", c.name, batch, len(got), c.want, pl.Trouble())
			}
		}
	}
}
