package race

import (
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
)

// The model is a small program and all ways in which MPI may execute it.

type opKind uint8

const (
	opSend opKind = iota
	opSsend
	opRecv
	opIrecv
	opWait // wait for all operations that were posted
)

type op struct {
	kind      opKind
	peer, tag int32 // or match.Any
	count     int64 // count sent, or room in the receive
}

func (o op) String() string {
	return fmt.Sprintf("%s(%d, tag %d, count %d)",
		[...]string{"send", "ssend", "recv", "irecv", "wait"}[o.kind], o.peer, o.tag, o.count)
}

// place is an operation of a program.
type place struct{ proc, op int }

// step is an event in an execution.
type step struct {
	place
	kind stepKind
	from int // for a receive: the sender whose message it gets, if messages of several senders wait for it
}

type stepKind uint8

const (
	begins   stepKind = iota // a send begins, a receive is posted
	arrives                  // the message that was sent there arrives at its receiver
	finishes                 // the operation returns
)

// execution is one execution of a program, up to the point where nothing more can happen.
type execution struct {
	steps []step
	got   map[place]place // by receive: the send
	stuck []place         // operations in which processes hang
	wrong []place         // receives of messages too long for them
}

// state is the state of an execution.
type state struct {
	program [][]op
	pc      []int
	inside  []bool    // the operation at pc has begun
	flying  [][]place // by sender and receiver
	waiting [][]place // by receiver: messages that came before their receive
	posted  [][]place // by receiver: receives without a message
	execution
}

func (s *state) clone() *state {
	n := *s
	n.pc, n.inside, n.steps = slices.Clone(s.pc), slices.Clone(s.inside), slices.Clone(s.steps)
	n.flying, n.waiting, n.posted = deep(s.flying), deep(s.waiting), deep(s.posted)
	n.got = make(map[place]place)
	for k, v := range s.got {
		n.got[k] = v
	}
	return &n
}

func deep(l [][]place) [][]place {
	out := make([][]place, len(l))
	for i := range l {
		out[i] = slices.Clone(l[i])
	}
	return out
}

func (s *state) at(p place) op { return s.program[p.proc][p.op] }

func (s *state) accepts(recv, send place) bool {
	r, m := s.at(recv), s.at(send)
	return (r.peer == match.Any || int(r.peer) == send.proc) && (r.tag == match.Any || r.tag == m.tag)
}

func (s *state) taken(send place) bool {
	for _, v := range s.got {
		if v == send {
			return true
		}
	}
	return false
}

// moves returns the steps that are possible next.
func (s *state) moves() (list []step) {
	for p := range s.program {
		if s.pc[p] == len(s.program[p]) {
			continue
		}
		here := place{p, s.pc[p]}
		if !s.inside[p] {
			for _, from := range s.senders(here) {
				list = append(list, step{here, begins, from})
			}
			continue
		}
		free := true
		switch s.at(here).kind {
		case opSsend:
			free = s.taken(here)
		case opRecv:
			_, free = s.got[here]
		case opWait:
			free = !slices.ContainsFunc(s.posted[p], func(r place) bool { return r.op < here.op })
		}
		if free {
			list = append(list, step{here, finishes, 0})
		}
	}
	for _, f := range s.flying {
		if len(f) > 0 {
			list = append(list, step{f[0], arrives, 0})
		}
	}
	return list
}

// senders returns the senders of the messages that an operation may get and that are there when it begins. If there is
// no choice, it returns one arbitrary sender.
func (s *state) senders(p place) (list []int) {
	if k := s.at(p).kind; k == opRecv || k == opIrecv {
		for _, m := range s.waiting[p.proc] {
			if s.accepts(p, m) && !slices.Contains(list, m.proc) {
				list = append(list, m.proc)
			}
		}
	}
	if len(list) == 0 {
		return []int{0}
	}
	return list
}

// independent reports whether the results stay the same if x happens now.
func (s *state) independent(x step) bool {
	k := s.at(x.place).kind
	return x.kind == finishes || x.kind == begins && k != opRecv && k != opIrecv
}

func (s *state) take(x step) {
	s.steps = append(s.steps, x)
	p, o, n := x.proc, s.at(x.place), len(s.program)
	switch x.kind {
	case finishes:
		s.pc[p]++
		s.inside[p] = false
	case begins:
		s.inside[p] = true
		switch o.kind {
		case opSend, opSsend:
			pair := p*n + int(o.peer)
			s.flying[pair] = append(s.flying[pair], x.place)
		case opRecv, opIrecv:
			for i, m := range s.waiting[p] {
				if m.proc == x.from && s.accepts(x.place, m) {
					s.waiting[p] = slices.Delete(s.waiting[p], i, i+1)
					s.got[x.place] = m
					return
				}
			}
			s.posted[p] = append(s.posted[p], x.place)
		}
	case arrives:
		pair, to := p*n+int(o.peer), o.peer
		s.flying[pair] = s.flying[pair][1:]
		for i, r := range s.posted[to] {
			if s.accepts(r, x.place) {
				s.posted[to] = slices.Delete(s.posted[to], i, i+1)
				s.got[r] = x.place
				return
			}
		}
		s.waiting[to] = append(s.waiting[to], x.place)
	}
}

func start(program [][]op) *state {
	n := len(program)
	return &state{
		program: program, pc: make([]int, n), inside: make([]bool, n), flying: make([][]place, n*n),
		waiting: make([][]place, n), posted: make([][]place, n), execution: execution{got: make(map[place]place)},
	}
}

// key is equal for states with the same possible continuations and results.
func (s *state) key() string {
	return fmt.Sprint(s.pc, s.inside, s.flying, s.waiting, s.posted, s.got)
}

// executions returns all results of a program; false if there are too many. For each result, it returns the first
// execution that it finds.
func executions(program [][]op) (all []*execution, ok bool) {
	seen := make(map[string]bool)
	todo := []*state{start(program)}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k := s.key(); seen[k] {
			continue
		} else if seen[k] = true; len(seen) > 3000 {
			return nil, false
		}
		moves := s.moves()
		// A step that neither examines messages nor delivers any may as well happen at once.
		if i := slices.IndexFunc(moves, s.independent); i >= 0 {
			moves = moves[i : i+1]
		}
		for _, m := range moves {
			n := s.clone()
			n.take(m)
			todo = append(todo, n)
		}
		if len(moves) == 0 {
			all = append(all, s.result())
		}
	}
	return all, true
}

func (s *state) result() *execution {
	e := &s.execution
	for p := range s.program {
		if s.pc[p] < len(s.program[p]) {
			here := place{p, s.pc[p]}
			if s.at(here).kind == opWait {
				e.stuck = append(e.stuck, s.posted[p]...)
			} else {
				e.stuck = append(e.stuck, here)
			}
		}
	}
	for r, m := range e.got {
		if s.at(m).count > s.at(r).count {
			e.wrong = append(e.wrong, r)
		}
	}
	return e
}
