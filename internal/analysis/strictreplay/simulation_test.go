package strictreplay_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// simulation goes through all executions of a program in which every send waits for its receive, and every collective
// waits for all processes.
type simulation struct {
	program program
	seen    map[string]bool
}

func newSimulation(p program) *simulation {
	return &simulation{program: p, seen: make(map[string]bool)}
}

// operation is a send or receive of a state. The operations of a process are in the order in which they began.
type operation struct {
	step    int // the step that began it
	matched bool
}

// state is the position of each process.
type state struct {
	pc    []int
	begun []bool // the step at pc has begun
	ops   [][]operation
}

func (s *state) key() string {
	var b strings.Builder
	for r := range s.pc {
		fmt.Fprintf(&b, "%d %v", s.pc[r], s.begun[r])
		for _, o := range s.ops[r] {
			fmt.Fprintf(&b, " %d%v", o.step, o.matched)
		}
		b.WriteByte(';')
	}
	return b.String()
}

func (s *state) clone() *state {
	c := &state{pc: slices.Clone(s.pc), begun: slices.Clone(s.begun), ops: make([][]operation, len(s.ops))}
	for i := range s.ops {
		c.ops[i] = slices.Clone(s.ops[i])
	}
	return c
}

// deadlocks reports whether an execution can stop before the end of the program.
func (m *simulation) deadlocks(t *rapid.T) bool {
	s := &state{
		pc: make([]int, len(m.program)), begun: make([]bool, len(m.program)), ops: make([][]operation, len(m.program)),
	}
	return m.search(t, s)
}

func (m *simulation) search(t *rapid.T, s *state) bool {
	k := s.key()
	if m.seen[k] {
		return false
	}
	m.seen[k] = true
	if len(m.seen) > 200000 {
		t.Skip("too many executions")
	}
	next := m.successors(s)
	if len(next) == 0 {
		for r := range s.pc {
			if s.pc[r] < len(m.program[r]) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(next, func(n *state) bool { return m.search(t, n) })
}

func (m *simulation) successors(s *state) (list []*state) {
	for r := range m.program {
		if s.pc[r] == len(m.program[r]) {
			continue
		}
		if n := m.advance(s, r); n != nil {
			list = append(list, n)
		}
	}
	return append(list, m.matches(s)...)
}

// advance lets a process go on, if it can: it begins its step or completes it.
func (m *simulation) advance(s *state, r int) *state {
	st := m.program[r][s.pc[r]]
	n := s.clone()
	if !s.begun[r] {
		n.begun[r] = true
		switch st.call {
		case "send", "isend", "recv", "irecv":
			n.ops[r] = append(n.ops[r], operation{step: s.pc[r]})
		}
		return n
	}
	done := true
	switch st.call {
	case "send", "recv":
		done = s.ops[r][len(s.ops[r])-1].matched
	case "wait", "test":
		for _, o := range s.ops[r] {
			if b := m.program[r][o.step]; (b.call == "isend" || b.call == "irecv") && b.op == st.op {
				done = o.matched
			}
		}
	case "barrier", "bcast":
		done = m.all(s, r)
	case "probe":
		done = m.sent(s, r, st)
	}
	if !done {
		return nil
	}
	n.begun[r] = false
	n.pc[r]++
	return n
}

// all reports whether all processes have entered the collective that r is in.
func (m *simulation) all(s *state, r int) bool {
	count := func(q, upto int) (c int) {
		for _, st := range m.program[q][:upto] {
			if st.call == "barrier" || st.call == "bcast" {
				c++
			}
		}
		return c
	}
	mine := count(r, s.pc[r]+1)
	for q := range m.program {
		upto := s.pc[q]
		if upto < len(m.program[q]) && s.begun[q] {
			upto++
		}
		if count(q, upto) < mine {
			return false
		}
	}
	return true
}

// sent reports whether there is a message that a probe sees.
func (m *simulation) sent(s *state, r int, st step) bool {
	for q := range m.program {
		for _, o := range s.ops[q] {
			b := m.program[q][o.step]
			if (b.call == "send" || b.call == "isend") && !o.matched && b.peer == r && b.tag == st.tag &&
				(st.peer < 0 || st.peer == q) {
				return true
			}
		}
	}
	return false
}

// matches returns the states after one more message has been matched. A receive gets the first send of a process that
// it accepts. A send gets the first receive that accepts it.
func (m *simulation) matches(s *state) (list []*state) {
	accepts := func(recv, send step, from, to int) bool {
		return send.peer == to && recv.tag == send.tag && (recv.peer < 0 || recv.peer == from)
	}
	sends := func(c string) bool { return c == "send" || c == "isend" }
	receives := func(c string) bool { return c == "recv" || c == "irecv" }
	for to := range m.program {
		for i, r := range s.ops[to] {
			recv := m.program[to][r.step]
			if !receives(recv.call) || r.matched {
				continue
			}
			for from := range m.program {
				for j, o := range s.ops[from] {
					send := m.program[from][o.step]
					if !sends(send.call) || o.matched || !accepts(recv, send, from, to) {
						continue
					}
					earlier := slices.ContainsFunc(s.ops[to][:i], func(e operation) bool {
						b := m.program[to][e.step]
						return receives(b.call) && !e.matched && accepts(b, send, from, to)
					})
					if !earlier {
						n := s.clone()
						n.ops[to][i].matched, n.ops[from][j].matched = true, true
						list = append(list, n)
					}
					break // the other sends of this process come later
				}
			}
		}
	}
	return list
}
