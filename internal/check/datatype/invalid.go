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

// InvalidArgument finds invalid arguments of datatype constructors (MPI 4.0, sections 5.1.2 to 5.1.4). MPI's own error
// about the same call is not reported again.
var InvalidArgument = &check.Check{
	ID:       "LOCAL:DATATYPE:INVALID_ARGUMENT",
	Severity: finding.Error,
	Title:    "a constructor of datatypes gets an invalid argument",
	Doc:      invalidDoc,
	Start: func(x *check.Run) {
		x.Track.TypeRejected.On(x.Owner, func(ev track.TypeRejected) {
			t, c, e := ev.Thread, ev.Call, ev.Error
			t.Explained = track.ByArgument
			fn := x.Func(c)
			x.Report(&finding.Finding{
				Key:     x.Place(c) + "|" + e.Param,
				Ranks:   []int{t.Process.Rank},
				Message: fmt.Sprintf("Rank %d calls %s with an invalid argument: %s.", t.Process.Rank, fn.Name, e),
				Why: fmt.Sprintf("The standard does not allow it (MPI standard, section %s). MPI may return an "+
					"error, or create a datatype that reads or writes other memory.", section(fn)),
				Advice:  "Correct the argument.",
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
