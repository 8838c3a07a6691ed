package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// fastPath follows the most frequent calls, without the work that other calls need.
type fastPath struct {
	*core
	collectives *collectives
	quick       []quick // by the number of the function, like plans
	ready       bool    // the first batch has come, so all subscriptions have been made
}

// quick is a shortened plan. For a blocking send or receive whose record is a single line, it has the places of the
// arguments. Nearly all calls of many programs are of this kind, and have returned successfully when they are read. For
// a test or probe, it has the place of the result that says that nothing was found, so that nothing has changed.
type quick struct {
	// Second half of the record's header: no error, no flags, this length; 0 if the call is not of this kind.
	header                        uint64
	send                          bool
	poll                          uint16 // of a test or probe: where its flag or number of completions is, else 0
	again                         bool   // a collective, see repeat
	buffers                       [2]uint8
	mode                          match.Mode
	comm, typ, count, peer, label uint8
	buf                           uint8
}

func newFastPath(c *core, k *collectives) fastPath {
	fp := fastPath{core: c, collectives: k, quick: make([]quick, len(c.plans))}
	for _, f := range mpiapi.Funcs() {
		fp.quick[f.ID] = makeQuick(&c.plans[f.ID])
	}
	return fp
}

func makeQuick(p *plan) quick {
	f := p.fn
	if p.repeatable {
		return makeRepeatable(p)
	}
	if p.found.Exists() {
		return quick{header: uint64(f.Fixed) << 48, poll: p.found.At}
	}
	if p.act != mpiapi.ActSend && p.act != mpiapi.ActRecv || p.buffered || f.Fixed > layout.Line || f.Base != f.ID {
		return quick{}
	}
	q := quick{header: uint64(f.Fixed) << 48, send: p.act == mpiapi.ActSend, mode: p.mode, comm: uint8(p.comm.At)}
	e := &p.receives
	if q.send {
		e = &p.sends
	}
	q.typ, q.count, q.peer, q.label = uint8(e.typ.At), uint8(e.count.At), uint8(e.peer.At), uint8(e.tag.At)
	q.buf = uint8(e.buffer.At)
	return q
}

// start takes functions off the fast path if there are subscribers to their calls. It is called when all subscriptions
// have been made.
func (fp *fastPath) start() {
	if fp.ready {
		return
	}
	fp.ready = true
	for id := range fp.quick {
		if f := mpiapi.FuncID(id); fp.Events.CallEntered.Wanted(f) || fp.Events.CallLeft.Wanted(f) {
			fp.quick[id] = quick{}
			fp.plans[id].repeatable = false
		}
	}
}

// followQuick follows the next records of d as long as they are of the fast path, and returns the last of them, nil if
// there is none. It publishes nothing about them, as no check needs it.
func (fp *fastPath) followQuick(th *Thread, d *event.Decoder) (last []byte) {
	pr := th.Process
	data := d.Plain()
	off := 0
	// Calls that follow here do not begin or complete an operation that continues after the call.
	passes := fp.Events.MessagePassed.Wanted()
	busy := passes && pr.Lent.Busy()
	for off+layout.Line < len(data) { // the last record may be open
		rec := data[off : off+layout.Line : off+layout.Line]
		head := binary.LittleEndian.Uint64(rec)
		q := fp.plan(head, binary.LittleEndian.Uint64(rec[8:]))
		if q == nil {
			break
		}
		n := int(head>>16&0xffff) * layout.Line
		if q.again || q.poll != 0 {
			if n == 0 || off+n >= len(data) || !fp.followLong(th, q, data[off:off+n:off+n]) {
				break
			}
			last = data[off : off+n : off+n]
			off += n
			continue
		}
		if n != layout.Line {
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
		op := fp.Match.Scratch()
		op.Count = int64(int32(binary.LittleEndian.Uint32(rec[q.count&63:])))
		if op.Count < 0 || op.Count != 0 && binary.LittleEndian.Uint64(rec[q.buf&63:]) == 0 {
			break
		}
		if busy || !q.send && !typ.Permanent && passes {
			fp.Events.MessagePassed.Publish(MessagePassed{th, typ, rec})
		}
		op.Send, op.Mode = q.send, q.mode
		op.Comm, op.Me, op.Peer, op.Tag = v.Comm, v.Me, v.Base+peer, label
		op.Type = typ
		op.Call = match.Call{Thread: th.ID, Raw: rec}
		th.Calls++
		op.At = th.Calls
		fp.Match.PostScratch()
		off += layout.Line
		last = rec
	}
	d.Skip(off)
	return last
}

// plan returns the shortened plan for a record with this header, nil if the record is not of the fast path.
func (fp *fastPath) plan(first, second uint64) *quick {
	if int(first&0xffff) >= len(fp.quick) {
		return nil
	}
	if q := &fp.quick[first&0xffff]; q.header == second && second != 0 {
		return q
	}
	return nil
}

// followLong follows a collective that repeats an earlier one, or a poll that finds nothing. It reports whether the
// record is of this kind.
func (fp *fastPath) followLong(th *Thread, q *quick, rec []byte) bool {
	if q.again {
		return fp.collectives.enterAgain(th, q, rec)
	}
	if int(q.poll) > len(rec)-4 || binary.LittleEndian.Uint32(rec[q.poll:]) != 0 {
		return false
	}
	th.Calls++
	th.notePoll(rec)
	return true
}
