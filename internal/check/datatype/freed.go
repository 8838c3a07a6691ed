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
	Title:    "a datatype is used that was freed, or MPI_DATATYPE_NULL",
	Doc:      freedDoc,
	Start: func(x *check.Run) {
		x.Track.OddDatatype.On(x.Owner, func(e track.OddDatatype) { usesFreed(x, &e) })
		x.Track.CallEntered.On(x.Owner, func(c track.Call) { passesFreed(x, c) }, append(commits, frees...)...)
	},
}

// usesFreed looks at a datatype that a call is given, other than MPI_Type_commit and MPI_Type_free.
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
			return // The handle has never been seen. It may be anything.
		}
	}
	if !significant(p, e.Call, e.Param) {
		return
	}
	e.Thread.Explained = track.ByDatatype
	u.reportFreed(null)
}

// passesFreed looks at the datatype that MPI_Type_commit or MPI_Type_free is given.
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
		return // The handle has never been seen. It may be anything.
	}
	c.Thread.Explained = track.ByDatatype
	onlyUse(x, c, d).reportFreed(null)
}

// reportFreed reports the use of a datatype that is freed, or of MPI_DATATYPE_NULL.
func (u *use) reportFreed(null bool) {
	fn := u.x.Func(u.call).Base
	message := ""
	advice := "Free a datatype after its last use. Operations under way, and datatypes made of it, are not affected by that."
	switch {
	case !null && fn == mpiapi.IDTypeFree:
		message = fmt.Sprintf("Rank %d frees a datatype that is freed already.\n"+
			"Another variable held the same handle. MPI may have given it to another datatype meanwhile, which would then be freed",
			u.rank)
		advice = "Free each datatype once: handles that are copied stand for one and the same datatype. MPI_Type_dup makes another one."
	case !null:
		message = fmt.Sprintf("Rank %d gives %s a datatype as %s that is freed already.\n"+
			"What its handle stands for now is anybody's guess", u.rank, u.function(), u.argument())
	case fn == mpiapi.IDTypeFree && u.datatype != nil:
		message = fmt.Sprintf("Rank %d frees a datatype a second time: "+
			"the first time has made its variable MPI_DATATYPE_NULL, which can't be freed", u.rank)
		advice = "Free each datatype once, or look first whether it is MPI_DATATYPE_NULL."
	default:
		message = fmt.Sprintf("Rank %d gives %s MPI_DATATYPE_NULL as %s, which stands for no datatype",
			u.rank, u.function(), u.argument())
		advice = "Give the call a datatype. A variable is MPI_DATATYPE_NULL after MPI_Type_free."
	}
	u.x.Report(u.finding("use", message+" (MPI standard, section 5.1.9).", advice))
}
