package rules

import (
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// reductionRule checks the operation of MPI_Reduce_local.
func (f function) reductionRule() rule {
	param := f.Arg(mpiapi.ReduceOp)
	op, typ := f.value(param), f.value(f.Arg(mpiapi.SendType))
	return func(c *call) bool {
		name := c.process.NameHandle(mpiapi.Op, op.Handle(c.rec))
		why := collargs.Reduction(name, c.process.Type(typ.Handle(c.rec)).Of())
		return why == "" || c.reject(param, why)
	}
}

// accumulateRule checks the operation of a one-sided accumulate function (section 12.3.4).
func (f function) accumulateRule() rule {
	param := f.Arg(mpiapi.ReduceOp)
	op, typ := f.value(param), f.value(f.Arg(mpiapi.TargetType))
	if !typ.Exists() {
		typ = f.value(f.Arg(mpiapi.SendType))
	}
	fetches := f.has(mpiapi.RecvBuf)
	return func(c *call) bool {
		h := op.Handle(c.rec)
		if c.process.OwnOperation(h) {
			return c.reject(param, "is a user-defined operation: one-sided operations allow predefined ones only")
		}
		switch name := c.process.NameHandle(mpiapi.Op, h); {
		case name == "" || name == "MPI_REPLACE" || name == "MPI_NO_OP" && fetches:
			return true
		case name == "MPI_NO_OP":
			return c.reject(param, "is allowed only in operations that fetch data")
		default:
			t := c.process.Type(typ.Handle(c.rec)).Of()
			if t == nil || !t.Predefined() {
				return true
			}
			why := collargs.Reduction(name, t)
			return why == "" || c.reject(param, why)
		}
	}
}

// predefinedRule finds derived datatypes where only a predefined one is allowed (section 12.3.4).
func (f function) predefinedRule() rule {
	param := f.Arg(mpiapi.SendType)
	at := f.value(param)
	return func(c *call) bool {
		t := c.process.Type(at.Handle(c.rec))
		return t == nil || t.Permanent || t.Of() == nil || t.Of().Size < 0 ||
			c.reject(param, "is a derived datatype, and only predefined ones are allowed")
	}
}
