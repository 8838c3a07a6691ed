package strictreplay

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// wake makes the engine examine the head of a thread again.
func (e *Engine) wake(t *thread) {
	if !t.queued {
		t.queued = true
		e.work = append(e.work, t)
	}
}

// drain lets all items pass that may pass.
func (e *Engine) drain() {
	for len(e.work) > 0 {
		t := e.work[len(e.work)-1]
		e.work = e.work[:len(e.work)-1]
		t.queued = false
		e.run(t)
	}
}

// run lets the items of a thread's queue pass as long as they may.
func (e *Engine) run(t *thread) {
	for t.n > 0 && e.pass(t, t.head()) {
		e.release(t.head())
		e.pop(t)
	}
}

// pass performs the item if it may pass. It reports whether the item has passed.
func (e *Engine) pass(t *thread, it *item) bool {
	switch it.kind {
	case block:
		if !it.begun {
			it.begun = true
			e.begin(it.op)
		}
		if !complete(it.op) || t.hindered(it) {
			return false
		}
		e.endOperation(it.op, t, it.at)
	case begin:
		e.begin(it.op)
	case finish:
		if !complete(it.op) || t.hindered(it) {
			return false
		}
		e.endOperation(it.op, t, it.at)
		e.matcher.Forget(it.op)
	case drop:
		e.endOperation(it.op, nil, 0)
		e.matcher.Forget(it.op)
	case enter, join:
		if !it.begun {
			it.begun = true
			e.enter(t, it)
		}
		return it.kind == enter || t.joined(it)
	case leave:
		return e.mayLeave(t, it)
	case peek:
		return e.peeked(t, it)
	case doubt:
		e.doubt(t.process)
		t.process.always = t.process.always || it.polled
	}
	return true
}

// complete reports whether an operation that has begun may complete. This is the case for a receive whose message has
// been sent, for a synchronous or standard send whose receive has begun, and for any other send.
func complete(op *match.Op) bool {
	r := &op.Replay
	return r.Ready || r.Over || op.Removed || op.Send && (op.Mode == match.Buffered || op.Mode == match.Ready)
}

// begin begins an operation. Its partner may wait for this.
func (e *Engine) begin(op *match.Op) {
	r := &op.Replay
	r.Begun = true
	for _, f := range e.began {
		f(op)
	}
	if p := r.Partner; p != nil {
		e.ready(p)
	}
	if waitsOpenly(op) && !r.Ready {
		pr := e.processOf(op.Call.Thread)
		pr.open = append(pr.open, op)
	}
}

// ready notes that the partner of an operation has begun.
func (e *Engine) ready(op *match.Op) {
	r := &op.Replay
	r.Ready = true
	t := e.threads[op.Call.Thread]
	if waitsOpenly(op) && r.Begun {
		e.closed(t.process, op)
	}
	if t.n > 0 {
		e.wake(t)
	}
}

// waitsOpenly reports whether an operation is a receive that may get another message than in the run, or no message.
func waitsOpenly(op *match.Op) bool { return op.AnySource || op.Cancelling && !op.Send }

// closed removes a receive from the open receives of a process: receives from any source, or to be cancelled, whose
// message has not been sent.
func (e *Engine) closed(p *process, op *match.Op) {
	if i := slices.Index(p.open, op); i >= 0 {
		p.open = slices.Delete(p.open, i, i+1)
	}
}

// endOperation ends an operation in the replay. The call with number at of thread t completes it. If t is nil, no call
// completes it.
func (e *Engine) endOperation(op *match.Op, t *thread, at uint64) {
	r := &op.Replay
	if r.Over {
		return
	}
	r.Over = true
	if waitsOpenly(op) && !r.Ready {
		e.closed(e.processOf(op.Call.Thread), op)
	}
	p := r.Partner
	if p != nil && t != nil && r.Ready {
		e.noteCompletion(op, p, t, at)
	} else {
		for _, l := range e.listeners {
			if l.Dropped != nil {
				l.Dropped(op)
			}
		}
	}
	if p != nil {
		r.Partner = nil
		e.matcher.Forget(p)
	}
	e.matcher.Forget(op)
}

// noteCompletion notes that op completed with its partner.
func (e *Engine) noteCompletion(op, partner *match.Op, t *thread, at uint64) {
	if len(e.doubted) > 0 {
		e.infect(t.process, e.processOf(partner.Call.Thread))
	}
	e.completed(op, partner, t, at)
}

// completed calls the listeners: op completed with its partner.
func (e *Engine) completed(op, partner *match.Op, t *thread, at uint64) {
	switch {
	case !op.Send:
		for _, l := range e.listeners {
			if l.Received != nil {
				l.Received(op, partner, t.Thread, at)
			}
		}
	case op.Mode == match.Synchronous:
		for _, l := range e.listeners {
			if l.Synchronized != nil {
				l.Synchronized(op, partner, t.Thread, at)
			}
		}
	}
}

// hindered reports whether a receive whose message is available may not get it: an earlier receive from any source
// could take the message, and still waits for the message that it got in the run.
func (t *thread) hindered(it *item) bool {
	return len(t.process.open) > 0 && !it.op.Send && !it.waived && t.process.inTheWay(it.op) != nil
}

// inTheWay returns the receive that was posted before op and could take its message: a receive from any source, or to
// be cancelled. It is nil if there is none.
func (p *process) inTheWay(op *match.Op) *match.Op {
	i := slices.IndexFunc(p.open, func(w *match.Op) bool {
		return w != op && !w.Removed && w.Comm == op.Comm && w.At <= op.At &&
			(w.AnySource || op.AnySource || w.Peer == op.Peer) && (w.AnyTag || op.AnyTag || w.Tag == op.Tag)
	})
	if i < 0 {
		return nil
	}
	return p.open[i]
}

// Link implements match.Replayer.
func (e *Engine) Link(s, r *match.Op) {
	if e.broken || s.Replay.Partner != nil || r.Replay.Partner != nil {
		return
	}
	if !s.Replay.Over {
		s.Replay.Partner = r
		r.Retain()
	}
	if !r.Replay.Over {
		r.Replay.Partner = s
		s.Retain()
	}
	if s.Replay.Begun {
		e.ready(r)
	}
	if r.Replay.Begun {
		e.ready(s)
	}
	if t := e.threads[r.Call.Thread]; t.peeks > 0 {
		e.seen(t, s, r)
	}
	e.drain()
}

// Unlink implements match.Replayer.
func (e *Engine) Unlink(s, r *match.Op) {
	for _, op := range []*match.Op{s, r} {
		e.doubt(e.processOf(op.Call.Thread))
		if p := op.Replay.Partner; p != nil {
			op.Replay.Partner = nil
			e.matcher.Forget(p)
		}
		op.Replay.Ready = false
	}
}

// Rests implements match.Replayer.
func (e *Engine) Rests(op *match.Op) bool {
	return e.broken || e.threads[op.Call.Thread].resting && !e.lucky
}

// Quick implements match.Replayer.
func (e *Engine) Quick(op, partner *match.Op) {
	if e.broken {
		return
	}
	t := e.thread(op.Call.Thread)
	if e.tires(t, op) {
		if partner == nil {
			partner = op.Replay.Partner
		}
		e.skip(op, partner)
		return
	}
	if partner == nil {
		if op.Mode > match.Standard || op.Matched || op.Unknown() {
			e.block(t, op)
			return
		}
		// As block, but nothing can let it pass yet.
		op.Retain()
		begun := t.n == 0
		if begun {
			op.Replay.Begun = true
			for _, f := range e.began {
				f(op)
			}
		}
		it := e.push(t)
		it.kind, it.begun, it.at, it.op = block, begun, op.At, op
		if t.length() >= int(t.limit) {
			e.crowded(t)
		}
		return
	}
	if u := e.threads[partner.Call.Thread]; t.n == 0 && u.n > 0 && len(t.process.open)+len(u.process.open) == 0 &&
		partner.Replay.Begun && u.head().op == partner && u.head().kind == block {
		// Both pass, so op need not be kept.
		for _, f := range e.began {
			f(op)
		}
		partner.Replay.Ready, partner.Replay.Over = true, true
		if len(e.doubted) > 0 {
			e.infect(t.process, u.process)
			e.infect(u.process, t.process)
		}
		if len(e.listeners) > 0 {
			e.completed(op, partner, t, op.At)
			e.completed(partner, op, u, partner.At)
		}
		e.matcher.Forget(partner)
		if h := u.head(); h.ext != nil {
			e.release(h)
		}
		if e.pop(u); u.n > 0 {
			e.run(u)
		}
		if len(e.work) > 0 {
			e.drain()
		}
		return
	}
	own := e.matcher.Own(op)
	s, r := own, partner
	if !own.Send {
		s, r = r, s
	}
	own.Retain()
	e.Link(s, r)
	e.block(t, own)
	e.matcher.Forget(own)
}

// block adds a blocking operation to a thread's queue.
func (e *Engine) block(t *thread, op *match.Op) {
	op.Retain()
	e.check(op)
	e.add(t, item{kind: block, at: op.At, op: op})
}

// check lets an operation pass if nothing can be known about it.
func (e *Engine) check(op *match.Op) {
	if op.Unknown() {
		op.Replay.Ready = true
		e.doubt(e.processOf(op.Call.Thread))
	}
}

// Block implements track.Replay.
func (e *Engine) Block(th *track.Thread, send, recv *match.Op) {
	if e.broken {
		return
	}
	t := e.thread(th.ID)
	resting := false
	for _, op := range []*match.Op{send, recv} {
		resting = op != nil && e.tires(t, op) || resting
	}
	if resting && !e.lucky {
		for _, op := range []*match.Op{send, recv} {
			if op != nil {
				e.skip(op, op.Replay.Partner)
			}
		}
		return
	}
	switch {
	case send != nil && recv != nil:
		// Both operations begin before the thread waits for one of them.
		for _, op := range []*match.Op{send, recv} {
			e.begins(t, op)
		}
		for _, op := range []*match.Op{send, recv} {
			op.Retain()
			e.add(t, item{kind: finish, at: op.At, op: op})
		}
	case send != nil:
		e.block(t, send)
	case recv != nil:
		e.block(t, recv)
	}
}

// Begin implements track.Replay.
func (e *Engine) Begin(th *track.Thread, op *match.Op) {
	if e.broken {
		return
	}
	t := e.thread(th.ID)
	if e.tires(t, op) {
		e.skip(op, op.Replay.Partner)
		return
	}
	e.begins(t, op)
}

func (e *Engine) begins(t *thread, op *match.Op) {
	op.Retain()
	e.check(op)
	e.add(t, item{kind: begin, at: op.At, op: op})
}

// Finish implements track.Replay.
func (e *Engine) Finish(th *track.Thread, op *match.Op, how track.Completion, call []byte) {
	t := e.thread(th.ID)
	if e.broken || op.Replay.Over {
		return
	}
	if t.n == 0 && complete(op) && (op.Send || len(t.process.open) == 0) {
		e.endOperation(op, t, th.Calls)
		e.drain()
		return
	}
	op.Retain()
	it := item{kind: finish, polled: how != track.Awaited, at: th.Calls, op: op, ext: e.newExt()}
	it.ext.call.Thread = th.ID
	it.ext.call.Keep(call)
	e.add(t, it)
}

// Drop implements track.Replay.
func (e *Engine) Drop(th *track.Thread, op *match.Op) {
	if e.broken || op.Replay.Over {
		return
	}
	op.Retain()
	e.add(e.thread(th.ID), item{kind: drop, at: th.Calls, op: op})
}

// Took implements track.Replay.
func (e *Engine) Took(th *track.Thread, op *match.Op, polled bool, call []byte) {
	if e.broken {
		return
	}
	if e.thread(th.ID).resting {
		e.skip(op, op.Replay.Partner)
		return
	}
	op.Retain()
	e.check(op)
	it := item{kind: block, polled: polled, at: op.At, op: op, ext: e.newExt()}
	it.ext.call.Thread = th.ID // op.Call.Thread will be the thread of the receive
	it.ext.call.Keep(call)
	e.add(e.thread(th.ID), it)
}
