package strictreplay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/analysis/strictreplay"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/deadlock"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// step is a call of a generated program.
type step struct {
	call string // send, isend, recv, irecv, sendrecv, wait, test, barrier, bcast, probe
	peer int    // source (-1: any) or destination; root
	tag  int
	// The result of the run: the source of the message.
	source int
	op     int // number of the operation within the process, for wait, test, isend and irecv
}

type program [][]step

func (p program) String() string {
	var b strings.Builder
	for r, steps := range p {
		fmt.Fprintf(&b, "rank %d:", r)
		for _, s := range steps {
			fmt.Fprintf(&b, " %s", s.call)
			switch s.call {
			case "wait", "test":
				fmt.Fprintf(&b, "(%d)", s.op)
			case "barrier":
			default:
				fmt.Fprintf(&b, "(%d tag %d", s.peer, s.tag)
				if s.peer < 0 {
					fmt.Fprintf(&b, " from %d", s.source)
				}
				fmt.Fprint(&b, ")")
			}
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// generate draws a program together with a run of it in which MPI buffers all messages that it may buffer. It adds
// calls in the order of a possible execution.
func generate(t *rapid.T, wildcards bool) program {
	n := rapid.IntRange(2, 3).Draw(t, "ranks")
	p := make(program, n)
	type message struct{ from, to, tag int }
	var pending []message
	open := make([][]int, n) // requests that have not been waited for
	ops := make([]int, n)
	ready := make([]map[int]bool, n) // operations that may be waited for
	for r := range n {
		ready[r] = make(map[int]bool)
	}
	inBcast := -1 // root of a broadcast that not all processes have entered
	entered := make([]bool, n)
	tags := 0
	newTag := func() int {
		if wildcards {
			return rapid.IntRange(0, 1).Draw(t, "tag")
		}
		tags++
		return tags
	}
	for range rapid.IntRange(1, 9).Draw(t, "events") {
		r := rapid.IntRange(0, n-1).Draw(t, "rank")
		if inBcast >= 0 && rapid.Bool().Draw(t, "join") && !entered[r] {
			p[r] = append(p[r], step{call: "bcast", peer: inBcast})
			entered[r] = true
			if !slices.Contains(entered, false) {
				inBcast = -1
			}
			continue
		}
		switch rapid.IntRange(0, 9).Draw(t, "event") {
		case 0, 1, 2: // a message
			to := rapid.IntRange(0, n-1).Draw(t, "to")
			m := message{r, to, newTag()}
			if rapid.Bool().Draw(t, "nonblocking") {
				p[r] = append(p[r], step{call: "isend", peer: to, tag: m.tag, op: ops[r]})
				open[r] = append(open[r], ops[r])
				ready[r][ops[r]] = true
				ops[r]++
			} else {
				p[r] = append(p[r], step{call: "send", peer: to, tag: m.tag})
			}
			pending = append(pending, m)
		case 3, 4, 5, 6: // a message is received
			i := slices.IndexFunc(pending, func(m message) bool { return m.to == r })
			if i < 0 {
				continue
			}
			m := pending[i]
			pending = slices.Delete(pending, i, i+1)
			s := step{call: "recv", peer: m.from, tag: m.tag, source: m.from}
			if wildcards && rapid.Bool().Draw(t, "any") {
				s.peer = -1
			}
			if rapid.Bool().Draw(t, "nonblocking") {
				s.call, s.op = "irecv", ops[r]
				open[r] = append(open[r], ops[r])
				ready[r][ops[r]] = true
				ops[r]++
			} else if wildcards && rapid.Bool().Draw(t, "probe") {
				probe := s
				probe.call = "probe"
				p[r] = append(p[r], probe)
				s.peer = s.source
			}
			p[r] = append(p[r], s)
		case 7: // a request is completed
			if len(open[r]) == 0 {
				continue
			}
			i := rapid.IntRange(0, len(open[r])-1).Draw(t, "request")
			call := "wait"
			if wildcards && rapid.Bool().Draw(t, "test") {
				call = "test"
			}
			p[r] = append(p[r], step{call: call, op: open[r][i]})
			open[r] = slices.Delete(open[r], i, i+1)
		case 8:
			if inBcast < 0 {
				for range rapid.IntRange(1, 4).Draw(t, "barriers") {
					for q := range n {
						p[q] = append(p[q], step{call: "barrier"})
					}
				}
			}
		case 9:
			if inBcast < 0 {
				inBcast = r
				clear(entered)
				p[r] = append(p[r], step{call: "bcast", peer: r})
				entered[r] = true
			}
		}
	}
	for q := range n {
		if inBcast >= 0 && !entered[q] {
			p[q] = append(p[q], step{call: "bcast", peer: inBcast})
		}
	}
	for _, m := range pending {
		p[m.to] = append(p[m.to], step{call: "recv", peer: m.from, tag: m.tag, source: m.from})
	}
	for r := range n {
		for _, op := range open[r] {
			p[r] = append(p[r], step{call: "wait", op: op})
		}
	}
	return p
}

// records returns the records of the run of a program.
func (p program) records() *fakerun.Program {
	prog := fakerun.New(len(p))
	for r, steps := range p {
		k := prog.Ranks[r]
		kinds := make(map[int]step)
		for i, s := range steps {
			site := fmt.Sprintf("%s %d %d", s.call, r, i)
			if s.call == "barrier" || s.call == "bcast" { // in a loop, so several of them are one item of a queue
				site = s.call
			}
			a := fakerun.Args{
				"count": 1, "datatype": fakerun.Int, "tag": s.tag, "comm": fakerun.World, "buf": uint64(0x1000),
			}
			source := s.peer
			if source < 0 {
				source = fakerun.AnySource
			}
			status := []fakerun.Status{{Source: int32(s.source), Tag: int32(s.tag), Bytes: 4}}
			request := func() {
				a[">request"], a["*request"] = 0x98000000+s.op, 0x5000+4*s.op
				kinds[s.op] = s
			}
			switch s.call {
			case "send":
				a["dest"] = s.peer
				k.Call(site, "MPI_Send", a)
			case "isend":
				a["dest"] = s.peer
				request()
				k.Call(site, "MPI_Isend", a)
			case "recv":
				a["source"], a[">status"] = source, status
				k.Call(site, "MPI_Recv", a)
			case "probe":
				k.Call(site, "MPI_Probe", fakerun.Args{
					"source": source, "tag": s.tag, "comm": fakerun.World, ">status": status,
				})
			case "irecv":
				a["source"] = source
				request()
				k.Call(site, "MPI_Irecv", a)
			case "wait", "test":
				made := kinds[s.op]
				w := fakerun.Args{
					"request": 0x98000000 + s.op, "*request": 0x5000 + 4*s.op,
					">status": []fakerun.Status{{Source: int32(made.source), Tag: int32(made.tag), Bytes: 4}},
				}
				if s.call == "test" {
					w[">flag"] = 1
					k.Call(site, "MPI_Test", w)
				} else {
					k.Call(site, "MPI_Wait", w)
				}
			case "barrier":
				k.Call(site, "MPI_Barrier", fakerun.Args{"comm": fakerun.World})
			case "bcast":
				k.Call(site, "MPI_Bcast", fakerun.Args{
					"count": 1, "datatype": fakerun.Int, "root": s.peer, "comm": fakerun.World,
				})
			}
		}
		k.Call("main", "MPI_Finalize", nil)
		k.End = &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: true}
	}
	return prog
}

type reporter []*finding.Finding

func (r *reporter) Report(f *finding.Finding) { *r = append(*r, f) }

// potential reports whether the analysis finds a potential deadlock.
func potential(t interface{ Fatal(...any) }, p program, batch, first int) reporter {
	var got reporter
	pl := pipeline.New(pipeline.Options{Checks: []*check.Check{deadlock.Potential}, Reporter: &got})
	p.records().Deliver(pl, batch, first)
	pl.Finish()
	if pl.Trouble() != "" {
		t.Fatal(pl.Trouble())
	}
	return got
}

// TestExactlyWhatCanHappen: if the program determines the receive of each message, exactly the possible deadlocks are
// found.
func TestExactlyWhatCanHappen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := generate(t, false)
		want := newSimulation(p).deadlocks(t)
		batch, first := rapid.IntRange(1, 8).Draw(t, "batch"), rapid.IntRange(0, len(p)-1).Draw(t, "first")
		if got := potential(t, p, batch, first); (len(got) > 0) != want {
			t.Fatalf("can block: %v, found: %d\n%v", want, len(got), p)
		}
	})
}

// TestNothingThatCannotHappen: with receives from any source, probes and tests, every deadlock that is found is
// possible.
func TestNothingThatCannotHappen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := generate(t, true)
		batch, first := rapid.IntRange(1, 8).Draw(t, "batch"), rapid.IntRange(0, len(p)-1).Draw(t, "first")
		if got := potential(t, p, batch, first); len(got) > 0 && !newSimulation(p).deadlocks(t) {
			t.Fatalf("found what cannot happen: %s\n%v", got[0].Message, p)
		}
	})
}

// TestRest: no impossible deadlock is found when the replay leaves out many operations, and the replay continues.
func TestRest(t *testing.T) {
	strictreplay.Tire(t)
	rapid.Check(t, func(t *rapid.T) {
		p := generate(t, rapid.Bool().Draw(t, "wildcards"))
		batch, first := rapid.IntRange(1, 8).Draw(t, "batch"), rapid.IntRange(0, len(p)-1).Draw(t, "first")
		if got := potential(t, p, batch, first); len(got) > 0 && !newSimulation(p).deadlocks(t) {
			t.Fatalf("found what cannot happen: %s\n%v", got[0].Message, p)
		}
	})
}

// TestMatchedBeforeItBegins: the record of a blocking receive is read while the message of an earlier nonblocking
// receive is not certain. The blocking receive then has its message before it is passed to the replay.
func TestMatchedBeforeItBegins(t *testing.T) {
	p := program{
		{
			{call: "isend", peer: 0, tag: 1, op: 0},
			{call: "send", peer: 1, tag: 2},
			{call: "send", peer: 1, tag: 3},
			{call: "recv", peer: 0, tag: 1},
			{call: "wait", op: 0},
		},
		{{call: "irecv", peer: 0, tag: 2, op: 0}, {call: "wait", op: 0}, {call: "recv", peer: 0, tag: 3}},
	}
	for batch := 1; batch <= 8; batch++ {
		for first := range p {
			if got := potential(t, p, batch, first); len(got) > 0 {
				t.Errorf("batch %d, rank %d first: %s", batch, first, got[0].Message)
			}
		}
	}
}
