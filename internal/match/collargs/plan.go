// Package collargs defines what the members of a communicator, window or file must agree on when they enter a
// collective operation. It works out the entry of one member from its call (MPI standard, chapters 6, 7, 8, 12 and 14;
// the rules are based on Falzone et al., Collective Error Detection for MPI Collective Operations, tables 1 and 2).
//
// Only significant arguments are compared. For example, the receive arguments of a gather are significant only at its
// root, and MPI_IN_PLACE makes other arguments insignificant.
package collargs

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Process gives a plan information about the process that makes the call.
type Process interface {
	// Type returns the datatype of a handle; nil if it is not known.
	Type(handle uint64) *match.Datatype
	// Op returns a number that is the same for the same reduction operation on all processes; 0 if it is not known.
	Op(handle uint64) uint64
	// Group returns the processes of a group; false if they are not known.
	Group(handle uint64) (group.Group, bool)
	// NameHandle returns the name of a handle; "" if it has none.
	NameHandle(kind mpiapi.Kind, handle uint64) string
	// Info returns the value of a key of an info object; "" if the object does not have the key; false if the object is
	// not known.
	Info(handle uint64, key string) (string, bool)
	// InPlace returns the address that is MPI_IN_PLACE; false if it is not known.
	InPlace() (uint64, bool)
	// Constant returns the value of a constant of the process's MPI.
	Constant(name string) (int64, bool)
}

// Member is the member that makes the call.
type Member struct {
	Comm *match.Comm
	Me   int32
	// Sources and Destinations are the neighbours in the topology of the communicator, as member numbers; negative for
	// MPI_PROC_NULL. Known is false if they are not known.
	Sources, Destinations []int32
	Known                 bool
}

// Plan describes how to work out the entry of a call of one function: the arguments that other members' arguments
// depend on.
type Plan struct {
	fn   *mpiapi.Func
	data movement
	more func(*filler) // for the column agree, nil if the function has none

	sendBuf, sendCount, sendType int // parameters; -1 if there is none
	recvBuf, recvCount, recvType int
	root, op                     int
	place, other                 int // buffers: the one that may be MPI_IN_PLACE, and the other one
}

// movement is how an operation moves data.
type movement uint8

const (
	none          movement = iota
	everybody              // one signature for all members: broadcast, reductions
	toRoot                 // gather
	fromRoot               // scatter
	toRootParts            // gatherv
	fromRootParts          // scatterv
	allToAll               // allgather, alltoall: one signature for all pairs
	gatherParts            // allgatherv: one signature for each sender
	pairs                  // alltoallv, alltoallw: one signature for each pair
	parts                  // reduce_scatter: all members pass the same vector
	block                  // reduce_scatter_block
	neighbours             // neighbour collectives: along the edges of the topology
)

// movementOf works out how an operation moves data. It uses the columns flow and parts, and which counts are arrays.
func movementOf(f *mpiapi.Func) movement {
	varies := f.CountsVary()
	either := func(vary, equal movement) movement {
		if varies {
			return vary
		}
		return equal
	}
	switch {
	case !f.MovesData():
		return none
	case f.Flow == mpiapi.Neighbors:
		return neighbours
	case f.Reduces() && f.SendParts:
		return either(parts, block)
	case !f.SendParts && !f.RecvParts:
		return everybody
	case f.Flow == mpiapi.AllToOne:
		return either(toRootParts, toRoot)
	case f.Flow == mpiapi.OneToAll:
		return either(fromRootParts, fromRoot)
	case !f.SendParts: // each member sends the same data to all
		return either(gatherParts, allToAll)
	}
	return either(pairs, allToAll)
}

// For returns the plan for a function.
func For(f *mpiapi.Func) *Plan {
	p := &Plan{
		fn: f, data: movementOf(f), more: agreements[f.Agree],
		sendBuf: f.Arg(mpiapi.SendBuf), sendCount: f.Arg(mpiapi.SendCount), sendType: f.Arg(mpiapi.SendType),
		recvBuf: f.Arg(mpiapi.RecvBuf), recvCount: f.Arg(mpiapi.RecvCount), recvType: f.Arg(mpiapi.RecvType),
		root: f.Arg(mpiapi.Root), op: f.Arg(mpiapi.ReduceOp),
	}
	p.place, p.other = p.sendBuf, p.recvBuf
	if f.InPlaceRecv {
		p.place, p.other = p.recvBuf, p.sendBuf
	}
	return p
}

// Fill sets e to the entry of member m in the collective that c calls. It reuses the memory of e.Parts.
func (p *Plan) Fill(e *match.Entry, c *event.Call, pr Process, m *Member, memo *Memo) {
	*e = match.Entry{Func: p.fn.Base, Root: match.None, Parts: e.Parts[:0]}
	f := &memo.filler
	// Assign the fields one by one: a composite literal would be built elsewhere and copied.
	f.plan, f.entry, f.call, f.process, f.member, f.memo = p, e, c, pr, m, memo
	f.atRoot, f.absent = false, false
	f.inPlace, f.hasInPlace = pr.InPlace()
	if p.root >= 0 {
		f.fillRoot()
	}
	if p.op >= 0 && f.takesPart() {
		if id := pr.Op(c.Handle(p.op)); id != 0 {
			e.Values[match.Operation] = id
		}
	}
	f.checkInPlace()
	switch p.data {
	case everybody:
		f.everybody()
	case toRoot:
		f.toRoot()
	case fromRoot:
		f.fromRoot()
	case toRootParts:
		f.toRootParts()
	case fromRootParts:
		f.fromRootParts()
	case allToAll:
		f.allToAll()
	case gatherParts:
		f.gatherParts()
	case pairs:
		f.pairs()
	case parts:
		f.vector()
	case block:
		f.block()
	case neighbours:
		f.neighbours()
	}
	if p.more != nil {
		p.more(f)
	}
	f.validate()
}
