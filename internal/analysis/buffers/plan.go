package buffers

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// plan is the knowledge about one function that this package needs. It follows from the roles of the function's
// parameters.
type plan struct {
	fn                  *mpiapi.Func
	send, recv          event.Slot // addresses of the buffers
	sendCount, sendType event.Slot
	recvCount, recvType event.Slot
	partitions          event.Slot
	root                event.Slot
	lends               bool   // MPI still holds the buffers after the call has returned
	begins, ends        bool   // a split collective of a file
	sides               *sides // the buffers of a collective, or of a call on a file; nil for all other calls
}

// sides are the buffers of a collective, or of a call that reads or writes a file.
type sides struct {
	send, recv side
	exscan     bool // the result is undefined at the first process
	bcast      bool // all members except the root write the one buffer
}

// side is one of the two buffers. param is -1 if there is none.
type side struct {
	param                 int
	buf, count, typ       event.Slot
	times                 multiple
	counts, displs, types int  // parameters that are arrays, -1 if there is none
	bytes                 bool // displacements are in bytes
}

// multiple says how many times a buffer contains the number of elements that its count and datatype describe.
type multiple uint8

const (
	once      multiple = iota
	perPeer            // once for every process that data come from or go to
	perMember          // once for every process of the local group
	perSource          // once for every neighbour
	perDest
	listed // arrays describe the part of each process
	ofAll  // the sum of the elements of an array
	ofMine // the process's own element of an array
)

// multiples returns how many times the send buffer and the receive buffer of a collective contain what their counts
// describe.
func multiples(f *mpiapi.Func) (send, recv multiple) {
	listing := func(r mpiapi.Role) bool { i := f.Arg(r); return i >= 0 && f.Params[i].Length != "" }
	if f.Reduces() {
		switch {
		case !f.SendParts:
			return once, once
		case listing(mpiapi.RecvCount):
			return ofAll, ofMine
		}
		return perMember, once
	}
	side := func(parts bool, count mpiapi.Role, neighbours multiple) multiple {
		switch {
		case !parts:
			return once
		case listing(count):
			return listed
		case f.Flow == mpiapi.Neighbors:
			return neighbours
		}
		return perPeer
	}
	return side(f.SendParts, mpiapi.SendCount, perDest), side(f.RecvParts, mpiapi.RecvCount, perSource)
}

func newPlan(f *mpiapi.Func) plan {
	address := func(r mpiapi.Role) event.Slot { return event.AddressSlot(f, f.Arg(r)) }
	value := func(r mpiapi.Role) event.Slot { return event.ValueSlot(f, f.Arg(r)) }
	p := plan{
		fn: f, send: address(mpiapi.SendBuf), recv: address(mpiapi.RecvBuf),
		sendCount: value(mpiapi.SendCount), sendType: value(mpiapi.SendType),
		recvCount: value(mpiapi.RecvCount), recvType: value(mpiapi.RecvType),
		partitions: value(mpiapi.Partitions), root: value(mpiapi.Root),
		begins: f.Split == mpiapi.SplitBegin, ends: f.Split == mpiapi.SplitEnd,
	}
	p.lends = p.begins || event.AfterSlot(f, f.Arg(mpiapi.TheRequest)).Exists()
	switch {
	case p.ends, f.Arg(mpiapi.SendBuf) < 0 && f.Arg(mpiapi.RecvBuf) < 0:
		return p
	case f.Class == mpiapi.IO || f.Base == mpiapi.IDReduceLocal:
	case f.Class != mpiapi.Collective && f.Class != mpiapi.Icollective && f.Class != mpiapi.CollectiveInit:
		return p
	}
	sends, receives := multiples(f)
	p.sides = &sides{
		exscan: f.Flow == mpiapi.ExscanFlow, bcast: f.Flow == mpiapi.OneToAll && !f.SendParts,
		send: newSide(f, sends, mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendDispls, mpiapi.SendType),
		recv: newSide(f, receives, mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvDispls, mpiapi.RecvType),
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

// param returns the number of the parameter that is the buffer that is read or written.
func (p *plan) param(write bool) int {
	i := p.fn.Arg(mpiapi.SendBuf)
	if recv := p.fn.Arg(mpiapi.RecvBuf); recv >= 0 && (write || i < 0) {
		i = recv
	}
	if i < 0 {
		return p.fn.Param("buffer") // MPI_Buffer_attach
	}
	return i
}

// keeps reports whether the memory that a call passes has to be remembered: because MPI still holds it after the call
// has returned, or because another thread may act before the call returns.
func (p *plan) keeps(threads int, returned bool) bool { return p.lends || !returned && threads > 1 }
