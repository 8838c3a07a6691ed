package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Batch follows the calls of a batch.
func (t *Tracker) Batch(b *ring.Batch) {
	t.slowDown()
	th := t.Threads[b.Thread]
	if b.Repeats > 0 {
		t.repeated(th, b.Repeats)
		return
	}
	d := &th.decoder
	var last []byte
	d.Start(b)
	for {
		if th.orderly && !th.watching() {
			if rec := t.quickly(th, d); rec != nil {
				last = rec
			}
		}
		if !d.Next() {
			break
		}
		c := &d.Call
		if c.Func == nil {
			t.info(th, c)
			continue
		}
		p := &t.plans[c.Func.ID]
		last = c.Raw()
		if c.State != event.Resumed {
			th.Calls++
			t.enter(th, p, c)
		}
		if c.State == event.Open {
			th.Open.Call = c.Clone(th.Open.room)
			th.Open.room = th.Open.Call.Raw()
			th.Open.Func, th.Open.Since, th.Open.Refused = c.Func, t.Now, false
		} else {
			th.Open.Func = nil
			t.leave(th, p, c)
			if t.vain(c) {
				t.polled(th, c)
			}
		}
	}
	if last != nil {
		th.Last.Thread = th.ID
		th.Last.Keep(last)
	}
	t.rest(th)
	t.progress(th)
	t.Events.CollectiveEntered.Flush() // the batch's memory goes
}

// call returns a kept copy of the record.
func (th *Thread) call(rec []byte) match.Call {
	c := match.Call{Thread: th.ID}
	c.Keep(rec)
	return c
}

func returned(rec []byte) int32 { return int32(binary.LittleEndian.Uint32(rec[layout.RecordRCAt:])) }

// enter follows a call up to the point where MPI takes over. open: it has not returned yet.
func (t *Tracker) enter(th *Thread, p *plan, c *event.Call) {
	th.view = nil
	rec, open := c.Raw(), c.State == event.Open
	if !th.orderly || p.act == initMPI {
		t.Events.OddTime.Publish(Call{th, c})
	}
	t.Events.CallEntered.Publish(p.fn.ID, Call{th, c})
	t.publishUses(th, p, c)
	if t.Replay != nil && (p.doubtful || !open && returned(rec) != 0) {
		t.Replay.Doubt(th, p.shared)
	}
	if !open && returned(rec) != 0 && !th.tookPart(p, rec) {
		return // it failed at once: nobody will match it
	}
	if p.freesObject {
		t.enterFree(th, p, rec)
	}
	switch p.act {
	case send, isend:
		th.ops[0] = t.postSend(th, p, rec)
		t.began(th, p)
		if op := th.ops[0]; !p.sends.plain(op, th.Process.maxTag, rec) && th.Process.odd(op, &p.sends, rec) {
			t.Events.OddArguments.Publish(Call{th, c})
		}
		if p.buffered && th.ops[0] != nil {
			t.Events.BufferedSent.Publish(BufferedSent{th, th.ops[0]})
		}
		t.operationBegan(th, c)
		return
	case recv, irecv:
		th.ops[0] = t.postRecv(th, p, rec, c)
		t.began(th, p)
		if op := th.ops[0]; !p.receives.plain(op, th.Process.maxTag, rec) && th.Process.odd(op, &p.receives, rec) {
			t.Events.OddArguments.Publish(Call{th, c})
		}
		t.operationBegan(th, c)
		return
	case sendrecv, isendrecv:
		th.ops[0] = t.postSend(th, p, rec)
		th.ops[1] = t.postRecv(th, p, rec, c)
		t.began(th, p)
		if th.Process.odd(th.ops[0], &p.sends, rec) || th.Process.odd(th.ops[1], &p.receives, rec) {
			t.Events.OddArguments.Publish(Call{th, c})
		}
		t.operationBegan(th, c)
		return
	case typeNew:
		t.construct(th, p, c)
	case probe, mprobe:
		if p.flag.At != 0 && th.Process.oddProbe(p, rec) { // those that wait are published as CallEntered
			t.Events.OddArguments.Publish(Call{th, c})
		}
	case start, startall:
		t.startRequests(th, p, c)
	case pready:
		t.markReady(th, p, c)
	case cancel:
		t.enterCancel(th, p, rec)
	case finalize:
		th.Process.Finalizing, th.Process.Finalizes = true, true
		t.Events.FinalizeEntered.Publish(FinalizeEntered{th.Process, th.call(rec)})
	case abort:
		th.Process.Aborting, t.Aborting = true, true
	}
	if p.collective {
		t.enterCollective(th, p, c)
	}
	if p.operates {
		t.operationBegan(th, c)
	}
}

// operationBegan publishes that a call has begun an operation.
func (t *Tracker) operationBegan(th *Thread, c *event.Call) {
	if e := &t.Events.OperationBegan; e.Wanted() {
		e.Publish(Call{th, c})
	}
}

// publishUses publishes what is odd about the datatypes and the requests that a call is given, and that it sends from
// the buffer for buffered sends. Nothing that the call changes has been changed.
func (t *Tracker) publishUses(th *Thread, p *plan, c *event.Call) {
	if len(p.types) != 0 {
		t.publishOddTypes(th, p, c)
	}
	switch {
	case p.buffered:
		t.Events.BufferedSending.Publish(BufferedSending{th, c, c})
	case p.completes:
		if c.State == event.Open || returned(c.Raw()) != 0 {
			t.Events.OddRequests.Publish(Call{th, c})
		}
	case p.act == start || p.act == startall:
		t.enterStart(th, p, c)
	}
}

// tookPart reports whether a call that returned an error may have matched all the same: a receive that was too short
// for its message, a wait whose operations failed, a collective that others are in already.
func (th *Thread) tookPart(p *plan, rec []byte) bool {
	switch p.act {
	case recv, sendrecv:
		return th.failedWith("MPI_ERR_TRUNCATE")
	case send, isend, irecv, isendrecv, start, startall:
		return false
	}
	return true
}

// peer turns a rank given as source or destination into a member number; ok is false for MPI_PROC_NULL and for ranks
// outside the communicator.
func (v *View) peer(rank int64) (int32, bool) {
	if rank < 0 || rank >= int64(v.Peers) {
		return 0, false
	}
	return v.Base + int32(rank), true
}

func (t *Tracker) postSend(th *Thread, p *plan, rec []byte) *match.Op {
	v := th.Process.View(p.comm.Handle(rec))
	if v == nil {
		return nil
	}
	peer, ok := v.peer(p.dest.Int(rec))
	if !ok {
		return nil
	}
	op := t.Match.NewOp()
	op.Send, op.Mode = true, match.Mode(p.mode)
	op.Comm, op.Me, op.Peer = v.Comm, v.Me, peer
	op.Tag, op.Count = int32(p.tag.Int(rec)), p.count.Int(rec)
	op.Type = th.Process.Type(p.typ.Handle(rec))
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	t.Match.Post(op)
	return op
}

// c is the call if its results may be there already.
func (t *Tracker) postRecv(th *Thread, p *plan, rec []byte, c *event.Call) *match.Op {
	pr := th.Process
	v := pr.View(p.comm.Handle(rec))
	if v == nil {
		return nil
	}
	source := int32(p.source.Int(rec))
	tag := int32(p.recvTag.Int(rec))
	peer, ok := v.peer(int64(source))
	if tag == pr.anyTag {
		tag = match.Any
	}
	if source == pr.anySource {
		peer, ok = match.Any, true
		if c != nil && c.State == event.Complete && (p.act == recv || p.act == sendrecv) {
			// It is known already whom the message came from.
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
	op := t.Match.NewOp()
	op.Send, op.Mode = false, 0
	op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, peer, tag
	if p.recvType.At != 0 {
		op.Count, op.Type = p.recvCount.Int(rec), pr.Type(p.recvType.Handle(rec))
	} else { // MPI_Sendrecv_replace has one for both
		op.Count, op.Type = p.count.Int(rec), pr.Type(p.typ.Handle(rec))
	}
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.AnySource, op.AnyTag = source == pr.anySource, int32(p.recvTag.Int(rec)) == pr.anyTag
	op.Tentative = p.act != recv && p.act != sendrecv
	t.Match.Post(op)
	return op
}

// settle gives op the message that the status tells of, or takes it back if it was cancelled.
func (t *Tracker) settle(pr *Process, op *match.Op, s event.Status, have bool) {
	switch {
	case !have:
		if op.Peer == match.Any && !op.Matched {
			// Whose message it took is not known, so which others this process receives there can't be told any more.
			t.Match.Lose(op)
		}
	case s.Cancelled:
		t.Match.Withdraw(op)
	case !op.Send && op.Peer == match.Any:
		base := op.Comm.PeerBase(op.Me)
		if s.Source >= 0 && int(s.Source) < op.Comm.Peers(op.Me) {
			t.Match.Resolve(op, base+s.Source, s.Tag)
		} else {
			t.Match.Withdraw(op)
		}
	}
}

// viewOf returns the communicator, window or file that a call works on.
func (t *Tracker) viewOf(pr *Process, p *plan, rec []byte) *View {
	switch {
	case p.win.At != 0 && p.newWin.At == 0 || p.act == winFree:
		return pr.wins[p.win.Handle(rec)]
	case p.file.At != 0 && p.newFile.At == 0 || p.act == fileClose:
		return pr.files[p.file.Handle(rec)]
	case p.comm.At != 0:
		return pr.View(p.comm.Handle(rec))
	}
	return nil
}

// ViewOf returns the communicator, window or file that a call works on, nil if it is not known or if there is none.
func (t *Tracker) ViewOf(pr *Process, c *event.Call) *View {
	return t.viewOf(pr, &t.plans[c.Func.ID], c.Raw())
}

// leave follows what a call has brought when it returned.
func (t *Tracker) leave(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	rc := returned(rec)
	if th.tellReturn {
		th.tellReturn = false
		t.Events.Returned.Publish(Call{th, c})
	}
	if rc != 0 {
		t.withdrawWrong(th)
	}
	switch p.act {
	case nothing:
	case send:
		if op := th.ops[0]; op != nil {
			th.ops[0] = nil
			if rc != 0 {
				t.Match.Withdraw(op)
			} else {
				t.Match.Over(op)
			}
			t.Match.Release(op)
		}
	case recv:
		t.endRecv(th, p, c, 0)
	case sendrecv:
		if op := th.ops[0]; op != nil {
			th.ops[0] = nil
			t.Match.Over(op)
			t.Match.Release(op)
		}
		t.endRecv(th, p, c, 1)
	default:
		t.leaveOther(th, p, c, rc)
	}
	if len(t.leaders) != 0 && p.fn.Base == mpiapi.IDIntercommCreate {
		t.leaveLeader(th, rc != 0)
	}
	if p.makesHandle && rc == 0 {
		t.made(th, p, c)
	}
	if p.objects != nil && rc == 0 {
		t.followObjects(th, p.objects, c)
	}
	if p.runs && th.Process.Callbacks || rc != 0 && th.Process.Handlers {
		// Functions of the program have run inside MPI.
		t.Events.RequestsVague.Publish(RequestsVague{Process: th.Process})
	}
	if rc != 0 {
		th.Process.requestTable.doubtful = th.Process.requestTable.doubtful || th.Process.Handlers
		t.failed(th, th.call(rec), rc)
		if t.Replay != nil {
			t.Replay.Doubt(th, false)
		}
	}
	t.Events.CallLeft.Publish(p.fn.ID, Call{th, c})
	if th.Held != (memory.Held{}) {
		t.Events.OperationLeft.Publish(th)
	}
	if th.Failure != nil {
		th.Failure, th.raised = nil, false
	}
	if th.Explained != Unexplained {
		th.Explained = Unexplained
	}
	if len(th.comm) != 0 {
		th.comm = th.comm[:0]
	}
}

func (t *Tracker) endRecv(th *Thread, p *plan, c *event.Call, i int) {
	op := th.ops[i]
	if op == nil {
		return
	}
	th.ops[i] = nil
	if op.Peer == match.Any && !op.Matched {
		s, have := statusAt(c, p.status, 0)
		t.settle(th.Process, op, s, have && (c.RC() == 0 || s.Error != 0))
	}
	t.Match.Release(op)
}

// failedWith reports whether the call under way has failed with an error of the given class.
func (th *Thread) failedWith(class string) bool {
	return th.Failure != nil && th.Process.names.isError(th.Failure.Class, class)
}

func (t *Tracker) leaveOther(th *Thread, p *plan, c *event.Call, rc int32) {
	rec := c.Raw()
	pr := th.Process
	switch p.act {
	case isend, irecv, isendrecv:
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
		case irecv:
			kind = RecvRequest
		case isendrecv:
			kind = BothRequest
		}
		r := t.newRequest()
		r.Kind, r.Active, r.Ops = kind, true, ops
		t.add(pr, r, th, p, rec)
	case imrecv:
		if rc != 0 {
			th.giveBack(p.message.Handle(rec))
		} else {
			r := t.newRequest()
			r.Kind, r.Active, r.Ops[0] = RecvRequest, true, t.leaveMatched(th, p, rec)
			t.add(pr, r, th, p, rec)
		}
	case mrecv:
		if rc != 0 {
			th.giveBack(p.message.Handle(rec))
		} else if op := t.leaveMatched(th, p, rec); op != nil {
			t.Match.Release(op)
		}
	case probe:
		t.probed(th, p, c, rc)
	case mprobe:
		t.matchedProbe(th, p, c, rc)
	case sendInit, recvInit:
		if rc == 0 {
			kind := SendRequest
			if p.act == recvInit {
				kind = RecvRequest
			}
			r := t.newRequest()
			r.Kind, r.Persistent = kind, true
			t.add(pr, r, th, p, rec)
		}
	case psendInit, precvInit, otherRequest:
		if rc == 0 {
			persistent := p.act != otherRequest
			if p.fn.Class == mpiapi.RequestOp {
				pr.requestTable.doubtful = true // its functions may complete others
				t.Events.RequestsVague.Publish(RequestsVague{Process: pr, Always: true})
			}
			r := t.newRequest()
			if persistent {
				r.Partitioned = t.initPartitioned(th, p, rec)
			}
			r.Persistent, r.Active = persistent, !persistent
			t.add(pr, r, th, p, rec)
		}
	case icollective:
		if rc == 0 && p.requestAfter.At != 0 {
			persistent := p.fn.Class == mpiapi.CollectiveInit
			r := t.newRequest()
			r.Kind, r.Persistent, r.Active, r.View, r.Pos = CollectiveRequest, persistent, !persistent, th.view, th.pos
			switch {
			case r.View == nil:
				r.Kind = OtherRequest
			case persistent:
				r.Rounds = t.persistent[place{r.View.Comm, r.Pos}]
			}
			t.add(pr, r, th, p, rec)
		}
	case wait, waitall, waitany, waitsome, test, testall, testany, testsome, requestStatus:
		t.completed(th, p, c, rc)
	case requestFree:
		r := pr.find(p.requestBefore.Handle(rec), p.request.Handle(rec))
		switch {
		case r == nil:
		case rc != 0:
			r.Refused = th.Explained == ByRequest
		default:
			t.Events.RequestFreed.Publish(RequestFreed{th, c, r})
			t.drop(th, r, rec)
		}
	case start, startall:
		if rc != 0 {
			for _, r := range th.started {
				t.notStarted(th, r, p.act == startall)
			}
		}
		th.started = th.started[:0]
	case cancel:
		if r := pr.find(p.requestBefore.Handle(rec), p.request.Handle(rec)); r != nil && rc == 0 {
			r.Cancelled = true
		}
	case parrived:
		if r := pr.find(p.requestBefore.Handle(rec), 0); r != nil && rc == 0 && p.flag.Int(rec) != 0 {
			r.Known = true
			t.requestOver(th, r)
		}
	case commFree:
		if rc == 0 {
			t.leaveCommFree(th, p.comm.Handle(rec))
		}
	case winFree:
		if h := p.win.Handle(rec); rc == 0 && pr.wins[h] == th.view {
			delete(pr.wins, h)
		}
	case fileClose:
		if rc == 0 {
			if h := p.file.Handle(rec); pr.files[h] == th.view {
				delete(pr.files, h)
			}
		}
	case typeNew, typeCommit, typeFree, typeGiven, typeContents:
		if rc == 0 {
			t.changeType(th, p, c)
		}
		if p.act == typeFree && pr.watcher != nil {
			pr.watcher.FreeReturned(pr)
		}
	case changeInfo:
		if rc == 0 {
			pr.changeInfo(th, c)
		}
	case opNew:
		if rc == 0 {
			pr.newOp(th, c)
		}
	case opFree:
		if rc == 0 {
			if o := pr.ops[p.oldHandle.Handle(rec)]; o != nil && !th.renewed(mpiapi.Op, p.oldHandle.Handle(rec)) {
				o.id, pr.recentOp.id = 0, 0 // but where it was made may still be asked for
				pr.meanings++
			}
		}
	case groupNew:
		if rc == 0 {
			t.newGroup(pr, c)
		}
	case groupFree:
		if rc == 0 {
			pr.freeGroup(p.oldHandle.Handle(rec))
		}
	case setName:
		if rc == 0 {
			pr.setName(p, c)
		}
	case attribute:
		if rc == 0 {
			pr.attribute(pr.names, c)
		}
	case finalize:
		if rc == 0 && !pr.Finalized {
			pr.Finalized = true
			t.changePhase(th, p, rec)
			t.Events.FinalizeLeft.Publish(pr)
		}
	case endSession:
		if rc == 0 {
			t.changePhase(th, p, rec)
		}
	case setFileHandler:
		pr.FileHandler = pr.FileHandler || rc == 0
	case initMPI:
		pr.Initialized = pr.Initialized || rc == 0
		if rc == 0 {
			t.changePhase(th, p, rec)
		}
		if p.level.At != 0 {
			pr.Multiple = pr.names.isConst("MPI_THREAD_MULTIPLE", p.level.Int(rec))
		}
	}
}

// matchedProbe follows MPI_Mprobe and MPI_Improbe: from here on the message is taken (section 3.8.2).
func (t *Tracker) matchedProbe(th *Thread, p *plan, c *event.Call, rc int32) {
	pr, rec := th.Process, c.Raw()
	if rc != 0 || p.flag.At != 0 && p.flag.Int(rec) == 0 {
		return
	}
	v := pr.View(p.comm.Handle(rec))
	s, have := statusAt(c, p.status, 0)
	if v == nil || !have {
		return
	}
	peer, ok := v.peer(int64(s.Source))
	if !ok {
		return
	}
	op := t.Match.NewOp()
	op.Send, op.Mode, op.Count, op.Type = false, 0, 0, nil
	op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, peer, s.Tag
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.AnySource, op.AnyTag = int32(p.source.Int(rec)) == pr.anySource, int32(p.recvTag.Int(rec)) == pr.anyTag
	op.Tentative = true // until it is known what it is received as
	t.Match.Post(op)
	if t.Replay != nil {
		t.Replay.Took(th, op, p.flag.At != 0, rec)
	}
	pr.messageTable.taken = put(pr.messageTable.taken, p.messageAfter.Handle(rec), op)
	pr.born(mpiapi.Message, p.messageAfter.Handle(rec))
}

// statusAt returns the i-th status that a call returned in parameter param.
func statusAt(c *event.Call, param, i int) (event.Status, bool) {
	if param < 0 {
		return event.Status{}, false
	}
	list, ok := c.Statuses(param)
	if !ok || i >= list.Len() {
		return event.Status{}, false
	}
	return list.At(i), true
}

// Probing describes the MPI_Probe or MPI_Mprobe that a thread is in: communicator, source and tag, normalised. ok is
// false if it is in none, or if the source can't send.
func (t *Tracker) Probing(th *Thread) (v *View, source, tag int32, ok bool) {
	if th.Open.Func == nil {
		return nil, 0, 0, false
	}
	p := &t.plans[th.Open.Func.ID]
	if p.act != probe && p.act != mprobe || p.flag.At != 0 {
		return nil, 0, 0, false
	}
	return th.Process.probing(p, th.Open.Call.Raw())
}

// probing describes what a probe looks for.
func (pr *Process) probing(p *plan, rec []byte) (v *View, source, tag int32, ok bool) {
	v = pr.View(p.comm.Handle(rec))
	if v == nil {
		return nil, 0, 0, false
	}
	tag = int32(p.recvTag.Int(rec))
	if tag == pr.anyTag {
		tag = match.Any
	}
	if rank := int32(p.source.Int(rec)); rank == pr.anySource {
		source, ok = match.Any, true
	} else {
		source, ok = v.peer(int64(rank))
	}
	return v, source, tag, ok
}

// messageTable has the messages that matched probes took and that the program has not received, by handle.
type messageTable struct{ taken map[uint64]*match.Op }

// Matched calls f for the messages that a matched probe took and that the program has not received, in no order: each
// is a receive without a buffer.
func (mt *messageTable) Matched(f func(recv *match.Op)) {
	for _, op := range mt.taken {
		f(op)
	}
}
