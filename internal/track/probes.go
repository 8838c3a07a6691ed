package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

func enterProbe(t *Tracker, th *Thread, p *plan, c *event.Call) {
	if p.flag.Exists() && th.Process.oddProbe(p, c.Raw()) { // those that wait are published as CallEntered
		t.Events.OddArguments.Publish(Call{th, c})
	}
}

func succeedProbe(t *Tracker, th *Thread, p *plan, c *event.Call) { t.replayProbe(th, p, c) }

func succeedMprobe(t *Tracker, th *Thread, p *plan, c *event.Call) { t.matchedProbe(th, p, c) }

// matchedProbe follows MPI_Mprobe and MPI_Improbe: from here on, the message is taken (section 3.8.2).
func (ms *messages) matchedProbe(th *Thread, p *plan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	if p.flag.At != 0 && p.flag.Int(rec) == 0 {
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
	op := ms.Match.NewOp()
	op.Send, op.Mode, op.Count, op.Type = false, 0, 0, nil
	op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, peer, s.Tag
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.AnySource = int32(p.receives.peer.Int(rec)) == pr.anySource
	op.AnyTag = int32(p.receives.tag.Int(rec)) == pr.anyTag
	op.Tentative = true // until it is known how it is received
	ms.Match.Post(op)
	if ms.Replay != nil {
		ms.Replay.Took(th, op, p.flag.At != 0, rec)
	}
	pr.messageTable.matched = put(pr.messageTable.matched, p.messageAfter.Handle(rec), op)
	pr.noteBirth(mpiapi.Message, p.messageAfter.Handle(rec))
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
// false if it is not in such a call, or if the source cannot send.
func (ms *messages) Probing(th *Thread) (v *View, source, tag int32, ok bool) {
	if th.Open.Func == nil {
		return nil, 0, 0, false
	}
	p := &ms.plans[th.Open.Func.ID]
	if p.act != mpiapi.ActProbe && p.act != mpiapi.ActMprobe || p.flag.At != 0 {
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
	tag = int32(p.receives.tag.Int(rec))
	if tag == pr.anyTag {
		tag = match.Any
	}
	if rank := int32(p.receives.peer.Int(rec)); rank == pr.anySource {
		source, ok = match.Any, true
	} else {
		source, ok = v.peer(int64(rank))
	}
	return v, source, tag, ok
}

// messageTable has the messages that matched probes took and that the program has not received, by handle.
type messageTable struct{ matched map[uint64]*match.Op }

// Matched calls f for the messages that a matched probe took and that the program has not received, in no particular
// order. Each is a receive without a buffer.
func (mt *messageTable) Matched(f func(recv *match.Op)) {
	for _, op := range mt.matched {
		f(op)
	}
}

// replayProbe follows MPI_Probe and MPI_Iprobe.
func (ms *messages) replayProbe(th *Thread, p *plan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	if ms.Replay == nil || p.flag.At != 0 && p.flag.Int(rec) == 0 {
		return
	}
	v := pr.View(p.comm.Handle(rec))
	s, have := statusAt(c, p.status, 0)
	if v == nil || !have {
		ms.Replay.Doubt(th, false)
		return
	}
	if peer, ok := v.peer(int64(s.Source)); ok { // not MPI_PROC_NULL
		ms.Replay.Probe(th, v, peer, s.Tag, int32(p.receives.peer.Int(rec)) == pr.anySource, p.flag.At != 0, rec)
	}
}

// oddProbe reports whether something is odd about the arguments of MPI_Iprobe or MPI_Improbe.
func (pr *Process) oddProbe(p *plan, rec []byte) bool {
	v, _, tag, ok := pr.probing(p, rec)
	switch {
	case v == nil, !ok && int32(p.receives.peer.Int(rec)) != pr.procNull,
		tag != match.Any && uint32(tag) > uint32(pr.maxTag):
		return true
	}
	for i := range p.fn.Params {
		q := &p.fn.Params[i]
		if !q.Pointer || binary.LittleEndian.Uint64(rec[q.Layout.At:]) != 0 {
			continue
		}
		if q.Kind != mpiapi.Status || !pr.statusIgnored(0) {
			return true // there is no variable for a result
		}
	}
	return false
}
