// Package faketables makes up the memory of a process with tables for debuggers, for tests. The records in the tables
// are those of package fakerun.
package faketables

import (
	"encoding/binary"
	"errors"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

const (
	base     = 0x7f0000000000
	keptBits = 6
	toldSize = 64 << 10
	spread   = 0x9e3779b97f4a7c15
	second   = 1_000_000_000 // nanoseconds
)

// Now is the present time in the process, in nanoseconds.
const Now = 100 * second

// Process is the memory of a process. Its bytes may be changed to damage the tables.
type Process struct {
	Bytes []byte // from address Base() on

	debug, table uint64
	serial       uint64
	lastThread   uint64 // address of the field that leads to the next thread
	objects      uint64
	count        int
}

// New returns a process with rank 1 of 4. Its handles have 4 or 8 bytes. It has the predefined handles of fakerun, and
// further ones.
func New(handleSize int, more ...fakerun.Name) *Process {
	p := new(Process)
	p.debug = p.Alloc(make([]byte, layout.SizeofDebug))
	p.table = p.Alloc(make([]byte, 8<<keptBits))
	p.objects = p.Alloc(make([]byte, 16*layout.SizeofObject))
	p.count = 1
	p.put32(p.debug+layout.DebugVersionAt, layout.Version)
	p.put32(p.debug+layout.DebugHeaderSizeAt, layout.SizeofDebug)
	p.put64(p.debug+layout.DebugTableHashAt, mpiapi.Hash())
	p.put64(p.debug+layout.DebugKeptAt, p.table)
	p.put32(p.debug+layout.DebugKeptBitsAt, keptBits)
	p.put32(p.debug+layout.DebugHandleSizeAt, uint32(handleSize))
	p.put64(p.debug+layout.DebugObjectsAt, p.objects)
	p.put32(p.debug+layout.DebugObjectCountAt, 16)
	p.put64(p.debug+layout.DebugBeatAt, p.Alloc(binary.LittleEndian.AppendUint64(nil, Now)))
	p.put32(p.debug+layout.DebugRankAt, 1)
	p.put32(p.debug+layout.DebugSizeAt, 4)
	copy(p.at(p.debug+layout.DebugProgramAt), "/usr/bin/mpivet")
	list := fakerun.Names(append(fakerun.Predefined(), more...))[layout.SizeofRecord:]
	for len(list) >= 8 && binary.LittleEndian.Uint64(list[len(list)-8:]) == 0 {
		list = list[:len(list)-8] // the padding of the record
	}
	p.put64(p.debug+layout.DebugNamesAt, p.Alloc(list))
	p.put64(p.debug+layout.DebugNamesUsedAt, uint64(len(list)))
	p.lastThread = p.debug + layout.DebugThreadsAt
	p.put64(p.debug+layout.DebugMagicAt, layout.MagicDebug)
	p.Object(layout.Object{
		Handle: fakerun.World, ID: 1, Kind: layout.ObjectComm, Made: layout.MadeWorld, Rank: 1, Size: 4, Runs: 1,
		Run: [layout.ObjectRuns]layout.Run{{Start: 0, Stride: 1, Count: 4}},
	}, "")
	return p
}

// Debug returns the address of mpivet_debug.
func (p *Process) Debug() uint64 { return p.debug }

// Base returns the address of the first byte.
func (p *Process) Base() uint64 { return base }

// ReadMemory implements tables.Memory.
func (p *Process) ReadMemory(addr uint64, b []byte) error {
	if addr < base || addr-base > uint64(len(p.Bytes)) || uint64(len(b)) > uint64(len(p.Bytes))-(addr-base) {
		return errors.New("there is no memory")
	}
	copy(b, p.Bytes[addr-base:])
	return nil
}

// Alloc puts bytes into the memory, and returns their address.
func (p *Process) Alloc(b []byte) uint64 {
	for len(p.Bytes)%16 != 0 {
		p.Bytes = append(p.Bytes, 0)
	}
	at := base + uint64(len(p.Bytes))
	p.Bytes = append(p.Bytes, b...)
	return at
}

func (p *Process) at(addr uint64) []byte           { return p.Bytes[addr-base:] }
func (p *Process) get64(addr uint64) uint64        { return binary.LittleEndian.Uint64(p.at(addr)) }
func (p *Process) put64(addr uint64, value uint64) { binary.LittleEndian.PutUint64(p.at(addr), value) }

func (p *Process) put32(addr uint64, value uint32) { binary.LittleEndian.PutUint32(p.at(addr), value) }

// Put64 changes eight bytes.
func (p *Process) Put64(addr, value uint64) { p.put64(addr, value) }

// Put32 changes four bytes.
func (p *Process) Put32(addr uint64, value uint32) { p.put32(addr, value) }

// hash returns the number of a handle's list in a table of 1<<bits lists.
func hash(handle, bits uint64) uint64 { return handle * spread >> (64 - bits) }

// Reference is an argument of a call that made an object: its handle, and the address of its entry or 0.
type Reference struct{ Handle, At uint64 }

// Keep adds an object to the tables, with the call that made it, and returns the address of its entry.
func (p *Process) Keep(kind uint32, handle uint64, function string, a fakerun.Args, references ...Reference) uint64 {
	return p.KeepRecord(kind, handle, fakerun.Record(0, function, a, 0), nil, references...)
}

// KeepRecord is Keep for a record, and the records with its long arrays.
func (p *Process) KeepRecord(kind uint32, handle uint64, rec, extra []byte, references ...Reference) uint64 {
	p.serial++
	b := make([]byte, layout.SizeofKept)
	slot := p.table + 8*hash(handle, keptBits)
	le := binary.LittleEndian
	le.PutUint64(b[layout.KeptNextAt:], p.get64(slot))
	le.PutUint64(b[layout.KeptHandleAt:], handle)
	le.PutUint64(b[layout.KeptSerialAt:], p.serial)
	le.PutUint64(b[layout.KeptBeatAt:], Now-5*second)
	le.PutUint32(b[layout.KeptKindAt:], kind)
	le.PutUint32(b[layout.KeptLengthAt:], uint32(len(rec)))
	le.PutUint32(b[layout.KeptExtraAt:], uint32(len(extra)))
	le.PutUint32(b[layout.KeptReferencesAt:], uint32(len(references)))
	le.PutUint64(b[layout.KeptPCsAt:], 0x401000+16*p.serial)
	le.PutUint64(b[layout.KeptPCsAt+8:], 0x400800)
	for _, r := range references {
		b = le.AppendUint64(le.AppendUint64(b, r.Handle), r.At)
	}
	at := p.Alloc(append(append(b, rec...), extra...))
	p.put64(slot, at)
	return at
}

// Note adds a later call about an object.
func (p *Process) Note(kept uint64, function string, a fakerun.Args) {
	rec := fakerun.Record(0, function, a, 0)
	b := make([]byte, layout.SizeofNote)
	binary.LittleEndian.PutUint64(b[layout.NoteNextAt:], p.get64(kept+layout.KeptNotesAt))
	binary.LittleEndian.PutUint32(b[layout.NoteLengthAt:], uint32(len(rec)))
	p.put64(kept+layout.KeptNotesAt, p.Alloc(append(b, rec...)))
}

// Free marks an object as freed.
func (p *Process) Free(kept uint64) { p.put64(kept+layout.KeptFreedAt, p.serial+1) }

// Thread is a thread of the process.
type Thread struct {
	p  *Process
	at uint64
}

// Thread adds a thread. index is its number among the threads that call MPI.
func (p *Process) Thread(tid, index int) *Thread {
	at := p.Alloc(make([]byte, layout.SizeofDebugThread))
	p.put32(at+layout.DebugThreadTIDAt, uint32(tid))
	p.put32(at+layout.DebugThreadThreadAt, uint32(index))
	p.put64(p.lastThread, at)
	p.lastThread = at + layout.DebugThreadNextAt
	return &Thread{p, at}
}

// Call makes a call the last one of the thread. in: the thread is in the call. It was entered 3 seconds ago.
func (t *Thread) Call(in bool, function string, a fakerun.Args) {
	rec := fakerun.Record(0, function, a, 0)
	copy(t.p.at(t.at + layout.DebugThreadNowAt)[:layout.Now], rec)
	t.p.put32(t.at+layout.DebugThreadNowLengthAt, uint32(len(rec)))
	t.p.put64(t.at+layout.DebugThreadCallAt, 17)
	t.p.put64(t.at+layout.DebugThreadBeatAt, Now-3*second)
	t.p.put64(t.at+layout.DebugThreadRecordAt, map[bool]uint64{true: 1}[in])
}

// Poll lets the thread repeat a test or probe. Its last recorded call stays what it is.
func (t *Thread) Poll(function string, a fakerun.Args) {
	t.p.put64(t.at+layout.DebugThreadRecordAt, t.p.Alloc(fakerun.Record(0, function, a, 0)))
	t.p.put32(t.at+layout.DebugThreadPollingAt, 1)
}

// Leave lets the thread return from its call, or from the poll that it repeats.
func (t *Thread) Leave() { t.p.put64(t.at+layout.DebugThreadRecordAt, 0) }

const requestBits = 3

// Request adds an open request, which was begun 2 seconds ago. flags are those of enum mv_request_flags.
func (t *Thread) Request(handle uint64, flags uint32, function string, a fakerun.Args) {
	p := t.p
	table := p.get64(t.at + layout.DebugThreadRequestsAt)
	if table == 0 {
		const n = layout.RequestWays << requestBits
		table = p.Alloc(make([]byte, layout.SizeofOpenRequests))
		p.put32(table+layout.OpenRequestsBitsAt, requestBits)
		p.put64(table+layout.OpenRequestsKeysAt, p.Alloc(make([]byte, 8*n)))
		p.put64(table+layout.OpenRequestsEntriesAt, p.Alloc(make([]byte, n*layout.SizeofOpenRequest)))
		p.put64(t.at+layout.DebugThreadRequestsAt, table)
	}
	i := hash(handle, requestBits) * layout.RequestWays
	keys := p.get64(table + layout.OpenRequestsKeysAt)
	for p.get64(keys+8*i) != 0 {
		i++
	}
	p.put64(keys+8*i, handle)
	e := p.get64(table+layout.OpenRequestsEntriesAt) + i*layout.SizeofOpenRequest
	rec := fakerun.Record(0, function, a, 0)
	p.put64(e+layout.OpenRequestBeatAt, Now-2*second)
	p.put32(e+layout.OpenRequestFlagsAt, flags)
	p.put32(e+layout.OpenRequestLengthAt, uint32(len(rec)))
	p.put64(e+layout.OpenRequestSiteAt, 0x402000)
	copy(p.at(e + layout.OpenRequestRecordAt)[:layout.RequestRecord], rec)
}

// Count says how often a kind of collective was entered and left.
type Count struct {
	Kind          int
	Entered, Left uint64
}

// Object adds a communicator, window or file with a name to the tables of collective state.
func (p *Process) Object(o layout.Object, name string, counts ...Count) {
	b := make([]byte, layout.SizeofObject)
	le := binary.LittleEndian
	le.PutUint64(b[layout.ObjectSerialAt:], uint64(p.count))
	le.PutUint64(b[layout.ObjectHandleAt:], o.Handle)
	le.PutUint64(b[layout.ObjectIDAt:], o.ID)
	le.PutUint64(b[layout.ObjectParentAt:], o.Parent)
	le.PutUint64(b[layout.ObjectNumberAt:], o.Number)
	for at, v := range map[int]uint32{
		layout.ObjectKindAt: o.Kind, layout.ObjectMadeAt: o.Made, layout.ObjectFlagsAt: o.Flags,
		layout.ObjectRankAt: uint32(o.Rank), layout.ObjectSizeAt: uint32(o.Size),
		layout.ObjectRemoteSizeAt: uint32(o.RemoteSize), layout.ObjectRunsAt: o.Runs,
		layout.ObjectRemoteRunsAt: o.RemoteRuns,
	} {
		le.PutUint32(b[at:], v)
	}
	for i, r := range o.Run {
		at := layout.ObjectRunAt + i*layout.SizeofRun
		le.PutUint32(b[at:], uint32(r.Start))
		le.PutUint32(b[at+4:], uint32(r.Stride))
		le.PutUint32(b[at+8:], uint32(r.Count))
	}
	copy(b[layout.ObjectNameAt:], name)
	for _, c := range counts {
		at := layout.ObjectCountAt + c.Kind*layout.SizeofCount
		le.PutUint64(b[at:], c.Entered)
		le.PutUint64(b[at+8:], c.Left)
	}
	copy(p.at(p.objects+uint64(p.count)*layout.SizeofObject), b)
	p.count++
}

// Tell adds what the analyzer tells: messages that no receive waits for, and a text in JSON.
func (p *Process) Tell(words string, messages ...*layout.Unexpected) {
	b := make([]byte, toldSize)
	le := binary.LittleEndian
	le.PutUint64(b[layout.ToldMagicAt:], layout.MagicTold)
	le.PutUint32(b[layout.ToldVersionAt:], layout.Version)
	le.PutUint64(b[layout.ToldTimeAt:], Now)
	le.PutUint64(b[layout.ToldSequenceAt:], 2)
	le.PutUint32(b[layout.ToldUnexpectedAtAt:], layout.SizeofTold)
	le.PutUint32(b[layout.ToldUnexpectedAt:], uint32(len(messages)))
	at := layout.SizeofTold
	for _, m := range messages {
		le.PutUint64(b[at+layout.UnexpectedCommAt:], m.Comm)
		le.PutUint32(b[at+layout.UnexpectedSourceAt:], uint32(m.Source))
		le.PutUint32(b[at+layout.UnexpectedTagAt:], uint32(m.Tag))
		le.PutUint32(b[at+layout.UnexpectedWorldAt:], uint32(m.World))
		le.PutUint32(b[at+layout.UnexpectedFunctionAt:], m.Function)
		le.PutUint64(b[at+layout.UnexpectedBytesAt:], uint64(m.Bytes))
		le.PutUint64(b[at+layout.UnexpectedBeatAt:], m.Beat)
		at += layout.SizeofUnexpected
	}
	le.PutUint32(b[layout.ToldTextAtAt:], uint32(at))
	le.PutUint32(b[layout.ToldTextLengthAt:], uint32(len(words)))
	copy(b[at:], words)
	p.put64(p.debug+layout.DebugToldAt, p.Alloc(b))
	p.put64(p.debug+layout.DebugToldSizeAt, toldSize)
}
