package call

import (
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// truncations tells whether a call that fails for a message that was too long says nothing new: the message itself is
// reported, as truncated or as one of another datatype. The two are put together by process, as many failures as there
// were such messages: which of the requests of a call failed MPI need not tell. The sender's record of the message may
// come after the receiver's of the failure, so failures are kept back for a moment.
type truncations struct {
	x        *check.Run
	messages map[*track.Process]*heldMessages
	held     []*heldFailure
}

// heldMessages are messages that one process received lately, too long or mismatched, of which no failure was seen yet.
type heldMessages struct {
	n, ticks int
}

// heldFailure is a finding that is not needed if the messages turn up.
type heldFailure struct {
	p       *track.Process
	finding *finding.Finding
	left    int // messages that it may be about and that have not turned up
	found   bool
	ticks   int
}

// patience is how many ticks a failure waits for the sender's record, which was written before it, and a message for
// the failure, which comes when its receive completes.
const patience = 5

func newTruncations(x *check.Run) *truncations {
	return &truncations{x: x, messages: make(map[*track.Process]*heldMessages)}
}

// message takes note of messages that are reported, and of which MPI may say that they are too long. MPICH says so
// even of those that would fit but end inside of an element.
func (t *truncations) message(e match.Misfit) {
	r := e.Recv
	if v := e.Comparison.Verdict; v != datatype.TooLong && v != datatype.Mismatch {
		return
	}
	p := t.x.Tracker.ThreadByID(r.Call.Thread).Process
	for _, h := range t.held {
		if h.p == p && h.left > 0 {
			h.left--
			h.found = true
			return
		}
	}
	m := t.messages[p]
	if m == nil {
		m = new(heldMessages)
		t.messages[p] = m
	}
	m.n++
	m.ticks = 0
}

// failed reports whether the finding about a failed call is not to be reported, or not yet.
func (t *truncations) failed(p *track.Process, c match.Call, failure *track.Failure, f *finding.Finding) bool {
	n := t.truncated(p, c, failure)
	if n == 0 {
		return false
	}
	told := 0
	if m := t.messages[p]; m != nil {
		told = min(n, m.n)
		m.n -= told
	}
	if told < n {
		t.held = append(t.held, &heldFailure{p: p, finding: f, left: n - told, found: told > 0})
	}
	return true
}

// truncated returns how many messages may have been too long for a call that failed, 0 if it failed for something else.
func (t *truncations) truncated(p *track.Process, c match.Call, f *track.Failure) int {
	if f == nil {
		return 0
	}
	switch t.x.Func(c).Class {
	case mpiapi.Recv, mpiapi.SendRecv, mpiapi.Mrecv, mpiapi.Wait, mpiapi.Test:
	default:
		return 0
	}
	switch p.ErrorClass(f.Class) {
	case "MPI_ERR_TRUNCATE":
		return 1
	case "MPI_ERR_IN_STATUS":
		return truncatedIn(p, c)
	}
	return 0
}

// truncatedIn counts the statuses with errors; if one is of another kind, 0. Statuses have codes, whose class is not
// always known: what may be a truncation is taken for one.
func truncatedIn(p *track.Process, c match.Call) (n int) {
	call, err := event.ParseCall(c.Raw)
	if err != nil {
		return 1
	}
	list, _ := call.Statuses(call.Func.Arg(mpiapi.TheStatus))
	for i := range list.Len() {
		code := list.At(i).Error
		switch p.ErrorClass(code) {
		case "MPI_ERR_PENDING":
		case "MPI_ERR_TRUNCATE", "":
			if code != 0 {
				n++
			}
		default:
			return 0
		}
	}
	return max(n, 1)
}

// tick reports what has waited long enough.
func (t *truncations) tick() {
	for p, m := range t.messages {
		if m.ticks++; m.ticks > patience {
			delete(t.messages, p)
		}
	}
	kept := t.held[:0]
	for _, h := range t.held {
		if h.ticks++; h.ticks <= patience && h.left > 0 {
			kept = append(kept, h)
		} else {
			t.resolveHeld(h)
		}
	}
	t.held = kept
}

// finish reports what is left.
func (t *truncations) finish() {
	for _, h := range t.held {
		t.resolveHeld(h)
	}
	t.held = nil
}

func (t *truncations) resolveHeld(h *heldFailure) {
	if !h.found {
		t.x.Report(h.finding)
	}
}
