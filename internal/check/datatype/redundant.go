package datatype

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed redundant.md
var redundantDoc string

// Redundant finds datatypes that are committed twice, and predefined ones that are committed or freed (MPI 4.0, section
// 5.1.9).
var Redundant = &check.Check{
	ID:       "LOCAL:DATATYPE:REDUNDANT",
	Severity: finding.Info,
	Title:    "a datatype is committed again, or a predefined one is committed or freed",
	Doc:      redundantDoc,
	Start: func(x *check.Run) {
		x.Track.CallEntered.On(x.Owner, func(c track.Call) {
			switch _, d := given(c); {
			case d == nil: // the handle is unknown, or freed
			case d.Permanent:
				onlyUse(x, c, d).reportPredefined("commit", "commits",
					"This has no effect: predefined datatypes are committed",
					"Commit derived datatypes only. Check whether another datatype was meant.", finding.Info)
			case d.Standing == match.CommittedType:
				u := onlyUse(x, c, d)
				x.Report(u.finding("commit", fmt.Sprintf("Rank %d commits %s again.", u.rank, made(x, d)),
					"This has no effect (MPI standard, section 5.1.9).",
					"Commit a datatype once, after creating it. A copy of a committed datatype by MPI_Type_dup is "+
						"committed. Check whether another datatype was meant."))
			}
		}, commits...)
		x.Track.CallEntered.On(x.Owner, func(c track.Call) {
			if _, d := given(c); d != nil && d.Permanent {
				c.Thread.Explained = track.ByDatatype
				onlyUse(x, c, d).reportPredefined("free", "frees", "Predefined datatypes must not be freed",
					"Free only datatypes that the program has created. MPI_Type_dup creates a copy that can be freed.",
					finding.Error)
			}
		}, frees...)
	},
}

// reportPredefined reports a call with a predefined datatype.
func (u *use) reportPredefined(role, verb, why, advice string, s finding.Severity) {
	name := u.datatype.String()
	if u.datatype.Name == "" {
		name = "a datatype of " + u.x.Func(u.datatype.Made).Name // MPI_Type_create_f90_real and the like
	}
	f := u.finding(role, fmt.Sprintf("Rank %d %s %s, which is predefined.", u.rank, verb, name),
		why+" (MPI standard, section 5.1.9).", advice)
	f.Severity = s
	u.x.Report(f)
}
