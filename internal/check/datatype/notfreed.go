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

// NotFreed finds datatypes that are not freed at MPI_Finalize, and processes that have many of them while the program
// runs. There is one finding for each place that created them (MPI 4.0, section 5.1.9).
var NotFreed = leftover.New(&leftover.Kind{
	Kind: mpiapi.Datatype,
	ID:   "LOCAL:DATATYPE:NOT_FREED",
	One:  "datatype",
	Many: "datatypes",
	Free: "MPI_Type_free",
	When: "It may be freed as soon as the operations that use it have begun, and the datatypes that contain it are " +
		"made.",
	Doc: notFreedDoc,
	Live: func(p *track.Process, f func(leftover.Object)) int {
		p.Datatypes(func(d *match.Datatype) {
			f(leftover.Object{Made: d.Made, Number: d.Number})
		})
		return p.DerivedDatatypes()
	},
})
