package picture

import (
	"cmp"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// run is a number of contiguous elements of one basic type.
type run struct {
	basic *datatype.Basic
	at    int64
	n     int64 // number of elements
	size  int64 // bytes of one element
}

func (r run) end() int64 { return r.at + r.n*r.size }

// compare orders runs by displacement.
func (r run) compare(o run) int {
	return cmp.Or(cmp.Compare(r.at, o.at), cmp.Compare(r.n*r.size, o.n*o.size))
}

// dense is the run that the elements of a type or a stage form. ok is false if they do not form one run.
type dense struct {
	run
	ok bool
}

// memory examines the locations of a type's data.
type memory struct {
	typ    *datatype.Type
	known  map[*datatype.Type]dense
	basics map[*datatype.Type][]*datatype.Basic
	left   int
}

// patience is the maximum number of nodes of the expanded tree that are examined for one picture. This takes a fraction
// of a second.
const patience = 1 << 21

func newMemory(t *datatype.Type) *memory {
	return &memory{
		typ: t, known: map[*datatype.Type]dense{}, basics: map[*datatype.Type][]*datatype.Basic{},
		left: patience,
	}
}

// look counts an examined node, and reports whether more nodes may be examined. The children of an irregular node take
// longer to find, so it counts more.
func (m *memory) look(n datatype.Node) bool {
	m.left--
	if !n.Uniform() {
		m.left -= int(n.Children() / 16)
	}
	return m.left > 0
}

// dense returns the run that the elements of a node form.
func (m *memory) dense(n datatype.Node) dense {
	if n.Type == nil {
		return m.denseStage(n)
	}
	d, ok := m.known[n.Type]
	if !ok {
		d = m.denseStage(n)
		if !d.ok {
			d = m.solid(n.Type)
		}
		m.known[n.Type] = d
	}
	return d
}

// solid handles a type whose elements form one run in another order than in the signature: they fill the bytes of the
// type, and do not overlap.
func (m *memory) solid(t *datatype.Type) dense {
	if t.Size <= 0 || t.Size != t.TrueUB-t.TrueLB || len(m.types(t)) != 1 {
		return dense{}
	}
	p := datatype.PathTo(t, "", 0)
	place, err := p.Resolve(t)
	if err != nil || place.Node.Bytes()*t.Elements != t.Size { // a basic type of several sizes
		return dense{}
	}
	if _, overlaps := (datatype.Buffer{Base: 1 << 62, Count: 1, Type: t}).SelfOverlap(); overlaps {
		return dense{}
	}
	return dense{run{m.types(t)[0], t.TrueLB, t.Elements, place.Node.Bytes()}, true}
}

func (m *memory) denseStage(n datatype.Node) dense {
	if n.Children() == 0 {
		if n.Type == nil || n.Type.Elements != 1 || n.Type.Size <= 0 {
			return dense{}
		}
		return dense{run{n.Type.Basic, 0, 1, n.Type.Size}, true}
	}
	var whole dense
	if n.Uniform() {
		// The second child lies directly behind the first one, and so on, if the whole is as long as the data.
		whole = m.dense(n.Child(0))
		whole.at += n.At(0)
		last := n.Children() - 1
		one := whole.n * whole.size
		if !whole.ok || last > 0 && (n.At(1)-n.At(0) != one || n.At(last)-n.At(0) != last*one) {
			return dense{}
		}
		whole.n *= n.Children()
		return whole
	}
	for i := range n.Children() {
		child := n.Child(i)
		if child.Bytes() == 0 && child.Elements() == 0 {
			continue
		}
		d := m.dense(child)
		d.at += n.At(i)
		switch {
		case !whole.ok:
			whole = d
		case d.basic != whole.basic || d.size != whole.size || d.at != whole.end():
			return dense{}
		default:
			whole.n += d.n
		}
		if !d.ok {
			return dense{}
		}
	}
	return whole
}

// runs returns the runs with data in the bytes from lo up to hi, by displacement. The first and the last run may be
// incomplete: they may continue outside. ok is false if there are too many nodes to examine.
func (m *memory) runs(lo, hi int64) (found []run, ok bool) {
	var visit func(n datatype.Node, at int64) bool
	visit = func(n datatype.Node, at int64) bool {
		if !m.look(n) {
			return false
		}
		if d := m.dense(n); d.ok {
			d.at += at
			found = append(found, d.run)
			return true
		}
		for i := range n.Touching(lo-at, hi-at) {
			if !visit(n.Child(i), at+n.At(i)) {
				return false
			}
		}
		return true
	}
	ok = visit(m.typ.Root(), 0)
	slices.SortStableFunc(found, run.compare)
	joined := found[:0]
	for _, r := range found {
		if k := len(joined) - 1; k >= 0 && joined[k].basic == r.basic && joined[k].size == r.size &&
			joined[k].end() == r.at {
			joined[k].n += r.n
			continue
		}
		joined = append(joined, r)
	}
	return joined, ok
}

// around returns the runs that overlap the bytes from lo up to hi, up to before runs in front of them, and up to after
// runs behind them.
func (m *memory) around(lo, hi int64, before, after int) (found []run, ok bool) {
	first, last := m.typ.TrueLB, m.typ.TrueUB
	// The approximate number of bytes that contains that many runs of one element, if the data are spread evenly.
	step := max(64, (last-first)/max(m.typ.Elements, 1)*int64(before+after+2))
	for reach := step; ; reach *= 2 {
		from, to := lo, hi
		if before > 0 {
			from = max(first, lo-reach)
		}
		if after > 0 {
			to = min(last, hi+reach)
		}
		found, ok = m.runs(from, to)
		if !ok {
			return nil, false
		}
		i, j := meeting(found, lo, hi)
		// The outermost runs found may continue beyond the examined bytes.
		if (i > before || from <= first || before == 0) && (len(found)-j > after || to >= last || after == 0) {
			return found[max(0, i-before):min(len(found), j+after)], true
		}
	}
}

// meeting returns the indexes [i, j) of the runs that overlap the bytes from lo up to hi. If there are none, i and j
// are the position at which they would be.
func meeting(runs []run, lo, hi int64) (i, j int) {
	for i < len(runs) && runs[i].end() <= lo {
		i++
	}
	j = i
	for j < len(runs) && runs[j].at < hi {
		j++
	}
	return i, j
}

// elementsBefore returns the number of elements that begin before a displacement. ok is false if it takes too long to
// count them.
func (m *memory) elementsBefore(end int64) (count int64, ok bool) {
	var visit func(n datatype.Node, end int64) bool // relative to the node
	visit = func(n datatype.Node, end int64) bool {
		if !m.look(n) {
			return false
		}
		lo, hi := n.Bounds()
		from := lo
		switch d := m.dense(n); {
		case end <= lo:
			return true
		case end >= hi:
			count += n.Elements()
			return true
		case d.ok:
			count += min(d.n, (end-d.at+d.size-1)/d.size)
			return true
		case n.Uniform():
			// All children that begin before end count in full, except those that continue beyond end.
			from = end - 1
			count += (n.CountTouching(lo, end) - n.CountTouching(from, end)) * n.Child(0).Elements()
		}
		for i := range n.Touching(from, end) {
			child, at := n.Child(i), n.At(i)
			if _, last := child.Bounds(); at+last <= end {
				count += child.Elements()
			} else if !visit(child, end-at) {
				return false
			}
		}
		return true
	}
	ok = visit(m.typ.Root(), end)
	return count, ok
}

// elementsIn returns the number of elements that begin in the bytes from lo up to hi, if it can be counted.
func (m *memory) elementsIn(lo, hi int64) (int64, bool) {
	a, ok1 := m.elementsBefore(lo)
	b, ok2 := m.elementsBefore(hi)
	return b - a, ok1 && ok2
}

// types returns the different basic types of t, in the order in which they first occur.
func (m *memory) types(t *datatype.Type) []*datatype.Basic {
	if t == nil || t.Size <= 0 {
		return nil
	}
	if found, ok := m.basics[t]; ok {
		return found
	}
	var found []*datatype.Basic
	olds := t.Olds
	switch {
	case t.Predefined() && t.Stage() != nil:
		olds = t.Stage().Blocks.Types
	case len(olds) == 0:
		found = append(found, t.Basic)
	}
	for i, old := range olds {
		if several(t) && t.Stage().Blocks.Len(i) == 0 {
			continue
		}
		for _, b := range m.types(old) {
			if !slices.Contains(found, b) {
				found = append(found, b)
			}
		}
	}
	m.basics[t] = found
	return found
}
