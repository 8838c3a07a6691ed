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

// Redundant finds datatypes that are committed though they are so already, and predefined ones that are freed (MPI 4.0,
// section 5.1.9).
var Redundant = &check.Check{
	ID:       "LOCAL:DATATYPE:REDUNDANT",
	Severity: finding.Info,
	Title:    "a datatype is committed again, or a predefined one is committed or freed",
	Doc:      redundantDoc,
	Start: func(x *check.Run) {
		x.Track.CallEntered.On(x.Owner, func(c track.Call) {
			switch _, d := given(c); {
			case d == nil: // Its handle has never been seen, or is freed.
			case d.Permanent:
				onlyUse(x, c, d).reportPredefined("commit", "commits", "That does nothing: predefined datatypes are committed",
					"Commit derived datatypes only.", finding.Info)
			case d.Standing == match.CommittedType:
				u := onlyUse(x, c, d)
				x.Report(u.finding("commit", fmt.Sprintf("Rank %d commits %s again.\n"+
					"That does nothing (MPI standard, section 5.1.9).", u.rank, made(x, d)),
					"Commit a datatype once, where it is made. The copy that MPI_Type_dup makes of a committed datatype is committed."))
			}
		}, commits...)
		x.Track.CallEntered.On(x.Owner, func(c track.Call) {
			if _, d := given(c); d != nil && d.Permanent {
				c.Thread.Explained = track.ByDatatype
				onlyUse(x, c, d).reportPredefined("free", "frees", "Predefined datatypes can't be freed",
					"Free only what the program has made. A copy that can be freed is made by MPI_Type_dup.", finding.Error)
			}
		}, frees...)
	},
}

// reportPredefined reports that a call is given a predefined datatype.
func (u *use) reportPredefined(role, verb, why, advice string, s finding.Severity) {
	name := u.datatype.String()
	if u.datatype.Name == "" {
		name = "a datatype of " + u.x.Func(u.datatype.Made).Name // MPI_Type_create_f90_real and the like
	}
	f := u.finding(role, fmt.Sprintf("Rank %d %s %s, which is predefined.\n%s (MPI standard, section 5.1.9).",
		u.rank, verb, name, why), advice)
	f.Severity = s
	u.x.Report(f)
}
