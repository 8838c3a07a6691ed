package strictreplay

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// standard reports whether a thread waits in a send that the standard allows to be buffered.
func (t *thread) standard() bool {
	it := t.head()
	return (it.kind == block || it.kind == finish) && it.op.Send && it.op.Mode == match.Standard
}

// publishKnot publishes a knot.
func (e *Engine) publishKnot(cycle []*thread) {
	if !e.Knots.Wanted() {
		return
	}
	k := &e.knot
	k.Waits = k.Waits[:0]
	for _, t := range cycle {
		k.Waits = append(k.Waits, t.wait())
		if t.standard() {
			e.buffered(t.head().op)
		}
	}
	k.Largest = e.largest
	e.Knots.Publish(k)
}

// wait describes the call that the thread is in.
func (t *thread) wait() Wait {
	it, x := t.head(), t.head().ext
	w := Wait{Thread: t.Thread, Buffered: t.standard()}
	switch it.kind {
	case join:
		w.Comm, w.Call = it.comm.Comm, it.comm.slot(it.pos).sample
		w.Place = match.Call{Thread: t.ID, Raw: header(it.fn, it.site)}
		return w
	case leave:
		w.Comm, w.Call, w.Nonblocking = it.comm.Comm, x.call, true
	case peek:
		w.Op, w.Call, w.Probe = x.seen, x.call, true
	default:
		w.Op, w.Call = it.op, it.op.Call
		if x != nil {
			w.Call, w.Begun = x.call, it.kind == finish
		}
	}
	w.Place = w.Call
	return w
}

// buffered notes that a send was complete before its receive had begun.
func (e *Engine) buffered(send *match.Op) {
	if n, ok := send.Use().Bytes(); ok {
		e.largest = max(e.largest, n)
	}
}

// header returns the record of a call of which only the function and the call site are known.
func header(fn mpiapi.FuncID, site uint32) []byte {
	rec := make([]byte, layout.SizeofRecord)
	binary.LittleEndian.PutUint16(rec[layout.RecordKindAt:], uint16(fn))
	binary.LittleEndian.PutUint32(rec[layout.RecordSiteAt:], site)
	return rec
}

// letPassCycle lets calls of a circle pass that the standard allows to pass: sends that may be buffered; if there are
// none, collectives that may be left early. If there are neither, the records and the replay contradict each other, and
// the first call passes all the same.
func (e *Engine) letPassCycle(cycle []*thread) {
	done := false
	for _, legal := range []func(*thread) bool{(*thread).standard, (*thread).early} {
		for _, t := range cycle {
			if legal(t) {
				e.let(t)
				done = true
			}
		}
		if done {
			return
		}
	}
	e.doubt(cycle[0].process)
	e.let(cycle[0])
}

// force lets the head of a full queue pass.
func (e *Engine) force(t *thread) {
	if t.joins() {
		n := t.length()
		if e.clearJoin(t); t.length() < n {
			return
		}
	}
	if !t.standard() && !t.early() {
		e.doubt(t.process)
	}
	e.let(t)
	e.drain()
}

// let lets the head of a thread's queue pass.
func (e *Engine) let(t *thread) {
	it := t.head()
	if t.standard() {
		e.buffered(it.op)
	}
	switch it.kind {
	case block:
		e.endOperation(it.op, nil, 0)
	case finish:
		e.endOperation(it.op, nil, 0)
		e.matcher.Forget(it.op)
	case peek:
		if it.ext.seen == nil {
			t.peeks--
		}
	}
	e.release(it)
	if t.joins() {
		t.lazy = false
		it.comm.quit(it)
	}
	if it.more > 0 {
		it.begun, it.listed = false, false
		t.passed(it, 1)
	} else {
		e.pop(t)
	}
	e.wake(t)
}

// early reports whether a thread waits in a collective that the standard allows it to leave already. A member may leave
// when the members that have data for it have entered.
func (t *thread) early() bool {
	it := t.head()
	if it.kind != join || it.pos < it.comm.base {
		return false
	}
	s := it.comm.slot(it.pos)
	root, f := s.root, mpiapi.ByID(it.fn)
	switch {
	case it.comm.Split != 0 || root < 0 || s.mixed || f.Class == mpiapi.CollectiveInit:
		return false
	case f.Flow == mpiapi.OneToAll:
		return it.me == root || it.comm.pos[root] > it.pos
	case f.Flow == mpiapi.AllToOne:
		return it.me != root
	}
	return false
}
