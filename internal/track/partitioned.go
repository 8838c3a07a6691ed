package track

import "github.com/mpivet/mpivet/internal/match"

// initPartitioned enters a call that initialises a partitioned message (MPI standard, section 4.2). Which send belongs to
// which receive is decided by these calls alone: in their order, for one source, destination, tag and communicator. How
// both sides divide the data into partitions is their own affair; all in all, they must agree.
func (t *Tracker) initPartitioned(th *Thread, p *plan, rec []byte) {
	pr := th.Process
	v := pr.View(p.comm.handle(rec))
	if v == nil {
		return
	}
	rank, tag, count, typ := p.source, p.recvTag, p.recvCount, p.recvType
	sends := p.act == psendInit
	if sends {
		rank, tag, count, typ = p.dest, p.tag, p.count, p.typ
	}
	peer, ok := v.peer(rank.int(rec))
	if !ok {
		return
	}
	op := t.Match.NewOp()
	op.Send, op.Mode, op.Comm, op.Me, op.Peer = sends, match.Standard, v.Partitioned(), v.Me, peer
	op.Tag, op.Count, op.Type = int32(tag.int(rec)), p.partitions.int(rec)*count.int(rec), pr.Type(typ.handle(rec))
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.Replay.Over = true // nothing happens yet
	t.Match.Post(op)
	t.Match.Release(op)
}
