package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// object shows the object that a handle stands for.
func (s *look) object(kind mpiapi.Kind, handle uint64) (*item, error) {
	if kind == mpiapi.Datatype {
		return s.typeAt(handle, "")
	}
	if kind == mpiapi.Request {
		if name := s.names.NameHandle(kind, handle); name != "" {
			return line("%s", name), nil
		}
		r, err := s.Request(handle)
		if err != nil {
			return nil, err
		}
		return s.requestItem(r), nil
	}
	o := s.Object(kind, handle)
	k, err := s.Find(kind, handle)
	name := s.names.NameHandle(kind, handle)
	switch {
	case err == nil && k.Freed != 0 && o == nil:
		return s.keptItem(k), nil
	case o != nil:
		if err != nil {
			k = nil
		}
		return s.collectiveObject(kind, o, k), nil
	case name != "":
		return line("%s", name), nil
	case err != nil:
		return nil, err
	}
	return s.keptItem(k), nil
}

// handleItem shows the object of a handle that is an argument. Any handle can be shown.
func (s *look) handleItem(kind mpiapi.Kind, handle uint64) *item {
	it, err := s.object(kind, handle)
	if err == nil {
		return it
	}
	if errors.Is(err, tables.ErrUnknown) {
		return line("%#x", handle)
	}
	return line("%#x (%v)", handle, err)
}

// handleName returns a short text for a handle.
func (s *look) handleName(kind mpiapi.Kind, handle uint64) string {
	if name := s.names.NameHandle(kind, handle); name != "" {
		return name
	}
	if kind == mpiapi.Datatype {
		if t, err := s.typeOf(handle); err == nil {
			return t.label()
		}
	} else if o := s.Object(kind, handle); o != nil {
		return s.Label(o)
	}
	return fmt.Sprintf("%#x", handle)
}

// keptItem shows an object by the call that made it.
func (s *look) keptItem(k *tables.Kept) *item {
	var f fields
	text := tables.KindWord(k.Kind) + " by " + k.Call.Func.Name
	switch k.Kind {
	case mpiapi.Group:
		if g, ok := s.groupOf(k, 0); ok {
			f.add("size", "%d", g.Size())
			f.add("members", "%s", ranges(g.List()))
			text = fmt.Sprintf("group of %d: %s", g.Size(), ranges(g.List()))
			if i := g.Index(int32(s.Rank)); i >= 0 {
				f.add("rank", "%d", i)
			}
		} else {
			f.add("members", "not known")
		}
	case mpiapi.Op:
		if fn, commute := k.Call.Func.Param("user_fn"), k.Call.Func.Param("commute"); fn >= 0 && commute >= 0 {
			text = fmt.Sprintf("reduction operation with the function %#x", k.Call.Addr(fn))
			if k.Call.Int(commute) != 0 {
				text += ", commutative"
			}
		}
	}
	if k.Kind == mpiapi.Info {
		f.lazy("pairs", func() *item { return s.pairs(k) })
	}
	if k.Freed != 0 {
		text = "was freed: " + text
	}
	s.argumentFields(&f, &k.Call)
	f.add("handle", "%#x", k.Handle)
	s.madeFields(&f, k)
	it := f.item(text)
	it.made = k.PCs
	return it
}

// pairs shows the keys and values that the program has set in an info object. Those that it had from the beginning, as
// one of MPI_Info_dup has, are not known.
func (s *look) pairs(k *tables.Kept) *item {
	notes, err := s.Notes(k)
	var keys []string
	values := make(map[string]string)
	for i := range notes {
		c := &notes[i]
		text, ok := c.Text(c.Func.Param("key"))
		if !ok {
			continue
		}
		key := string(text)
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == key })
		if v := c.Func.Param("value"); v >= 0 {
			value, _ := c.Text(v)
			keys, values[key] = append(keys, key), string(value)
		}
	}
	var f fields
	var list []string
	for _, key := range keys {
		f.add(key, "%s", values[key])
		list = append(list, key+" = "+values[key])
	}
	problem(&f, err)
	text := "none"
	if len(list) > 0 {
		text = strings.Join(list, ", ")
	}
	if k.Call.Func.Name != "MPI_Info_create" {
		text += ", set since " + k.Call.Func.Name
	}
	return f.item(text)
}

// madeFields says how and when an object was made, and whether it was freed.
func (s *look) madeFields(f *fields, k *tables.Kept) {
	f.add("call", "%s", k.Call.Format(s.names))
	if age, ok := s.Since(k.Made); ok {
		f.add("age", "%s", tables.Ago(age))
	}
	if k.Freed != 0 {
		f.add("freed", "was freed")
	}
}

// collectiveObject shows a communicator, window or file. k is the call that made it, nil if it is not known.
func (s *look) collectiveObject(kind mpiapi.Kind, o *ring.ObjectView, k *tables.Kept) *item {
	var f fields
	label := s.Label(o)
	if o.Name != "" {
		f.add("name", "%s", o.Name)
	}
	f.add("rank", "%d", o.Rank)
	f.add("size", "%d", o.Size)
	local := min(o.Size, len(o.Members))
	f.add("members", "%s", members(o.Members[:local], o.Size))
	if o.RemoteSize > 0 {
		f.add("remote_size", "%d", o.RemoteSize)
		f.add("remote_members", "%s", members(o.Members[local:], o.RemoteSize))
	}
	f.add("identity", "%s", s.Label(&ring.ObjectView{
		ID: o.ID, Alone: o.Alone, Parent: o.Parent, Number: o.Number, Kind: o.Kind, Made: o.Made,
	}))
	if o.Parent != 0 && !o.Alone {
		objects, _ := s.Objects()
		if i := slices.IndexFunc(objects, func(p *ring.ObjectView) bool { return p.ID == o.Parent && p != o }); i >= 0 {
			f.lazy("parent", func() *item { return line("%s (%#x)", s.Label(objects[i]), objects[i].Handle) })
		}
	}
	f.lazy("collectives", func() *item { return countsItem(o) })
	f.add("handle", "%#x", o.Handle)
	if k != nil && k.Freed == 0 {
		s.argumentFields(&f, &k.Call)
		s.madeFields(&f, k)
	}
	it := f.item(fmt.Sprintf("%s: %s, rank %d of %d", tables.KindWord(kind), label, o.Rank, o.Size))
	if o.RemoteSize > 0 {
		it.text += fmt.Sprintf(", inter-communicator with %d others", o.RemoteSize)
	}
	if k != nil && k.Freed == 0 {
		it.made = k.PCs
	}
	return it
}

// members returns world ranks as ranges, in order. There may be fewer of them than size.
func members(list []int, size int) string {
	ranks := make([]int32, len(list))
	for i, r := range list {
		ranks[i] = int32(r)
	}
	s := ranges(ranks)
	if len(list) < size {
		s += ", …"
	}
	return s
}

// mostRanges is the number of ranges that are shown.
const mostRanges = 64

// ranges returns ranks as ranges in their order: 0-3, 8, 5.
func ranges(ranks []int32) string {
	var parts []string
	for i := 0; i < len(ranks); {
		k := i
		for k+1 < len(ranks) && ranks[i] >= 0 && ranks[k+1] == ranks[k]+1 {
			k++
		}
		switch {
		case len(parts) == mostRanges:
			return strings.Join(append(parts, "…"), ", ")
		case ranks[i] < 0:
			for k+1 < len(ranks) && ranks[k+1] < 0 {
				k++
			}
			parts = append(parts, fmt.Sprintf("%d of another MPI_COMM_WORLD", k-i+1))
		case k == i:
			parts = append(parts, fmt.Sprint(ranks[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[i], ranks[k]))
		}
		i = k + 1
	}
	return strings.Join(parts, ", ")
}

// argumentFields adds the arguments of a call by name.
func (s *look) argumentFields(f *fields, c *event.Call) {
	for i := range c.Func.Params {
		p := &c.Func.Params[i]
		if p.Dir == mpiapi.Out && p.Kind.Handle() {
			continue // the object itself
		}
		f.lazy(p.Name, func() *item { return s.argument(c, i) })
	}
}

// argument shows an argument of a call.
func (s *look) argument(c *event.Call, i int) *item {
	p := &c.Func.Params[i]
	_, text, _ := strings.Cut(c.FormatArg(i, s.names), "=")
	if p.Kind.Handle() && !p.Pointer {
		it := s.handleItem(p.Kind, c.Handle(i))
		if it.n > 0 {
			return it
		}
		if name := s.names.NameHandle(p.Kind, c.Handle(i)); name != "" {
			return line("%s", name)
		}
		return it
	}
	if p.Kind.Handle() && p.Layout.Before != 0 {
		return s.handleItem(p.Kind, uint64(c.Before(i)))
	}
	array, ok := c.In(i)
	if !ok {
		return line("%s", text)
	}
	if p.Kind.Handle() {
		return list(text, int64(array.Len()), func(k int64) *item { return s.handleItem(p.Kind, array.Handle(int(k))) })
	}
	ns := make([]int64, array.Len())
	for k := range ns {
		ns[k] = array.At(k)
	}
	return numbers(ns)
}

// mostGroups is the length of a chain of groups that are made from each other.
const mostGroups = 200

// groupOf determines the processes of a group, false if they are not known.
func (s *look) groupOf(k *tables.Kept, depth int) (group.Group, bool) {
	c := &k.Call
	f := c.Func
	if depth > mostGroups {
		return group.Group{}, false
	}
	operand := func(i int) (group.Group, bool) {
		if s.names.NameHandle(mpiapi.Group, c.Handle(i)) == "MPI_GROUP_EMPTY" {
			return group.Group{}, true
		}
		if i >= k.References() {
			return group.Group{}, false
		}
		o, err := s.Older(k, k.Reference(i))
		if err != nil || o == nil || o.Kind != mpiapi.Group {
			return group.Group{}, false
		}
		return s.groupOf(o, depth+1)
	}
	switch f.Base {
	case mpiapi.IDCommGroup, mpiapi.IDCommRemoteGroup, mpiapi.IDWinGetGroup, mpiapi.IDFileGetGroup:
		return s.membersOf(k, f.Base == mpiapi.IDCommRemoteGroup)
	case mpiapi.IDGroupUnion, mpiapi.IDGroupIntersection, mpiapi.IDGroupDifference:
		a, ok1 := operand(0)
		b, ok2 := operand(1)
		switch {
		case !ok1 || !ok2:
			return group.Group{}, false
		case f.Base == mpiapi.IDGroupUnion:
			return a.Union(b), true
		case f.Base == mpiapi.IDGroupIntersection:
			return a.Intersection(b), true
		}
		return a.Difference(b), true
	case mpiapi.IDGroupIncl, mpiapi.IDGroupExcl, mpiapi.IDGroupRangeIncl, mpiapi.IDGroupRangeExcl:
		g, ok := operand(0)
		if !ok {
			return group.Group{}, false
		}
		return chosen(c, g)
	}
	return group.Group{}, false
}

// membersOf returns the processes of the communicator, window or file from which a group was made.
func (s *look) membersOf(k *tables.Kept, remote bool) (group.Group, bool) {
	p := &k.Call.Func.Params[0]
	if k.References() > 0 && k.Reference(0).At != 0 {
		if o, err := s.Older(k, k.Reference(0)); err != nil || o.Freed != 0 {
			return group.Group{}, false
		}
	}
	o := s.Object(p.Kind, k.Call.Handle(0))
	if o == nil || len(o.Members) < o.Size+o.RemoteSize {
		return group.Group{}, false
	}
	list := o.Members[:o.Size]
	if remote {
		list = o.Members[o.Size:]
	}
	if slices.Contains(list, -1) {
		return group.Group{}, false
	}
	return group.Of(func(yield func(int32) bool) {
		for _, r := range list {
			if !yield(int32(r)) {
				return
			}
		}
	}), true
}

// chosen returns the processes of g that a call selects or leaves out by rank.
func chosen(c *event.Call, g group.Group) (group.Group, bool) {
	f := c.Func
	ranged := f.Base == mpiapi.IDGroupRangeIncl || f.Base == mpiapi.IDGroupRangeExcl
	param := f.Param("ranks")
	if ranged {
		param = f.Param("ranges")
	}
	array, ok := c.In(param)
	if !ok && c.Int(f.Param("n")) != 0 {
		return group.Group{}, false
	}
	ranks := make([]int64, array.Len())
	for i := range ranks {
		ranks[i] = array.At(i)
	}
	if ranged {
		if ranks, ok = group.Ranges(ranks, g.Size()); !ok {
			return group.Group{}, false
		}
	}
	if f.Base == mpiapi.IDGroupIncl || f.Base == mpiapi.IDGroupRangeIncl {
		return g.Incl(ranks)
	}
	return g.Excl(ranks)
}

// The sizes of MPI_Status. The fields of MPICH are count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG and MPI_ERROR.
// Those of Open MPI are MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled and _ucount.
const (
	mpichStatus   = 20
	openMPIStatus = 24
)

// status shows a status, in memory or by its values.
func (s *look) status(q *Request) (*item, error) {
	var source, tag, code, bytes int64
	cancelled := false
	if q.Address != nil {
		n := openMPIStatus
		if s.HandleSize == 4 {
			n = mpichStatus
		}
		b := make([]byte, n)
		if err := s.Memory().ReadMemory(uint64(*q.Address), b); err != nil {
			return nil, fmt.Errorf("the status at %#x: %w", uint64(*q.Address), err)
		}
		num := func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
		if s.HandleSize == 4 {
			high := uint64(uint32(num(4)))
			source, tag, code, cancelled = num(8), num(12), num(16), high&1 != 0
			bytes = int64(uint64(uint32(num(0))) | high>>1<<32)
		} else {
			source, tag, code, cancelled = num(0), num(4), num(8), num(12) != 0
			bytes = int64(binary.LittleEndian.Uint64(b[16:]))
		}
	} else {
		for _, v := range []struct {
			from *int64
			to   *int64
		}{{q.Source, &source}, {q.Tag, &tag}, {q.Error, &code}, {q.Bytes, &bytes}} {
			if v.from != nil {
				*v.to = *v.from
			}
		}
	}
	var f fields
	f.add("source", "%s", s.special(source, "MPI_ANY_SOURCE", "MPI_PROC_NULL"))
	f.add("tag", "%s", s.special(tag, "MPI_ANY_TAG"))
	f.add("error", "%s", s.special(code, "MPI_SUCCESS"))
	f.add("bytes", "%d", bytes)
	text := fmt.Sprintf("from %s, tag %s, %d bytes", s.special(source, "MPI_ANY_SOURCE", "MPI_PROC_NULL"),
		s.special(tag, "MPI_ANY_TAG"), bytes)
	if cancelled {
		f.add("cancelled", "true")
		text += ", cancelled"
	}
	if code != 0 {
		text += fmt.Sprintf(", error %d", code)
	}
	return f.item(text), nil
}

// special returns a number, or the name of the first of some constants that has this value.
func (s *look) special(v int64, names ...string) string {
	for _, n := range names {
		if s.isConst(n, v) {
			return n
		}
	}
	return fmt.Sprint(v)
}
