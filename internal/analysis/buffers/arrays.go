package buffers

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// measure works out the bounds of a buffer that arrays describe, and whether its parts follow each other without
// overlap. It does not make a datatype for the buffer.
func (b *piece) measure(pr *track.Process, c *event.Call, v *track.View, s *side) {
	b.list, b.tidy = s, true
	if b.measurePlain(pr, c, s) {
		return
	}
	if !s.parts(pr, c, v, func(at, count int64, d *match.Datatype) bool {
		from, to := datatype.Buffer{Base: b.Base + uint64(at), Count: count, Type: d.Of()}.Bounds()
		if from >= to {
			return true
		}
		b.tidy = b.tidy && d.Permanent && from >= b.to
		if !b.there || from < b.from {
			b.from = from
		}
		b.to, b.there = max(b.to, to), true
		return true
	}) {
		b.there = false
	}
}

// measurePlain does the same as measure for the usual case: one predefined datatype, and displacements that cannot be
// too large. It reports whether this is the usual case.
func (b *piece) measurePlain(pr *track.Process, c *event.Call, s *side) bool {
	if s.types >= 0 || c.Func.Params[s.counts].Elements.Kind != mpiapi.BySize {
		return false
	}
	d := pr.Type(s.typ.Handle(c.Raw()))
	counts, ok1 := c.In(s.counts)
	displs, ok2 := c.In(s.displs)
	if d == nil || !d.Permanent || d.TrueLB != 0 || d.TrueUB != d.Extent() ||
		!ok1 || !ok2 || counts.Wide() || displs.Wide() || displs.Len() < counts.Len() || counts.Len() > mostParts {
		return false
	}
	size := uint64(d.Extent())
	for i := range counts.Len() {
		n := counts.At(i)
		if n <= 0 {
			if n < 0 {
				b.there = false
				return true
			}
			continue
		}
		from := b.Base + uint64(displs.At(i))*size
		to := from + uint64(n)*size
		b.tidy = b.tidy && from >= b.to
		if !b.there || from < b.from {
			b.from = from
		}
		b.to, b.there = max(b.to, to), true
	}
	return true
}

// parts calls f for each part of a buffer that arrays describe, until f returns false. The arguments of f are the
// displacement in bytes, the count, and the datatype, which is nil for a part without data. It reports whether all
// parts are known and f returned true for all of them.
func (s *side) parts(
	pr *track.Process, c *event.Call, v *track.View, f func(at, count int64, d *match.Datatype) bool,
) bool {
	counts, ok1 := c.In(s.counts)
	displs, ok2 := c.In(s.displs)
	if !ok1 || !ok2 || counts.Len() > mostParts || displs.Len() < counts.Len() {
		return false
	}
	var one *match.Datatype
	var types event.Array
	if s.types < 0 {
		one = pr.Type(s.typ.Handle(c.Raw()))
	} else if types, ok1 = c.In(s.types); !ok1 || types.Len() < counts.Len() {
		return false
	}
	var neighbours []int32
	if n := c.Func.Params[s.counts].Elements; n.Kind == mpiapi.ByInDegree || n.Kind == mpiapi.ByOutDegree {
		var known bool
		if neighbours, known = v.Neighbours(n.Kind == mpiapi.ByInDegree); !known {
			return false
		}
	}
	for i := range counts.Len() {
		n := counts.At(i)
		if n < 0 {
			return false
		}
		if n == 0 || i < len(neighbours) && neighbours[i] < 0 {
			if !f(0, 0, nil) {
				return false
			}
			continue
		}
		d := one
		if s.types >= 0 {
			d = pr.Type(types.Handle(i))
		}
		at, ok := s.displacement(d, displs.At(i))
		if !ok || !f(at, n, d) {
			return false
		}
	}
	return true
}

// displacement returns a displacement in bytes. ok is false if the datatype is not known, or the displacement is too
// large.
func (s *side) displacement(d *match.Datatype, at int64) (n int64, ok bool) {
	if d == nil || d.Size < 0 {
		return 0, false
	}
	if s.bytes {
		return at, true
	}
	const most = 1 << 30
	if at > most || at < -most || d.Extent() > most || d.Extent() < -most {
		return 0, false
	}
	return at * d.Extent(), true
}

// build makes the datatype of a buffer that arrays describe. It reports whether the datatype is known.
func build(pr *track.Process, c *event.Call, b *piece) bool {
	if b.list == nil || b.Type != nil {
		return b.Type != nil
	}
	var v *track.View
	if i := c.Func.Arg(mpiapi.TheComm); i >= 0 {
		v = pr.View(c.Handle(i))
	}
	var lens, at []int64
	var types []*datatype.Type
	var one *datatype.Type
	if !b.list.parts(pr, c, v, func(displ, count int64, d *match.Datatype) bool {
		old := bytes
		if d != nil {
			old, one = d.Type, d.Type
		}
		if len(lens) == b.mine-1 {
			count = 0
		}
		lens, at, types = append(lens, count), append(at, displ), append(types, old)
		return true
	}) {
		return false
	}
	var err error
	if b.list.types < 0 && one != nil {
		b.Type, err = datatype.Hindexed(lens, at, one)
	} else {
		b.Type, err = datatype.Struct(lens, at, types)
	}
	if err != nil || b.Type == nil || b.Type.Size < 0 {
		b.Type = nil
		return false
	}
	b.Count = 1
	return true
}
