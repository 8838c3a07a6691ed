package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
)

// Sends, receives and probes are too frequent for a check to judge all of them. The matching already finds out whether
// their communicator, rank and datatype are known. The other arguments are compared with their bounds here: see
// Events.OddArguments.

// endpoint is the set of places of the arguments of a send or receive.
type endpoint struct{ buffer, count, typ, peer, tag slot }

// plainMessage reports whether all arguments of a send or receive are certainly normal, as nearly always. op is the
// operation of the call, nil if there is none.
func (s *endpoint) plainMessage(op *match.Op, maxTag int32, rec []byte) bool {
	return op != nil && uint32(op.Tag) <= uint32(maxTag) && op.Count >= 0 &&
		binary.LittleEndian.Uint64(rec[s.buffer.At:]) != 0
}

// oddMessage reports whether a send or receive that is not plain has odd arguments.
func (pr *Process) oddMessage(op *match.Op, s *endpoint, comm slot, rec []byte) bool {
	if op == nil {
		return int32(s.peer.Int(rec)) != pr.procNull || uint32(s.tag.Int(rec)) > uint32(pr.maxTag) ||
			s.count.Int(rec) < 0 ||
			pr.View(comm.Handle(rec)) == nil
	}
	return uint32(op.Tag) > uint32(pr.maxTag) && op.Tag != match.Any || op.Count < 0 ||
		op.Count != 0 && s.buffer.Handle(rec) == 0
}
