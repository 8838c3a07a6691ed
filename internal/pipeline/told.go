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
	open  func(ring.ProcID) (*ring.Told, error)
	procs map[ring.ProcID]*toldProcess
	notes []toldFinding
}

// toldProcess is what was told to a process.
type toldProcess struct {
	file  *ring.Told // nil if it is not available
	calls uint64     // of all its threads, at the last tick
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

// mostTold limits the findings that are told, and the unexpected messages per process.
const mostTold = 256

func newTold(open func(ring.ProcID) (*ring.Told, error)) *told {
	return &told{open: open, procs: make(map[ring.ProcID]*toldProcess)}
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
	for i, p := range procs {
		q := t.process(p)
		if q == nil {
			continue
		}
		if q.calls == calls[i] && q.since != now {
			q.since = now
			t.write(q, p)
		}
		q.calls = calls[i]
	}
}

// now writes to a process at once.
func (t *told) now(p *track.Process) {
	if q := t.process(p); q != nil {
		t.write(q, p)
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

func (t *told) write(q *toldProcess, p *track.Process) {
	if q.file != nil && q.file.Tell(t.unexpected(p), t.text(p)) != nil {
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

// text returns the first findings that concern a process, as many as there is room for.
func (t *told) text(p *track.Process) string {
	const begin, end = `{"findings":[`, `]}`
	var list []string
	length := len(begin) + len(end)
	for _, f := range t.notes {
		if !slices.Contains(f.ranks, p.Rank) {
			continue
		}
		b, err := json.Marshal(f)
		if length += len(b) + 1; err != nil || length > ring.ToldText {
			break
		}
		list = append(list, string(b))
	}
	return begin + strings.Join(list, ",") + end
}

// end releases the resources of a process that has ended.
func (t *told) end(id ring.ProcID) {
	if q := t.procs[id]; q != nil && q.file != nil {
		q.file.Close()
	}
	delete(t.procs, id)
}
