package collorder

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// step is a call in a generated program: the next collective of a thread on a communicator.
type step struct {
	comm     int
	position int
	blocks   bool
}

// program has the steps of each thread. The members of each communicator are threads.
type program struct {
	members [][]int
	threads [][]step
}

func (p *program) member(comm, thread int) int { return slices.Index(p.members[comm], thread) }

// stuck executes the program as if blocking collectives synchronised. It reports whether threads end up waiting for
// each other in a circle. It is slow and simple.
func (p *program) stuck() bool {
	at := make([]int, len(p.threads))
	entered := func(thread int, comm, position int) bool {
		for i, s := range p.threads[thread] {
			if s.comm == comm && s.position == position {
				return i <= at[thread]
			}
		}
		return false
	}
	absent := func(s step) (who []int) {
		for _, t := range p.members[s.comm] {
			if !entered(t, s.comm, s.position) {
				who = append(who, t)
			}
		}
		return who
	}
	for moved := true; moved; {
		moved = false
		for t := range p.threads {
			for at[t] < len(p.threads[t]) && (!p.threads[t][at[t]].blocks || len(absent(p.threads[t][at[t]])) == 0) {
				at[t]++
				moved = true
			}
		}
	}
	// A thread also waits for a thread that has not yet come to the collective because it is itself held up.
	waits := make([][]int, len(p.threads))
	for t := range p.threads {
		if at[t] == len(p.threads[t]) {
			continue
		}
		s := p.threads[t][at[t]]
		for _, w := range absent(s) {
			if slices.ContainsFunc(p.threads[w], func(o step) bool {
				return o.comm == s.comm && o.position <= s.position && !entered(w, o.comm, o.position)
			}) {
				waits[t] = append(waits[t], w)
			}
		}
	}
	for t := range p.threads {
		seen := make([]bool, len(p.threads))
		list := slices.Clone(waits[t])
		for len(list) > 0 {
			w := list[0]
			list = list[1:]
			if w == t {
				return true
			}
			if !seen[w] {
				seen[w] = true
				list = append(list, waits[w]...)
			}
		}
	}
	return false
}

func draw(t *rapid.T, complete bool) *program {
	n := rapid.IntRange(2, 5).Draw(t, "threads")
	p := &program{threads: make([][]step, n)}
	left := make([][]int, n) // each communicator occurs as many times as it has to be entered
	var blocks [][]bool
	for c := range rapid.IntRange(1, 4).Draw(t, "communicators") {
		var members []int
		for i := range n {
			if rapid.IntRange(0, 2).Draw(t, "member") > 0 {
				members = append(members, i)
			}
		}
		if len(members) < 2 {
			members = []int{0, 1}
		}
		p.members = append(p.members, members)
		count := rapid.IntRange(0, 4).Draw(t, "collectives")
		for _, m := range members {
			for range count {
				left[m] = append(left[m], c)
			}
		}
		var b []bool
		for range count {
			b = append(b, rapid.IntRange(0, 3).Draw(t, "blocking") > 0)
		}
		blocks = append(blocks, b)
	}
	sameOrder := rapid.Bool().Draw(t, "sorted")
	for i := range n {
		order := rapid.Permutation(left[i]).Draw(t, "order")
		if sameOrder && rapid.IntRange(0, 3).Draw(t, "but") > 0 {
			slices.Sort(order)
		}
		next := make(map[int]int)
		for _, c := range order {
			p.threads[i] = append(p.threads[i], step{c, next[c], blocks[c][next[c]]})
			next[c]++
		}
		if !complete {
			p.threads[i] = p.threads[i][:rapid.IntRange(0, len(order)).Draw(t, "seen")]
		}
	}
	return p
}

func nobody(*match.Comm, int32) bool { return false }

func call(thread int, blocks bool) *match.Call {
	name := "MPI_Ibarrier"
	if blocks {
		name = "MPI_Barrier"
	}
	return &match.Call{Thread: ring.ThreadID(thread), Raw: fakerun.Record(1, name, nil, 0)}
}

// simulate passes the program to a simulation in some order, and returns the crossings that it finds.
func (p *program) simulate(t *rapid.T, s *Simulation) (found []*Crossing) {
	comms := make([]*match.Comm, len(p.members))
	for c, members := range p.members {
		comms[c] = &match.Comm{Members: make([]int32, len(members))}
	}
	look := func(patience int) {
		for x := s.Crossing(patience, nobody); x != nil; x = s.Crossing(patience, nobody) {
			found = append(found, x)
			p.verify(t, comms, x)
		}
	}
	at := make([]int, len(p.threads))
	for {
		var can []int
		for i := range at {
			if at[i] < len(p.threads[i]) {
				can = append(can, i)
			}
		}
		if len(can) == 0 {
			break
		}
		i := rapid.SampledFrom(can).Draw(t, "thread")
		for range rapid.IntRange(1, 5).Draw(t, "batch") {
			if at[i] == len(p.threads[i]) {
				break
			}
			e := p.threads[i][at[i]]
			s.Enter(comms[e.comm], int32(p.member(e.comm, i)), uint64(e.position), call(i, e.blocks))
			at[i]++
		}
		switch rapid.IntRange(0, 3).Draw(t, "then") {
		case 0:
			s.Advance()
		case 1:
			s.Tick()
			look(rapid.IntRange(0, 3).Draw(t, "patience"))
		}
	}
	look(0)
	return found
}

// verify checks that a crossing is a circle of calls that the program makes in that order.
func (p *program) verify(t *rapid.T, comms []*match.Comm, x *Crossing) {
	for i, l := range x.Links {
		if next := x.Links[(i+1)%len(x.Links)]; l.First != next.Second {
			t.Fatalf("no circle: %+v", x)
		}
		if len(l.Threads) == 0 {
			t.Fatalf("nobody makes a link: %+v", l)
		}
		for _, o := range l.Threads {
			first := slices.IndexFunc(p.threads[o.Thread], func(s step) bool {
				return comms[s.comm] == l.First.Comm && s.position == int(l.First.Position)
			})
			second := -1
			if first >= 0 && p.threads[o.Thread][first].blocks {
				second = slices.IndexFunc(p.threads[o.Thread][first:], func(s step) bool {
					return comms[s.comm] == l.Second.Comm && s.position <= int(l.Second.Position)
				}) + first
			}
			if first < 0 || second <= first {
				t.Fatalf("thread %d does not enter %v before %v: %v", o.Thread, l.First, l.Second, p.threads[o.Thread])
			}
		}
	}
}

// TestOrders compares the simulation with an execution of the whole program. The simulation gets the calls in any order
// and is advanced between them.
func TestOrders(t *testing.T) {
	for _, complete := range []bool{true, false} {
		t.Run(fmt.Sprint("complete=", complete), rapid.MakeCheck(func(t *rapid.T) {
			p := draw(t, complete)
			s := New()
			found := p.simulate(t, s)
			if want := p.stuck(); want != (len(found) > 0) {
				t.Fatalf("%d crossings found, blocked forever: %v\n%v\n%v", len(found), want, p.members, p.threads)
			}
			if !complete {
				return
			}
			for i, th := range s.threads {
				if th != nil && len(th.queue)-th.head > 1 {
					t.Fatalf("thread %d does not go on", i)
				}
			}
		}))
	}
}

func enter(s *Simulation, thread int, c *match.Comm, me int32, position uint64) {
	s.Enter(c, me, position, call(thread, true))
}

func TestThreadsThatShareACommunicator(t *testing.T) {
	// Process 0 has threads 0 and 1, and either could have been the first to enter b.
	a, b := &match.Comm{Members: []int32{0, 1}}, &match.Comm{Members: []int32{0, 1}}
	s := New()
	enter(s, 0, a, 0, 0)
	enter(s, 0, b, 0, 0)
	enter(s, 1, b, 0, 1)
	enter(s, 2, b, 1, 0)
	enter(s, 2, a, 1, 0)
	enter(s, 2, b, 1, 1)
	if x := s.Crossing(0, nobody); x != nil {
		t.Errorf("found %+v", x)
	}
}

// TestLateComersAreWaitedFor: two of four processes enter a and then b, the other two in the opposite order. Processes
// 1 and 2 may be late.
func TestLateComersAreWaitedFor(t *testing.T) {
	const patience, never = 5, 100
	for _, c := range []struct {
		name  string
		late  [4]int // number of ticks, by process
		ended bool   // process 2 has ended
		told  int    // the tick at which the crossing is reported
		ranks int    // the number of ranks in the report
	}{
		{"not late", [4]int{}, false, established, 4},
		{"late", [4]int{2: 3}, false, 4, 4},
		{"one after the other", [4]int{1: 3, 2: 3 + patience - 1}, false, 3 + patience, 4},
		{"too late", [4]int{2: patience}, false, patience, 3},
		{"not to come", [4]int{2: never}, true, established, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := new(match.World)
			a := &match.Comm{Members: []int32{0, 1, 2, 3}, World: world}
			b := &match.Comm{Members: []int32{3, 2, 1, 0}, World: world}
			gone := func(of *match.Comm, member int32) bool { return c.ended && of.Members[member] == 2 }
			s := New()
			for tick := 1; tick < 20; tick++ {
				for r, late := range c.late {
					comms, me := []*match.Comm{a, b}, []int{r, 3 - r}
					if r >= 2 {
						slices.Reverse(comms)
						slices.Reverse(me)
					}
					if late == tick-1 {
						enter(s, r, comms[0], int32(me[0]), 0)
						enter(s, r, comms[1], int32(me[1]), 0)
					}
				}
				s.Tick()
				x := s.Crossing(patience, gone)
				if x == nil {
					continue
				}
				n := 0
				for _, l := range x.Links {
					n += len(l.Threads)
				}
				if tick != c.told || n != c.ranks {
					t.Errorf("at tick %d, of %d processes; want at tick %d, of %d", tick, n, c.told, c.ranks)
				}
				if x := s.Crossing(0, nobody); x != nil {
					t.Errorf("told twice: %+v", x)
				}
				return
			}
			t.Error("it is never told")
		})
	}
}

func TestFreedCommunicatorsAreForgotten(t *testing.T) {
	s := New()
	world := &match.Comm{Members: []int32{0, 1}}
	for i := range 1000 {
		c := &match.Comm{Members: []int32{0, 1}}
		for r := range 2 {
			s.Enter(world, int32(r), uint64(i), &match.Call{
				Thread: ring.ThreadID(r), Raw: fakerun.Record(1, "MPI_Comm_dup", nil, 0),
			})
			enter(s, r, c, int32(r), 0)
			s.Enter(c, int32(r), 1, &match.Call{
				Thread: ring.ThreadID(r), Raw: fakerun.Record(2, "MPI_Comm_free", nil, 0),
			})
		}
	}
	s.Advance()
	if len(s.comms) != 1 {
		t.Errorf("%d communicators are remembered", len(s.comms))
	}
	for _, th := range s.threads {
		if n := len(th.queue); n > 128 {
			t.Errorf("%d calls are remembered", n)
		}
	}
}

func BenchmarkOneCommunicator(b *testing.B) {
	const ranks = 1024
	s := New()
	world := &match.Comm{Members: make([]int32, ranks)}
	k := call(0, true)
	for i := 0; i < b.N; i += ranks {
		for r := range ranks {
			k.Thread = ring.ThreadID(r)
			s.Enter(world, int32(r), uint64(i/ranks), k)
		}
	}
	s.Advance()
}

func BenchmarkRowsAndColumns(b *testing.B) {
	const side = 32
	for _, batch := range []int{1, 1000} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			b.ReportAllocs()
			s := New()
			var rows, columns [side]*match.Comm
			for i := range side {
				rows[i], columns[i] =
					&match.Comm{Members: make([]int32, side)}, &match.Comm{Members: make([]int32, side)}
			}
			row, column := call(0, true), call(0, true)
			column.Raw[layout.RecordSiteAt] = 2
			for i := 0; i < b.N; i += 2 * side * side * batch {
				for r := range side * side {
					row.Thread, column.Thread = ring.ThreadID(r), ring.ThreadID(r)
					for k := range batch {
						at := uint64(i/(2*side*side) + k)
						s.Enter(rows[r/side], int32(r%side), at, row)
						s.Enter(columns[r%side], int32(r/side), at, column)
					}
				}
				s.Tick()
				if x := s.Crossing(1, nobody); x != nil {
					b.Fatal("a crossing")
				}
			}
		})
	}
}
