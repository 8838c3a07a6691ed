package ring

import (
	"os"
	"path/filepath"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// aboutName is the name of the file of a session that describes the run.
const aboutName = "about"

// Describe stores a description of the run in the session, for observers from outside: see Look.
func (s *Session) Describe(about []byte) error {
	hidden := filepath.Join(s.Dir, "."+aboutName)
	if err := os.WriteFile(hidden, about, 0o600); err != nil {
		return err
	}
	return os.Rename(hidden, filepath.Join(s.Dir, aboutName))
}

// Mark notes in the shared memory that the analyzer lives, and since when each thread has not moved. The goroutine that
// calls Poll must call it at each tick.
func (l *Live) Mark() {
	t := uint64(now())
	if c := l.s.control; c != nil {
		c.Beat.Store(t)
	}
	guarded(func() {
		for _, p := range l.order {
			for _, c := range p.rings {
				mark(c.hdr, t)
				c.due = true
			}
		}
	})
}

// mark stores the position of the thread, if it has moved.
func mark(h *layout.Ring, t uint64) {
	repeats := h.Repeats.Load()
	done, calls := h.Done.Load()+repeats, h.Calls.Load()+repeats
	if h.Since.Load() != 0 && h.SeenCalls.Load() == calls && h.SeenDone.Load() == done {
		return
	}
	h.Since.Store(0)
	h.SeenCalls.Store(calls)
	h.SeenDone.Store(done)
	h.Since.Store(t)
}

// forgetObjects removes the files of a process's communicators, windows and files, given the name of its own file.
func (l *Live) forgetObjects(process string) {
	for i := range maxObjectFiles {
		name := objectsName(process, i)
		gone := true
		for _, d := range l.w.dirs {
			if os.Remove(filepath.Join(d, name)) == nil {
				gone = false
			}
		}
		l.w.forget(name)
		if gone {
			return
		}
	}
}
