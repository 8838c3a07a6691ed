// Package tables reads the tables that a process under mpivet keeps for debuggers (docs/debugger-tables.md): its MPI
// objects, its open requests, the calls of its threads, and what the analyzer tells it.
//
// The tables lie in the memory of a process that may have overwritten them. So nothing in them is trusted: lengths,
// counts and the steps along lists are bounded. Damaged tables give an error that says what is wrong.
package tables

import (
	"errors"
	"fmt"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Bounds on what is read. The library stays far below them.
const (
	maxNames     = 4 << 20
	maxKeptBits  = 28
	maxSteps     = 1 << 16 // along a list
	maxObjects   = 1 << 16 // in a table of struct mv_object
	maxKept      = 256 << 20
	maxBits      = 20 // of a table of open requests
	maxTold      = 4 << 20
	maxReadAgain = 5
)

// ErrNotRecorded means that the process has the library of mpivet, but is not recorded.
var ErrNotRecorded = errors.New("mpivet does not record the process, or not yet")

// ErrDamaged is wrapped by errors for tables that the library cannot have written.
var ErrDamaged = errors.New("the tables are damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Tables are the tables of one process, as they were when they were first read.
type Tables struct {
	Rank, Size int    // in MPI_COMM_WORLD, -1 if they are not known
	HandleSize int    // bytes of a handle in the program: 4 (MPICH) or 8 (Open MPI)
	Program    string // path of the mpivet executable of the run
	Forgotten  uint64 // number of objects that found no room

	memory  Memory
	header  []byte
	names   *Names
	objects []*ring.ObjectView
	read    bool // objects is set
}

// Open reads the header of the tables: the variable mpivet_debug at an address.
func Open(m Memory, addr uint64) (*Tables, error) {
	h, err := read(m, addr, layout.SizeofDebug)
	if err != nil {
		return nil, fmt.Errorf("mpivet_debug: %w", err)
	}
	switch magic := u64(h, layout.DebugMagicAt); magic {
	case layout.MagicDebug:
	case 0:
		return nil, ErrNotRecorded
	default:
		return nil, damaged("mpivet_debug begins with %#x", magic)
	}
	t := &Tables{
		Rank: int(int32(u32(h, layout.DebugRankAt))), Size: int(int32(u32(h, layout.DebugSizeAt))),
		HandleSize: int(u32(h, layout.DebugHandleSizeAt)), Program: text(h[layout.DebugProgramAt:]),
		Forgotten: u64(h, layout.DebugForgottenAt), memory: m, header: h,
	}
	if v := u32(h, layout.DebugVersionAt); v != layout.Version {
		return nil, fmt.Errorf("the tables have version %d, and this mpivet reads version %d: "+
			"use the mpivet of the run", v, layout.Version)
	}
	if n := u32(h, layout.DebugHeaderSizeAt); n != layout.SizeofDebug {
		return nil, damaged("mpivet_debug has %d bytes and not %d", n, layout.SizeofDebug)
	}
	if u64(h, layout.DebugTableHashAt) != mpiapi.Hash() {
		return nil, errors.New("the process was started by another build of mpivet, with another table of functions: " +
			"use the mpivet of the run")
	}
	if t.HandleSize != 4 && t.HandleSize != 8 {
		return nil, damaged("handles of %d bytes", t.HandleSize)
	}
	return t, nil
}

// Memory returns the memory that the tables are in.
func (t *Tables) Memory() Memory { return t.memory }

// Now returns the present time of the process's node, or of the last moment that the tables know. It is a time of
// CLOCK_MONOTONIC in steps of 0.1 s, 0 if it is not known.
func (t *Tables) Now() time.Duration {
	if b, err := read(t.memory, u64(t.header, layout.DebugBeatAt), 8); err == nil {
		return duration(u64(b, 0))
	}
	// A core file does not have the analyzer's time.
	var last time.Duration
	threads, _ := t.Threads()
	for _, h := range threads {
		last = max(last, h.Entered)
	}
	if told, err := t.Told(); err == nil && told != nil {
		last = max(last, told.Time)
	}
	return last
}

// Since returns the time that has passed since another time, false if one of the two is not known.
func (t *Tables) Since(beat time.Duration) (time.Duration, bool) {
	now := t.Now()
	return now - beat, beat > 0 && now >= beat
}

// duration converts a time in nanoseconds. It returns 0 for impossible times.
func duration(ns uint64) time.Duration {
	if d := time.Duration(ns); d > 0 {
		return d
	}
	return 0
}

// Names returns the names of the process's handles and constants. If they cannot be read, there are none.
func (t *Tables) Names() *Names {
	if t.names != nil {
		return t.names
	}
	var list []byte
	if n := u64(t.header, layout.DebugNamesUsedAt); n <= maxNames {
		list, _ = readChunks(t.memory, u64(t.header, layout.DebugNamesAt), n)
	}
	objects, _ := t.Objects()
	t.names = NewNames(list, objects)
	return t.names
}

// Objects returns the communicators, windows and files with their collective calls, in the order in which the process
// made them. After an error, there may be some of them.
func (t *Tables) Objects() ([]*ring.ObjectView, error) {
	if t.read {
		return t.objects, nil
	}
	for i := range len(layout.Debug{}.Objects) {
		at := u64(t.header, layout.DebugObjectsAt+8*i)
		count := u32(t.header, layout.DebugObjectCountAt+4*i)
		if at == 0 {
			continue
		}
		if count > maxObjects {
			return t.objects, damaged("a table of %d communicators, windows and files", count)
		}
		for k := range uint64(count) {
			if i == 0 && k == 0 {
				continue // it counts calls on unknown objects
			}
			o, err := t.object(at + k*layout.SizeofObject)
			if err != nil {
				return t.objects, err
			}
			if o != nil {
				t.objects = append(t.objects, o)
			}
		}
	}
	t.read = true
	return t.objects, nil
}

// object reads a struct mv_object, nil if there is none.
func (t *Tables) object(at uint64) (*ring.ObjectView, error) {
	head, err := read(t.memory, at, 8)
	if err != nil {
		return nil, fmt.Errorf("the table of communicators, windows and files: %w", err)
	}
	if u64(head, 0) == 0 {
		return nil, nil //nolint:nilnil // nothing is there
	}
	b, err := read(t.memory, at, layout.SizeofObject)
	if err != nil {
		return nil, fmt.Errorf("the table of communicators, windows and files: %w", err)
	}
	o, err := ring.ParseObject(b)
	if err != nil {
		return nil, damaged("%v", err)
	}
	return o, nil
}

// Object returns the communicator, window or file that a handle stands for now, nil if it is not known.
func (t *Tables) Object(kind mpiapi.Kind, handle uint64) *ring.ObjectView {
	objects, _ := t.Objects()
	var found *ring.ObjectView
	for _, o := range objects {
		if objectKinds[o.Kind] == kind && o.Handle == handle && (found == nil || o.Serial > found.Serial) {
			found = o
		}
	}
	return found
}

// Label returns a text that identifies a communicator, window or file, by its name or by how it was made.
func (t *Tables) Label(o *ring.ObjectView) string {
	objects, _ := t.Objects()
	return labelOf(o, objects, 0)
}

// labelOf returns a label with that of its parent. Longer chains of parents are left out.
func labelOf(o *ring.ObjectView, objects []*ring.ObjectView, depth int) string {
	of := ""
	if o.Parent != 0 && !o.Alone && depth < 4 {
		for _, p := range objects {
			if p.ID == o.Parent && p != o {
				of = labelOf(p, objects, depth+1)
				break
			}
		}
	}
	return Label(o, of)
}
