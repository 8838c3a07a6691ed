package track

import (
	"encoding/binary"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// repeat is a collective that a process has entered. If the process enters one of the same kind again, with the same
// arguments except for the addresses of its buffers, its part in that one is the same, too.
type repeat struct {
	record   [repeatSize]byte
	used     uint16 // 0: there is none
	meanings uint32 // of the process, when it was entered
	entry    *match.Entry
	extents  memory.Extents // used only by package analysis/buffers
}

// repeats is the number of remembered collectives of a communicator. repeatSize is the maximum length of their records.
// rare is the number of collectives on a communicator before the first one is remembered, as room for many processes
// costs memory.
const (
	repeats    = 4
	repeatSize = 2 * layout.Line
	rare       = 8
)

// repeats reports whether calls of a function can be recognised by the fixed part of their record: it has all
// arguments, and the call changes only data. The effect of the call must not depend on a topology, either.
func (p *plan) repeats() bool {
	f := p.fn
	arrays := slices.ContainsFunc(f.Params, func(q mpiapi.Param) bool { return q.Length != "" })
	at := p.bufferPlaces()
	return p.act == mpiapi.ActCollective && at[0]%8 == 0 && at[1]%8 == 0 && f.Flow != mpiapi.NoFlow &&
		f.Flow != mpiapi.Neighbors && !arrays &&
		p.comm.At != 0 && p.comm.Wide && f.Fixed <= repeatSize
}

func makeRepeatable(p *plan) quick {
	q := quick{header: uint64(p.fn.Fixed) << 48, again: true, comm: uint8(p.comm.At)}
	q.buffers = p.bufferPlaces()
	return q
}

// bufferPlaces returns the places of the buffers' addresses in the record of a collective, 0 if there is none.
func (p *plan) bufferPlaces() (at [2]uint8) {
	for i, r := range []mpiapi.Role{mpiapi.SendBuf, mpiapi.RecvBuf} {
		if a := p.fn.Arg(r); a >= 0 {
			at[i] = uint8(p.fn.Params[a].Layout.At)
		}
	}
	return at
}

// at returns the place where a view remembers the collectives that are called from the call site of a record.
func (v *View) repeatAt(rec []byte) *repeat {
	return &v.again[binary.LittleEndian.Uint32(rec[layout.RecordSiteAt:])%repeats]
}

// remember stores the collective that a call has just entered, if a repetition of it can be recognised.
func (cs *collectives) remember(th *Thread, v *View, p *plan, c *event.Call) {
	rec := c.Raw()
	used := int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:]))
	if c.State != event.Complete || returned(rec) != 0 || th.Explained != Unexplained || !cs.entry.Plain() ||
		th.pos < rare ||
		v.topology != nil || used != p.fn.Fixed || used > repeatSize {
		return
	}
	for i := range p.types {
		if th.Process.readyType(p.types[i].at.Handle(rec)) == nil {
			return
		}
	}
	if v.again == nil {
		v.again = new([repeats]repeat)
	}
	r := v.repeatAt(rec)
	copy(r.record[:], rec)
	clear(r.record[used:])
	r.used, r.meanings, r.entry = uint16(used), th.Process.meanings, cs.kept.Keep(&cs.entry)
	r.extents = memory.Extents{}
}

// enterAgain follows a call that has returned successfully, if it repeats an earlier collective. It reports whether it
// does.
func (cs *collectives) enterAgain(th *Thread, q *quick, rec []byte) bool {
	pr := th.Process
	v := pr.View(binary.LittleEndian.Uint64(rec[q.comm:]))
	if v == nil || v.again == nil {
		return false
	}
	r := v.repeatAt(rec)
	if r.meanings != pr.meanings || !r.equal(q, pr, rec) {
		return false
	}
	call := match.Call{Thread: th.ID, Raw: rec}
	th.Calls++
	th.view = v
	th.pos = cs.Match.Enter(v.Comm, v.Me, r.entry, call)
	if cs.Replay != nil {
		cs.Replay.Enter(th, v, th.pos, r.entry.Root, true, rec)
	}
	cs.publishEntered(th, v, rec)
	if e := &cs.Events.CollectiveRepeated; e.Wanted() && (pr.Lent.Busy() || !r.apart(q, rec)) {
		e.Publish(CollectiveRepeated{th, v, rec, &r.extents})
		th.Explained = Unexplained
	}
	return true
}

// apart reports whether it is certain that the buffers of a record do not overlap.
func (r *repeat) apart(q *quick, rec []byte) bool {
	return r.extents.Apart(binary.LittleEndian.Uint64(rec[q.buffers[0]:]),
		binary.LittleEndian.Uint64(rec[q.buffers[1]:]))
}

// equal reports whether a record has the same arguments as the remembered call, and nothing else.
func (r *repeat) equal(q *quick, pr *Process, rec []byte) bool {
	used := int(r.used)
	if used == 0 || used > len(rec) || binary.LittleEndian.Uint32(rec) != binary.LittleEndian.Uint32(r.record[:]) {
		return false
	}
	if secs := (used + 7) &^ 7; secs+layout.SizeofSection <= len(rec) &&
		binary.LittleEndian.Uint16(rec[secs:]) != layout.SecEnd {
		return false
	}
	i := layout.RecordRCAt
	for ; i+8 <= used; i += 8 {
		a, b := binary.LittleEndian.Uint64(rec[i:]), binary.LittleEndian.Uint64(r.record[i:])
		if a != b && (i != int(q.buffers[0]) && i != int(q.buffers[1]) || a == 0 || b == 0 ||
			pr.hasInPlace && (a == pr.inPlace || b == pr.inPlace)) {
			return false
		}
	}
	return i == used || binary.LittleEndian.Uint32(rec[i:]) == binary.LittleEndian.Uint32(r.record[i:])
}
