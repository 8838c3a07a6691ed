package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Sends, receives and probes are called too often to have all of them judged by a check. That their communicator, rank and datatype
// are known is found on the way to matching. What is left is compared with its bounds here: see Events.OddArguments.

// endpoint is where a send or receive has its arguments.
type endpoint struct{ buffer, count, peer, tag, comm slot }

// planEndpoints works out where a send or receive has its arguments.
func (p *plan) planEndpoints() {
	p.sends = endpoint{p.address(mpiapi.SendBuf), p.count, p.dest, p.tag, p.comm}
	p.receives = endpoint{p.address(mpiapi.RecvBuf), p.recvCount, p.source, p.recvTag, p.comm}
	if p.receives.buffer.At == 0 { // MPI_Sendrecv_replace has one buffer for both
		p.receives.buffer, p.receives.count = p.sends.buffer, p.count
	}
}

// plain reports whether nothing is odd about the arguments of a send or receive, as with nearly all. op is the operation that was
// made of them, nil if none was.
func (s *endpoint) plain(op *match.Op, maxTag int32, rec []byte) bool {
	return op != nil && uint32(op.Tag) <= uint32(maxTag) && op.Count >= 0 && binary.LittleEndian.Uint64(rec[s.buffer.At:]) != 0
}

// odd reports whether something is odd about the arguments of a send or receive that is not plain.
func (pr *Process) odd(op *match.Op, s *endpoint, rec []byte) bool {
	if op == nil {
		return int32(s.peer.Int(rec)) != pr.procNull || uint32(s.tag.Int(rec)) > uint32(pr.maxTag) || s.count.Int(rec) < 0 ||
			pr.View(s.comm.Handle(rec)) == nil
	}
	return uint32(op.Tag) > uint32(pr.maxTag) && op.Tag != match.Any || op.Count < 0 || op.Count != 0 && s.buffer.Handle(rec) == 0
}

// oddProbe reports whether something is odd about the arguments of MPI_Iprobe or MPI_Improbe.
func (pr *Process) oddProbe(p *plan, rec []byte) bool {
	v, _, tag, ok := pr.probing(p, rec)
	if v == nil || !ok && int32(p.source.Int(rec)) != pr.procNull || tag != match.Any && uint32(tag) > uint32(pr.maxTag) {
		return true
	}
	for i := range p.fn.Params {
		if q := &p.fn.Params[i]; q.Pointer && binary.LittleEndian.Uint64(rec[q.Layout.At:]) == 0 && !(q.Kind == mpiapi.Status && pr.statusIgnored(0)) {
			return true // there is no place for a result
		}
	}
	return false
}
