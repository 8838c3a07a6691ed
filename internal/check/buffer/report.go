package buffer

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

// problem is what is wrong with a call about the buffer.
type problem struct {
	what misuse
	// Sizes in bytes. message is the length of the message of a buffered send, -1 if unknown. overhead is
	// MPI_BSEND_OVERHEAD. size is the size of the buffer that is attached, or that the call attaches.
	message, overhead, size int64
	// earlier is the room for earlier messages of the process to itself that it certainly has not received.
	earlier int64
	buffer  *attached // nil if there is none, or if it is not known
}

// misuse says what is wrong with the use of the buffer.
type misuse uint8

const (
	noBuffer      misuse = iota // a buffered send, but no buffer is attached
	tooLong                     // the message alone does not fit
	bufferFull                  // the message does not fit beside the others
	attachedTwice               // a second buffer is attached
	notAttached                 // there is no buffer to detach
	negativeSize                // of a buffer that is attached
	uselessSize                 // the attached buffer has no room for any message
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
		Message: fmt.Sprintf("Rank %d calls %s %s.", proc.Rank, name, p.describe()),
		Why:     why[p.what],
		Advice:  advice[p.what],
		Sites:   []finding.Site{x.Site("call", call)},
		Details: map[string]any{"function": name, "message": p.message, "overhead": p.overhead, "size": p.size},
	}
	if b := p.buffer; b != nil {
		f.Sites = append(f.Sites, x.Site("buffer attached", b.call))
	}
	if p.what == notAttached || p.what == uselessSize {
		f.Severity = finding.Warning
	}
	x.Report(f)
}

const (
	needsRoom = "A buffered send copies its message into the attached buffer, which must have room for it (MPI " +
		"standard, section 3.6). Otherwise the message is lost, or MPI ends the program."
	enough = "Attach a buffer with room for all messages that may be in it at once. Each needs the size that " +
		"MPI_Pack_size returns, plus MPI_BSEND_OVERHEAD."
)

// why says why a misuse matters.
var why = map[misuse]string{
	noBuffer:   needsRoom,
	tooLong:    needsRoom,
	bufferFull: needsRoom,
	attachedTwice: "A process, a communicator or a session can have one buffer at a time (MPI standard, section " +
		"3.6).",
	notAttached:  "There is no buffer to return (MPI standard, section 3.6). Some MPI libraries return an error.",
	negativeSize: "The size of a buffer cannot be negative (MPI standard, section 3.6).",
	uselessSize:  "Each message needs MPI_BSEND_OVERHEAD bytes besides its data (MPI standard, section 3.6).",
}

// advice says what to do about a misuse.
var advice = map[misuse]string{
	noBuffer:      enough,
	tooLong:       enough,
	bufferFull:    enough,
	attachedTwice: "First detach the other buffer. Or attach one buffer that is large enough.",
	notAttached: "Detach a buffer only while one is attached. Do not use the address that this call " +
		"returns.",
	negativeSize: "Pass the size in bytes. An int holds at most 2147483647.",
	uselessSize:  enough,
}

// describe continues after "Rank 0 calls MPI_Bsend ".
func (p *problem) describe() string {
	switch p.what {
	case noBuffer:
		return "while no buffer is attached"
	case tooLong:
		return fmt.Sprintf("for a message of %d bytes, which needs %d with MPI_BSEND_OVERHEAD, but the attached "+
			"buffer has %d",
			p.message, p.message+p.overhead, p.size)
	case bufferFull:
		what := "for a message"
		if p.message >= 0 {
			what = fmt.Sprintf("for a message of %d bytes, which needs %d with MPI_BSEND_OVERHEAD",
				p.message, p.message+p.overhead)
		}
		if p.earlier > 0 {
			return fmt.Sprintf("%s, but messages to itself, not received yet, take %d of the %d bytes of the "+
				"attached buffer",
				what, p.earlier, p.size)
		}
		return fmt.Sprintf("%s, but MPI says that the attached buffer of %d bytes is full", what, p.size)
	case attachedTwice:
		return "while another buffer is attached"
	case notAttached:
		return "while no buffer is attached"
	case negativeSize:
		return fmt.Sprintf("with size=%d, which is negative", p.size)
	}
	return fmt.Sprintf("with size=%d, too small even for an empty message, which needs MPI_BSEND_OVERHEAD, %d bytes",
		p.size, p.overhead)
}
