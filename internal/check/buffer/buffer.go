// Package buffer has the checks of the buffer for buffered sends.
package buffer

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed insufficient.md
var insufficientDoc string

// Insufficient finds buffered sends for which there is no room in the buffer that the program has attached, and calls that
// attach or detach it wrongly (MPI standard, section 3.6).
var Insufficient = &check.Check{
	ID:       "LOCAL:BUFFER:INSUFFICIENT",
	Severity: finding.Error,
	Title:    "a buffered send finds no room in the attached buffer",
	Doc:      insufficientDoc,
	Start: func(x *check.Run) {
		x.Track.WrongBuffer.On(x.Owner, func(ev track.WrongBuffer) {
			t, c, e := ev.Thread, ev.Call, ev.Error
			name, rank := x.Func(c).Name, t.Process.Rank
			f := &finding.Finding{
				Key:     fmt.Sprintf("%s|%d", x.Place(c), e.Wrong),
				Ranks:   []int{rank},
				Sites:   []finding.Site{x.Site("call", c)},
				Details: map[string]any{"function": name, "message": e.Message, "overhead": e.Overhead, "size": e.Size},
			}
			if len(e.Attached.Raw) > 0 {
				f.Sites = append(f.Sites, x.Site("buffer attached", e.Attached))
			}
			f.Message = fmt.Sprintf("Rank %d calls %s ", rank, name) + describe(e) + " (MPI standard, section 3.6)."
			f.Advice = advice[e.Wrong]
			if e.Wrong == track.NotAttached || e.Wrong == track.UselessSize {
				f.Severity = finding.Warning
			}
			x.Report(f)
		})
	},
}

const enough = "Attach a buffer that has room for all messages that may be under way at once: for each, what MPI_Pack_size says and MPI_BSEND_OVERHEAD more."

var advice = map[track.BufferMisuse]string{
	track.NoBuffer:      enough,
	track.TooLong:       enough,
	track.BufferFull:    enough,
	track.AttachedTwice: "Detach the first buffer before, with MPI_Buffer_detach, or attach one that is large enough for all.",
	track.NotAttached:   "Detach only what is attached: some MPI libraries return an error here, and what the call returns is no buffer.",
	track.NegativeSize:  "Pass the size of the buffer in bytes; an int holds up to 2147483647.",
	track.UselessSize:   enough,
}

// describe goes on after "Rank 0 calls MPI_Bsend ".
func describe(e *track.BufferError) string {
	switch e.Wrong {
	case track.NoBuffer:
		return "without a buffer: none is attached"
	case track.TooLong:
		return fmt.Sprintf("for a message of %d bytes, which takes %d with MPI_BSEND_OVERHEAD, but the attached buffer has %d", e.Message, e.Message+e.Overhead, e.Size)
	case track.BufferFull:
		what := "for a message"
		if e.Message >= 0 {
			what = fmt.Sprintf("for a message of %d bytes, which takes %d with MPI_BSEND_OVERHEAD", e.Message, e.Message+e.Overhead)
		}
		if e.Earlier > 0 {
			return fmt.Sprintf("%s, but the attached buffer has %d, of which messages to itself that it has not received take %d", what, e.Size, e.Earlier)
		}
		return fmt.Sprintf("%s, but the attached buffer of %d bytes is full, says MPI: of messages that nobody has received", what, e.Size)
	case track.AttachedTwice:
		return "while another buffer is attached: there may be one at a time"
	case track.NotAttached:
		return "though no buffer is attached"
	case track.NegativeSize:
		return fmt.Sprintf("with a negative size, %d", e.Size)
	}
	return fmt.Sprintf("with a size of %d bytes: not even an empty message has room, as each takes MPI_BSEND_OVERHEAD, %d bytes", e.Size, e.Overhead)
}

// Checks are the checks of this family.
var Checks = []*check.Check{Insufficient}
