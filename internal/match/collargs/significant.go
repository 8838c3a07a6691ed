package collargs

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Part is the way in which a process takes part in a collective with a root. The zero value is for a process that is
// not the root, and for collectives without a root.
type Part struct {
	Root    bool // it is the root
	Between bool // data go from one group of an inter-communicator to the other
	Absent  bool // the process is in the root's group, but is not the root: it passed MPI_PROC_NULL
}

// Significant reports whether parameter i is significant in a call (MPI standard, chapter 6). Some parameters are
// significant only at the root. The parameters of a side are not significant if its buffer is MPI_IN_PLACE, which has
// the address inPlace if known is true. On an inter-communicator, the root uses only its own side, and the other
// processes use only theirs.
func Significant(c *event.Call, i int, part Part, inPlace uint64, known bool) bool {
	f := c.Func
	p := &f.Params[i]
	if part.Absent || p.AtRoot && !part.Root {
		return false
	}
	bothSides := f.Arg(mpiapi.SendType) >= 0 && f.Arg(mpiapi.RecvType) >= 0
	if part.Between && f.Arg(mpiapi.Root) >= 0 && bothSides && p.AtRoot != part.Root {
		return false
	}
	buffer := f.InPlaceOf(i)
	return buffer < 0 || !known || c.Addr(buffer) != inPlace
}
