package buffers

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// began follows the buffers of an operation that a call begins.
func (b *Buffers) began(c track.Call) {
	th, p := c.Thread, &b.plans[c.Call.Func.ID]
	if p.sides != nil {
		v, _ := th.Joined()
		b.beganCollective(th, p, c.Call, v)
		return
	}
	ops := th.Waiting()
	op, m := ops[0], th.Process.Lent
	if p.lends && m != nil && op != nil && op.Type != nil && ops[1] == nil && !b.reads && !m.Unknown {
		buf := p.send
		if !op.Send && p.recv.Exists() {
			buf = p.recv
		}
		th.Held.All = m.All.Again(buf.Handle(c.Call.Raw()), op.Count, op.Type.Type, !op.Send)
		if th.Held.All != 0 {
			return // same as the last time
		}
	}
	b.lendMessage(th, p, c.Call, op, ops[1])
}

func (b *Buffers) lendMessage(th *track.Thread, p *plan, c *event.Call, op, second *match.Op) {
	keep := p.keeps(len(th.Process.Threads), !open(c))
	if !keep && second == nil && !th.Process.Lent.Busy() &&
		(op == nil || op.Send || op.Type == nil || op.Type.Permanent) {
		return
	}
	l := lending{th: th, plan: p, args: c.Raw(), keep: keep}
	if second != nil {
		b.lendBoth(&l, op, second)
	} else if op != nil {
		b.lendOne(&l, op)
	}
}

// lendOne follows the buffer of a send or receive.
func (b *Buffers) lendOne(l *lending, op *match.Op) {
	part := memory.Part{Buffer: datatype.Buffer{Count: op.Count, Type: op.Type.Of()}, Write: !op.Send}
	if op.Send || !l.plan.recv.Exists() {
		part.Base = l.plan.send.Handle(l.args)
	} else {
		part.Base = l.plan.recv.Handle(l.args)
	}
	b.lend(l, &part)
}

// lendBoth follows the buffers of a call that sends and receives.
func (b *Buffers) lendBoth(l *lending, send, recv *match.Op) {
	if send == nil || !l.plan.recv.Exists() { // MPI_Sendrecv_replace
		b.lendOne(l, recv)
		return
	}
	sent := memory.Part{Buffer: datatype.Buffer{
		Base: l.plan.send.Handle(l.args), Count: send.Count, Type: send.Type.Of(),
	}}
	received := memory.Part{Buffer: datatype.Buffer{
		Base: l.plan.recv.Handle(l.args), Count: recv.Count, Type: recv.Type.Of(),
	}, Write: true}
	if !b.lendWithin(l, &sent, &received) {
		b.lend(l, &sent)
	}
	b.lend(l, &received)
}

// passed follows the buffer of a message of which only the record and the datatype are known.
func (b *Buffers) passed(e track.MessagePassed) {
	rec := e.Record
	p := &b.plans[function(rec)]
	part := memory.Part{Buffer: datatype.Buffer{Type: e.Datatype.Of()}, Write: p.recv.Exists()}
	if part.Write {
		part.Base, part.Count = p.recv.Handle(rec), p.recvCount.Int(rec)
	} else {
		part.Base, part.Count = p.send.Handle(rec), p.sendCount.Int(rec)
	}
	b.lend(&lending{th: e.Thread, plan: p, args: rec, keep: p.lends}, &part)
}

// function returns the number of the function that a record belongs to.
func function(rec []byte) mpiapi.FuncID { return mpiapi.FuncID(binary.LittleEndian.Uint16(rec)) }
