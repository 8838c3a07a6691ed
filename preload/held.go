package preload

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpiapi"
)

// isHeld tells whether strict mode has something to do for a function: its calls are held, or begin or complete
// nonblocking collectives.
func isHeld(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Icollective:
		return f.Coll
	case mpiapi.Wait, mpiapi.Test:
		return true
	}
	return f.Held()
}

// generateHeld returns held.c: for each function whose calls may be held in strict mode, what the wrapper then calls
// instead of the real function.
func generateHeld(exported func(name string) bool) []byte {
	var b, table strings.Builder
	b.WriteString("/* Generated from the table of the MPI interface. */\n")
	b.WriteString("#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"O1\")\n#endif\n#include \"call.h\"\n")
	for _, f := range exportedFuncs(exported) {
		if !isHeld(f) {
			continue
		}
		w := wrapper{Func: f, b: &b}
		fmt.Fprintf(&b, "\nstatic %s;\n", f.Declare("(*real_"+f.Name+")"))
		fmt.Fprintf(&b, "static %s\n{\n", f.Declare("hold_"+f.Name))
		w.hold()
		b.WriteString("}\n")
		fmt.Fprintf(&table, "    {\"P%[1]s\", (void (*)(void))hold_%[1]s, &real_%[1]s},\n", f.Name)
	}
	fmt.Fprintf(&b, "\nconst struct mv_held mv_held[] = {\n%s    {NULL, NULL, NULL},\n};\n", table.String())
	return []byte(b.String())
}

// hold writes the body of what stands for the function in strict mode.
func (w *wrapper) hold() {
	real := fmt.Sprintf("real_%s(%s)", w.Name, w.args(nil))
	switch w.Class {
	case mpiapi.Icollective:
		// It must return without waiting for others, so whatever is wrong is raised by the call that completes it.
		w.line("int rc = %s;", real)
		w.line("if (rc == MPI_SUCCESS)\n        mv_mark(%s);", w.Params[w.Arg(mpiapi.TheRequest)].Name)
		w.line("return rc;")
		return
	case mpiapi.Wait, mpiapi.Test:
		list, n := "", "1"
		if i := w.Arg(mpiapi.Requests); i >= 0 {
			list, n = w.Params[i].Name, w.elements(w.Params[i].Elements)
		} else if i := w.Arg(mpiapi.TheRequest); w.Params[i].Pointer {
			list = w.Params[i].Name
		} else {
			list = "&" + w.Params[i].Name
		}
		all := 0
		if w.Name == "MPI_Wait" || w.Name == "MPI_Waitall" {
			all = 1
		}
		w.line("int code = mv_hold_completion(%d, %s, %s, %d);", w.ID, list, n, all)
	default:
		w.line("int code = mv_hold(%d);", w.ID)
	}
	w.line("return code == MPI_SUCCESS ? %s : code;", real)
}
