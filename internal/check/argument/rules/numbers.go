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

// least returns the least value that a parameter may have. ok is false if every value is allowed, or if another check
// is for the parameter.
func (f function) least(i int) (limit int64, ok bool) {
	q := &f.Params[i]
	if !isNumber(q.Kind) || q.Pointer || f.constructsType() || f.Act == mpiapi.ActBufferAttach {
		return 0, false
	}
	switch q.Role {
	case mpiapi.SendCount, mpiapi.RecvCount:
		// Package collargs judges those of collectives that move data between processes.
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

// anyPositive reports whether an array of counts has a positive one.
func (c *call) anyPositive(counts int) bool {
	list, _ := c.In(counts)
	for i := range list.Len() {
		if list.At(i) > 0 {
			return true
		}
	}
	return false
}

// dimsRule checks the given dimensions of MPI_Dims_create (section 8.5.2).
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
					return c.reject(nnodes, "is less than the product of the given dimensions")
				}
			}
		}
		return n%product == 0 ||
			c.reject(nnodes, fmt.Sprintf("is not a multiple of %d, the product of the given dimensions", product))
	}
}

// directionRule checks the direction of MPI_Cart_shift (section 8.5.6).
func (f function) directionRule() rule {
	param := f.Param("direction")
	at := f.value(param)
	return func(c *call) bool {
		if c.view == nil || c.view.Dims() == 0 {
			return true
		}
		n, v := int64(c.view.Dims()), at.Int(c.rec)
		return v >= 0 && v < n || c.reject(param, fmt.Sprintf("is not a dimension of the grid: dimensions go from 0 "+
			"to %d", n-1))
	}
}
