package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// quick is where a blocking send or receive has its arguments, if its record is a single line: nearly all calls of many
// programs are of this kind, and have returned successfully when they are read. Others poll: then it is where a test or
// probe says that there is nothing, so that nothing has changed. It is an abridged plan.
type quick struct {
	header                        uint64 // second half of the record's header: no error, no flags, this length; 0 if it is no such call
	send                          bool
	poll                          uint16 // of a test or probe: where its flag or number of completions is, else 0
	again                         bool   // a collective, see repeat
	buffers                       [2]uint8
	mode                          match.Mode
	comm, typ, count, peer, label uint8
	buf                           uint8
}

func makeQuick(p *plan) quick {
	f := p.fn
	if p.repeats() {
		return makeRepeatable(p)
	}
	switch p.act {
	case test, testall, testany, requestStatus, probe, mprobe:
		if p.flag.At != 0 && !p.flag.Wide {
			return quick{header: uint64(f.Fixed) << 48, poll: p.flag.At}
		}
	case testsome:
		return quick{header: uint64(f.Fixed) << 48, poll: p.outCount.At}
	}
	if p.act != send && p.act != recv || p.buffered || f.Fixed > layout.Line || f.Base != f.ID {
		return quick{}
	}
	at := func(r mpiapi.Role) uint8 { return uint8(f.Params[f.Arg(r)].Layout.At) }
	q := quick{header: uint64(f.Fixed) << 48, send: p.act == send, mode: match.Mode(p.mode), comm: at(mpiapi.TheComm)}
	if q.send {
		q.typ, q.count, q.peer, q.label, q.buf = at(mpiapi.SendType), at(mpiapi.SendCount), at(mpiapi.Dest), at(mpiapi.SendTag), at(mpiapi.SendBuf)
	} else {
		q.typ, q.count, q.peer, q.label, q.buf = at(mpiapi.RecvType), at(mpiapi.RecvCount), at(mpiapi.Source), at(mpiapi.RecvTag), at(mpiapi.RecvBuf)
	}
	return q
}

// slowDown takes the functions off the fast path whose calls somebody wants to be told of. It is called when all have
// subscribed.
func (t *Tracker) slowDown() {
	if t.subscribed {
		return
	}
	t.subscribed = true
	for id := range t.quick {
		if f := mpiapi.FuncID(id); t.Events.CallEntered.Wanted(f) || t.Events.CallLeft.Wanted(f) {
			t.quick[id] = quick{}
		}
	}
}

// quickly follows the records at the beginning of what d has left, as long as they are such calls, and returns the last
// of them, nil if there is none. It hands nothing on that a check could want to be told.
func (t *Tracker) quickly(th *Thread, d *event.Decoder) (last []byte) {
	pr := th.Process
	data := d.Plain()
	off := 0
	// Nothing that follows here begins or completes an operation that goes on after the call.
	passes := t.Events.MessagePassed.Wanted()
	busy := passes && pr.Lent.Busy()
	for off+layout.Line < len(data) { // the last record may be open
		rec := data[off : off+layout.Line : off+layout.Line]
		head := binary.LittleEndian.Uint64(rec)
		if int(head&0xffff) >= len(t.quick) {
			break
		}
		q := &t.quick[head&0xffff]
		if q.header == 0 || binary.LittleEndian.Uint64(rec[8:]) != q.header {
			break
		}
		if n := int(head>>16&0xffff) * layout.Line; q.again {
			if n == 0 || off+n >= len(data) || !t.enterAgain(th, q, data[off:off+n:off+n]) {
				break
			}
			last = data[off : off+n : off+n]
			off += n
			continue
		} else if q.poll != 0 {
			if n == 0 || off+n >= len(data) || int(q.poll) > n-4 || binary.LittleEndian.Uint32(data[off+int(q.poll):]) != 0 {
				break
			}
			th.Calls++
			last = data[off : off+n : off+n]
			th.inVain(last)
			off += n
			continue
		} else if n != layout.Line {
			break
		}
		v := pr.View(binary.LittleEndian.Uint64(rec[q.comm&63:]))
		peer := int32(binary.LittleEndian.Uint32(rec[q.peer&63:]))
		if v == nil || uint32(peer) >= uint32(v.Peers) {
			break
		}
		label := int32(binary.LittleEndian.Uint32(rec[q.label&63:]))
		if uint32(label) > uint32(pr.maxTag) { // or MPI_ANY_TAG
			break
		}
		typ := pr.readyType(binary.LittleEndian.Uint64(rec[q.typ&63:]))
		if typ == nil {
			break
		}
		op := t.Match.Scratch()
		op.Count = int64(int32(binary.LittleEndian.Uint32(rec[q.count&63:])))
		if op.Count < 0 || op.Count != 0 && binary.LittleEndian.Uint64(rec[q.buf&63:]) == 0 {
			break
		}
		if busy || !q.send && !typ.Permanent && passes {
			t.Events.MessagePassed.Publish(MessagePassed{th, typ, rec})
		}
		op.Send, op.Mode = q.send, q.mode
		op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, v.Base+peer, label
		op.Type = typ
		op.Call = match.Call{Thread: th.ID, Raw: rec}
		th.Calls++
		op.At = th.Calls
		t.Match.PostScratch()
		off += layout.Line
		last = rec
	}
	d.Skip(off)
	return last
}
