package strictreplay

import "github.com/mpivet/mpivet/internal/match"

// A replay of everything would cost as much again as all other analysis, and what a program does a million times it
// does wrong, if at all, among the first. So a thread whose operations have been replayed for long rests: what it does
// from then on counts as done as soon as it is read, and its process as doubted. It takes part again from a collective
// on that synchronises the whole of MPI_COMM_WORLD, which ends the doubt. Where the order of messages is a matter of
// luck, nobody rests: races may be anywhere.
type stamina struct {
	full   int // operations of a thread that are replayed before it rests for the first time
	sample int // and before it rests again
	nap    int // calls that it rests for, at least, for each operation of a sample
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

// rouse ends all rest, for the rest of the run.
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

// rested lets a thread take part again that enters a collective of the whole world, if it has rested for long enough.
func (e *Engine) rested(t *thread) {
	if t.resting && t.Calls-t.since >= uint64(e.nap*e.sample) {
		t.resting, t.process.resting, t.left = false, false, int32(e.sample)
	}
}

// skip counts what a resting thread does as done. partner is the other side of its message, nil if it is not known.
func (e *Engine) skip(op, partner *match.Op) {
	op.Replay.Begun, op.Replay.Ready, op.Replay.Over = true, true, true
	if partner == nil {
		return
	}
	if !partner.Replay.Over {
		// What it waits for is done by somebody who may not have come so far in the replay.
		e.doubt(e.processOf(partner.Call.Thread))
		e.ready(partner)
		e.drain()
	}
	if op.Replay.Partner != nil {
		op.Replay.Partner = nil
		e.matcher.Forget(partner)
	}
}
