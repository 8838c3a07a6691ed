package pipeline

import (
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// layouts tells the processes where the data of their datatypes lie. It is a track.TypeWatcher.
type layouts struct {
	open func(ring.ProcID) (*ring.Layouts, error)
	of   map[ring.ProcID]*programs
}

// programs are those of a process.
type programs struct {
	*ring.Layouts // nil where they can't be had
	// written has types whose program is in the file: the same type is often made again and again.
	written map[*datatype.Type]ring.Written
}

// mostWritten is how many types are remembered of which the program is in the file.
const mostWritten = 1024

func newLayouts(open func(ring.ProcID) (*ring.Layouts, error)) *layouts {
	return &layouts{open: open, of: make(map[ring.ProcID]*programs)}
}

func (l *layouts) file(p *track.Process) *programs {
	f, ok := l.of[p.ID]
	if !ok {
		// A process that can't be told has its data go unchecked where they are not contiguous. That is no reason to
		// fail.
		f = &programs{written: make(map[*datatype.Type]ring.Written)}
		f.Layouts, _ = l.open(p.ID)
		l.of[p.ID] = f
	}
	return f
}

// Committed implements track.TypeWatcher.
func (l *layouts) Committed(p *track.Process, handle uint64, t *datatype.Type) {
	f := l.file(p)
	if f.Layouts == nil {
		return
	}
	if at, ok := f.write(t); !ok || f.Publish(handle, at) != nil {
		f.Unpublish(handle)
	}
}

// write puts the program of a type into the file; ok is false if that can't be done.
func (f *programs) write(t *datatype.Type) (at ring.Written, ok bool) {
	if at, ok = f.written[t]; ok {
		return at, true
	}
	program := t.Program(datatype.ProgramLimit)
	if program == nil {
		return 0, false
	}
	at, err := f.Write(program)
	if err != nil {
		return 0, false
	}
	if len(f.written) >= mostWritten {
		clear(f.written)
	}
	f.written[t] = at
	return at, true
}

// Gone implements track.TypeWatcher.
func (l *layouts) Gone(p *track.Process, handle uint64) {
	if f := l.file(p); f.Layouts != nil {
		f.Unpublish(handle)
	}
}

// FreeReturned implements track.TypeWatcher.
func (l *layouts) FreeReturned(p *track.Process) {
	if f := l.file(p); f.Layouts != nil {
		f.Freed()
	}
}

// end lets go of what is left of a process that has ended.
func (l *layouts) end(id ring.ProcID) {
	if f := l.of[id]; f != nil && f.Layouts != nil {
		f.Close()
	}
	delete(l.of, id)
}
