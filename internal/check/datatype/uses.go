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

//go:embed freed.md
var freedDoc string

//go:embed redundant.md
var redundantDoc string

// NotCommitted finds datatypes that are used for communication before they are committed (MPI 4.0, section 5.1.9).
var NotCommitted = &check.Check{
	ID:       "LOCAL:DATATYPE:NOT_COMMITTED",
	Severity: finding.Error,
	Title:    "a datatype is used before it is committed",
	Doc:      notCommittedDoc,
	Start: func(x *check.Run) {
		misuses(x, notCommitted, track.NotCommitted)
	},
}

func notCommitted(u *use) {
	advice := "Call MPI_Type_commit once after making the datatype, before it is used: making others of it does not need that, and does not commit it."
	if u.x.Func(u.Datatype.Made).Base == mpiapi.IDTypeDup {
		advice += " What MPI_Type_dup returns is committed only if the original is."
	}
	u.x.Report(u.finding("use", fmt.Sprintf("Rank %d gives %s %s as %s, which is not committed.\n"+
		"A datatype must be committed before it is used for communication or I/O (MPI standard, section 5.1.9).",
		u.rank, u.function(), made(u.x, u.Datatype), u.param()), advice))
}

// Freed finds uses of datatypes that are freed, and of MPI_DATATYPE_NULL (MPI 4.0, sections 2.5.1 and 5.1.9).
var Freed = &check.Check{
	ID:       "LOCAL:DATATYPE:FREED",
	Severity: finding.Error,
	Title:    "a datatype is used that was freed, or MPI_DATATYPE_NULL",
	Doc:      freedDoc,
	Start: func(x *check.Run) {
		misuses(x, freed, track.AfterFree, track.NullType)
	},
}

func freed(u *use) {
	fn := u.x.Func(u.call).Base
	message, advice := "", "Free a datatype after its last use. Operations under way, and datatypes made of it, are not affected by that."
	switch {
	case u.Wrong == track.AfterFree && fn == mpiapi.IDTypeFree:
		message = fmt.Sprintf("Rank %d frees a datatype that is freed already.\n"+
			"Another variable held the same handle. MPI may have given it to another datatype meanwhile, which would then be freed", u.rank)
		advice = "Free each datatype once: handles that are copied stand for one and the same datatype. MPI_Type_dup makes another one."
	case u.Wrong == track.AfterFree:
		message = fmt.Sprintf("Rank %d gives %s a datatype as %s that is freed already.\n"+
			"What its handle stands for now is anybody's guess", u.rank, u.function(), u.param())
	case fn == mpiapi.IDTypeFree && u.Datatype != nil:
		message = fmt.Sprintf("Rank %d frees a datatype a second time: the first time has made its variable MPI_DATATYPE_NULL, which can't be freed", u.rank)
		advice = "Free each datatype once, or look first whether it is MPI_DATATYPE_NULL."
	default:
		message = fmt.Sprintf("Rank %d gives %s MPI_DATATYPE_NULL as %s, which stands for no datatype", u.rank, u.function(), u.param())
		advice = "Give the call a datatype. A variable is MPI_DATATYPE_NULL after MPI_Type_free."
	}
	u.x.Report(u.finding("use", message+" (MPI standard, section 5.1.9).", advice))
}

// Redundant finds datatypes that are committed though they are so already, and predefined ones that are freed (MPI 4.0,
// section 5.1.9).
var Redundant = &check.Check{
	ID:       "LOCAL:DATATYPE:REDUNDANT",
	Severity: finding.Info,
	Title:    "a datatype is committed again, or a predefined one is committed or freed",
	Doc:      redundantDoc,
	Start: func(x *check.Run) {
		misuses(x, redundant, track.CommittedTwice, track.PermanentCommit, track.PermanentFree)
	},
}

func redundant(u *use) {
	name := u.Datatype.String()
	if u.Datatype.Name == "" {
		name = "a datatype of " + u.x.Func(u.Datatype.Made).Name
	}
	switch u.Wrong {
	case track.CommittedTwice:
		u.x.Report(u.finding("commit", fmt.Sprintf("Rank %d commits %s again.\nThat does nothing (MPI standard, section 5.1.9).", u.rank, made(u.x, u.Datatype)),
			"Commit a datatype once, where it is made. The copy that MPI_Type_dup makes of a committed datatype is committed."))
	case track.PermanentCommit:
		u.x.Report(u.finding("commit", fmt.Sprintf("Rank %d commits %s, which is predefined.\nThat does nothing: predefined datatypes are committed (MPI standard, section 5.1.9).", u.rank, name),
			"Commit derived datatypes only."))
	case track.PermanentFree:
		f := u.finding("free", fmt.Sprintf("Rank %d frees %s, which is predefined.\nPredefined datatypes can't be freed (MPI standard, section 5.1.9).", u.rank, name),
			"Free only what the program has made. A copy that can be freed is made by MPI_Type_dup.")
		f.Severity = finding.Error
		u.x.Report(f)
	}
}
