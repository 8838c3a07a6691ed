package datatype

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed freed.md
var freedDoc string

// Freed finds uses of datatypes that are freed, and of MPI_DATATYPE_NULL (MPI 4.0, sections 2.5.1 and 5.1.9).
var Freed = &check.Check{
	ID:       "LOCAL:DATATYPE:FREED",
	Severity: finding.Error,
	Title:    "a call uses a freed datatype, or MPI_DATATYPE_NULL",
	Doc:      freedDoc,
	Start: func(x *check.Run) {
		x.Track.OddDatatype.On(x.Owner, func(e track.OddDatatype) { usesFreed(x, &e) })
		x.Track.CallEntered.On(x.Owner, func(c track.Call) { passesFreed(x, c) }, append(commits, frees...)...)
	},
}

// usesFreed checks a datatype among the arguments of a call other than MPI_Type_commit and MPI_Type_free.
func usesFreed(x *check.Run, e *track.OddDatatype) {
	p := e.Thread.Process
	if e.Datatype != nil {
		return
	}
	null := p.IsNull(mpiapi.Datatype, e.Handle)
	if null && empty(p, e.Call, e.Param, e.Index) {
		return
	}
	u := oddUse(x, e)
	if !null {
		if u.datatype = p.FreedType(e.Handle); u.datatype == nil {
			return // an unknown handle
		}
	}
	if !significant(p, e.Call, e.Param) {
		return
	}
	e.Thread.Explained = track.ByDatatype
	u.reportFreed(null)
}

// passesFreed checks the argument of MPI_Type_commit or MPI_Type_free.
func passesFreed(x *check.Run, c track.Call) {
	p := c.Thread.Process
	handle, d := given(c)
	if d != nil {
		return
	}
	null := p.IsNull(mpiapi.Datatype, handle)
	if null {
		d = p.FreedThrough(c.Call.Addr(0))
	} else if d = p.FreedType(handle); d == nil {
		return // an unknown handle
	}
	c.Thread.Explained = track.ByDatatype
	onlyUse(x, c, d).reportFreed(null)
}

// reportFreed reports the use of a datatype that is freed, or of MPI_DATATYPE_NULL.
func (u *use) reportFreed(null bool) {
	fn := u.x.Func(u.call).Base
	message, why := "", ""
	advice := "Free a datatype after its last use. Operations that have begun, and datatypes made of it, may still " +
		"use it."
	switch {
	case !null && fn == mpiapi.IDTypeFree:
		message = fmt.Sprintf("Rank %d frees a datatype that is freed already.", u.rank)
		why = "The program has freed it through another copy of the handle. MPI may use the handle for a new " +
			"datatype, which this call would free"
		advice = "Free each datatype once: copies of a handle stand for the same datatype. MPI_Type_dup creates " +
			"another one."
	case !null:
		message = fmt.Sprintf("Rank %d calls %s with a datatype that is freed already (%s).", u.rank, u.function(),
			u.argument())
		why = "The handle may stand for another datatype by now"
	case fn == mpiapi.IDTypeFree && u.datatype != nil:
		message = fmt.Sprintf("Rank %d frees a datatype a second time: the variable is MPI_DATATYPE_NULL.", u.rank)
		why = "The first MPI_Type_free has set the variable to MPI_DATATYPE_NULL, which must not be freed"
		advice = "Free each datatype once, or check first whether the variable is MPI_DATATYPE_NULL."
	default:
		message = fmt.Sprintf("Rank %d calls %s with %s=MPI_DATATYPE_NULL.", u.rank, u.function(), u.argument())
		why = "MPI_DATATYPE_NULL is not a datatype. MPI_Type_free sets its variable to this value"
		advice = "Pass a datatype. Check that it was created before this call, and not freed."
	}
	u.x.Report(u.finding("use", message, why+" (MPI standard, section 5.1.9).", advice))
}
