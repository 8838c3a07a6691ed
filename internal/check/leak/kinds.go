// Package leak has the checks for communicators, windows, files and other objects that are never freed.
package leak

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/leftover"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

var (
	//go:embed comm.md
	commDoc string
	//go:embed group.md
	groupDoc string
	//go:embed op.md
	opDoc string
	//go:embed win.md
	winDoc string
	//go:embed file.md
	fileDoc string
	//go:embed info.md
	infoDoc string
	//go:embed errhandler.md
	errhandlerDoc string
	//go:embed keyval.md
	keyvalDoc string
	// common is the part of the page that all kinds share.
	//
	//go:embed all.md
	common string
)

// Checks are the checks of this family. Those for datatypes and requests are in packages datatype and request.
var Checks = []*check.Check{
	objects(mpiapi.Comm, "COMM", "communicator", "communicators", "MPI_Comm_free or MPI_Comm_disconnect",
		"MPI_Comm_free may be called while operations on it are pending. All its processes must call it.", commDoc),
	objects(mpiapi.Group, "GROUP", "group", "groups", "MPI_Group_free",
		"It may be freed as soon as the communicators, windows and groups made of it exist.", groupDoc),
	objects(mpiapi.Op, "OP", "reduction operation", "reduction operations", "MPI_Op_free",
		"It may be freed as soon as the reductions that use it have begun.", opDoc),
	objects(mpiapi.Win, "WIN", "window", "windows", "MPI_Win_free",
		"MPI_Win_free is collective: all processes of the window call it, after their accesses are complete.",
		winDoc),
	objects(mpiapi.File, "FILE", "open file", "open files", "MPI_File_close",
		"MPI_File_close is collective. Without it, written data may not be in the file.", fileDoc),
	objects(mpiapi.Info, "INFO", "info object", "info objects", "MPI_Info_free",
		"It may be freed as soon as the calls that use it have returned.", infoDoc),
	objects(mpiapi.Errhandler, "ERRHANDLER", "error handler", "error handlers", "MPI_Errhandler_free",
		"It may be freed as soon as it is set: the objects that have it keep it.", errhandlerDoc),
	objects(mpiapi.Keyval, "KEYVAL", "attribute key", "attribute keys",
		"MPI_Comm_free_keyval, MPI_Type_free_keyval or MPI_Win_free_keyval",
		"It may be freed while objects have attributes with this key.", keyvalDoc),
}

// objects returns the check for a kind of objects.
func objects(kind mpiapi.Kind, family, one, many, free, when, doc string) *check.Check {
	return leftover.New(&leftover.Kind{
		Kind: kind, ID: "LOCAL:" + family + ":NOT_FREED", One: one, Many: many, Free: free, When: when,
		Doc: doc, Common: common,
		Joint: kind == mpiapi.Comm || kind == mpiapi.Win || kind == mpiapi.File,
		// MPI standard, section 11.4.1
		Anytime: kind == mpiapi.Info || kind == mpiapi.Errhandler,
		Live: func(p *track.Process, f func(leftover.Object)) int {
			p.Objects(kind, func(o *track.Object) {
				f(leftover.Object{Made: o.Made, Number: o.Number, Comm: o.Comm})
			})
			return p.LiveObjects(kind)
		},
	})
}
