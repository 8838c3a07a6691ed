package request

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis/buffers"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// changes are those of requests that are not complete, and whose send buffers were changed.
type changes struct {
	n int

	// Of the request that was made first.
	number uint64
	change event.Changed
	typ    *match.Datatype // nil if unknown
	count  int64
}

// note counts a request if its send buffer was changed, but not by another MPI call: a clash of buffers has its own
// finding.
func (c *changes) note(p *track.Process, r *track.Request) {
	change, ok := p.Modified(r)
	if !ok || buffers.Clashed(r) {
		return
	}
	if c.n++; c.n > 1 && c.number < r.Number {
		return
	}
	c.number, c.change, c.typ, c.count = r.Number, change, nil, 0
	for _, op := range r.Ops {
		if op != nil && op.Send {
			c.typ, c.count = op.Type, op.Count
		}
	}
}

// text is a line of a message about a number of requests. It is "" if no buffer was changed.
func (c *changes) text(requests int) string {
	if c.n == 0 {
		return ""
	}
	what := "Its send buffer was"
	if requests > 1 {
		what = check.Plural(c.n, "of their send buffers was", "of their send buffers were")
	}
	if c.n > 1 {
		return fmt.Sprintf("\n%s changed before MPI_Finalize. In the first one, %s.", what,
			check.Difference(&c.change, c.typ, c.count))
	}
	return fmt.Sprintf("\n%s changed before MPI_Finalize: %s.", what, check.Difference(&c.change, c.typ, c.count))
}
