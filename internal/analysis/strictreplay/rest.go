package strictreplay

import "github.com/mpivet/mpivet/internal/match"

// stamina limits how much is replayed. A replay of all operations would double the cost of the analysis. An error in an
// operation that a program performs a million times usually shows among the first. So a thread rests after many of its
// operations have been replayed: from then on, its operations count as complete as soon as they are read, and its
// process is doubted. The thread takes part again after a collective that synchronises the whole of MPI_COMM_WORLD,
// which ends the doubt. If the order of messages may vary, no thread rests, because races may be anywhere.
type stamina struct {
	full   int // operations of a thread that are replayed before its first rest
	sample int // operations of a thread that are replayed before each later rest
	nap    int // minimum number of calls that a thread rests for, per operation of a sample
}

var usual = stamina{full: 100_000, sample: 10_000, nap: 20}

// tires notes that a thread begins an operation, and reports whether the thread rests.
func (e *Engine) tires(t *thread, op *match.Op) bool {
	if op.AnySource || op.Mode == match.Ready {
		e.rouse()
		return false
	}
	if t.resting {
		return true
	}
	if t.left--; t.left > 0 || e.lucky || t.peeks > 0 {
		return false
	}
	t.resting, t.since = true, t.Calls
	t.process.resting = true
	e.doubt(t.process)
	return true
}

// rouse ends all rests, for the remainder of the run.
func (e *Engine) rouse() {
	if e.lucky {
		return
	}
	e.lucky = true
	for _, t := range e.threads {
		if t != nil && t.resting {
			t.resting, t.process.resting = false, false
		}
	}
}

// rested lets a thread take part again if it has rested for long enough. The thread enters a collective of the whole
// world.
func (e *Engine) rested(t *thread) {
	if t.resting && t.Calls-t.since >= uint64(e.nap*e.sample) {
		t.resting, t.process.resting, t.left = false, false, int32(e.sample)
	}
}

// skip marks an operation of a resting thread as complete. partner is the other side of its message, nil if it is not
// known.
func (e *Engine) skip(op, partner *match.Op) {
	op.Replay.Begun, op.Replay.Ready, op.Replay.Over = true, true, true
	if partner == nil {
		return
	}
	if !partner.Replay.Over {
		// The partner waits for a thread that may not have come to this point in the replay.
		e.doubt(e.processOf(partner.Call.Thread))
		e.ready(partner)
		e.drain()
	}
	if op.Replay.Partner != nil {
		op.Replay.Partner = nil
		e.matcher.Forget(partner)
	}
}
