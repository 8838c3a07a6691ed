package buffer

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

// problem is what is wrong with a call that concerns the buffer.
type problem struct {
	what misuse
	// Sizes in bytes. message is the length of the message of a buffered send, -1 if it is not known; overhead is
	// what every message takes besides, MPI_BSEND_OVERHEAD; size is that of the buffer that is attached, or is to be.
	message, overhead, size int64
	// earlier is how much earlier messages of the process to itself take, which it certainly has not received.
	earlier int64
}

// misuse says what is wrong with the use of the buffer.
type misuse uint8

const (
	noBuffer      misuse = iota // a buffered send without a buffer
	tooLong                     // the message alone does not fit
	bufferFull                  // the message does not fit besides others
	attachedTwice               // a second buffer is attached
	notAttached                 // there is no buffer to detach
	negativeSize                // of a buffer that is attached
	uselessSize                 // the buffer that is attached has no room for any message
)

// report reports what is wrong with a call.
func (r *room) report(c track.Call, p problem) {
	c.Thread.Explained = track.ByBuffer
	x, proc, call := r.x, c.Thread.Process, c.Kept()
	p.overhead = overhead(proc)
	name := c.Call.Func.Name
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%d", x.Place(call), p.what),
		Ranks:   []int{proc.Rank},
		Message: fmt.Sprintf("Rank %d calls %s %s (MPI standard, section 3.6).", proc.Rank, name, p.describe()),
		Advice:  advice[p.what],
		Sites:   []finding.Site{x.Site("call", call)},
		Details: map[string]any{"function": name, "message": p.message, "overhead": p.overhead, "size": p.size},
	}
	if b := r.buffers[proc]; b != nil {
		f.Sites = append(f.Sites, x.Site("buffer attached", b.call))
	}
	if p.what == notAttached || p.what == uselessSize {
		f.Severity = finding.Warning
	}
	x.Report(f)
}

const enough = "Attach a buffer that has room for all messages that may be under way at once: " +
	"for each, what MPI_Pack_size says and MPI_BSEND_OVERHEAD more."

var advice = map[misuse]string{
	noBuffer:      enough,
	tooLong:       enough,
	bufferFull:    enough,
	attachedTwice: "Detach the first buffer before, with MPI_Buffer_detach, or attach one that is large enough for all.",
	notAttached:   "Detach only what is attached: some MPI libraries return an error here, and what the call returns is no buffer.",
	negativeSize:  "Pass the size of the buffer in bytes; an int holds up to 2147483647.",
	uselessSize:   enough,
}

// describe goes on after "Rank 0 calls MPI_Bsend ".
func (p *problem) describe() string {
	switch p.what {
	case noBuffer:
		return "without a buffer: none is attached"
	case tooLong:
		return fmt.Sprintf("for a message of %d bytes, which takes %d with MPI_BSEND_OVERHEAD, but the attached buffer has %d", p.message, p.message+p.overhead, p.size)
	case bufferFull:
		what := "for a message"
		if p.message >= 0 {
			what = fmt.Sprintf("for a message of %d bytes, which takes %d with MPI_BSEND_OVERHEAD", p.message, p.message+p.overhead)
		}
		if p.earlier > 0 {
			return fmt.Sprintf("%s, but the attached buffer has %d, of which messages to itself that it has not received take %d", what, p.size, p.earlier)
		}
		return fmt.Sprintf("%s, but the attached buffer of %d bytes is full, says MPI: of messages that nobody has received", what, p.size)
	case attachedTwice:
		return "while another buffer is attached: there may be one at a time"
	case notAttached:
		return "though no buffer is attached"
	case negativeSize:
		return fmt.Sprintf("with a negative size, %d", p.size)
	}
	return fmt.Sprintf("with a size of %d bytes: not even an empty message has room, as each takes MPI_BSEND_OVERHEAD, %d bytes", p.size, p.overhead)
}
