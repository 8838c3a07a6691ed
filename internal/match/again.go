package match

import (
	"bytes"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// A program that sends the same message again and again may be far ahead of its receiver in what has been read, or behind.
// What it posts then is counted, rather than kept each by itself: an Op stands for as many more like it as its repeats say,
// in its place in the list.

// again has op, the last of its list, stand for another one, which the same thread has posted in the same way, and reports
// whether that is so. It concerns only blocking operations that are over, and that nobody keeps.
func (op *Op) again(other *Op) bool {
	if op.Call.Thread != other.Call.Thread || op.held || op.Replay.retained != 0 || op.Tentative || op.Exchange != nil || op.Type != other.Type ||
		len(op.Call.Raw) != ring.Line || !bytes.Equal(op.Call.Raw, other.Call.Raw) {
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

// first takes the first operation out of those that op stands for, which are several, and returns it as an Op of its own.
func (m *Matcher) first(op *Op) *Op {
	n := m.Own(op)
	n.Matched, n.queued, n.seq = false, true, op.seq
	n.Replay.Begun, n.Replay.Ready, n.Replay.Over = op.Replay.Begun, op.Replay.Ready, op.Replay.Over
	op.advance()
	return n
}

// advance has op stand for one operation less, the first.
func (op *Op) advance() {
	op.repeats--
	op.seq++
	op.At += uint64(op.stride)
}

// rests reports whether nobody wants to be told of op by Quick.
func (m *Matcher) rests(op *Op) bool { return m.Replayer == nil || m.Replayer.Rests(op) }

// take takes op out of l, where it comes behind prev (nil: at the head), or the first of the operations that it stands for.
func (m *Matcher) take(l *list, prev, op *Op) *Op {
	if op.repeats > 0 {
		return m.first(op)
	}
	l.remove(prev, op)
	return op
}
