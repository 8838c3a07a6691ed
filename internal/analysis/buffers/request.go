package buffers

import (
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// started follows the buffers of a persistent request that a call starts (MPI standard, section 3.9).
func (b *Buffers) started(e track.RequestStarted) {
	th, r := e.Thread, e.Request
	p := &b.plans[r.Made.Func()]
	l := lending{th: th, plan: p, args: r.Made.Raw, by: e.Record, keep: true}
	switch {
	case r.Ops[0] != nil:
		b.lendOne(&l, r.Ops[0])
	case p.sides != nil:
		if c, err := event.ParseCall(r.Made.Raw); err == nil {
			b.lendCollective(&l, &c, r.View)
		}
	case p.fn.Base == mpiapi.IDPrecvInit && r.Partitioned != nil:
		b.lendPartitions(&l, 0, p.partitions.Int(r.Made.Raw))
	}
	keep(r, th)
}

// ready follows a partition of a send that the program marks ready. Until then, the program owns it (MPI standard,
// section 4.2).
func (b *Buffers) ready(e track.PartitionReady) {
	th, r := e.Thread, e.Request
	l := lending{th: th, plan: &b.plans[r.Made.Func()], args: r.Made.Raw, by: e.Record, keep: true}
	outer := th.Held
	th.Held = r.Held
	b.lendPartitions(&l, e.Partition, 1)
	keep(r, th)
	th.Held = outer
}

// lendPartitions follows n partitions of a partitioned message from the given one on.
func (b *Buffers) lendPartitions(l *lending, first, n int64) {
	p, args := l.plan, l.args
	receives := p.fn.Base == mpiapi.IDPrecvInit
	buf, count, typ := p.send, p.sendCount, p.sendType
	if receives {
		buf, count, typ = p.recv, p.recvCount, p.recvType
	}
	d := l.th.Process.Type(typ.Handle(args))
	each := count.Int(args)
	if d == nil || first < 0 || n <= 0 || each <= 0 || first+n > p.partitions.Int(args) {
		return
	}
	b.lend(l, &memory.Part{
		Buffer: datatype.Buffer{
			Base: buf.Handle(args) + uint64(first*each*d.Extent()), Count: n * each, Type: d.Type,
		},
		Write: receives,
	})
}
