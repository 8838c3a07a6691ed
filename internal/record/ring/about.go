package ring

import (
	"os"
	"path/filepath"
)

// aboutName is the file of a session that says what the run is.
const aboutName = "about"

// Describe leaves in the session what the run is, for who looks from outside: see Look.
func (s *Session) Describe(about []byte) error {
	hidden := filepath.Join(s.Dir, "."+aboutName)
	if err := os.WriteFile(hidden, about, 0o600); err != nil {
		return err
	}
	return os.Rename(hidden, filepath.Join(s.Dir, aboutName))
}

// Mark notes in the shared memory that the analyzer lives, and since when each thread has not moved. It is to be called at
// each tick, by the goroutine that calls Poll.
func (l *Live) Mark() {
	t := uint64(now())
	if c := l.s.control; c != nil {
		c.beat.Store(t)
	}
	guarded(func() {
		for _, p := range l.order {
			for _, c := range p.rings {
				c.hdr.mark(t)
				c.due = true
			}
		}
	})
}

// mark notes where the thread is, if it has moved.
func (h *mvRing) mark(t uint64) {
	repeats := h.repeats.Load()
	done, calls := h.done.Load()+repeats, h.calls.Load()+repeats
	if h.since.Load() != 0 && h.seenCalls.Load() == calls && h.seenDone.Load() == done {
		return
	}
	h.since.Store(0)
	h.seenCalls.Store(calls)
	h.seenDone.Store(done)
	h.since.Store(t)
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
