package datatype

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed invalid.md
var invalidDoc string

// InvalidArgument finds constructors of datatypes that are called with what the standard forbids (MPI 4.0, sections
// 5.1.2 to 5.1.4). What MPI says about the same call is not reported once more.
var InvalidArgument = &check.Check{
	ID:       "LOCAL:DATATYPE:INVALID_ARGUMENT",
	Severity: finding.Error,
	Title:    "a datatype is made of arguments that make none",
	Doc:      invalidDoc,
	Start: func(x *check.Run) {
		x.Track.TypeRejected.On(x.Owner, func(ev track.TypeRejected) {
			t, c, e := ev.Thread, ev.Call, ev.Error
			t.Explained = track.ByArgument
			fn := x.Func(c)
			x.Report(&finding.Finding{
				Key:     x.Place(c) + "|" + e.Param,
				Ranks:   []int{t.Process.Rank},
				Message: fmt.Sprintf("Rank %d calls %s with a wrong argument: %s (MPI standard, section %s).", t.Process.Rank, fn.Name, e, section(fn)),
				Advice:  "Mend the argument. What MPI makes of it is not defined: it may fail here, or make a datatype that reads or writes anything.",
				Sites:   []finding.Site{x.Site("constructor", c)},
				Details: map[string]any{"function": fn.Name, "parameter": e.Param, "index": e.Index, "value": e.Value},
			})
		})
	},
}

// section is where MPI 4.0 defines a constructor.
func section(f *mpiapi.Func) string {
	switch f.Base {
	case mpiapi.IDTypeCreateSubarray:
		return "5.1.3"
	case mpiapi.IDTypeCreateDarray:
		return "5.1.4"
	}
	return "5.1.2"
}
