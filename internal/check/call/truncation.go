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

// truncations finds calls that fail because a message is too long. Another check reports the message itself, as
// truncated or as one of another datatype. Failures and messages are counted by process, as MPI need not say which
// request of a call has failed. The sender's record of the message may come after the receiver's record of the failure,
// so failures are held back for a moment.
type truncations struct {
	x        *check.Run
	messages map[*track.Process]*heldMessages
	held     []*heldFailure
}

// heldMessages counts the messages that one process received recently, too long or mismatched, without a failure so
// far.
type heldMessages struct {
	n, ticks int
}

// heldFailure is a finding that is not needed if the messages are found.
type heldFailure struct {
	p       *track.Process
	finding *finding.Finding
	left    int // messages that it may be about, and that were not found yet
	found   bool
	ticks   int
}

// patience is how many ticks a failure waits for the sender's record, and a message for the failure. The sender's
// record was written before, and the failure comes when the receive completes.
const patience = 5

func newTruncations(x *check.Run) *truncations {
	return &truncations{x: x, messages: make(map[*track.Process]*heldMessages)}
}

// message notes a message that another check reports, and that MPI may call too long. MPICH even says so if the message
// fits but ends inside an element.
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

// failed reports whether to withhold the finding about a failed call, for now or for good.
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

// truncated returns how many messages may have been too long for a failed call, 0 if it failed for another reason.
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

// truncatedIn counts the statuses with errors. It returns 0 if one has an error of another kind. The class of an error
// code in a status is not always known: such a code counts as a truncation.
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

// tick reports the failures that have waited long enough.
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

// finish reports the remaining failures.
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
