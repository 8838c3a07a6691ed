package collargs

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/group"
)

// Memo caches the numbers of signatures and the errors of reductions, because programs use the same few again and
// again. It also has a filler that is reused.
type Memo struct {
	entries [256]struct {
		typ   *datatype.Type
		count int64
		value uint64
	}
	reductions [64]struct {
		op  uint64 // as numbered by Process.Op
		typ *datatype.Type
		why string
	}
	subsets map[subset]bool // whether all processes of a group are members of a communicator
	filler  filler
}

type subset struct {
	comm  *match.Comm
	group group.Group
}

// subsetLimit is the number of groups that are cached.
const subsetLimit = 64

// within reports whether all processes of a group are members of c.
func (m *Memo) within(c *match.Comm, g group.Group) bool {
	k := subset{c, g}
	in, ok := m.subsets[k]
	if !ok {
		in = true
		for r := range g.Ranks() {
			in = in && c.Index(r) >= 0
		}
		if len(m.subsets) >= subsetLimit || m.subsets == nil {
			m.subsets = make(map[subset]bool)
		}
		m.subsets[k] = in
	}
	return in
}

// empty is the number of a signature without elements.
const empty = 0x9ae16a3b2f90404f

// value returns a number that is the same for equal signatures. It is 0 if the signature is not known.
func (m *Memo) value(s match.Side) uint64 {
	if s.Count == 0 {
		return empty
	}
	t := s.Type.Of()
	if t == nil || s.Count < 0 {
		return 0
	}
	e := &m.entries[(uint64(s.Count)*0x9e3779b97f4a7c15>>56^uint64(t.Elements))&255]
	if e.typ != t || e.count != s.Count {
		e.typ, e.count, e.value = t, s.Count, signature(t, s.Count)
	}
	return e.value
}

// reduction returns the error of a reduction operation on values of a type; "" if no error is known. work finds the
// error.
func (m *Memo) reduction(op uint64, t *datatype.Type, work func() string) string {
	size := uint64(0)
	if t != nil {
		size = uint64(t.Size)
	}
	e := &m.reductions[(op*0x9e3779b97f4a7c15>>58^size)&63]
	if e.op != op || e.typ != t {
		e.op, e.typ, e.why = op, t, work()
	}
	return e.why
}

func signature(t *datatype.Type, count int64) uint64 {
	h, ok := datatype.Use{Type: t, Count: count}.Hash()
	switch v := h.Sum64(); {
	case !ok:
		return 0
	case h.N == 0:
		return empty
	case v == 0:
		return 1
	default:
		return v
	}
}
