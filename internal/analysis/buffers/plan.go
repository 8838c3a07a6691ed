package buffers

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// plan is what has to be known of one function. It follows from the roles of its parameters.
type plan struct {
	fn                  *mpiapi.Func
	send, recv          event.Slot // addresses of the buffers
	sendCount, sendType event.Slot
	recvCount, recvType event.Slot
	partitions          event.Slot
	root                event.Slot
	lends               bool   // MPI holds the buffers when the call has returned
	begins, ends        bool   // a split collective of a file
	sides               *sides // the buffers of a collective, or of a call on a file; nil for all others
}

// sides are the buffers of a collective, or of a call that reads or writes a file.
type sides struct {
	send, recv side
	exscan     bool // the result means nothing to the first process
	bcast      bool // the one buffer is written by all but the root
}

// side is one of the two buffers. param is -1 if there is none.
type side struct {
	param                 int
	buf, count, typ       event.Slot
	times                 multiple
	counts, displs, types int  // parameters that are arrays, -1 if there is none
	bytes                 bool // displacements are in bytes
}

// multiple says how often a buffer has what its count and datatype say.
type multiple uint8

const (
	once      multiple = iota
	perPeer            // for every process that data come from or go to
	perMember          // for every process of the local group
	perSource          // for every neighbour
	perDest
	listed // arrays say what there is for each process
	ofAll  // the sum of an array
	ofMine // the process's own element of an array
)

// movements are how often the buffers of collectives have what their counts say: of the send buffer, of the receive
// buffer.
var movements = map[string][2]multiple{
	"MPI_Gather": {once, perPeer}, "MPI_Gatherv": {once, listed},
	"MPI_Scatter": {perPeer, once}, "MPI_Scatterv": {listed, once},
	"MPI_Allgather": {once, perPeer}, "MPI_Allgatherv": {once, listed}, "MPI_Alltoall": {perPeer, perPeer},
	"MPI_Alltoallv": {listed, listed}, "MPI_Alltoallw": {listed, listed}, "MPI_Reduce_scatter": {ofAll, ofMine},
	"MPI_Reduce_scatter_block": {perMember, once},
	"MPI_Neighbor_allgather":   {once, perSource}, "MPI_Neighbor_allgatherv": {once, listed},
	"MPI_Neighbor_alltoall": {perDest, perSource}, "MPI_Neighbor_alltoallv": {listed, listed},
	"MPI_Neighbor_alltoallw": {listed, listed},
}

func newPlan(f *mpiapi.Func) plan {
	address := func(r mpiapi.Role) event.Slot { return event.AddressSlot(f, f.Arg(r)) }
	value := func(r mpiapi.Role) event.Slot { return event.ValueSlot(f, f.Arg(r)) }
	name := strings.TrimSuffix(f.Blocking(), "_c")
	p := plan{
		fn: f, send: address(mpiapi.SendBuf), recv: address(mpiapi.RecvBuf),
		sendCount: value(mpiapi.SendCount), sendType: value(mpiapi.SendType),
		recvCount: value(mpiapi.RecvCount), recvType: value(mpiapi.RecvType),
		partitions: value(mpiapi.Partitions), root: value(mpiapi.Root),
		begins: strings.HasSuffix(name, "_begin"), ends: strings.HasSuffix(name, "_end"),
	}
	p.lends = p.begins || event.AfterSlot(f, f.Arg(mpiapi.TheRequest)).Exists()
	switch {
	case p.ends, f.Arg(mpiapi.SendBuf) < 0 && f.Arg(mpiapi.RecvBuf) < 0:
		return p
	case f.Class == mpiapi.IO || f.Base == mpiapi.IDReduceLocal:
	case f.Class != mpiapi.Collective && f.Class != mpiapi.Icollective && f.Class != mpiapi.CollectiveInit:
		return p
	}
	times := movements[name]
	p.sides = &sides{
		exscan: name == "MPI_Exscan", bcast: name == "MPI_Bcast",
		send: newSide(f, times[0], mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendDispls, mpiapi.SendType),
		recv: newSide(f, times[1], mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvDispls, mpiapi.RecvType),
	}
	return p
}

func newSide(f *mpiapi.Func, n multiple, buf, count, displs, typ mpiapi.Role) side {
	s := side{param: f.Arg(buf), times: n, counts: -1, displs: -1, types: -1}
	if s.param < 0 {
		return s
	}
	first := func(roles ...mpiapi.Role) int {
		for _, r := range roles {
			if i := f.Arg(r); i >= 0 {
				return i
			}
		}
		return -1
	}
	value := func(i int) event.Slot { return event.Slot{At: f.Params[i].Layout.At, Wide: f.Params[i].Layout.Wide} }
	s.buf = event.AddressSlot(f, s.param)
	// Reductions have one count and one datatype for both sides.
	i := first(count, mpiapi.SendCount, mpiapi.RecvCount)
	if f.Params[i].Length == "" {
		s.count = value(i)
	} else {
		s.counts = i
	}
	if i = first(typ, mpiapi.SendType, mpiapi.RecvType); f.Params[i].Length == "" {
		s.typ = value(i)
	} else {
		s.types = i
	}
	if i = first(displs); i >= 0 {
		s.displs = i
		s.bytes = s.types >= 0
	}
	return s
}

// param returns which parameter is the buffer that is read or written.
func (p *plan) param(write bool) int {
	i := p.fn.Arg(mpiapi.SendBuf)
	if recv := p.fn.Arg(mpiapi.RecvBuf); recv >= 0 && (write || i < 0) {
		i = recv
	}
	return max(i, 0) // MPI_Buffer_attach
}

// keeps reports whether the memory that a call passes has to be remembered: because MPI holds it when the call has
// returned, or because another thread may do something before.
func (p *plan) keeps(threads int, returned bool) bool { return p.lends || !returned && threads > 1 }
