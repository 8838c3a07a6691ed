package track

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// NameHandle returns the name of a handle: the one in the standard, the one that the program gave it, or the number of
// a communicator, window, file or datatype; "" if it has none.
func (p *Process) NameHandle(kind mpiapi.Kind, value uint64) string {
	if s := p.names.handleName(kind, value); s != "" {
		return s
	}
	switch kind {
	case mpiapi.Comm:
		return p.views[value].name()
	case mpiapi.Datatype:
		t := p.types[value]
		if t == nil {
			t = p.FreedType(value)
		}
		switch {
		case t == nil:
		case t.Name != "":
			return t.Name
		case t.Number > 0:
			return ordinal(t.Number)
		}
	case mpiapi.Win:
		return p.wins[value].name()
	case mpiapi.File:
		return p.files[value].name()
	}
	return ""
}

// name returns the name of a communicator, window or file, or its number: "#2".
func (v *View) name() string {
	switch {
	case v == nil:
		return ""
	case v.Name != "":
		return v.Name
	case v.Ordinal == 0:
		return ""
	}
	return ordinal(uint64(v.Ordinal))
}

// ordinal is the name of an object without a name.
func ordinal(n uint64) string { return "#" + strconv.FormatUint(n, 10) }

// ViewOf returns the communicator, window or file as this process sees it, nil if the process has freed it.
func (ct *commTable) ViewOf(c *match.Comm) *View {
	for _, m := range []map[uint64]*View{ct.views, ct.wins, ct.files} {
		for _, v := range m {
			if v.Comm == c {
				return v
			}
		}
	}
	return nil
}

// dialect returns the rules for the bounds of datatypes in an MPI library, given the library's name for itself.
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
		if v := p.View(h); v != nil {
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

// Communicators calls f for every communicator of the process, in the order of their handles.
func (ct *commTable) Communicators(f func(*View)) {
	for _, h := range slices.Sorted(maps.Keys(ct.views)) {
		f(ct.views[h])
	}
}
