package ring

import (
	"strings"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Found tells a thread of a finding, for its debugger: the library then calls mpivet_finding. Of the text, it gets as
// much of the first line as there is room for. Only the goroutine that calls Poll may call Found; its handler may do
// so.
func (l *Live) Found(id ThreadID, check, text string) {
	c := l.cursors[id]
	if c == nil {
		return
	}
	guarded(func() {
		n := c.hdr.Found.Load()
		f := &c.hdr.Findings[n%layout.Findings]
		put(f.Check[:], check)
		put(f.Text[:], text)
		c.hdr.Found.Store(n + 1)
		if s := l.s.control; s != nil {
			s.Found.Add(2)
		}
	})
}

// put stores as much of the first line of a text as there is room for, ended by a zero.
func put(to []byte, text string) {
	text, _, _ = strings.Cut(text, "\n")
	n := min(len(text), len(to)-1)
	for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	to[copy(to, text[:n])] = 0
}

// Pass lets a thread go on whose calls wait (Options.Breaks): into its last delivered call, or out of that call if its
// return was delivered. The thread need not wait yet. Only the goroutine that calls Poll may call Pass; its handler may
// do so.
func (l *Live) Pass(id ThreadID) {
	if c := l.cursors[id]; c != nil {
		l.PassCall(id, c.calls, c.open)
	}
}

// PassCall is Pass for the call with a number of a thread, from 1 on: into the call if it is open, else out of it.
func (l *Live) PassCall(id ThreadID, call uint64, open bool) {
	c := l.cursors[id]
	if c == nil || !l.breaks {
		return
	}
	number := 2 * call
	if !open {
		number++
	}
	guarded(func() { publishPassed(c.hdr, number) })
}

// publishPassed publishes which call may go on, and wakes the thread.
func publishPassed(h *layout.Ring, number uint64) {
	if h.Passed.Load() == number {
		return
	}
	h.Passed.Store(number)
	if h.Holding.Load() != 0 {
		wakeFutex(&h.Passed)
	}
}

// EndBreaks lets all calls go on, and ends the waiting of calls.
func (l *Live) EndBreaks() {
	if c := l.s.control; c != nil && c.Breaks.Swap(0) != 0 {
		l.note("not all that the program does can be read any more: its calls no longer wait (--break-on)")
	}
}

// unanswered lets all calls go on, since not all of them can be read.
func (l *Live) unanswered() {
	l.EndStrict()
	l.EndBreaks()
}
