package ring

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Sizes of the file of a process's layouts and of its table. Pages that are never written take no memory.
const (
	layoutsSize    = 64 << 20
	layoutSlotBits = 13
)

// ErrLayoutsFull says that there is no room for another program or handle.
var ErrLayoutsFull = errors.New("no room for the layouts of more datatypes")

// Layouts publishes to a process where the data of its datatypes lie: struct mv_layouts of preload/record.h. Only the
// goroutine that calls Poll may call its methods.
type Layouts struct {
	f     *os.File
	head  *layout.Layouts
	slots []layout.LayoutSlot
	known map[[sha256.Size]byte]uint64 // offset of each program that was written
	end   int64                        // end of the written part
	lost  bool                         // the program has truncated the file: its content does not matter any more
}

// Layouts makes the file of a process's layouts and tells the process that it exists. It must be called at most once
// for a process, and only while the process has not ended.
func (l *Live) Layouts(id ProcID) (*Layouts, error) {
	p := l.procs[id]
	if p == nil {
		return nil, fmt.Errorf("process %d is not there any more", id)
	}
	name := "l" + p.name[1:]
	made, err := newLayouts(p.file.dir, name)
	if err != nil {
		return nil, fmt.Errorf("telling process %d its datatypes' layouts: %w", p.info.PID, err)
	}
	p.files = append(p.files, file{p.file.dir, name})
	// The page is mapped for reading only.
	page, err := os.OpenFile(filepath.Join(p.file.dir, p.file.name), os.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		_, err = page.WriteAt(binary.LittleEndian.AppendUint32(nil, 1), int64(layout.ProcessLayoutsAt))
		err = errors.Join(err, page.Close())
	}
	if err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

func newLayouts(dir, name string) (_ *Layouts, err error) {
	hidden := filepath.Join(dir, "."+name)
	f, err := os.OpenFile(hidden, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Layouts{f: f, known: make(map[[sha256.Size]byte]uint64)}
	defer func() {
		if err != nil {
			l.Close()
			_ = os.Remove(hidden)
		}
	}()
	if err = f.Truncate(layoutsSize); err != nil {
		return nil, err
	}
	l.end = int64(tableSize)
	// Reserve the space: a write to the mapping would be fatal if there were none left.
	if err = reserve(f, l.end); err != nil {
		return nil, &os.PathError{Op: "allocate", Path: hidden, Err: err}
	}
	if err = l.mapTable(); err != nil {
		return nil, err
	}
	h := l.head
	h.Magic, h.Version, h.HeaderSize = layout.MagicLayouts, layout.Version, uint32(layout.SizeofLayouts)
	h.Size, h.SlotBits = layoutsSize, layoutSlotBits
	// A visible file is complete.
	if err = os.Rename(hidden, filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	return l, nil
}

// A Written is a program that is in the file, for Publish.
type Written uint64

// Publish tells the process that from now on, handle is a datatype with that program.
func (l *Layouts) Publish(handle uint64, program Written) error {
	defer l.rescue()
	slot := l.slot(handle)
	if slot == nil {
		return ErrLayoutsFull
	}
	at := uint64(program)
	slot.At.Store(0)
	slot.Handle.Store(handle)
	slot.At.Store(at)
	return nil
}

// Unpublish tells the process that handle is not that datatype any more.
func (l *Layouts) Unpublish(handle uint64) {
	defer l.rescue()
	if slot := l.slot(handle); slot != nil && slot.Handle.Load() == handle {
		slot.At.Store(0)
	}
}

// Freed tells the process that the table now reflects one more of its MPI_Type_free calls.
func (l *Layouts) Freed() {
	defer l.rescue()
	if !l.lost { // otherwise the process must not trust the table
		l.head.Freed.Add(1)
	}
}

// rescue turns a fault in the table into the loss of the table. The caller has set debug.SetPanicOnFault, as Poll does.
func (l *Layouts) rescue() {
	r := recover()
	if r == nil {
		return
	}
	if fault, ok := r.(interface{ Addr() uintptr }); ok && l.contains(fault.Addr()) {
		l.lost = true
		return
	}
	panic(r)
}

// slot returns the slot of a handle, or a slot that it may take, or nil.
func (l *Layouts) slot(handle uint64) *layout.LayoutSlot {
	if handle == 0 || l.lost {
		return nil
	}
	var unused *layout.LayoutSlot
	first := handle * 0x9e3779b97f4a7c15 >> (64 - layoutSlotBits)
	for i := range uint64(layout.LayoutProbes) {
		s := &l.slots[(first+i)%uint64(len(l.slots))]
		switch h := s.Handle.Load(); {
		case h == handle:
			return s
		case unused == nil && (h == 0 || s.At.Load() == 0):
			unused = s
		}
		if s.Handle.Load() == 0 {
			break
		}
	}
	return unused
}

// Write puts a program into the file, unless it is already there. Programs are never overwritten, as the process may
// use one after the handle was freed.
func (l *Layouts) Write(program []int64) (Written, error) {
	b := make([]byte, 0, 8+8*len(program))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(program)))
	for _, w := range program {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	key := sha256.Sum256(b)
	if at, ok := l.known[key]; ok {
		return Written(at), nil
	}
	if l.end+int64(len(b)) > layoutsSize {
		return 0, ErrLayoutsFull
	}
	if _, err := l.f.WriteAt(b, l.end); err != nil { // not through the mapping: there may be no memory left
		return 0, err
	}
	at := uint64(l.end)
	l.end += int64(len(b))
	l.known[key] = at
	return Written(at), nil
}

// Close closes the file. The file stays for the process.
func (l *Layouts) Close() {
	l.unmapTable()
	l.f.Close()
}

// Programs is Layouts, or the like for a process of another node.
type Programs interface {
	Write(program []int64) (Written, error)
	Publish(handle uint64, program Written) error
	Unpublish(handle uint64)
	Freed()
	Close()
}

// Programs returns Layouts of a process.
func (l *Live) Programs(id ProcID) (Programs, error) {
	p, err := l.Layouts(id)
	if err != nil {
		return nil, err
	}
	return p, nil
}
