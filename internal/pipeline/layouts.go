package pipeline

import (
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// layouts tells the processes where the data of their datatypes lie. It is a track.TypeWatcher.
type layouts struct {
	open func(ring.ProcID) (*ring.Layouts, error)
	of   map[ring.ProcID]*ring.Layouts // nil where they can't be had
}

func newLayouts(open func(ring.ProcID) (*ring.Layouts, error)) *layouts {
	return &layouts{open: open, of: make(map[ring.ProcID]*ring.Layouts)}
}

func (l *layouts) file(p *track.Process) *ring.Layouts {
	f, ok := l.of[p.ID]
	if !ok {
		// A process that can't be told has its data go unchecked where they are not contiguous. That is no reason to fail.
		f, _ = l.open(p.ID)
		l.of[p.ID] = f
	}
	return f
}

// Committed implements track.TypeWatcher.
func (l *layouts) Committed(p *track.Process, handle uint64, t *datatype.Type) {
	f := l.file(p)
	if f == nil {
		return
	}
	program := t.Program(datatype.ProgramLimit)
	if program == nil || f.Publish(handle, program) != nil {
		f.Unpublish(handle)
	}
}

// Gone implements track.TypeWatcher.
func (l *layouts) Gone(p *track.Process, handle uint64) {
	if f := l.file(p); f != nil {
		f.Unpublish(handle)
	}
}

// FreeReturned implements track.TypeWatcher.
func (l *layouts) FreeReturned(p *track.Process) {
	if f := l.file(p); f != nil {
		f.Freed()
	}
}

// end lets go of what is left of a process that has ended.
func (l *layouts) end(id ring.ProcID) {
	if f := l.of[id]; f != nil {
		f.Close()
	}
	delete(l.of, id)
}
