package race

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/analysis/happensbefore"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// found is a race, with the places of the model.
type found struct {
	*Race
	receive, other, victim, message place
}

// detect runs the detector on an execution. status is the same for all receives. If rested is true, the processes have
// received from any source before, but not recently.
func detect(program [][]op, e *execution, status uint64, rested bool) []found {
	var races []found
	where := make(map[any]place)
	log := happensbefore.New()
	d := New(log, func(*Receive) (uint64, bool) { return status, true }, func(r *Race) {
		x := *r
		f := found{Race: &x, receive: where[r.Receive], other: where[r.Other], victim: where[r.Victim]}
		if r.Message != nil {
			f.message = where[r.Message]
		}
		races = append(races, f)
	})
	members := make([]int32, len(program))
	for i := range members {
		members[i] = int32(i)
	}
	comm := match.NewRegistry().Comm(match.Key{}, func() *match.Comm { return &match.Comm{Members: members} })
	integers := &match.Datatype{Type: datatype.Predefined("MPI_INT", 4)}
	sends, receives, posted := make(map[place]*Send), make(map[place]*Receive), make(map[place]happensbefore.Moment)
	call := func(p place) match.Call {
		raw := make([]byte, layout.Line)
		binary.LittleEndian.PutUint32(raw[layout.RecordSiteAt:], uint32(p.op+1))
		return match.Call{Thread: ring.ThreadID(p.proc), Raw: raw}
	}
	for p := range int32(len(program)) {
		for i := 0; rested && i <= window; i++ {
			log.Step()
			source := (p + 1) % int32(len(program))
			m := &Send{Member: source, Count: 1, Type: integers, Begun: log.Now(source)}
			r := &Receive{Source: source, Count: 1, Type: integers, Call: call(place{int(p), -2}), Begun: log.Now(p)}
			if i == 0 {
				r.Source = match.Any
			}
			d.Posted(comm, p, r)
			if !d.Wanted(comm, p) {
				panic("it rests too early")
			}
			log.Step()
			log.Learn(p, m.Begun)
			d.Completed(r, m)
		}
		if d.Wanted(comm, p) {
			panic("it does not rest")
		}
	}
	complete := func(r place) {
		s := sends[e.got[r]]
		log.Learn(int32(r.proc), s.Begun)
		d.Completed(receives[r], s)
	}
	for _, s := range e.steps {
		o, p := program[s.proc][s.op], int32(s.proc)
		log.Step()
		switch {
		case s.kind == arrives:
		case s.kind == begins && (o.kind == opSend || o.kind == opSsend):
			m := &Send{Member: p, Tag: o.tag, Count: o.count, Type: integers, Call: call(s.place), Begun: log.Now(p)}
			sends[s.place], where[m] = m, s.place
			d.Names(comm, p, o.peer)
		case s.kind == begins && (o.kind == opRecv || o.kind == opIrecv):
			r := &Receive{
				Source: o.peer, Tag: o.tag, Count: o.count, Type: integers, Call: call(s.place), Begun: log.Now(p),
			}
			if s, ok := e.got[s.place]; ok {
				r.Coming = func() (happensbefore.Moment, bool) {
					m := sends[s]
					if m == nil {
						return happensbefore.Moment{}, false
					}
					return m.Begun, true
				}
			}
			where[r], posted[s.place] = s.place, r.Begun
			if o.peer == match.Any || d.Wanted(comm, p) {
				receives[s.place] = r
				d.Posted(comm, p, r)
			}
		case s.kind == begins:
		case o.kind == opSsend:
			for r, m := range e.got {
				if m == s.place {
					log.Learn(p, posted[r])
					log.Step()
					sends[m].Done = log.Now(p)
				}
			}
		case o.kind == opRecv:
			if receives[s.place] != nil {
				complete(s.place)
			} else {
				log.Learn(p, sends[e.got[s.place]].Begun)
			}
		case o.kind == opWait:
			for i, x := range program[s.proc][:s.op] {
				if r := (place{s.proc, i}); x.kind == opIrecv && receives[r] != nil && receives[r].Got == nil {
					complete(r)
				} else if x.kind == opIrecv && receives[r] == nil {
					log.Learn(p, sends[e.got[r]].Begun)
				}
			}
		}
	}
	d.Finish(func(*match.Comm, int32) bool { return len(e.stuck) == 0 })
	return races
}

// programs draws small programs in which many receives are from any source.
func programs() *rapid.Generator[[][]op] {
	return rapid.Custom(func(t *rapid.T) [][]op {
		n := rapid.IntRange(2, 4).Draw(t, "processes")
		program := make([][]op, n)
		tag := rapid.SampledFrom([]int32{0, 0, 0, 1})
		count := rapid.SampledFrom([]int64{1, 1, 1, 2})
		for range rapid.IntRange(2, 6).Draw(t, "messages") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"),
				rapid.SampledFrom([]int{0, 0, 0, 1, n - 1}).Draw(t, "to")
			if from == to {
				continue
			}
			m := op{
				rapid.SampledFrom([]opKind{opSend, opSend, opSsend}).Draw(t, "send"), int32(to),
				tag.Draw(t, "tag"), count.Draw(t, "count"),
			}
			r := op{
				rapid.SampledFrom([]opKind{opRecv, opRecv, opIrecv}).Draw(t, "receive"), int32(from),
				m.tag, max(m.count, count.Draw(t, "room")),
			}
			if rapid.Bool().Draw(t, "from anybody") {
				r.peer = match.Any
			}
			if rapid.IntRange(0, 3).Draw(t, "any tag") == 0 {
				r.tag = match.Any
			}
			program[from] = append(program[from], m)
			program[to] = append(program[to], r)
			if rapid.IntRange(0, 2).Draw(t, "wait") == 0 {
				program[to] = append(program[to], op{kind: opWait})
			}
		}
		for p := range program {
			program[p] = append(program[p], op{kind: opWait})
		}
		return program
	})
}

// TestAgainstAllExecutions compares the result of the detector for one execution with all possible executions. A
// receive that may get another message gets it in one of them. The reported failure happens in one of those. If
// receives get different messages in different executions, a race is found in each.
func TestAgainstAllExecutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := programs().Draw(t, "program")
		all, ok := executions(program)
		good := slices.DeleteFunc(slices.Clone(all), func(e *execution) bool { return len(e.stuck)+len(e.wrong) > 0 })
		if !ok || len(good) == 0 {
			return
		}
		e := rapid.SampledFrom(good).Draw(t, "execution")
		races := detect(program, e, 0, rapid.Bool().Draw(t, "rested"))
		for _, r := range races {
			if !slices.ContainsFunc(all, r.shown) {
				t.Fatalf("%s\nis told of\n%s\nand happens in no execution", &r, e.text(program))
			}
		}
		if len(races) == 0 &&
			slices.ContainsFunc(good, func(x *execution) bool { return fmt.Sprint(x.got) != fmt.Sprint(e.got) }) {
			t.Fatalf("no race is found in\n%s\nthough messages are received otherwise in other executions",
				e.text(program))
		}
	})
}

// shown reports whether an execution shows the race.
func (f *found) shown(e *execution) bool {
	if got := e.got[f.receive]; got != f.other && (f.Outcome != Harmless || got.proc != f.other.proc) {
		return false
	}
	switch f.Outcome {
	case Misfit:
		return len(e.stuck) > 0 || e.got[f.victim] == f.message && slices.Contains(e.wrong, f.victim)
	case Stuck: // the victim is stuck, or its process is stuck before it
		return len(e.stuck) > 0
	}
	return true
}

func (f *found) String() string {
	return fmt.Sprintf("receive %v may get %v, outcome %d at %v with %v, proven %v",
		f.receive, f.other, f.Outcome, f.victim, f.message, f.Proven)
}

func (e *execution) text(program [][]op) string {
	s := ""
	for p, ops := range program {
		for i, o := range ops {
			s += fmt.Sprintf("process %d operation %d: %s", p, i, o)
			if m, ok := e.got[place{p, i}]; ok {
				s += fmt.Sprintf(" got %v", m)
			}
			s += "\n"
		}
	}
	return s
}
