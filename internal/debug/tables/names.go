package tables

import (
	"fmt"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Names has the names of a process's handles and constants. It is an event.Namer.
type Names struct {
	handles map[handle]string
	consts  map[string]int64
	sizes   map[uint64]int32 // of the predefined datatypes, in bytes
}

type handle struct {
	kind  mpiapi.Kind
	value uint64
}

// objectKinds maps kinds of objects to kinds of handles.
var objectKinds = map[ring.ObjectKind]mpiapi.Kind{
	ring.CommObject: mpiapi.Comm, ring.WinObject: mpiapi.Win, ring.FileObject: mpiapi.File,
}

// NewNames returns the names in a list of struct mv_name, and those that the program gave to objects. If the list is
// damaged, the names before the damaged part are still valid.
func NewNames(list []byte, objects []*ring.ObjectView) *Names {
	n := &Names{handles: make(map[handle]string), consts: make(map[string]int64), sizes: make(map[uint64]int32)}
	names, _ := event.Names(list)
	for _, k := range names {
		if k.Const {
			n.consts[k.Name] = int64(k.Value)
		} else if _, ok := n.handles[handle{k.Kind, k.Value}]; !ok {
			n.handles[handle{k.Kind, k.Value}] = k.Name
			if k.Kind == mpiapi.Datatype {
				n.sizes[k.Value] = k.Size
			}
		}
	}
	for _, o := range objects {
		if o.Name != "" {
			n.handles[handle{objectKinds[o.Kind], o.Handle}] = o.Name
		}
	}
	return n
}

// Size returns the size of a predefined datatype in bytes, false if the handle is not that of one.
func (n *Names) Size(datatype uint64) (int64, bool) {
	size, ok := n.sizes[datatype]
	return int64(size), ok
}

// Const returns the value of a constant of MPI, false if it is not known.
func (n *Names) Const(name string) (int64, bool) {
	v, ok := n.consts[name]
	return v, ok
}

// NameHandle implements event.Namer.
func (n *Names) NameHandle(kind mpiapi.Kind, value uint64) string {
	return n.handles[handle{kind, value}]
}

// NameConst implements event.Namer.
func (n *Names) NameConst(p *mpiapi.Param, value int64) string {
	return event.ConstName(p, value, func(name string, v int64) bool {
		c, ok := n.consts[name]
		return ok && c == v
	})
}

// Call returns the text of the call in a record; "" if it is not known.
func (n *Names) Call(rec []byte) string {
	if rec == nil {
		return ""
	}
	c, err := event.ParseCall(rec)
	if err != nil {
		return ""
	}
	return c.Format(n)
}

// Label returns a text that identifies a communicator, window or file. of is the label of its parent; "" if it is not
// known.
func Label(o *ring.ObjectView, of string) string {
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

// Ago formats a duration with a suitable precision: 1.2 s, 12 s, 3m05s.
func Ago(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
