package track

import (
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
)

// names are what a process's predefined handles and constants are called, and its own objects that it named.
type names struct {
	handles   map[handleKey]string
	constants map[string]int64
	errors    map[int32]string // error classes
}

type handleKey struct {
	kind  mpiapi.Kind
	value uint64
}

func (n *names) isConst(name string, value int64) bool {
	v, ok := n.constants[name]
	return ok && v == value
}

func (n *names) isError(class int32, name string) bool { return n.errors[class] == name }

func (n *names) add(name string, kind mpiapi.Kind, constant bool, value uint64) {
	if n.handles == nil {
		n.handles = make(map[handleKey]string)
		n.constants = make(map[string]int64)
		n.errors = make(map[int32]string)
	}
	if constant {
		n.constants[name] = int64(value)
		if strings.HasPrefix(name, "MPI_ERR_") && n.errors[int32(value)] == "" {
			n.errors[int32(value)] = name
		}
		return
	}
	if k := (handleKey{kind, value}); n.handles[k] == "" {
		n.handles[k] = name
	}
}

// ErrorClass names an error class, "" if it is not known.
func (p *Process) ErrorClass(class int32) string { return p.names.errors[class] }

// NameHandle names a handle: what the standard calls it, or the program; "" if it has no name.
func (p *Process) NameHandle(kind mpiapi.Kind, value uint64) string {
	if s := p.names.handles[handleKey{kind, value}]; s != "" {
		return s
	}
	switch kind {
	case mpiapi.Comm:
		if v := p.views[value]; v != nil && v.Name != "" {
			return v.Name
		}
	case mpiapi.Datatype:
		if t := p.types[value]; t != nil && t.Name != "" {
			return t.Name
		}
	case mpiapi.Win:
		if v := p.wins[value]; v != nil && v.Name != "" {
			return v.Name
		}
	}
	return ""
}

// ViewOf returns the communicator, window or file as this process knows it, nil if it has freed it.
func (p *Process) ViewOf(c *match.Comm) *View {
	for _, m := range []map[uint64]*View{p.views, p.wins, p.files} {
		for _, v := range m {
			if v.Comm == c {
				return v
			}
		}
	}
	return nil
}

// constant loads the values of constants that tracking looks at all the time.
func (p *Process) constant(name string, value uint64) {
	v := int32(value)
	switch name {
	case "MPI_ANY_SOURCE":
		p.anySource = v
	case "MPI_ANY_TAG":
		p.anyTag = v
	case "MPI_PROC_NULL":
		p.procNull = v
	case "MPI_ROOT":
		p.rootSelf = v
	case "MPI_IN_PLACE":
		p.inPlace.value, p.inPlace.known = int64(value), true
	}
}

func (t *Tracker) nameRecord(p *Process, n *event.Name) {
	p.names.add(n.Name, n.Kind, n.Const, n.Value)
	if n.Const {
		p.constant(n.Name, n.Value)
		return
	}
	if n.Value > 1<<32 {
		p.requestSize = 8 // handles are pointers
	}
	null := strings.HasSuffix(n.Name, "_NULL")
	switch n.Kind {
	case mpiapi.Request:
		if null {
			p.requestNull = n.Value
		}
	case mpiapi.Comm:
		if null {
			p.commNull = n.Value
		}
	case mpiapi.Datatype:
		if null {
			p.typeNull = n.Value
		} else if n.Value != p.typeNull && p.types[n.Value] == nil {
			p.types[n.Value] = t.predefined(dialect(p.Library), n.Name, int64(n.Size))
		}
	}
}

// dialect returns the rules for the bounds of datatypes that an MPI library follows, by what it calls itself.
func dialect(library string) datatype.Dialect {
	version, ok := strings.CutPrefix(library, "MPICH Version:")
	if !ok {
		return datatype.Standard
	}
	major, _, _ := strings.Cut(strings.TrimSpace(version), ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 4 {
		return datatype.MPICH4
	}
	return datatype.Standard
}

// predefined returns the one Type for all processes that call it the same and of the same size.
func (t *Tracker) predefined(d datatype.Dialect, name string, size int64) *match.Datatype {
	k := datatypeKey{d, name, size}
	if ty := t.shared[k]; ty != nil {
		return ty
	}
	ty := &match.Datatype{Type: d.Predefined(name, size), Name: name, Permanent: true}
	t.shared[k] = ty
	return ty
}

// setName follows MPI_Comm_set_name and the like.
func (p *Process) setName(pl *plan, c *event.Call) {
	text, ok := c.Text(pl.fn.Arg(mpiapi.Name))
	name := string(text)
	if !ok || name == "" {
		return
	}
	h := c.Handle(0)
	switch pl.fn.Params[0].Kind {
	case mpiapi.Comm:
		if v := p.views[h]; v != nil {
			v.Name, v.Comm.Name = name, name
		}
	case mpiapi.Win:
		if v := p.wins[h]; v != nil {
			v.Name, v.Comm.Name = name, name
		}
	case mpiapi.Datatype:
		if ty := p.types[h]; ty != nil && !ty.Permanent {
			ty.Name = name
		}
	}
}

// NameConst names a constant that means something special as the value of a parameter; "" if value is none. Together
// with NameHandle it makes the process an event.Namer.
func (p *Process) NameConst(q *mpiapi.Param, value int64) string {
	return event.ConstName(q, value, p.names.isConst)
}
