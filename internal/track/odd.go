package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
)

// Sends, receives and probes are called too often to have all of them judged by a check. That their communicator,
// rank and datatype are known is found on the way to matching. What is left is compared with its bounds here: see
// Events.OddArguments.

// endpoint is where a send or receive has its arguments.
type endpoint struct{ buffer, count, typ, peer, tag slot }

// plainMessage reports whether nothing is odd about the arguments of a send or receive, as with nearly all. op is the
// operation that was made of them, nil if none was.
func (s *endpoint) plainMessage(op *match.Op, maxTag int32, rec []byte) bool {
	return op != nil && uint32(op.Tag) <= uint32(maxTag) && op.Count >= 0 &&
		binary.LittleEndian.Uint64(rec[s.buffer.At:]) != 0
}

// oddMessage reports whether something is odd about the arguments of a send or receive that is not plain.
func (pr *Process) oddMessage(op *match.Op, s *endpoint, comm slot, rec []byte) bool {
	if op == nil {
		return int32(s.peer.Int(rec)) != pr.procNull || uint32(s.tag.Int(rec)) > uint32(pr.maxTag) ||
			s.count.Int(rec) < 0 ||
			pr.View(comm.Handle(rec)) == nil
	}
	return uint32(op.Tag) > uint32(pr.maxTag) && op.Tag != match.Any || op.Count < 0 ||
		op.Count != 0 && s.buffer.Handle(rec) == 0
}
