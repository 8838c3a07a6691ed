package collargs

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Part is in what way a process takes part in a collective with a root. The zero value is that of one that is not the
// root, and of anybody where there is none.
type Part struct {
	Root    bool // it is the root
	Between bool // data go from one group to the other
	Absent  bool // it is in the root's group, but not the root: MPI_PROC_NULL was passed
}

// Significant reports whether parameter i means anything in a call (MPI standard, chapter 6): some are for the root
// alone, and those of a side are not looked at where its buffer is MPI_IN_PLACE, which has the given address if that
// is known. Between groups the root has only its own side, and the others theirs.
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
