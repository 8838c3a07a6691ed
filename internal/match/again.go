package match

import (
	"bytes"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// A program may send the same message many times before the analyzer reads the records of its receiver. These
// operations are counted: one Op in the list stands for all of them. Op.repeats is the number of the others.

// countRepeat lets op, the last of its list, also stand for other, if the same thread has posted both in the same way.
// It reports whether it does. Both must be blocking operations whose call has returned, and op must not be retained.
func (op *Op) countRepeat(other *Op) bool {
	if op.Call.Thread != other.Call.Thread || op.held || op.Replay.retained != 0 || op.Tentative ||
		op.Exchange != nil || op.Type != other.Type ||
		len(op.Call.Raw) != layout.Line || !bytes.Equal(op.Call.Raw, other.Call.Raw) {
		return false
	}
	stride := other.At - op.At - uint64(op.repeats)*uint64(op.stride)
	if op.repeats == 0 {
		if stride > 1<<30 {
			return false
		}
		op.stride = uint32(stride)
	} else if stride != uint64(op.stride) || op.repeats == 1<<30 {
		return false
	}
	op.repeats++
	return true
}

// splitFirst takes the first operation from those that op stands for, and returns it as a separate Op.
func (m *Matcher) splitFirst(op *Op) *Op {
	n := m.Own(op)
	n.Matched, n.queued, n.seq = false, true, op.seq
	n.Replay.Begun, n.Replay.Ready, n.Replay.Over = op.Replay.Begun, op.Replay.Ready, op.Replay.Over
	op.advance()
	return n
}

// advance drops the first of the operations that op stands for.
func (op *Op) advance() {
	op.repeats--
	op.seq++
	op.At += uint64(op.stride)
}

// rests reports whether Replayer.Quick need not be called for op.
func (m *Matcher) rests(op *Op) bool { return m.Replayer == nil || m.Replayer.Rests(op) }

// takeFirst removes op from l and returns it. If op stands for several operations, it removes only the first of them.
// prev is the operation before op in l, nil if op is the first.
func (m *Matcher) takeFirst(l *list, prev, op *Op) *Op {
	if op.repeats > 0 {
		return m.splitFirst(op)
	}
	l.remove(prev, op)
	return op
}
