package ring

import (
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Refusal says whether a call that is held in strict mode may enter MPI. If not, it says which kind of object has the
// error handler that is called (enum mv_refused).
type Refusal uint32

// The refusals.
const (
	GoOn   Refusal = layout.GoOn
	OnComm Refusal = layout.OnComm // a communicator's
	OnWin  Refusal = layout.OnWin  // a window's
	OnFile Refusal = layout.OnFile // a file's
)

// Verdict is the decision on a call that is held in strict mode.
type Verdict struct {
	Refused Refusal
	Handle  uint64 // of the object whose error handler is called; 0: MPI_FILE_NULL, or MPI_COMM_WORLD
	Why     string // the check that refuses the call, and the first line of its finding
}

// Judge gives the verdict on the last delivered call of a thread. The call need not be held yet. Only the goroutine
// that calls Poll may call Judge; its handler may do so.
func (l *Live) Judge(id ThreadID, v Verdict) {
	if c := l.cursors[id]; c != nil {
		l.JudgeCall(id, c.calls, v)
	}
}

// JudgeCall is Judge for the call with a number of a thread, from 1 on. It does nothing if that call has returned.
func (l *Live) JudgeCall(id ThreadID, number uint64, v Verdict) {
	c := l.cursors[id]
	if c == nil || !c.open || c.calls != number {
		return
	}
	guarded(func() {
		h := c.hdr
		if v.Refused != GoOn {
			n := copy(h.Why[:], cut(v.Why, len(h.Why)-1))
			h.Why[n] = 0
			h.RefusedOn = v.Handle
		}
		h.Refused = uint32(v.Refused)
		publishVerdict(h, c.calls)
	})
}

// cut returns a text with at most n bytes. A longer text ends with "…".
func cut(text string, n int) string {
	const more = "…"
	if len(text) <= n {
		return text
	}
	n -= len(more)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + more
}

// guarded calls f, which writes to shared memory. If the program has taken that memory away by truncating a file, the
// fault is ignored: no process reads the memory any more.
func guarded(f func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
		default:
			panic(r)
		}
	}()
	f()
}

// publishVerdict publishes the verdict on a call and wakes the thread.
func publishVerdict(h *layout.Ring, number uint64) {
	h.Judged.Store(number)
	if h.Holding.Load() != 0 {
		wakeFutex(&h.Judged)
	}
}

// Refused announces that a collective is refused. It must be called before the verdict on any of its calls. From then
// on, calls that complete nonblocking operations ask for a verdict.
func (l *Live) Refused() {
	if c := l.s.control; c != nil {
		c.Refusals.Add(1)
	}
}

// EndStrict releases all calls that are held, and ends the holding of calls. It is for the case that not all calls can
// be read.
func (l *Live) EndStrict() {
	if c := l.s.control; c != nil && c.Strict.Swap(0) != 0 {
		l.note("not all that the program does can be read any more: its collective calls are no longer held (--strict)")
	}
}

// unjudge lets all calls of a process go on whose records can no longer be read.
func (l *Live) unjudge(p *proc) {
	for _, c := range p.rings {
		guarded(func() {
			if l.strict {
				publishVerdict(c.hdr, layout.Unjudged)
			}
			if l.breaks {
				publishPassed(c.hdr, layout.Unjudged)
			}
		})
	}
}

// awaitAsked returns after d. It returns earlier if a rank holds a call that it began to hold after the beginning of
// the last Poll. It never sleeps longer than lookEvery, as other events do not wake it.
func (l *Live) awaitAsked(d time.Duration) {
	c := l.s.control
	if c == nil {
		return
	}
	c.Asleep.Store(1)
	if c.Asked.Load() == l.asked {
		waitFutex(&c.Asked, l.asked, min(d, lookEvery))
	}
	c.Asleep.Store(0)
}
