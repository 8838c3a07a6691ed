package pipeline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// told tells the processes what only the analysis knows, for their debuggers: messages for which no receive is posted,
// and findings. It writes only while a process does not move, so that it costs a busy run nothing.
type told struct {
	open  func(ring.ProcID) (ring.Teller, error)
	waits func() func(*track.Thread) string // says what a thread waits for, "" if that is not known
	procs map[ring.ProcID]*toldProcess
	notes []toldFinding
}

// toldProcess is what was told to a process.
type toldProcess struct {
	file  ring.Teller // nil if it is not available
	calls uint64      // of all its threads, at the last tick
	// since is the state of the run at the time of the last writing. If it is still the same, there is nothing new.
	since state
}

// state changes with everything that is told.
type state struct {
	calls    uint64 // of all processes
	findings int
}

// toldFinding is a finding as debuggers read it.
type toldFinding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	ranks    []int
}

// toldWait is what a thread waits for, as debuggers read it.
type toldWait struct {
	Thread int    `json:"thread"` // its Index
	Call   uint64 `json:"call"`   // number of the call, from 1
	For    string `json:"for"`
}

// mostTold limits the findings that are told, and the unexpected messages per process.
const mostTold = 256

func newTold(open func(ring.ProcID) (ring.Teller, error), waits func() func(*track.Thread) string) *told {
	return &told{open: open, waits: waits, procs: make(map[ring.ProcID]*toldProcess)}
}

// note remembers a finding that was reported.
func (t *told) note(f *finding.Finding) {
	if len(t.notes) < mostTold {
		t.notes = append(t.notes, toldFinding{f.Check, f.Severity.String(), f.Message, f.Ranks})
	}
}

// tick writes to the processes that have not moved since the last tick, if there is something new.
func (t *told) tick(procs []*track.Process) {
	now := state{findings: len(t.notes)}
	calls := make([]uint64, len(procs))
	for i, p := range procs {
		for _, th := range p.Threads {
			calls[i] += th.Calls
		}
		now.calls += calls[i]
	}
	waits := t.waits()
	for i, p := range procs {
		q := t.process(p)
		if q == nil {
			continue
		}
		if q.calls == calls[i] && q.since != now {
			q.since = now
			t.write(q, p, waits)
		}
		q.calls = calls[i]
	}
}

// now writes to a process at once.
func (t *told) now(p *track.Process) {
	if q := t.process(p); q != nil {
		t.write(q, p, t.waits())
	}
}

// process returns what was told to a process, nil if it cannot be told anything.
func (t *told) process(p *track.Process) *toldProcess {
	if p.Ended != nil || p.Lost || !p.Initialized {
		return nil
	}
	q := t.procs[p.ID]
	if q == nil {
		// If the file is not available, debuggers see the other tables.
		file, _ := t.open(p.ID)
		q = &toldProcess{file: file}
		t.procs[p.ID] = q
	}
	return q
}

func (t *told) write(q *toldProcess, p *track.Process, waits func(*track.Thread) string) {
	if q.file != nil && q.file.Tell(t.unexpected(p), t.text(p, waits)) != nil {
		q.file.Close()
		q.file = nil
	}
}

// unexpected returns the messages that were sent to a process and that no receive waits for.
func (t *told) unexpected(p *track.Process) (list []ring.Unexpected) {
	p.Communicators(func(v *track.View) {
		v.Unpaired(v.Me, match.Any, func(op *match.Op) {
			if !op.Send || len(list) == mostTold {
				return
			}
			m := ring.Unexpected{
				Comm: v.Handle, Source: op.Me - v.Base, Tag: op.Tag, World: -1, Bytes: -1,
				Function: uint32(op.Call.Func()),
			}
			if !v.Opaque {
				m.World = v.Members[op.Me]
			}
			if size, ok := op.Use().Bytes(); ok {
				m.Bytes = size
			}
			list = append(list, m)
		})
	})
	return list
}

// text returns what the threads of a process wait for, and the first findings that concern it, as many as there is room
// for.
func (t *told) text(p *track.Process, waits func(*track.Thread) string) string {
	words := words{room: ring.ToldText - len(`{"waits":[],"findings":[]}`)}
	var waiting, findings []string
	for _, th := range p.Threads {
		if what := waits(th); what != "" {
			waiting = words.add(waiting, toldWait{th.Index, th.Calls, what})
		}
	}
	for _, f := range t.notes {
		if slices.Contains(f.ranks, p.Rank) {
			findings = words.add(findings, f)
		}
	}
	return `{"waits":[` + strings.Join(waiting, ",") + `],"findings":[` + strings.Join(findings, ",") + `]}`
}

// words collects values as JSON, as long as there is room.
type words struct{ room int }

func (w *words) add(list []string, value any) []string {
	b, err := json.Marshal(value)
	if w.room -= len(b) + 1; err != nil || w.room < 0 {
		w.room = min(w.room, 0)
		return list
	}
	return append(list, string(b))
}

// end releases the resources of a process that has ended.
func (t *told) end(id ring.ProcID) {
	if q := t.procs[id]; q != nil && q.file != nil {
		q.file.Close()
	}
	delete(t.procs, id)
}
