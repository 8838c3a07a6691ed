package inspect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// mostNested is how deep types may be nested, as in the textual form.
const mostNested = 1000

// typ is a datatype of the process.
type typ struct {
	*datatype.Type
	handle uint64
	name   string       // of a predefined one
	given  string       // by MPI_Type_set_name, "" if it has no name
	kept   *tables.Kept // nil for a predefined or unknown one
	olds   []*typ       // the types that it was made from
	why    string       // why it is unknown, "" if it is not
}

// typeTable has the datatypes that were looked up.
type typeTable struct {
	predefined map[uint64]*typ
	kept       map[uint64]*typ // by the address of the entry
	of         map[*datatype.Type]*typ
}

func (t *typeTable) init() {
	t.predefined, t.kept, t.of = make(map[uint64]*typ), make(map[uint64]*typ), make(map[*datatype.Type]*typ)
}

// typeOf returns the datatype with a handle.
func (s *look) typeOf(handle uint64) (*typ, error) {
	if t := s.predefinedType(handle); t != nil {
		return t, nil
	}
	k, err := s.Find(mpiapi.Datatype, handle)
	if err != nil {
		return nil, err
	}
	return s.keptType(k, 0)
}

// predefinedType returns a predefined datatype, nil if the handle is not that of one.
func (s *look) predefinedType(handle uint64) *typ {
	if t := s.types.predefined[handle]; t != nil {
		return t
	}
	name := s.names.NameHandle(mpiapi.Datatype, handle)
	if name == "" {
		return nil
	}
	size, _ := s.names.Size(handle)
	dialect := datatype.Standard
	if s.HandleSize == 4 {
		dialect = datatype.MPICH4
	}
	t := &typ{Type: dialect.Predefined(name, size), handle: handle, name: name}
	if strings.HasSuffix(name, "_NULL") {
		t.Type = datatype.UnknownType()
	}
	s.types.predefined[handle] = t
	s.types.of[t.Type] = t
	return t
}

// unknownType returns a type of which nothing is known.
func unknownType(handle uint64, k *tables.Kept, why string) *typ {
	return &typ{Type: datatype.UnknownType(), handle: handle, kept: k, why: why}
}

// keptType returns the datatype that a call has made.
func (s *look) keptType(k *tables.Kept, depth int) (*typ, error) {
	if t := s.types.kept[k.At]; t != nil {
		return t, nil
	}
	if depth > mostNested {
		return nil, errors.New("the datatype is nested too deep")
	}
	t := unknownType(k.Handle, k, "")
	t.given = s.givenName(k)
	if kind := datatype.KindOf(k.Call.Func.Combiner); kind == datatype.Named {
		t.why = k.Call.Func.Name + " has returned it"
	} else if err := s.construct(t, kind, depth); err != nil {
		return nil, err
	}
	s.types.kept[k.At] = t
	s.types.of[t.Type] = t
	return t, nil
}

// givenName returns the name that the program has given an object, "" if it has none.
func (s *look) givenName(k *tables.Kept) (name string) {
	notes, _ := s.Notes(k)
	for i := range notes {
		if n := notes[i].Func.Param("type_name"); n >= 0 {
			text, _ := notes[i].Text(n)
			name = string(text)
		}
	}
	return name
}

// construct calls the constructor of a type with the arguments in its record. If they are not valid, the type remains
// unknown.
func (s *look) construct(t *typ, kind datatype.Kind, depth int) error {
	var args datatype.Args
	handles, err := s.readArgs(&t.kept.Call, &args)
	if err != nil {
		t.why = err.Error()
		return nil //nolint:nilerr // it is an answer
	}
	olds := make([]*datatype.Type, len(handles))
	for i, h := range handles {
		old, err := s.oldType(t.kept, i, h, depth)
		if err != nil {
			return err
		}
		t.olds = append(t.olds, old)
		olds[i] = old.Type
	}
	switch kind {
	case datatype.F90RealKind, datatype.F90ComplexKind, datatype.F90IntegerKind:
		t.Type = datatype.F90(kind, args.P, args.R, datatype.F90Size(kind, args.P, args.R))
		return nil
	}
	made, err := datatype.Build(kind, &args, olds)
	if err != nil {
		t.why = err.Error()
		return nil //nolint:nilerr // it is an answer
	}
	t.Type = made
	return nil
}

// oldType returns the type that is the i-th argument of the call that made k.
func (s *look) oldType(k *tables.Kept, i int, handle uint64, depth int) (*typ, error) {
	if i < k.References() {
		r := k.Reference(i)
		if r.Handle != handle {
			return nil, fmt.Errorf("%w: the datatype %#x is made from %#x, but refers to %#x", tables.ErrDamaged,
				k.Handle, handle, r.Handle)
		}
		old, err := s.Older(k, r)
		if err != nil {
			return nil, err
		}
		if old != nil && old.Kind == mpiapi.Datatype {
			return s.keptType(old, depth+1)
		}
	}
	if t := s.predefinedType(handle); t != nil {
		return t, nil
	}
	return unknownType(handle, nil, "mpivet has not kept it"), nil
}

// readArgs reads the arguments of a constructor, and returns the handles of the old types.
func (s *look) readArgs(c *event.Call, a *datatype.Args) (olds []uint64, err error) {
	f := c.Func
	for i := range f.Params { // counts come first: arrays need them
		p := &f.Params[i]
		if p.Pointer || p.Kind.Handle() {
			continue
		}
		v := c.Int(i)
		if to := datatype.NumberArg(p.Name); to != nil {
			*to(a) = v
		} else if p.Name == "order" {
			if a.Order, err = s.order(v); err != nil {
				return nil, err
			}
		}
	}
	for i := range f.Params {
		p := &f.Params[i]
		if p.Dir == mpiapi.Out {
			continue
		}
		if p.Kind == mpiapi.Datatype && !p.Pointer {
			olds = append(olds, c.Handle(i))
		}
		if !p.Pointer {
			continue
		}
		list, ok := c.In(i)
		if n := max(a.Count, 0); int64(list.Len()) != n || !ok && n > 0 {
			return nil, fmt.Errorf("%s is not recorded", p.Name)
		}
		if p.Kind == mpiapi.Datatype {
			for k := range list.Len() {
				olds = append(olds, list.Handle(k))
			}
		} else if err := s.readArray(p, list, a); err != nil {
			return nil, err
		}
	}
	return olds, nil
}

func (s *look) readArray(p *mpiapi.Param, list event.Array, a *datatype.Args) error {
	to := datatype.ArrayArg(p.Name)
	for k := range list.Len() {
		v := list.At(k)
		if to == nil {
			d, err := s.distribution(v)
			if err != nil {
				return err
			}
			a.Distributions = append(a.Distributions, d)
			continue
		}
		if default_, ok := s.names.Const("MPI_DISTRIBUTE_DFLT_DARG"); ok && v == default_ && to(a) == &a.Dargs {
			v = datatype.DefaultDarg
		}
		*to(a) = append(*to(a), v)
	}
	return nil
}

func (s *look) isConst(name string, v int64) bool {
	c, ok := s.names.Const(name)
	return ok && c == v
}

func (s *look) order(v int64) (datatype.Order, error) {
	switch {
	case s.isConst("MPI_ORDER_C", v):
		return datatype.OrderC, nil
	case s.isConst("MPI_ORDER_FORTRAN", v):
		return datatype.OrderFortran, nil
	}
	return 0, fmt.Errorf("order is %d, which is no order of arrays", v)
}

func (s *look) distribution(v int64) (datatype.Distribution, error) {
	for d, name := range []string{
		datatype.DistributeNone: "MPI_DISTRIBUTE_NONE", datatype.DistributeBlock: "MPI_DISTRIBUTE_BLOCK",
		datatype.DistributeCyclic: "MPI_DISTRIBUTE_CYCLIC",
	} {
		if s.isConst(name, v) {
			return datatype.Distribution(d), nil
		}
	}
	return 0, fmt.Errorf("array_of_distribs has %d, which is no distribution", v)
}

// typeAt answers a request for a datatype, or for a part of it.
func (s *look) typeAt(handle uint64, path string) (*item, error) {
	t, err := s.typeOf(handle)
	if err != nil {
		return nil, err
	}
	steps, names := splitPath(path)
	it := s.typeItem(t)
	if steps != "" {
		p, err := datatype.ParsePath(steps)
		if err != nil {
			return nil, err
		}
		place, err := p.Resolve(t.Type)
		if err != nil {
			return nil, err
		}
		it = s.placeItem(p.Explained(t.Type).String(), &place)
	}
	return open(it, names)
}

// placeItem shows a node of the expanded type-tree.
func (s *look) placeItem(path string, place *datatype.Place) *item {
	n := place.Node
	if n.Type != nil {
		if t := s.types.of[n.Type]; t != nil && t.kept != nil {
			return s.typeItem(t)
		}
	}
	var f fields
	f.add("displacement", "%d", place.At)
	f.add("bytes", "%d", n.Bytes())
	f.add("elements", "%d", n.Elements())
	if n.Type != nil {
		f.add("type", "%s", orUnknown(n.Type.Name()))
		return f.item(fmt.Sprintf("%s: %d bytes at displacement %d", path, n.Bytes(), place.At))
	}
	f.add("count", "%d", n.Children())
	if n.Children() > 0 {
		if below := n.Child(0); below.Type != nil && s.types.of[below.Type] != nil {
			f.lazy("type", func() *item { return s.typeItem(s.types.of[below.Type]) })
		}
	}
	return f.item(fmt.Sprintf("%s: %d bytes at displacement %d", path, n.Bytes(), place.At))
}

func orUnknown(name string) string {
	if name == "" {
		return "unknown"
	}
	return name
}

// typeLabel returns a short text for a datatype: MPI_INT, STRUCT 0x8c000000.
func (t *typ) label() string {
	switch {
	case t.name != "":
		return t.name
	case t.kept == nil:
		return fmt.Sprintf("unknown %#x", t.handle)
	case t.given != "":
		return t.given
	}
	return fmt.Sprintf("%s %#x", t.Kind, t.handle)
}

// fewBlocks is the number of blocks and numbers up to which the line about a type has its textual form.
const fewBlocks = 16

// blocks counts the blocks and numbers of a type and its old types, up to a little more than fewBlocks.
func blocks(t *datatype.Type, n int) int {
	n += 1 + len(t.Args.Displacements) + len(t.Args.Sizes)
	for _, old := range t.Olds {
		if old == nil || n > fewBlocks {
			break
		}
		n = blocks(old, n)
	}
	return n
}

// line returns the line about a datatype.
func (t *typ) line() string {
	var b strings.Builder
	if t.kept != nil && t.kept.Freed != 0 {
		b.WriteString("was freed: ")
	}
	switch {
	case t.name != "":
		b.WriteString(t.name)
		return b.String()
	case t.given != "":
		b.WriteString(t.given + ": ")
	}
	switch {
	case t.why != "":
		fmt.Fprintf(&b, "an unknown datatype: %s", t.why)
		return b.String()
	case t.Size < 0:
		fmt.Fprintf(&b, "%s of unknown size", t.Kind)
		return b.String()
	case blocks(t.Type, 0) <= fewBlocks:
		b.WriteString(datatype.Format(t.Type))
	default:
		fmt.Fprintf(&b, "%s, count %d", t.Kind, t.Args.Count)
	}
	fmt.Fprintf(&b, "; %d elements, %d bytes, extent %d", t.Elements, t.Size, t.Extent())
	return b.String()
}

// typeItem shows a datatype: the arguments of its constructor first.
func (s *look) typeItem(t *typ) *item {
	if t.name != "" || t.kept == nil {
		return line("%s", t.label())
	}
	var f fields
	if t.why == "" {
		f.add("kind", "%s", t.Kind)
		s.constructorFields(&f, t)
		if t.Size >= 0 {
			f.add("size", "%d", t.Size)
			f.add("lb", "%d", t.LB)
			f.add("extent", "%d", t.Extent())
			f.add("elements", "%d", t.Elements)
		}
	}
	if t.given != "" {
		f.add("name", "%s", t.given)
	}
	f.add("handle", "%#x", t.handle)
	s.madeFields(&f, t.kept)
	it := f.item(t.line())
	it.made = t.kept.PCs
	return it
}

// constructorFields adds the arguments of the constructor by name.
func (s *look) constructorFields(f *fields, t *typ) {
	g := &t.Args
	number := func(name string, v int64) { f.add(name, "%d", v) }
	switch t.Kind {
	case datatype.ContiguousKind:
		number("count", g.Count)
	case datatype.VectorKind, datatype.HvectorKind:
		number("count", g.Count)
		number("blocklength", g.Blocklength)
		number("stride", g.Stride)
	case datatype.StructKind:
		number("count", g.Count)
		f.lazy("entries", func() *item { return s.entries(t, "offset") })
		return
	case datatype.IndexedKind:
		number("count", g.Count)
		f.lazy("entries", func() *item { return s.entries(t, "displacement") })
	case datatype.HindexedKind:
		number("count", g.Count)
		f.lazy("entries", func() *item { return s.entries(t, "offset") })
	case datatype.IndexedBlockKind, datatype.HindexedBlockKind:
		number("count", g.Count)
		number("blocklength", g.Blocklength)
		name := "displacements"
		if t.Kind == datatype.HindexedBlockKind {
			name = "offsets"
		}
		f.lazy(name, func() *item { return numbers(g.Displacements) })
	case datatype.ResizedKind:
		number("new_lb", g.LB)
		number("new_extent", g.Extent)
	case datatype.F90RealKind, datatype.F90ComplexKind:
		number("p", g.P)
		number("r", g.R)
	case datatype.F90IntegerKind:
		number("r", g.R)
	case datatype.SubarrayKind, datatype.DarrayKind:
		arrayFields(f, t)
	}
	if len(t.olds) > 0 {
		f.lazy("type", func() *item { return s.typeItem(t.olds[0]) })
	}
}

// arrayFields adds the arguments of subarray and darray.
func arrayFields(f *fields, t *typ) {
	g := &t.Args
	order := "C"
	if g.Order == datatype.OrderFortran {
		order = "FORTRAN"
	}
	if t.Kind == datatype.DarrayKind {
		f.add("rank", "%d of %d", g.Rank, g.Size)
	}
	f.add("ndims", "%d", g.Count)
	f.lazy("sizes", func() *item { return numbers(g.Sizes) })
	if t.Kind == datatype.SubarrayKind {
		f.lazy("subsizes", func() *item { return numbers(g.Subsizes) })
		f.lazy("starts", func() *item { return numbers(g.Starts) })
	} else {
		f.lazy("distributions", func() *item {
			return list("", int64(len(g.Distributions)), func(i int64) *item {
				text := []string{"none", "block", "cyclic"}[g.Distributions[i]]
				if g.Dargs[i] != datatype.DefaultDarg {
					text += fmt.Sprintf("(%d)", g.Dargs[i])
				}
				return line("%s", text)
			})
		})
		f.lazy("psizes", func() *item { return numbers(g.Psizes) })
	}
	f.add("order", "%s", order)
}

// numbers shows a list of numbers. The line has the first ones.
func numbers(ns []int64) *item {
	var b strings.Builder
	for i, n := range ns {
		if i == 12 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return list("{"+b.String()+"}", int64(len(ns)), func(i int64) *item { return line("%d", ns[i]) })
}

// entries shows the blocks of struct and indexed types. at is the name of the displacements: "offset" if they are in
// bytes.
func (s *look) entries(t *typ, at string) *item {
	g := &t.Args
	n := int64(len(g.Displacements))
	return list(fmt.Sprintf("%d entries", n), n, func(i int64) *item {
		var f fields
		text := fmt.Sprintf("{blocklength = %d, %s = %d", g.Blocklengths[i], at, g.Displacements[i])
		f.add("blocklength", "%d", g.Blocklengths[i])
		f.add(at, "%d", g.Displacements[i])
		if t.Kind == datatype.StructKind {
			old := t.olds[i]
			f.lazy("type", func() *item { return s.typeItem(old) })
			text += fmt.Sprintf(", type = %q", old.label())
		}
		return f.item(text + "}")
	})
}
