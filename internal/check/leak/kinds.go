// Package leak has the checks for communicators, windows, files and the like that are never freed.
package leak

import (
	"embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/leftover"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed *.md
var docs embed.FS

// Checks are the checks of this family. Datatypes and requests have theirs where their other checks are.
var Checks = []*check.Check{
	objects(mpiapi.Comm, "COMM", "communicator", "communicators", "MPI_Comm_free or MPI_Comm_disconnect",
		"MPI_Comm_free may be called as soon as the operations on it have begun; all its members must.", "comm.md"),
	objects(mpiapi.Group, "GROUP", "group", "groups", "MPI_Group_free",
		"It may be as soon as the communicators, windows and groups that are made of it are there.", "group.md"),
	objects(mpiapi.Op, "OP", "reduction operation", "reduction operations", "MPI_Op_free",
		"It may be as soon as the reductions that use it have begun.", "op.md"),
	objects(mpiapi.Win, "WIN", "window", "windows", "MPI_Win_free",
		"That is collective: all members of the window must call it, when their accesses are complete.", "win.md"),
	objects(mpiapi.File, "FILE", "open file", "open files", "MPI_File_close",
		"That is collective, and what was written may not be in the file without it.", "file.md"),
	objects(mpiapi.Info, "INFO", "info object", "info objects", "MPI_Info_free",
		"It may be as soon as the calls that it is passed to have returned.", "info.md"),
	objects(mpiapi.Errhandler, "ERRHANDLER", "error handler", "error handlers", "MPI_Errhandler_free",
		"It may be as soon as it is set: objects that have it keep it.", "errhandler.md"),
	objects(mpiapi.Keyval, "KEYVAL", "attribute key", "attribute keys", "MPI_Comm_free_keyval, MPI_Type_free_keyval or MPI_Win_free_keyval",
		"It may be while objects have attributes of this key.", "keyval.md"),
}

// objects returns the check for a kind that package track knows as objects.
func objects(kind mpiapi.Kind, family, one, many, free, when, doc string) *check.Check {
	return leftover.New(&leftover.Kind{
		Kind: kind, ID: "LOCAL:" + family + ":NOT_FREED", One: one, Many: many, Free: free, When: when,
		Doc:   text(doc) + text("all.md"),
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

// text returns one of the Markdown files.
func text(name string) string {
	b, err := docs.ReadFile(name)
	if err != nil {
		panic(err) // it is not among the files built in
	}
	return string(b)
}
