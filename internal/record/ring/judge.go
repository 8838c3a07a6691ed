package ring

import (
	"runtime/debug"
	"time"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Refusal says whether a call that is held in strict mode may enter MPI, and otherwise, whose error handler is told
// (enum mv_refused).
type Refusal uint32

// The refusals.
const (
	GoOn   Refusal = layout.GoOn
	OnComm Refusal = layout.OnComm // a communicator's
	OnWin  Refusal = layout.OnWin  // a window's
	OnFile Refusal = layout.OnFile // a file's
)

// Verdict is what becomes of a call that is held in strict mode.
type Verdict struct {
	Refused Refusal
	Handle  uint64 // of the object whose error handler is told; 0: MPI_FILE_NULL, or MPI_COMM_WORLD
	Why     string // the check that refuses the call
}

// Judge gives the verdict on the call that a thread is in as of the records delivered: it need not be held yet. It is for
// the goroutine that calls Poll, whose handler may call it.
func (l *Live) Judge(id ThreadID, v Verdict) {
	c := l.cursors[id]
	if c == nil || !c.open {
		return
	}
	guarded(func() {
		h := c.hdr
		if v.Refused != GoOn {
			n := copy(h.Why[:len(h.Why)-1], v.Why)
			h.Why[n] = 0
			h.RefusedOn = v.Handle
		}
		h.Refused = uint32(v.Refused)
		publishVerdict(h, c.calls)
	})
}

// guarded calls f, which writes to memory that the program may have taken away by truncating a file: then there is nobody
// left to write to.
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

// Refused says that a collective is refused, before any of its calls is: calls that complete nonblocking operations ask
// from then on.
func (l *Live) Refused() {
	if c := l.s.control; c != nil {
		c.Refusals.Add(1)
	}
}

// EndStrict lets go all calls that are held, and holds none any more: not all calls can be read.
func (l *Live) EndStrict() {
	if c := l.s.control; c != nil && c.Strict.Swap(0) != 0 {
		l.note("not all that the program does can be read any more: its collective calls are no longer held (--strict)")
	}
}

// unjudge lets go a process whose records can't be followed.
func (l *Live) unjudge(p *proc) {
	if !l.strict {
		return
	}
	for _, c := range p.rings {
		guarded(func() { publishVerdict(c.hdr, layout.Unjudged) })
	}
}

// awaitAsked returns after d, or earlier if a rank holds a call that it began to hold after the beginning of the last
// Poll. What else may happen is looked at as often as if no event told of it.
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
