package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
)

// holders remembers which request's handle a variable received last. It uses a number of the variable. If two variables
// have the same number, only the later one is known. There are four times as many numbers as incomplete requests.
type holders struct {
	slots   []*Request
	through map[uint64]bool // variables from which handles are copied elsewhere
}

func (h *holders) slot(v uint64) **Request {
	return &h.slots[(v>>2^v>>12)&uint64(len(h.slots)-1)]
}

// noteHolder enters a request and notes what it overwrites. n is the number of incomplete requests.
func (rt *requestTable) noteHolder(r *Request, n int) {
	h := &rt.holders
	if 4*n >= len(h.slots) {
		h.grow()
	}
	s := h.slot(r.Var)
	// The request must not belong to another process by now.
	if q := *s; q != nil && q.Var == r.Var && q.list != nil && q.list == rt.list(q.Handle, false) {
		q.Overwritten = &match.Call{Thread: r.Made.Thread}
		q.Overwritten.Keep(r.Made.Raw)
	}
	*s = r
}

func (h *holders) grow() {
	old := h.slots
	h.slots = make([]*Request, max(64, 4*len(old)))
	for _, r := range old {
		if r != nil && r.list != nil { // it may now belong to another process; that does no harm
			*h.slot(r.Var) = r
		}
	}
}

// noteCopied notes that a request was completed whose variable was overwritten: handles only pass through that
// variable.
func (h *holders) noteCopied(r *Request) {
	if h.through[r.Var] {
		return
	}
	if h.through == nil {
		h.through = make(map[uint64]bool)
	}
	h.through[r.Var] = true
}

// Modified returns how the data that an incomplete operation sends have changed since its beginning. It is known only
// in MPI_Finalize. ok is false if no change is known.
func (rt *requestTable) Modified(r *Request) (c event.Changed, ok bool) {
	c, ok = rt.modified[r.Operation]
	return c, ok && r.Operation != 0
}

// Unreachable reports whether the only known variable of a request's handle now holds another handle.
func (rt *requestTable) Unreachable(r *Request) bool {
	return r.Active && r.Overwritten != nil && !rt.through[r.Var]
}
