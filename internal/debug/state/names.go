package state

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// names has the names of a process's handles and constants. It is an event.Namer.
type names struct {
	handles map[handle]string
	consts  map[string]int64
}

type handle struct {
	kind  mpiapi.Kind
	value uint64
}

// objectKinds maps kinds of objects to kinds of handles.
var objectKinds = map[ring.ObjectKind]mpiapi.Kind{
	ring.CommObject: mpiapi.Comm, ring.WinObject: mpiapi.Win, ring.FileObject: mpiapi.File,
}

func newNames(p *ring.ProcessView) *names {
	n := &names{handles: make(map[handle]string), consts: make(map[string]int64)}
	list, _ := event.Names(p.Names) // the names before a damaged part are still valid
	for _, k := range list {
		if k.Const {
			n.consts[k.Name] = int64(k.Value)
		} else if _, ok := n.handles[handle{k.Kind, k.Value}]; !ok {
			n.handles[handle{k.Kind, k.Value}] = k.Name
		}
	}
	for _, o := range p.Objects {
		if o.Name != "" {
			n.handles[handle{objectKinds[o.Kind], o.Handle}] = o.Name
		}
	}
	return n
}

// NameHandle implements event.Namer.
func (n *names) NameHandle(kind mpiapi.Kind, value uint64) string {
	return n.handles[handle{kind, value}]
}

// NameConst implements event.Namer.
func (n *names) NameConst(p *mpiapi.Param, value int64) string {
	return event.ConstName(p, value, func(name string, v int64) bool {
		c, ok := n.consts[name]
		return ok && c == v
	})
}

// call returns the text of the call in a record; "" if it is not known.
func (n *names) call(rec []byte) string {
	if rec == nil {
		return ""
	}
	c, err := event.ParseCall(rec)
	if err != nil {
		return ""
	}
	return c.Format(n)
}

// label returns a text that identifies a communicator, window or file. of is the label of its parent; "" if it is not
// known.
func label(o *ring.ObjectView, of string) string {
	switch {
	case o.Made == ring.MadeWorld:
		return "MPI_COMM_WORLD"
	case o.Made == ring.MadeSelf:
		return "MPI_COMM_SELF"
	case o.Made == ring.MadeParent:
		return "the communicator of MPI_Comm_get_parent"
	case o.Name != "":
		return o.Name
	}
	what := map[ring.ObjectKind]string{
		ring.CommObject: "communicator", ring.WinObject: "window", ring.FileObject: "file",
	}[o.Kind]
	if o.Made >= layout.Kinds {
		return what
	}
	if of == "" && o.Parent != 0 {
		of = "a freed communicator"
	}
	if of == "" {
		return fmt.Sprintf("%s by %v", what, mpiapi.CollKind(o.Made))
	}
	return fmt.Sprintf("%s %d of %s, by %v", what, o.Number, of, mpiapi.CollKind(o.Made))
}
