package rules

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// partitionRule finds partitions that a message does not have (section 4.2).
func (f function) partitionRule() rule {
	request := f.value(f.Arg(mpiapi.TheRequest))
	return func(c *call) bool {
		r := c.process.OnlyRequest(request.Handle(c.rec))
		if r == nil {
			return true
		}
		made := mpiapi.ByID(r.Made.Func())
		partitions := event.ValueSlot(made, made.Arg(mpiapi.Partitions))
		return !partitions.Exists() || c.partitions(partitions.Int(r.Made.Raw)) || c.blame(r.Made, "request made")
	}
}

// partitions checks the partitions that a call names. The message has n partitions.
func (c *call) partitions(n int64) bool {
	f, why := c.Func, fmt.Sprintf("is not a partition of the message: partitions go from 0 to %d", n-1)
	one := func(name string) bool {
		i := f.Param(name)
		v := c.Int(i)
		return v >= 0 && v < n || c.reject(i, why)
	}
	switch f.Base {
	case mpiapi.IDPreadyRange:
		empty := c.Int(f.Param("partition_low")) > c.Int(f.Param("partition_high"))
		return empty || one("partition_low") && one("partition_high")
	case mpiapi.IDPreadyList:
		param := f.Param("array_of_partitions")
		list, _ := c.In(param)
		for k := range list.Len() {
			if v := list.At(k); v < 0 || v >= n {
				return c.rejectElement(param, k, why)
			}
		}
		return true
	}
	return one("partition")
}
