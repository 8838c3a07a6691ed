package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Partitioned is one side of a partitioned message (MPI standard, chapter 4): a persistent request.
type Partitioned struct {
	Op      *match.Op // stands for the initialisation, until the request is freed
	Send    bool
	Partner *Partitioned // nil until it is initialised
	Round   uint64       // number of starts
	ready   []bool       // of a send: the partitions that are ready, in this round
	left    int          // number of partitions that are not ready
}

// Ready reports whether all partitions of a send have been marked ready in its round.
func (h *Partitioned) Ready() bool { return h.left <= 0 }

// partitions follows partitioned messages.
type partitions struct {
	*core
	halves map[channel][]*Partitioned // that have no partner
}

func newPartitions(c *core) partitions {
	return partitions{core: c, halves: make(map[channel][]*Partitioned)}
}

func enterPready(t *Tracker, th *Thread, p *plan, c *event.Call) { t.markReady(th, p, c) }

func succeedParrived(t *Tracker, th *Thread, p *plan, c *event.Call) {
	r := th.Process.findRequest(p.requestBefore.Handle(c.Raw()), 0)
	if r != nil && p.flag.Int(c.Raw()) != 0 {
		r.Known = true
		t.requestOver(th, r)
	}
}

// channel is what two partitioned messages must have in common to match.
type channel struct {
	comm          *match.Comm
	from, to, tag int32
}

// initPartitioned enters a call that initialises a partitioned message (MPI standard, section 4.2). Only the order of
// these calls decides which send belongs to which receive, for each source, destination, tag and communicator. The two
// sides may divide the data into different partitions, but the totals must agree. initPartitioned returns nil if the
// other side is MPI_PROC_NULL.
func (ps *partitions) initPartitioned(th *Thread, p *plan, rec []byte) *Partitioned {
	pr := th.Process
	v := pr.View(p.comm.Handle(rec))
	if v == nil {
		return nil
	}
	rank, tag, count, typ := p.receives.peer, p.receives.tag, p.receives.count, p.receives.typ
	sends := p.act == mpiapi.ActPsendInit
	if sends {
		rank, tag, count, typ = p.sends.peer, p.sends.tag, p.sends.count, p.sends.typ
	}
	peer, ok := v.peer(rank.Int(rec))
	if !ok {
		return nil
	}
	partitions := p.partitions.Int(rec)
	op := ps.Match.NewOp()
	op.Send, op.Mode, op.Comm, op.Me, op.Peer = sends, match.Standard, v.Partitioned(), v.Me, peer
	op.Tag, op.Count, op.Type = int32(tag.Int(rec)), partitions*count.Int(rec), pr.Type(typ.Handle(rec))
	op.Call, op.At = match.Call{Thread: th.ID, Raw: rec}, th.Calls
	op.Replay.Over = true // nothing happens yet
	ps.Match.Post(op)
	h := &Partitioned{Op: op, Send: sends}
	k := channel{op.Comm, peer, op.Me, op.Tag}
	if sends {
		k.from, k.to = op.Me, peer
		if partitions > 0 && partitions <= mostPartitions {
			h.ready = make([]bool, partitions)
		}
	}
	others := ps.halves[k]
	switch {
	case len(others) == 0 || others[0].Send == sends:
		ps.halves[k] = append(others, h)
	default:
		h.Partner, others[0].Partner = others[0], h
		if ps.halves[k] = others[1:]; len(others) == 1 {
			delete(ps.halves, k)
		}
	}
	return h
}

// mostPartitions is the maximum number of partitions of a send that are followed one by one. If there are more, all of
// them count as ready.
const mostPartitions = 1 << 20

// startRound begins a round: no partition is ready.
func (h *Partitioned) startRound() {
	h.Round++
	clear(h.ready)
	h.left = len(h.ready)
}

// markReady follows MPI_Pready, MPI_Pready_range and MPI_Pready_list.
func (ps *partitions) markReady(th *Thread, p *plan, c *event.Call) {
	r := th.Process.findRequest(p.requestBefore.Handle(c.Raw()), 0)
	if r == nil || r.Partitioned == nil || !r.Active {
		return
	}
	h := r.Partitioned
	mark := func(i int64) {
		if i >= 0 && i < int64(len(h.ready)) && !h.ready[i] {
			h.ready[i] = true
			h.left--
			ps.Events.PartitionReady.Publish(PartitionReady{th, r, i, c.Raw()})
		}
	}
	f := c.Func
	switch f.Base {
	case mpiapi.IDPready:
		mark(c.Int(f.Param("partition")))
	case mpiapi.IDPreadyRange:
		low, high := c.Int(f.Param("partition_low")), c.Int(f.Param("partition_high"))
		for i := max(low, 0); i <= min(high, int64(len(h.ready))-1); i++ { // the program's numbers may be invalid
			mark(i)
		}
	case mpiapi.IDPreadyList:
		list, ok := c.In(f.Param("array_of_partitions"))
		if !ok {
			h.left = 0 // unknown
			return
		}
		for i := range list.Len() {
			mark(list.At(i))
		}
	}
}
