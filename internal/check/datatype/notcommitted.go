package datatype

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed notcommitted.md
var notCommittedDoc string

// NotCommitted finds datatypes that are used for communication before they are committed (MPI 4.0, section 5.1.9).
var NotCommitted = &check.Check{
	ID:       "LOCAL:DATATYPE:NOT_COMMITTED",
	Severity: finding.Error,
	Title:    "a datatype is used before it is committed",
	Doc:      notCommittedDoc,
	Start: func(x *check.Run) {
		x.Track.OddDatatype.On(x.Owner, func(e track.OddDatatype) {
			if e.Datatype == nil || !communicates(e.Call.Func, e.Param) ||
				!significant(e.Thread.Process, e.Call, e.Param) {
				return
			}
			e.Thread.Explained = track.ByDatatype
			reportUncommitted(oddUse(x, &e))
		})
	},
}

func reportUncommitted(u *use) {
	advice := "Call MPI_Type_commit once, after creating the datatype and before using it. Committing a datatype " +
		"that contains it is not enough."
	if u.x.Func(u.datatype.Made).Base == mpiapi.IDTypeDup {
		advice += " What MPI_Type_dup returns is committed only if the original is."
	}
	u.x.Report(u.finding("use",
		fmt.Sprintf("Rank %d calls %s with a %s that is not committed: %s.",
			u.rank, u.function(), u.argument(), made(u.x, u.datatype)),
		"A datatype must be committed before it is used for communication or I/O (MPI standard, section 5.1.9).",
		advice))
}
