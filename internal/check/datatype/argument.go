package datatype

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// communicates reports whether f moves data of the datatype in parameter i, so that it must be committed: in messages,
// collectives, files and windows (MPI standard, sections 5.1.9 and 14.3). Other functions make datatypes of it, or
// query it.
func communicates(f *mpiapi.Func, i int) bool {
	switch f.Base {
	case mpiapi.IDReduceLocal:
		return false
	case mpiapi.IDFileSetView:
		return true
	}
	switch f.Params[i].Role {
	case mpiapi.SendType, mpiapi.RecvType, mpiapi.TargetType:
		return true
	}
	return false
}

// elements returns the parameter with the number of elements of the datatype in parameter i of f, -1 if there is none.
func elements(f *mpiapi.Func, i int) int {
	q := &f.Params[i]
	switch q.Role {
	case mpiapi.SendType:
		if n := f.Arg(mpiapi.SendCount); n >= 0 {
			return n
		}
		return f.Arg(mpiapi.RecvCount) // MPI_Reduce_scatter
	case mpiapi.RecvType:
		return f.Arg(mpiapi.RecvCount)
	case mpiapi.TargetType:
		return f.Arg(mpiapi.TargetCount)
	case mpiapi.OldType:
		if q.Pointer { // a block of a struct may be empty
			return 1
		}
	}
	return -1
}

// partner returns the parameter with the process that the data go to or come from, -1 if there is none.
func partner(f *mpiapi.Func, i int) int {
	switch role := f.Params[i].Role; {
	case f.Class == mpiapi.RMA:
		return f.Arg(mpiapi.TargetRank)
	case role == mpiapi.SendType:
		return f.Arg(mpiapi.Dest)
	case role == mpiapi.RecvType:
		return f.Arg(mpiapi.Source)
	}
	return -1
}

// empty reports whether a call uses no element of a datatype, so that MPI_DATATYPE_NULL does no harm. Then it has no
// elements, or no process to exchange them with.
func empty(p *track.Process, c *event.Call, param, index int) bool {
	f := c.Func
	if i := partner(f, param); i >= 0 {
		if null, ok := p.Constant("MPI_PROC_NULL"); ok && int64(int32(c.Int(i))) == null {
			return true
		}
	}
	n := elements(f, param)
	switch {
	case n < 0:
		return false
	case !f.Params[n].Pointer:
		return c.Int(n) == 0
	}
	list, _ := c.In(n)
	if index >= 0 { // there are as many datatypes
		return index >= list.Len() || list.At(index) == 0
	}
	for i := range list.Len() {
		if list.At(i) != 0 {
			return false
		}
	}
	return true
}

// significant reports whether a datatype is significant for a call of this process. MPI_Get_accumulate with MPI_NO_OP
// only reads the target, so it needs no datatype of the origin.
func significant(p *track.Process, c *event.Call, param int) bool {
	f := c.Func
	fetches := f.Arg(mpiapi.RecvType) >= 0 && f.Arg(mpiapi.TargetType) >= 0
	if op := f.Arg(mpiapi.ReduceOp); fetches && op >= 0 && f.Params[param].Role == mpiapi.SendType &&
		p.NameHandle(mpiapi.Op, c.Handle(op)) == "MPI_NO_OP" {
		return false
	}
	return p.Significant(c, param)
}
