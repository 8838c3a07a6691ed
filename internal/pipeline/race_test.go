package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// anybody returns the arguments of a receive from MPI_ANY_SOURCE that got the message of a rank.
func anybody(tag int, from int32, status uint64) Args {
	a := recv(1, Int, AnySource, tag)
	a[">status"] = []Status{{Source: from, Tag: 5}}
	a["status"] = status
	return a
}

func named(tag int, from int, status uint64) Args {
	a := recv(1, Int, from, tag)
	a["status"] = status
	return a
}

// inTurn makes a rank post one receive after the other.
func inTurn(x, y Args) func(k *Rank) {
	return func(k *Rank) {
		k.Call("a", "MPI_Recv", x)
		k.Call("b", "MPI_Recv", y)
	}
}

// TestRaces: rank 0 receives messages from ranks 1 and 2. That the run succeeded is a matter of timing.
func TestRaces(t *testing.T) {
	const mine, other = 0x7000, 0x7100
	for _, c := range []struct {
		name     string
		receives func(k *Rank)
		severity finding.Severity
		text     string
	}{
		{
			"the next names its source", inTurn(anybody(5, 1, Ignore), named(5, 2, Ignore)), finding.Warning,
			"waits forever",
		},
		{"the status is overwritten", inTurn(anybody(5, 1, mine), named(5, 2, mine)), finding.Warning, "waits forever"},
		{
			"the status is kept", inTurn(anybody(5, 1, mine), named(5, 2, other)), finding.Info,
			"if the program then makes the same calls",
		},
		{"the sender is answered", func(k *Rank) {
			k.Call("a", "MPI_Recv", anybody(5, 1, mine))
			k.Call("c", "MPI_Send", send(1, Int, 1, 6))
			k.Call("b", "MPI_Recv", named(5, 2, mine))
		}, finding.Info, "if the program then makes the same calls"},
		{
			"both from anybody", inTurn(anybody(5, 1, Ignore), anybody(5, 2, Ignore)), finding.Info,
			"Another run may receive them in the other order",
		},
		{"probed", func(k *Rank) {
			k.Call("a", "MPI_Recv", anybody(5, 1, Ignore))
			k.Call("p", "MPI_Probe",
				Args{
					"source": AnySource, "tag": 5, "comm": World, "status": mine,
					">status": []Status{{Source: 2, Tag: 5}},
				})
			k.Call("b", "MPI_Recv", named(5, 2, Ignore))
		}, finding.Info, "Another run may receive them in the other order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(3)
				answered := c.name == "the sender is answered"
				for _, r := range []int{1, 2} {
					p.Ranks[r].Call("s", "MPI_Send", send(1, Int, 0, 5))
				}
				if answered {
					p.Ranks[1].Call("r", "MPI_Recv", recv(1, Int, 0, 6))
				}
				c.receives(p.Ranks[0])
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, []string{"GLOBAL:MSG:RACE [0 1 2]"}) {
				t.Fatal(got)
			}
			if f := found[0]; f.Severity != c.severity || !strings.Contains(told(f), c.text) {
				t.Errorf("%v: %s\nwant %v, %q", f.Severity, f.Message, c.severity, c.text)
			}
		})
	}
}

// TestReadySends: a ready send is reported unless something ensures that its receive is posted.
func TestReadySends(t *testing.T) {
	post := func(k *Rank) {
		a := message(1, Int, "source", 1, 5)
		a[">request"], a["*request"] = 0x98000000, 0x5000
		k.Call("post", "MPI_Irecv", a)
	}
	wait := Args{"request": 0x98000000, "*request": 0x5000, ">status": []Status{{Source: 1, Tag: 5}}}
	barrier := Args{"comm": World}
	for _, c := range []struct {
		name  string
		build func(p *Program)
		want  []string
	}{
		{"barrier before", func(p *Program) {
			for _, k := range p.Ranks {
				k.Call("b", "MPI_Barrier", barrier)
			}
			post(p.Ranks[0])
			p.Ranks[1].Call("s", "MPI_Rsend", send(1, Int, 0, 5))
			p.Ranks[0].Call("w", "MPI_Wait", wait)
		}, []string{"GLOBAL:MSG:READY_SEND [0 1]"}},
		{"barrier between", func(p *Program) {
			post(p.Ranks[0])
			for _, k := range p.Ranks {
				k.Call("b", "MPI_Barrier", barrier)
			}
			p.Ranks[1].Call("s", "MPI_Rsend", send(1, Int, 0, 5))
			p.Ranks[0].Call("w", "MPI_Wait", wait)
		}, nil},
		{"barrier after", func(p *Program) {
			post(p.Ranks[0])
			p.Ranks[1].Call("s", "MPI_Rsend", send(1, Int, 0, 5))
			for _, k := range p.Ranks {
				k.Call("b", "MPI_Barrier", barrier)
			}
			p.Ranks[0].Call("w", "MPI_Wait", wait)
		}, []string{"GLOBAL:MSG:READY_SEND [0 1]"}},
		{"told by a third", func(p *Program) {
			post(p.Ranks[0])
			p.Ranks[0].Call("t", "MPI_Send", send(1, Int, 2, 6))
			p.Ranks[2].Call("h", "MPI_Recv", recv(1, Int, 0, 6))
			p.Ranks[2].Call("t", "MPI_Send", send(1, Int, 1, 6))
			p.Ranks[1].Call("h", "MPI_Recv", recv(1, Int, 2, 6))
			p.Ranks[1].Call("s", "MPI_Rsend", send(1, Int, 0, 5))
			p.Ranks[0].Call("w", "MPI_Wait", wait)
		}, nil},
		{"told by one who does not know", func(p *Program) {
			post(p.Ranks[0])
			p.Ranks[2].Call("t", "MPI_Send", send(1, Int, 1, 6))
			p.Ranks[1].Call("h", "MPI_Recv", recv(1, Int, 2, 6))
			p.Ranks[1].Call("s", "MPI_Rsend", send(1, Int, 0, 5))
			p.Ranks[0].Call("w", "MPI_Wait", wait)
		}, []string{"GLOBAL:MSG:READY_SEND [0 1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(3)
				c.build(p)
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
