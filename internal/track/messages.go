package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// messages posts sends and receives to the matcher.
type messages struct{ *core }

func enterSend(t *Tracker, th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	op := t.postSend(th, p, rec)
	th.ops[0] = op
	if t.Replay != nil {
		switch {
		case p.act == mpiapi.ActSend:
			t.Replay.Block(th, op, nil)
		case op != nil:
			t.Replay.Begin(th, op)
		}
	}
	if !p.sends.plainMessage(op, th.Process.maxTag, rec) && th.Process.oddMessage(op, &p.sends, p.comm, rec) {
		t.Events.OddArguments.Publish(Call{th, c})
	}
	if p.buffered && op != nil {
		t.Events.BufferedSent.Publish(BufferedSent{th, op, th.Process.View(p.comm.Handle(rec))})
	}
	t.operationBegan(th, c)
}

func enterRecv(t *Tracker, th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	op := t.postRecv(th, p, rec, c)
	th.ops[0] = op
	if t.Replay != nil {
		switch {
		case p.act == mpiapi.ActRecv:
			t.Replay.Block(th, nil, op)
		case op != nil:
			t.Replay.Begin(th, op)
		}
	}
	if !p.receives.plainMessage(op, th.Process.maxTag, rec) && th.Process.oddMessage(op, &p.receives, p.comm, rec) {
		t.Events.OddArguments.Publish(Call{th, c})
	}
	t.operationBegan(th, c)
}

func enterSendrecv(t *Tracker, th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	th.ops[0] = t.postSend(th, p, rec)
	th.ops[1] = t.postRecv(th, p, rec, c)
	if t.Replay != nil {
		if p.act == mpiapi.ActSendrecv {
			t.Replay.Block(th, th.ops[0], th.ops[1])
		} else {
			for _, op := range th.ops {
				if op != nil {
					t.Replay.Begin(th, op)
				}
			}
		}
	}
	pr := th.Process
	if pr.oddMessage(th.ops[0], &p.sends, p.comm, rec) || pr.oddMessage(th.ops[1], &p.receives, p.comm, rec) {
		t.Events.OddArguments.Publish(Call{th, c})
	}
	t.operationBegan(th, c)
}

func leaveSend(t *Tracker, th *Thread, _ *plan, _ *event.Call, rc int32) {
	op := th.ops[0]
	if op == nil {
		return
	}
	th.ops[0] = nil
	if rc != 0 {
		t.Match.Withdraw(op)
	} else {
		t.Match.Over(op)
	}
	t.Match.Release(op)
}

func leaveRecv(t *Tracker, th *Thread, p *plan, c *event.Call, _ int32) { t.endRecv(th, p, c, 0) }

func leaveSendrecv(t *Tracker, th *Thread, p *plan, c *event.Call, _ int32) {
	if op := th.ops[0]; op != nil {
		th.ops[0] = nil
		t.Match.Over(op)
		t.Match.Release(op)
	}
	t.endRecv(th, p, c, 1)
}

// leaveImmediate follows a call that has begun a send, a receive or both, and has returned a request.
func leaveImmediate(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	ops := th.ops
	th.ops = [2]*match.Op{}
	if rc != 0 {
		for _, op := range ops {
			if op != nil {
				t.Match.Withdraw(op)
				t.Match.Release(op)
			}
		}
		return
	}
	kind := SendRequest
	switch p.act {
	case mpiapi.ActIrecv:
		kind = RecvRequest
	case mpiapi.ActIsendrecv:
		kind = BothRequest
	}
	r := t.newRequest()
	r.Kind, r.Active, r.Ops = kind, true, ops
	t.addRequest(th.Process, r, th, p, c.Raw())
}

func leaveMrecv(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	if rc != 0 {
		th.giveBack(p.message.Handle(c.Raw()))
	} else if op := t.leaveMatched(th, p, c.Raw()); op != nil {
		t.Match.Release(op)
	}
}

func leaveImrecv(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	rec := c.Raw()
	if rc != 0 {
		th.giveBack(p.message.Handle(rec))
		return
	}
	r := t.newRequest()
	r.Kind, r.Active, r.Ops[0] = RecvRequest, true, t.leaveMatched(th, p, rec)
	t.addRequest(th.Process, r, th, p, rec)
}

// tookPart reports whether a call that returned an error may have matched nevertheless: a receive that was too short
// for its message, a wait whose operations failed, or a collective that other members have already entered.
func (th *Thread) tookPart(p *plan, rec []byte) bool {
	switch p.act {
	case mpiapi.ActRecv, mpiapi.ActSendrecv:
		return th.failedWith("MPI_ERR_TRUNCATE")
	case mpiapi.ActSend, mpiapi.ActIsend, mpiapi.ActIrecv, mpiapi.ActIsendrecv, mpiapi.ActStart, mpiapi.ActStartall:
		return false
	}
	return true
}

// postSend posts the send of a call, nil if it does not send.
func (ms *messages) postSend(th *Thread, p *plan, rec []byte) *match.Op {
	v := th.Process.View(p.comm.Handle(rec))
	if v == nil {
		return nil
	}
	peer, ok := v.peer(p.sends.peer.Int(rec))
	if !ok {
		return nil
	}
	op := ms.Match.NewOp()
	op.Send, op.Mode = true, match.Mode(p.mode)
	op.Comm, op.Me, op.Peer = v.Comm, v.Me, peer
	op.Tag, op.Count = int32(p.sends.tag.Int(rec)), p.sends.count.Int(rec)
	op.Type = th.Process.Type(p.sends.typ.Handle(rec))
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	ms.Match.Post(op)
	return op
}

// postRecv posts the receive of a call, nil if it does not receive. c is the call if its results may be there already.
func (ms *messages) postRecv(th *Thread, p *plan, rec []byte, c *event.Call) *match.Op {
	pr := th.Process
	v := pr.View(p.comm.Handle(rec))
	if v == nil {
		return nil
	}
	source := int32(p.receives.peer.Int(rec))
	tag := int32(p.receives.tag.Int(rec))
	peer, ok := v.peer(int64(source))
	if tag == pr.anyTag {
		tag = match.Any
	}
	if source == pr.anySource {
		peer, ok = match.Any, true
		if c != nil && c.State == event.Complete && (p.act == mpiapi.ActRecv || p.act == mpiapi.ActSendrecv) {
			// The source of the message is already known.
			s, have := statusAt(c, p.status, 0)
			if !have {
				return nil
			}
			if peer, ok = v.peer(int64(s.Source)); ok {
				tag = s.Tag
			}
		}
	}
	if !ok {
		return nil
	}
	op := ms.Match.NewOp()
	op.Send, op.Mode = false, 0
	op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, peer, tag
	op.Count, op.Type = p.receives.count.Int(rec), pr.Type(p.receives.typ.Handle(rec))
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.AnySource, op.AnyTag = source == pr.anySource, int32(p.receives.tag.Int(rec)) == pr.anyTag
	op.Tentative = p.act != mpiapi.ActRecv && p.act != mpiapi.ActSendrecv
	ms.Match.Post(op)
	return op
}

// applyStatus matches op with the message in the status, or takes op back if it was cancelled.
func (ms *messages) applyStatus(pr *Process, op *match.Op, s event.Status, have bool) {
	switch {
	case !have:
		if op.Peer == match.Any && !op.Matched {
			// It is unknown whose message it took. So the sources of later messages that this process receives there
			// are unknown, too.
			ms.Match.Lose(op)
		}
	case s.Cancelled:
		ms.Match.Withdraw(op)
	case !op.Send && op.Peer == match.Any:
		base := op.Comm.PeerBase(op.Me)
		if s.Source >= 0 && int(s.Source) < op.Comm.Peers(op.Me) {
			ms.Match.Resolve(op, base+s.Source, s.Tag)
		} else {
			ms.Match.Withdraw(op)
		}
	}
}

// endRecv ends the receive of a blocking call, its i-th operation.
func (ms *messages) endRecv(th *Thread, p *plan, c *event.Call, i int) {
	op := th.ops[i]
	if op == nil {
		return
	}
	th.ops[i] = nil
	if op.Peer == match.Any && !op.Matched {
		s, have := statusAt(c, p.status, 0)
		ms.applyStatus(th.Process, op, s, have && (c.RC() == 0 || s.Error != 0))
	}
	ms.Match.Release(op)
}

// leaveMatched returns the operation that a matched probe began, now that the program has received its message.
func (ms *messages) leaveMatched(th *Thread, p *plan, rec []byte) *match.Op {
	op := th.taken
	th.taken = nil
	if op == nil {
		return nil
	}
	op.Count, op.Type = p.receives.count.Int(rec), th.Process.Type(p.receives.typ.Handle(rec))
	op.Call = th.call(rec)
	ms.Match.Confirm(op)
	ms.Events.MessagePassed.Publish(MessagePassed{th, op.Type, rec})
	return op
}

// giveBack returns the message of a call that has failed, unless its handle now stands for another message.
func (th *Thread) giveBack(handle uint64) {
	if mt := &th.Process.messageTable; th.taken != nil && mt.matched[handle] == nil {
		mt.matched = put(mt.matched, handle, th.taken)
	}
	th.taken = nil
}
