package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Limits for the fields of a ring's header.
const (
	maxHeader   = 1 << 16
	maxRingSize = 1 << 30
)

// openFile opens a file of the session without following links, and returns its size.
func openFile(path string, flags int) (*os.File, int64, error) {
	f, err := os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s: no regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// verdictAt is the offset of the verdict in the file of a process.
const verdictAt = int64(layout.ProcessVerdictAt)

// mapControl maps the control file, which must be as long as its structure.
func mapControl(f *os.File) (*layout.Control, error) {
	p, err := unix.MmapPtr(int(f.Fd()), 0, nil, layout.SizeofControl, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return (*layout.Control)(p), nil
}

func unmapControl(c *layout.Control) {
	_ = unix.MunmapPtr(unsafe.Pointer(c), layout.SizeofControl)
}

// mapProcess maps the file of a process and checks its header.
func mapProcess(path string) (*layout.Process, error) {
	f, size, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size < int64(layout.SizeofProcess) {
		return nil, fmt.Errorf("%s: %d bytes are too short for the record of a process", path, size)
	}
	ptr, err := unix.MmapPtr(int(f.Fd()), 0, nil, layout.SizeofProcess, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	p := (*layout.Process)(ptr)
	switch {
	case p.Magic != layout.MagicProcess:
		err = fmt.Errorf("%s: not the record of a process", path)
	case p.Version != layout.Version:
		err = fmt.Errorf("%s: version %d, want %d", path, p.Version, layout.Version)
	case uintptr(p.HeaderSize) < unsafe.Sizeof(*p):
		err = fmt.Errorf("%s: its header of %d bytes is too short", path, p.HeaderSize)
	}
	if err != nil {
		unmapProcess(p)
		return nil, err
	}
	return p, nil
}

func unmapProcess(p *layout.Process) {
	_ = unix.MunmapPtr(unsafe.Pointer(p), unsafe.Sizeof(*p))
}

// mapping is a ring's file in this process's memory.
type mapping struct {
	hdr     *layout.Ring
	hdrSize uintptr
	data    []byte // the data twice, back to back, read-only
	size    uint64 // of the data
}

// mapRing maps a ring and checks its header.
func mapRing(path string) (*mapping, error) {
	f, fileSize, err := openFile(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fileSize < int64(layout.SizeofRing) {
		return nil, fmt.Errorf("%s: %d bytes are too short for a ring", path, fileSize)
	}
	// Read the header through the file first, and check it before it is used.
	var head [layout.SizeofRing]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	magic := binary.LittleEndian.Uint64(head[layout.RingMagicAt:])
	version := binary.LittleEndian.Uint32(head[layout.RingVersionAt:])
	hdrSize := binary.LittleEndian.Uint32(head[layout.RingHeaderSizeAt:])
	size := binary.LittleEndian.Uint64(head[layout.RingSizeAt:])
	page := uint64(os.Getpagesize())
	switch {
	case magic != layout.MagicRing:
		return nil, fmt.Errorf("%s: not a ring", path)
	case version != layout.Version:
		return nil, fmt.Errorf("%s: version %d, want %d", path, version, layout.Version)
	case uintptr(hdrSize) < layout.SizeofRing || hdrSize > maxHeader || uint64(hdrSize)%page != 0:
		return nil, fmt.Errorf("%s: impossible header size %d", path, hdrSize)
	case size < page || size > maxRingSize || size&(size-1) != 0:
		return nil, fmt.Errorf("%s: impossible ring size %d", path, size)
	case uint64(fileSize) < uint64(hdrSize)+size:
		return nil, fmt.Errorf("%s: %d bytes are too short for a ring of %d", path, fileSize, size)
	}
	fd := int(f.Fd())
	hp, err := unix.MmapPtr(fd, 0, nil, uintptr(hdrSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	m := &mapping{hdr: (*layout.Ring)(hp), hdrSize: uintptr(hdrSize), size: size}
	// Reserve room for both copies, then map the file there twice.
	dp, err := unix.MmapPtr(-1, 0, nil, uintptr(2*size), unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err == nil {
		m.data = unsafe.Slice((*byte)(dp), 2*size)
		for _, at := range []uintptr{0, uintptr(size)} {
			_, e := unix.MmapPtr(fd, int64(hdrSize), unsafe.Add(dp, at), uintptr(size),
				unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED)
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		m.close()
		return nil, os.NewSyscallError("mmap", err)
	}
	return m, nil
}

// close unmaps the ring. Its data must not be used any more.
func (m *mapping) close() {
	if m.hdr != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(m.hdr), m.hdrSize)
	}
	if m.data != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m.data)), uintptr(len(m.data)))
	}
	m.hdr, m.data = nil, nil
}

// contains reports whether a fault address lies in the mapping.
func (m *mapping) contains(addr uintptr) bool {
	if m.hdr != nil {
		if h := uintptr(unsafe.Pointer(m.hdr)); addr >= h && addr < h+m.hdrSize {
			return true
		}
	}
	if m.data != nil {
		if d := uintptr(unsafe.Pointer(unsafe.SliceData(m.data))); addr >= d && addr < d+uintptr(len(m.data)) {
			return true
		}
	}
	return false
}

// mapTable maps the head of the layouts' file and its table.
func (l *Layouts) mapTable() error {
	p, err := unix.MmapPtr(int(l.f.Fd()), 0, nil, tableSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	l.head = (*layout.Layouts)(p)
	l.slots = unsafe.Slice((*layout.LayoutSlot)(unsafe.Add(p, unsafe.Sizeof(*l.head))), 1<<layoutSlotBits)
	return nil
}

// tableSize is the length of the part that mapTable maps.
const tableSize = layout.SizeofLayouts + layout.SizeofLayoutSlot<<layoutSlotBits

// contains reports whether a fault address lies in the table.
func (l *Layouts) contains(addr uintptr) bool {
	at := uintptr(unsafe.Pointer(l.head))
	return addr >= at && addr < at+tableSize
}

func (l *Layouts) unmapTable() {
	if l.head != nil {
		_ = unix.MunmapPtr(unsafe.Pointer(l.head), tableSize)
	}
	l.head, l.slots = nil, nil
}
