package datatype

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check/leftover"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed notfreed.md
var notFreedDoc string

// NotFreed finds datatypes that are not freed when MPI_Finalize is called, and, while the program runs, that there are
// many. One finding per place that made them (MPI 4.0, section 5.1.9).
var NotFreed = leftover.New(&leftover.Kind{
	Kind: mpiapi.Datatype,
	ID:   "LOCAL:DATATYPE:NOT_FREED",
	One:  "datatype",
	Many: "datatypes",
	Free: "MPI_Type_free",
	When: "It may be as soon as the operations that use it have begun, and the datatypes that contain it are made.",
	Doc:  notFreedDoc,
	Live: func(p *track.Process, f func(leftover.Object)) int {
		p.Datatypes(func(d *match.Datatype) { f(leftover.Object{Made: d.Made, Number: d.Number, Committed: d.Committed}) })
		return p.DerivedDatatypes()
	},
})
