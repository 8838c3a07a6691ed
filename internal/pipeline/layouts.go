package pipeline

import (
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// layouts gives the processes the memory layouts of their datatypes. It is a track.TypeWatcher.
type layouts struct {
	open func(ring.ProcID) (ring.Programs, error)
	of   map[ring.ProcID]*programs
}

// programs are the layout programs of a process.
type programs struct {
	ring.Programs // nil if they are not available
	// written has datatypes whose program is in the file, because programs often make the same datatype again and
	// again.
	written map[*datatype.Type]ring.Written
}

// mostWritten is the number of datatypes in written.
const mostWritten = 1024

func newLayouts(open func(ring.ProcID) (ring.Programs, error)) *layouts {
	return &layouts{open: open, of: make(map[ring.ProcID]*programs)}
}

func (l *layouts) file(p *track.Process) *programs {
	f, ok := l.of[p.ID]
	if !ok {
		// If the file of a process is not available, its data that are not contiguous are not checked. The analysis
		// does not fail.
		f = &programs{written: make(map[*datatype.Type]ring.Written)}
		f.Programs, _ = l.open(p.ID)
		l.of[p.ID] = f
	}
	return f
}

// Committed implements track.TypeWatcher.
func (l *layouts) Committed(p *track.Process, handle uint64, t *datatype.Type) {
	f := l.file(p)
	if f.Programs == nil {
		return
	}
	if at, ok := f.write(t); !ok || f.Publish(handle, at) != nil {
		f.Unpublish(handle)
	}
}

// write writes the program of a datatype to the file. ok is false if that is not possible.
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
	if f := l.file(p); f.Programs != nil {
		f.Unpublish(handle)
	}
}

// FreeReturned implements track.TypeWatcher.
func (l *layouts) FreeReturned(p *track.Process) {
	if f := l.file(p); f.Programs != nil {
		f.Freed()
	}
}

// end releases the resources of a process that has ended.
func (l *layouts) end(id ring.ProcID) {
	if f := l.of[id]; f != nil && f.Programs != nil {
		f.Close()
	}
	delete(l.of, id)
}
