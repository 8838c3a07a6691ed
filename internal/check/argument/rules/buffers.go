package rules

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// buffer is a buffer among the parameters of a function, with the parameters that describe its contents. A missing
// parameter is -1.
type buffer struct{ buf, count, typ, peer int }

// buffer returns the parameters of a buffer. ok is false if parameter i is not a buffer, or has several datatypes, as
// in MPI_Alltoallw.
func (f function) buffer(i int) (b buffer, ok bool) {
	switch q := &f.Params[i]; {
	case q.Kind != mpiapi.Buffer:
		return b, false
	case q.Role == mpiapi.SendBuf:
		b = buffer{i, f.Arg(mpiapi.SendCount), f.Arg(mpiapi.SendType), f.Arg(mpiapi.Dest)}
		if b.count < 0 {
			b.count = f.Arg(mpiapi.RecvCount) // MPI_Reduce_scatter
		}
	case q.Role == mpiapi.RecvBuf:
		b = buffer{i, f.Arg(mpiapi.RecvCount), f.Arg(mpiapi.RecvType), f.Arg(mpiapi.Source)}
		if b.typ < 0 && (f.has(mpiapi.ReduceOp) || f.Base == mpiapi.IDCompareAndSwap) {
			b.typ = f.Arg(mpiapi.SendType)
			if b.count < 0 {
				b.count = f.Arg(mpiapi.SendCount)
			}
		}
	default:
		return b, false
	}
	if f.has(mpiapi.TheWin) {
		b.peer = f.Arg(mpiapi.TargetRank)
	}
	return b, b.typ >= 0 && !f.Params[b.typ].Pointer
}

// firstPage is how many bytes at the start of the address space never hold data.
const firstPage = 4096

// bufferRule finds null pointers where there are data. MPI_BOTTOM is also a null pointer, so datatypes with absolute
// addresses are allowed (MPI standard, section 5.1.12).
func (f function) bufferRule(i int) rule {
	b, ok := f.buffer(i)
	if !ok {
		return nil
	}
	at, typ, peer := f.address(i), f.value(b.typ), f.value(b.peer)
	var op event.Slot // of an operation that may only fetch
	if f.Params[i].Role == mpiapi.SendBuf && f.has(mpiapi.TheWin) && f.has(mpiapi.RecvBuf) {
		op = f.value(f.Arg(mpiapi.ReduceOp))
	}
	return func(c *call) bool {
		if at.Handle(c.rec) != 0 {
			return true
		}
		t := c.process.Type(typ.Handle(c.rec)).Of()
		switch {
		case t == nil || t.Size <= 0 || t.TrueLB < 0 || t.TrueLB >= firstPage,
			peer.Exists() && c.isRank(int32(peer.Int(c.rec)), "MPI_PROC_NULL"),
			op.Exists() && c.process.NameHandle(mpiapi.Op, op.Handle(c.rec)) == "MPI_NO_OP",
			!c.moves(f, i, b.count), !c.significant(i):
			return true
		}
		return c.reject(i, "is a null pointer though there are data")
	}
}

// moves reports whether a buffer has elements, according to its count.
func (c *call) moves(f function, buffer, count int) bool {
	name := ""
	if f.collective {
		name = f.Blocking()
	}
	receives := f.Params[buffer].Role == mpiapi.RecvBuf
	switch {
	case name == "MPI_Exscan" && receives && (c.view == nil || c.view.Me == 0):
		return false // the first process receives nothing
	case count < 0:
		return true // one element
	case !f.Params[count].Pointer:
		return c.Int(count) > 0 && !c.onlyReceives(f, receives) &&
			(!strings.HasPrefix(name, "MPI_Neighbor") || c.neighbours(receives) > 0)
	case name == "MPI_Reduce_scatter" && receives:
		return c.receivesShare(count)
	}
	_, recorded := c.In(count)
	return recorded && c.anyPositive(count)
}

// receivesShare reports whether the process's own count in MPI_Reduce_scatter is positive.
func (c *call) receivesShare(counts int) bool {
	list, ok := c.In(counts)
	if !ok || c.view == nil {
		return false
	}
	first, _ := c.view.Group(c.view.Me)
	me := int(c.view.Me - first)
	return me < list.Len() && list.At(me) > 0
}

// onlyReceives reports whether a send buffer belongs to the root of a reduction on an inter-communicator. This root
// only receives.
func (c *call) onlyReceives(f function, receives bool) bool {
	part, _ := c.process.Part(c.Call)
	return part.Between && part.Root && !receives && f.has(mpiapi.ReduceOp)
}

// neighbours returns the number of neighbours to receive from or to send to, 0 if it is unknown.
func (c *call) neighbours(receive bool) int {
	members, _ := c.view.Neighbours(receive)
	return len(members)
}
