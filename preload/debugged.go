package preload

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// This file generates what wrappers do for debuggers: they keep the objects that calls make, and list open requests.
// docs/debugger-tables.md describes the tables.

// keptKinds are the values of enum mv_name_kind by the kind of handle. Objects of these kinds are kept.
var keptKinds = map[mpiapi.Kind]string{
	mpiapi.Comm: "MV_NAME_COMM", mpiapi.Group: "MV_NAME_GROUP", mpiapi.Datatype: "MV_NAME_DATATYPE",
	mpiapi.Op: "MV_NAME_OP", mpiapi.Win: "MV_NAME_WIN", mpiapi.File: "MV_NAME_FILE", mpiapi.Info: "MV_NAME_INFO",
	mpiapi.Errhandler: "MV_NAME_ERRHANDLER", mpiapi.Session: "MV_NAME_SESSION", mpiapi.Message: "MV_NAME_MESSAGE",
}

// noted are the functions whose calls say more about the object in their first parameter. Names of communicators and
// windows are in the tables of objects.
var noted = map[string]bool{"MPI_Type_set_name": true, "MPI_Info_set": true, "MPI_Info_delete": true}

// made returns the parameter for the handle of the object that the function makes, -1 if there is none.
func (w *wrapper) made() int {
	for i := range w.Params {
		p := &w.Params[i]
		if keptKinds[p.Kind] != "" && p.Pointer && p.Dir == mpiapi.Out && p.Layout.After != 0 && !w.isArray(i) {
			return i
		}
	}
	return -1
}

// shares reports whether the function may return an object that exists already.
func (w *wrapper) shares(made int) bool {
	return strings.Contains(w.Name, "_get_") || w.Params[made].Kind == mpiapi.Group
}

// inputs returns the C initializers of the handles that the function gets, and whether it gets arrays.
func (w *wrapper) inputs() (list []string, arrays bool) {
	for i := range w.Params {
		p := &w.Params[i]
		kind := keptKinds[p.Kind]
		if kind == "" || p.Dir == mpiapi.Out {
			arrays = arrays || p.Layout.InSection != 0 && p.Layout.InSection != mpiapi.SectionString
			continue
		}
		switch {
		case w.isArray(i) && p.Layout.InSection == mpiapi.SectionIn64:
			list = append(list, fmt.Sprintf("{%s, 1, %d}", kind, i))
			arrays = true
		case !p.Pointer && p.Layout.Wide:
			list = append(list, fmt.Sprintf("{%s, 0, %d}", kind, p.Layout.At))
		}
	}
	return list, arrays
}

// declareMaking writes the description of the object that the function makes, before the function itself.
func (w *wrapper) declareMaking() {
	i := w.made()
	if i < 0 || w.Class == mpiapi.Query {
		return
	}
	list, arrays := w.inputs()
	fmt.Fprintf(w.b, "\nstatic const struct mv_input inputs_%s[] = {%s};\n", w.Name,
		strings.Join(append(list, "{0, 0, 0}"), ", "))
	fmt.Fprintf(w.b, "static const struct mv_making making_%[1]s = {%[2]s, %[3]d, %[4]d, inputs_%[1]s};\n", w.Name,
		keptKinds[w.Params[i].Kind], bit(w.shares(i)), bit(arrays))
}

// beginKeeping is called before the record is written.
func (w *wrapper) beginKeeping() {
	if w.made() < 0 {
		return
	}
	if _, arrays := w.inputs(); arrays {
		w.line("mv_keep_begin(t);")
	}
}

// keep adds what the call has made to the tables, and takes out what it has freed or completed. The results are in the
// record.
func (w *wrapper) keep(sections []section) {
	if i := w.made(); i >= 0 {
		if _, arrays := w.inputs(); arrays {
			w.line("mv_keep_end(t);")
		}
		made := w.Params[i].Name
		if f := w.Arg(mpiapi.Flag); f >= 0 { // MPI_Improbe
			made += fmt.Sprintf(" && %[1]s && *%[1]s", w.Params[f].Name)
		}
		w.line("if (rc == MPI_SUCCESS && %[1]s)\n        mv_keep(t, r, MV_HANDLE(*%[2]s), &making_%[3]s, MV_RA);",
			made, w.Params[i].Name, w.Name)
	}
	if noted[w.Name] {
		p := &w.Params[0]
		w.line("if (rc == MPI_SUCCESS)\n        mv_note(r, %s, %s);", w.handle(0), keptKinds[p.Kind])
	}
	if i := w.Arg(mpiapi.TheMessage); i >= 0 && w.Class == mpiapi.Mrecv {
		w.line("if (rc == MPI_SUCCESS)\n        mv_unkeep(%s, MV_NAME_MESSAGE);", before(&w.Params[i]))
	}
	if i := w.freed(); i >= 0 && w.ends(i) {
		w.line("if (rc == MPI_SUCCESS && %s)\n        mv_unkeep(%s, %s);", w.Params[i].Name,
			before(&w.Params[i]), keptKinds[w.Params[i].Kind])
	}
	w.followRequests(sections)
}

// ends reports whether the function frees the kept object in a parameter. MPI_Type_commit only changes it.
func (w *wrapper) ends(i int) bool {
	return keptKinds[w.Params[i].Kind] != "" && w.Act != mpiapi.ActTypeCommit
}

// before returns the C expression for the handle that a parameter had before the call.
func before(p *mpiapi.Param) string {
	return fmt.Sprintf("*(const uint64_t *)(r + %d)", p.Layout.Before)
}

// followRequests keeps the list of open requests up to date.
func (w *wrapper) followRequests(sections []section) {
	request := w.Arg(mpiapi.TheRequest)
	switch {
	case w.Class == mpiapi.Start:
		list, n := w.requests()
		w.line("if (rc == MPI_SUCCESS)\n        mv_requests_started(t, %s, sizeof(MPI_Request), %s);", list, n)
	case request >= 0 && w.Params[request].Pointer && w.Params[request].Dir == mpiapi.Out:
		w.line("if (rc == MPI_SUCCESS && %[1]s)\n        mv_request_made(t, r, MV_HANDLE(*%[1]s), %[2]d, MV_RA);",
			w.Params[request].Name, bit(w.persistent()))
	case w.completes():
		w.completeRequests(sections)
	case w.Act == mpiapi.ActRequestFree:
		p := &w.Params[request]
		w.line("if (%[1]s)\n        mv_requests_after(t, (const uint64_t *)(r + %[2]d), %[1]s, sizeof *%[1]s, 1,\n"+
			"                          (struct mv_completed){0, NULL, 0});", p.Name, p.Layout.Before)
	}
}

// persistent reports whether the request that the function makes must be started.
func (w *wrapper) persistent() bool {
	switch w.Class {
	case mpiapi.SendInit, mpiapi.RecvInit, mpiapi.CollectiveInit:
		return true
	}
	return strings.HasSuffix(strings.TrimSuffix(w.Name, "_c"), "_init")
}

// completes reports whether calls of the function may end requests.
func (w *wrapper) completes() bool {
	return (w.Class == mpiapi.Wait || w.Class == mpiapi.Test) && !w.ReportsStatus()
}

// completeRequests takes the requests that a call has completed out of the list.
func (w *wrapper) completeRequests(sections []section) {
	const none = "(struct mv_completed){0, NULL, 0}"
	done := fmt.Sprintf("rc == MPI_SUCCESS ? (struct mv_completed){%s} : %s", w.completed(), none)
	if i := w.Arg(mpiapi.TheRequest); i >= 0 {
		p := &w.Params[i]
		if p.Pointer && p.Layout.Before != 0 {
			w.line("if (%[1]s)\n        mv_requests_after(t, (const uint64_t *)(r + %[2]d), %[1]s, sizeof *%[1]s, 1,\n"+
				"                          %[3]s);", p.Name, p.Layout.Before, done)
		}
		return
	}
	i := w.Arg(mpiapi.Requests)
	at := fmt.Sprintf("r + %d", w.start())
	for _, s := range sections {
		if s.i == i && !s.out {
			break
		}
		if !s.out {
			at += fmt.Sprintf(" + room%d", s.i)
		}
	}
	p := &w.Params[i]
	w.line("mv_requests_after(t, mv_is_cut(room%[1]d) ? listed : n%[1]d ? (const uint64_t *)(%[2]s + 8) : NULL,\n"+
		"                      %[3]s, sizeof *%[3]s, n%[1]d, %[4]s);", i, at, p.Name, done)
}

// listRequests copies a list of requests that has no room in the record, before MPI changes it.
func (w *wrapper) listRequests() {
	if !w.completes() || w.Arg(mpiapi.Requests) < 0 {
		return
	}
	i := w.Arg(mpiapi.Requests)
	w.line("const uint64_t *const listed =\n        MV_UNLIKELY(mv_is_cut(room%[1]d)) ? "+
		"mv_requests_listed(t, %[2]s, sizeof *%[2]s, n%[1]d) : NULL;", i, w.Params[i].Name)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
