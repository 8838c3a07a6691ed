package datatype

import (
	"sync"

	"github.com/mpivet/mpivet/internal/mpi/datatype/strided"
)

// farthest bounds the displacements and addresses. No memory is farther away.
const farthest = 1 << 59

type layoutCache struct {
	once sync.Once
	is   *strided.Layout
}

// Layout returns the bytes of one copy of the type, as strided blocks (see the paper on MUST's datatype checks, section
// VIII), with the position of each byte in the serialised data. It returns nil if the type is unknown, larger than any
// memory, or too irregular (strided.MaxBlocks). The first call computes it, in time linear in the number of blocks.
func (t *Type) Layout() *strided.Layout {
	if t == nil {
		return nil
	}
	t.layout.once.Do(func() { t.layout.is = layoutOf(t) })
	return t.layout.is
}

func layoutOf(t *Type) *strided.Layout {
	switch {
	case t.Size < 0 || t.TrueLB < -farthest || t.TrueUB > farthest:
		return nil
	case t.stage == nil:
		return strided.Interval(t.Size)
	}
	return t.stage.layout()
}

func (s *Stage) layout() *strided.Layout {
	if s.Blocks != nil {
		return strided.Join(s.Blocks.parts)
	}
	var child *strided.Layout
	if s.Old != nil {
		child = s.Old.Layout()
	} else {
		child = s.Of.layout()
	}
	if s.Group == 0 || s.Group >= s.N {
		return child.Repeat(s.N, s.First, s.Stride)
	}
	full, rest := s.N/s.Group, s.N%s.Group
	return strided.Join(func(yield func(strided.Part) bool) {
		_ = yield(strided.Part{At: s.First, Count: full, Stride: s.Jump, Of: child.Repeat(s.Group, 0, s.Stride)}) &&
			yield(strided.Part{At: s.First + full*s.Jump, Count: rest, Stride: s.Stride, Of: child})
	})
}

func (b *Blocks) parts(yield func(strided.Part) bool) {
	for i, at := range b.At {
		old := b.Type(i)
		if !yield(strided.Part{At: at, Count: b.Len(i), Stride: old.Extent(), Of: old.Layout()}) {
			return
		}
	}
}
