package rules

import (
	"fmt"
	"math"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// leastRule finds numbers that are too small.
func (f function) leastRule(i int) rule {
	q := &f.Params[i]
	limit, ok := f.least(i)
	if !ok {
		return nil
	}
	at, why := f.value(i), "is negative"
	if limit > 0 {
		why = "is not positive"
	}
	return func(c *call) bool {
		return at.Int(c.rec) >= limit || q.AtRoot && !c.significant(i) || c.reject(i, why)
	}
}

// least returns the least value that a parameter may have. It is false if any value will do, or if another check looks at it.
func (f function) least(i int) (limit int64, ok bool) {
	q := &f.Params[i]
	if !isNumber(q.Kind) || q.Pointer || f.constructsType() || f.Base == mpiapi.IDBufferAttach {
		return 0, false
	}
	switch q.Role {
	case mpiapi.SendCount, mpiapi.RecvCount:
		// Those of collectives that move data between processes are judged by package collargs.
		return 0, !f.collective || f.has(mpiapi.TheFile)
	case mpiapi.TargetCount, mpiapi.Partitions:
		return 0, true
	}
	for k := range f.Params {
		if e := f.Params[k].Elements; e.Kind == mpiapi.ByParam && e.Arg == i {
			return 0, true
		}
	}
	switch q.Name {
	case "size":
		return 0, f.Base != mpiapi.IDTypeMatchSize
	case "disp_unit":
		return 1, true
	case "offset":
		return 0, f.Param("whence") < 0 && f.Base != mpiapi.IDFileGetByteOffset
	case "nnodes":
		return 1, f.Base == mpiapi.IDDimsCreate
	case "outsize", "insize", "incount", "maxprocs":
		return 0, true
	}
	return 0, false
}

// anyPositive reports whether an array of counts has one that is positive.
func (c *call) anyPositive(counts int) bool {
	list, _ := c.In(counts)
	for i := range list.Len() {
		if list.At(i) > 0 {
			return true
		}
	}
	return false
}

// dimsRule looks at the dimensions that MPI_Dims_create is to keep (section 8.5.2).
func (f function) dimsRule() rule {
	nnodes, dims := f.Param("nnodes"), f.Param("dims")
	return func(c *call) bool {
		list, _ := c.In(dims)
		n, product := c.Int(nnodes), int64(1)
		for k := range list.Len() {
			switch d := list.At(k); {
			case d < 0:
				return c.rejectElement(dims, k, "is negative")
			case d > 0:
				if product *= d; product > math.MaxInt32 {
					return c.reject(nnodes, "is less than the product of the dimensions that are given")
				}
			}
		}
		return n%product == 0 ||
			c.reject(nnodes, fmt.Sprintf("is no multiple of %d, the product of the dimensions that are given", product))
	}
}

// directionRule looks at the direction of MPI_Cart_shift (section 8.5.6).
func (f function) directionRule() rule {
	param := f.Param("direction")
	at := f.value(param)
	return func(c *call) bool {
		if c.view == nil || c.view.Dims() == 0 {
			return true
		}
		n, v := int64(c.view.Dims()), at.Int(c.rec)
		return v >= 0 && v < n || c.reject(param, fmt.Sprintf("is no dimension of the grid: they go from 0 to %d", n-1))
	}
}
