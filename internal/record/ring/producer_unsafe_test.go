package ring

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// producer writes a ring as the preload library does.
type producer struct {
	t    testing.TB
	m    *mapping
	data []byte // writable, mapped once
	head uint64
	open uint64 // position of the open call
	tick *uint64
	name string
	dir  string
}

func (p *producer) path() string { return filepath.Join(p.dir, p.name) }

// makeProcess makes the file of a process with the given pid.
func makeProcess(t testing.TB, s *Session, pid, k, rank int) (name string, page *layout.Process) {
	t.Helper()
	name = fmt.Sprintf("p%d.%d", pid, k)
	b := make([]byte, 4096)
	p := (*layout.Process)(unsafe.Pointer(&b[0]))
	p.Magic, p.Version, p.HeaderSize = layout.MagicProcess, layout.Version, 4096
	p.PID, p.PPID, p.Rank, p.WorldSize = uint32(pid), uint32(os.Getpid()), int32(rank), 4
	p.StartTime = uint64(now())
	copy(p.Exe[:], "/bin/program")
	path := filepath.Join(s.Dir, "."+name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() }) // the library keeps it open
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	w := mapWritable(t, path, 4096)
	if err := os.Rename(path, filepath.Join(s.Dir, name)); err != nil {
		t.Fatal(err)
	}
	return name, (*layout.Process)(unsafe.Pointer(&w[0]))
}

// makeRing makes a ring of the i-th thread of a process.
func makeRing(t testing.TB, s *Session, process string, pid, i int, size uint64) *producer {
	t.Helper()
	name := fmt.Sprintf("t%s.%d", process[1:], i)
	b := make([]byte, 4096+size)
	h := (*layout.Ring)(unsafe.Pointer(&b[0]))
	h.Magic, h.Version, h.HeaderSize, h.Size = layout.MagicRing, layout.Version, 4096, size
	h.PID, h.TID, h.Thread = uint32(pid), uint32(pid+i), uint32(i)
	if i == 0 {
		h.MainThread = 1
	}
	copy(h.Process[:], process)
	path := filepath.Join(s.Dir, "."+name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	w := mapWritable(t, path, 4096+int(size))
	if err := os.Rename(path, filepath.Join(s.Dir, name)); err != nil {
		t.Fatal(err)
	}
	return &producer{
		t: t, m: &mapping{hdr: (*layout.Ring)(unsafe.Pointer(&w[0])), size: size}, data: w[4096:],
		name: name, dir: s.Dir, tick: new(uint64),
	}
}

func mapWritable(t testing.TB, path string, size int) []byte {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := mmapShared(f, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { munmap(b) })
	return b
}

// room reports whether n bytes fit behind the head.
func (p *producer) room(n int) bool {
	return p.head+uint64(n)-p.m.hdr.Tail.Load() <= p.m.size
}

// put writes a record with the given header and payload, and publishes it.
func (p *producer) put(kind uint16, site uint32, flags uint16, payload []byte, lines int) {
	p.t.Helper()
	if !p.room(lines * layout.Line) {
		p.t.Fatal("no room in the ring")
	}
	rec := make([]byte, lines*layout.Line)
	binary.LittleEndian.PutUint16(rec[layout.RecordKindAt:], kind)
	binary.LittleEndian.PutUint16(rec[layout.RecordLinesAt:], uint16(lines))
	binary.LittleEndian.PutUint32(rec[layout.RecordSiteAt:], site)
	binary.LittleEndian.PutUint16(rec[layout.RecordFlagsAt:], flags)
	binary.LittleEndian.PutUint16(rec[layout.RecordUsedAt:], uint16(layout.SizeofRecord+len(payload)))
	copy(rec[layout.SizeofRecord:], payload)
	if kind < layout.Info {
		p.open = p.head
		if flags&layout.Timed != 0 {
			binary.LittleEndian.PutUint64(rec[len(rec)-layout.SizeofTimes:], p.clock())
		}
	}
	p.write(p.head, rec)
	p.head += uint64(len(rec))
	p.m.hdr.Head.Store(p.head)
}

func (p *producer) clock() uint64 {
	*p.tick++
	return *p.tick
}

func (p *producer) write(pos uint64, b []byte) {
	for len(b) > 0 {
		n := copy(p.data[pos%p.m.size:], b)
		pos, b = pos+uint64(n), b[n:]
	}
}

func (p *producer) read(pos uint64, b []byte) {
	for len(b) > 0 {
		n := copy(b, p.data[pos%p.m.size:])
		pos, b = pos+uint64(n), b[n:]
	}
}

// call enters a call whose record carries the number seq in its first slot.
func (p *producer) call(seq uint64, flags uint16, lines int) {
	p.t.Helper()
	p.put(7, 1, flags, binary.LittleEndian.AppendUint64(nil, seq), lines)
}

// leave completes the open call: rc becomes the given one.
func (p *producer) leave(rc int32) {
	var h [layout.SizeofRecord]byte
	p.read(p.open, h[:])
	if binary.LittleEndian.Uint16(h[layout.RecordFlagsAt:])&layout.Timed != 0 {
		end := p.open + uint64(binary.LittleEndian.Uint16(h[layout.RecordLinesAt:]))*layout.Line
		p.write(end-8, binary.LittleEndian.AppendUint64(nil, p.clock()))
	}
	p.write(p.open+layout.RecordRCAt, binary.LittleEndian.AppendUint32(nil, uint32(rc)))
	p.m.hdr.Done.Add(1)
}

// returnsLate stores the time at which the open call, which has no times, is about to return.
func (p *producer) returnsLate(at uint64) {
	p.m.hdr.Late.Store(at)
	p.write(p.open+layout.RecordFlagsAt, binary.LittleEndian.AppendUint16(nil, layout.Late))
}

// info publishes a record that is not a call, with the number seq in it.
func (p *producer) info(kind uint16, seq uint64) {
	p.t.Helper()
	b := make([]byte, 24)
	binary.LittleEndian.PutUint64(b[16:], seq)
	p.put(kind, 0, 0, b, 1)
}
