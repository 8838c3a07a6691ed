package datatype_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type collected []*finding.Finding

func (c *collected) Report(f *finding.Finding) { *c = append(*c, f) }

func analyse(t *testing.T, p *Program) (found collected) {
	t.Helper()
	l := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
	p.Deliver(l, 7, 0)
	l.Finish()
	if l.Trouble() != "" {
		t.Fatal(l.Trouble())
	}
	return found
}

const derived = 0x8c000000

func contiguous(handle int) Args {
	return Args{"count": 2, "oldtype": uint64(Int), ">newtype": uint64(derived + handle)}
}

// The ten places that leave most datatypes behind are reported, the place with most datatypes first.
func TestPlacesThatDoNotFree(t *testing.T) {
	p := New(1)
	k := p.Ranks[0]
	n := 0
	for place := range 12 {
		for range 1 + place {
			k.Call(fmt.Sprintf("place %d", place), "MPI_Type_contiguous", contiguous(n))
			n++
		}
	}
	k.Call("main", "MPI_Finalize", nil)
	var counts []int
	var last *finding.Finding
	for _, f := range analyse(t, p) {
		if f.Check != "LOCAL:DATATYPE:NOT_FREED" {
			t.Errorf("found %s: %s", f.Check, f.Message)
		}
		if f.Severity == finding.Warning {
			counts, last = append(counts, f.Count), f
		}
	}
	if got := fmt.Sprint(counts); got != "[12 11 10 9 8 7 6 5 4 3]" ||
		!strings.Contains(last.Message, "2 other places") {
		t.Errorf("places with %s datatypes; the last finding says %q", got, last.Message)
	}
}

// MPI's error about a wrong datatype is part of the finding about it. Another error of the same call is not.
func TestOneCauseOneFinding(t *testing.T) {
	const errType, errRank = 3, 6
	send := Args{"count": 1, "datatype": uint64(TypeNull), "dest": 0, "tag": 0, "comm": World}
	for _, c := range []struct {
		function string
		args     Args
		class    int32
		want     string
	}{
		{"MPI_Send", send, errType, "[LOCAL:DATATYPE:FREED]"},
		{"MPI_Send", send, errRank, "[LOCAL:DATATYPE:FREED LOCAL:MPI:CALL_FAILED]"},
		{
			"MPI_Type_contiguous",
			Args{"count": -1, "oldtype": uint64(Int)},
			errRank,
			"[LOCAL:DATATYPE:INVALID_ARGUMENT]",
		},
	} {
		p := New(1)
		p.Ranks[0].Fail("main", c.function, c.args, c.class, "MPI is not amused", false)
		p.Ranks[0].Call("main", "MPI_Finalize", nil)
		var names []string
		for _, f := range analyse(t, p) {
			names = append(names, f.Check)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%s fails with error class %d: found %s, want %s", c.function, c.class, got, c.want)
		}
	}
}
