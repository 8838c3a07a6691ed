package strictreplay

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// Probe implements track.Replay. A probe sees the message that the next receive with that source and tag gets. So the
// thread waits for the message of that receive.
func (e *Engine) Probe(th *track.Thread, v *track.View, source, tag int32, any, polled bool, call []byte) {
	if e.broken {
		return
	}
	t := e.thread(th.ID)
	if t.resting {
		return
	}
	if unknown(v.Comm) {
		e.add(t, item{kind: doubt, at: th.Calls})
		return
	}
	it := item{kind: peek, polled: any || polled, at: th.Calls, ext: e.newExt()}
	it.comm, it.ext.source, it.ext.tag = e.comm(v.Comm), source, tag
	it.ext.call.Thread = th.ID
	it.ext.call.Keep(call)
	t.peeks++
	e.add(t, it)
}

// seen gives r to the probes of a thread that saw the message s. r is the receive that gets s.
func (e *Engine) seen(t *thread, s, r *match.Op) {
	for i := range int(t.n) {
		it := t.at(i)
		if it.kind != peek || it.ext.seen != nil || it.comm.Comm != r.Comm || it.ext.source != s.Me ||
			it.ext.tag != s.Tag || it.at > r.At {
			continue
		}
		it.ext.seen = r
		r.Retain()
		t.peeks--
	}
	e.wake(t)
}

// peeked reports whether the message that a probe saw has been sent.
func (e *Engine) peeked(t *thread, it *item) bool {
	x := it.ext
	if unknown(it.comm.Comm) {
		return true
	}
	if x.seen == nil || !complete(x.seen) {
		return false
	}
	for _, l := range e.listeners {
		if send := x.seen.Replay.Partner; l.Probed != nil && send != nil {
			l.Probed(x.seen, send, t.Thread)
		}
	}
	return true
}
