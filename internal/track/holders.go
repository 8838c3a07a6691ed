package track

import "github.com/mpivet/mpivet/internal/match"

// holders remembers which request's handle a variable received last: by a number of the variable, so that of two with
// the same number only the later one is known. There are four times as many as requests that are not over.
type holders struct {
	slots   []*Request
	through map[uint64]bool // variables from which handles are copied elsewhere
}

func (h *holders) slot(v uint64) **Request {
	return &h.slots[(v>>2^v>>12)&uint64(len(h.slots)-1)]
}

// noteHolder enters a request, n of them being not over, and notes what it overwrites.
func (rt *requestTable) noteHolder(r *Request, n int) {
	h := &rt.holders
	if 4*n >= len(h.slots) {
		h.grow()
	}
	s := h.slot(r.Var)
	// And not of another process by now.
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
		if r != nil && r.list != nil { // perhaps of another process by now, which does no harm
			*h.slot(r.Var) = r
		}
	}
}

// noteCopied notes that a request was completed whose variable was overwritten: handles only pass through there.
func (h *holders) noteCopied(r *Request) {
	if h.through[r.Var] {
		return
	}
	if h.through == nil {
		h.through = make(map[uint64]bool)
	}
	h.through[r.Var] = true
}

// Unreachable reports whether the only place that a request's handle is known to have been in holds another one now.
func (rt *requestTable) Unreachable(r *Request) bool {
	return r.Active && r.Overwritten != nil && !rt.through[r.Var]
}
