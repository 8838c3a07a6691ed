package preload

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// objectKinds maps the kinds of objects that have collectives to enum mv_object_kind.
var objectKinds = map[mpiapi.Kind]string{
	mpiapi.Comm: "MV_OBJECT_COMM", mpiapi.Win: "MV_OBJECT_WIN", mpiapi.File: "MV_OBJECT_FILE",
}

// collective says what the wrapper of a collective function counts.
type collective struct {
	kind   mpiapi.CollKind
	over   int    // parameter with the object, -1 if there is none
	object string // enum mv_object_kind
}

// collective returns the kind and the object of the function's calls, nil if it is not collective.
func (w *wrapper) collective() *collective {
	kind, ok := w.CollKind()
	if !ok {
		return nil
	}
	c := &collective{kind: kind, over: w.Over()}
	if c.over >= 0 {
		if c.object = objectKinds[w.Params[c.over].Kind]; c.object == "" { // over a group
			c.over = -1
		}
	}
	return c
}

// enterCollective counts the call that is about to enter MPI.
func (w *wrapper) enterCollective(c *collective) {
	switch {
	case c == nil:
		return
	case c.over >= 0:
		handle := w.handle(c.over)
		if p := &w.Params[c.over]; p.Pointer {
			handle = fmt.Sprintf("%[1]s ? MV_HANDLE(*%[1]s) : 0", p.Name)
		}
		w.line("const uint64_t over = %s;", handle)
		w.line("struct mv_object *const object = mv_collective_enter(t, %s(over, %s), %s);",
			w.fn("mv_object"), c.object, c.kind.Constant())
	case w.Base == mpiapi.IDFinalize:
		w.line("struct mv_object *const object = mv_collective_enter(t, mv_object_of_world(), %s);", c.kind.Constant())
	default:
		w.line("struct mv_object *const object = mv_collective_enter(t, %s(0, MV_OBJECT_COMM), %s);",
			w.fn("mv_object"), c.kind.Constant())
	}
	if w.EndsObject() {
		w.line("const uint64_t serial = __atomic_load_n(&object->serial, __ATOMIC_RELAXED);")
	}
}

// leaveCollective counts the call that has returned. It also enters the objects that the call has made or freed, except
// for communicators.
func (w *wrapper) leaveCollective(c *collective) {
	if c == nil {
		return
	}
	w.line("mv_collective_leave(object, %s);", c.kind.Constant())
	if w.EndsObject() {
		w.line("if (rc == MPI_SUCCESS)\n        mv_object_free(over, %s, object, serial);", c.object)
	}
	for i := range w.Params {
		p := &w.Params[i]
		if kind := objectKinds[p.Kind]; p.Dir == mpiapi.Out && p.Pointer &&
			(p.Kind == mpiapi.Win || p.Kind == mpiapi.File) {
			w.line("if (rc == MPI_SUCCESS && %[1]s)\n"+
				"        mv_object_derived(MV_HANDLE(*%[1]s), %[2]s, object, %[3]s);", p.Name, kind, c.kind.Constant())
		}
	}
	if start, ok := c.kind.Started(); ok {
		request := w.Params[w.Arg(mpiapi.TheRequest)].Name
		w.line("if (rc == MPI_SUCCESS && %[1]s)\n        mv_persistent(MV_HANDLE(*%[1]s), object, %[2]s);",
			request, start.Constant())
	}
}

// collectiveTable returns the C table of the kinds of collectives by the functions' numbers.
func collectiveTable() string {
	var b strings.Builder
	funcs := mpiapi.Funcs()
	fmt.Fprintf(&b, "const unsigned mv_ncollective = %d;\nconst uint8_t mv_collective_of[] = {\n    MV_KINDS,",
		len(funcs)+1)
	for i, f := range funcs {
		if i%8 == 7 {
			b.WriteString("\n   ")
		}
		if kind, ok := f.CollKind(); ok {
			fmt.Fprintf(&b, " %s,", kind.Constant())
		} else {
			b.WriteString(" MV_KINDS,")
		}
	}
	b.WriteString("\n};\n")
	return b.String()
}
