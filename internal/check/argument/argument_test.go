package argument_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/check/argument"
	"github.com/mpivet/mpivet/internal/check/call"
	"github.com/mpivet/mpivet/internal/check/collective"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type findings []*finding.Finding

func (f *findings) Report(x *finding.Finding) { *f = append(*f, x) }

func (f findings) checks() []string {
	list := []string{}
	for _, x := range f {
		list = append(list, x.Check)
	}
	return list
}

// run analyses a process alone with some checks.
func run(t *testing.T, build func(k *Rank), checks ...*check.Check) findings {
	t.Helper()
	var got findings
	p := pipeline.New(pipeline.Options{Checks: checks, Reporter: &got})
	k := NewRank(0, 1)
	build(k)
	(&Program{Ranks: []*Rank{k}}).Deliver(p, 1000, 0)
	p.Finish()
	if p.Trouble() != "" {
		t.Fatal(p.Trouble())
	}
	return got
}

func probe(source, tag int) Args {
	return Args{"source": source, "tag": tag, "comm": World, ">flag": 0, "*flag": 0x1000, "*status": 0x2000}
}

// TestOften: functions that are called often are judged if something about them is odd, and when they fail.
func TestOften(t *testing.T) {
	fails := func(function string, a Args) func(*Rank) {
		return func(k *Rank) { k.Fail(function, function, a, 1, "no", false) }
	}
	calls := func(function string, a Args) func(*Rank) { return func(k *Rank) { k.Call(function, function, a) } }
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  string // in the only finding; "" if there is none
	}{
		{"a probe that finds nothing", calls("MPI_Iprobe", probe(0, 1)), ""},
		{"a probe of no process", calls("MPI_Iprobe", probe(ProcNull, 1)), ""},
		{"a probe of any message", calls("MPI_Iprobe", probe(AnySource, AnyTag)), ""},
		{"a probe of a rank that is none", fails("MPI_Iprobe", probe(5, 1)), "source=5"},
		{"a probe for a negative tag", fails("MPI_Improbe", Args{
			"source": 0, "tag": -4, "comm": World, "*flag": 0x1000, "*message": 0x1800, "*status": 0x2000,
		}), "tag=-4"},
		{"no requests to start", calls("MPI_Startall", Args{"count": 0, "*array_of_requests": 0}), ""},
		{
			"a negative number of requests", fails("MPI_Startall", Args{"count": -1, "*array_of_requests": 0x1000}),
			"count=-1",
		},
		{
			"a negative number to wait for", fails("MPI_Waitall", Args{"count": -1, "*array_of_requests": 0x1000}),
			"count=-1",
		},
		{"no place for a request", fails("MPI_Isend", Args{
			"count": 1, "datatype": uint64(Int), "dest": ProcNull, "tag": 0, "comm": World, "*request": 0,
		}), "*request=NULL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, c.build, argument.Invalid)
			if len(got) != min(len(c.want), 1) || len(got) == 1 && !strings.Contains(got[0].Message, c.want) {
				t.Errorf("found %q, want one with %q", got.checks(), c.want)
			}
		})
	}
}

// TestOff: a check that is switched off explains nothing, so MPI's own error is reported.
func TestOff(t *testing.T) {
	wrong := func(k *Rank) {
		k.Fail("send", "MPI_Send", Args{"count": 1, "datatype": uint64(Int), "dest": 5, "tag": 0, "comm": World}, 6,
			"no", false)
	}
	split := func(k *Rank) {
		k.Append(Names([]Name{{Kind: KindConst, Value: 0x7fff8002, Name: "MPI_UNDEFINED"}}))
		k.Fail("split", "MPI_Comm_split", Args{"comm": World, "color": -5, "key": 0}, 6, "no", false)
	}
	for _, c := range []struct {
		name   string
		build  func(k *Rank)
		checks []*check.Check
		want   []string
	}{
		{"on", wrong, []*check.Check{argument.Invalid, call.Failed}, []string{argument.Invalid.ID}},
		{"off", wrong, []*check.Check{argument.Overflow, call.Failed}, []string{call.Failed.ID}},
		{
			"collective, on", split,
			[]*check.Check{collective.InvalidParameter, argument.Invalid, call.Failed},
			[]string{collective.InvalidParameter.ID},
		},
		{"collective, off", split, []*check.Check{argument.Invalid, call.Failed}, []string{call.Failed.ID}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := run(t, c.build, c.checks...).checks(); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestKilled: a null pointer is reported of a wait in which the process dies, though waits are not judged otherwise.
func TestKilled(t *testing.T) {
	var got findings
	p := pipeline.New(pipeline.Options{Checks: []*check.Check{argument.Invalid}, Reporter: &got})
	k := NewRank(0, 1)
	k.Open("wait", "MPI_Wait", Args{"request": 0x98000000, "*request": 0, "*status": 1})
	prog := &Program{Ranks: []*Rank{k}}
	prog.Start(p)
	p.Batch(&ring.Batch{Data: k.Bytes(), Open: true})
	if len(got) != 0 {
		t.Fatalf("found %q before the process has died", got[0].Message)
	}
	p.End(0, &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: p.Tracker.Threads[0].TID, InMPI: true})
	if len(got) != 1 || !strings.Contains(got[0].Message, "*request=NULL, which is a null pointer") {
		t.Errorf("found %q", got.checks())
	}
}

// TestFastPath: no check turns off the fast path of the functions that are called often.
func TestFastPath(t *testing.T) {
	p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: new(findings)})
	for _, f := range mpiapi.Funcs() {
		switch f.Base {
		case mpiapi.IDSend, mpiapi.IDRecv, mpiapi.IDAllreduce, mpiapi.IDBarrier, mpiapi.IDBcast, mpiapi.IDTest,
			mpiapi.IDTestall,
			mpiapi.IDTestany, mpiapi.IDTestsome, mpiapi.IDIprobe, mpiapi.IDImprobe:
			if e := &p.Tracker.Events; e.CallEntered.Wanted(f.ID) || e.CallLeft.Wanted(f.ID) {
				t.Errorf("a check subscribes to every call of %s", f.Name)
			}
		}
	}
}
