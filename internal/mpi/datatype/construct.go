package datatype

import "slices"

// The constructors have the names of MPI's constructors, and make the same types of the same arguments. They return an
// *ArgumentError if an argument is invalid, and ErrTooLarge if the type is too large for MPI. They keep the slices in
// their arguments. If an old type is nil or Unknown, the new type is Unknown.

// Contiguous is MPI_Type_contiguous.
func Contiguous(count int64, old *Type) (*Type, error) {
	if count < 0 {
		return nil, wrong("count", -1, count, "is negative")
	}
	t := &Type{Kind: ContiguousKind, Args: Args{Count: count}, Olds: []*Type{old}}
	return t.regular(func(a *arith) *Stage { return repeat(count, 0, old.Extent(), nil, old) })
}

// Vector is MPI_Type_vector. The stride is in extents of old.
func Vector(count, blocklength, stride int64, old *Type) (*Type, error) {
	t := &Type{Kind: VectorKind, Args: Args{Count: count, Blocklength: blocklength, Stride: stride}, Olds: []*Type{old}}
	return t.vector(count, blocklength, func(a *arith) int64 { return a.mul(stride, old.Extent()) })
}

// Hvector is MPI_Type_create_hvector. The stride is in bytes.
func Hvector(count, blocklength, stride int64, old *Type) (*Type, error) {
	args := Args{Count: count, Blocklength: blocklength, Stride: stride}
	t := &Type{Kind: HvectorKind, Args: args, Olds: []*Type{old}}
	return t.vector(count, blocklength, func(a *arith) int64 { return a.add(stride, 0) })
}

func (t *Type) vector(count, blocklength int64, stride func(*arith) int64) (*Type, error) {
	if count < 0 {
		return nil, wrong("count", -1, count, "is negative")
	}
	if blocklength < 0 {
		return nil, wrong("blocklength", -1, blocklength, "is negative")
	}
	old := t.Olds[0]
	return t.regular(func(a *arith) *Stage {
		return repeat(count, 0, stride(a), repeat(blocklength, 0, old.Extent(), nil, old), nil)
	})
}

// Indexed is MPI_Type_indexed. The displacements are in extents of old.
func Indexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	t := &Type{Kind: IndexedKind, Args: Args{
		Count: int64(len(displacements)), Blocklengths: blocklengths, Displacements: displacements,
	}, Olds: []*Type{old}}
	return t.indexed(true)
}

// Hindexed is MPI_Type_create_hindexed. The displacements are in bytes.
func Hindexed(blocklengths, displacements []int64, old *Type) (*Type, error) {
	t := &Type{Kind: HindexedKind, Args: Args{
		Count: int64(len(displacements)), Blocklengths: blocklengths, Displacements: displacements,
	}, Olds: []*Type{old}}
	return t.indexed(false)
}

// IndexedBlock is MPI_Type_create_indexed_block. The displacements are in extents of old.
func IndexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	t := &Type{Kind: IndexedBlockKind, Args: Args{
		Count: int64(len(displacements)), Blocklength: blocklength, Displacements: displacements,
	}, Olds: []*Type{old}}
	return t.indexed(true)
}

// HindexedBlock is MPI_Type_create_hindexed_block. The displacements are in bytes.
func HindexedBlock(blocklength int64, displacements []int64, old *Type) (*Type, error) {
	t := &Type{Kind: HindexedBlockKind, Args: Args{
		Count: int64(len(displacements)), Blocklength: blocklength, Displacements: displacements,
	}, Olds: []*Type{old}}
	return t.indexed(false)
}

func (t *Type) indexed(inExtents bool) (*Type, error) {
	g, old := &t.Args, t.Olds[0]
	if g.Blocklength < 0 {
		return nil, wrong("blocklength", -1, g.Blocklength, "is negative")
	}
	if err := checkLengths(g.Blocklengths); err != nil {
		return nil, err
	}
	return t.regular(func(a *arith) *Stage {
		b := &Blocks{At: g.Displacements, Lens: g.Blocklengths, Length: g.Blocklength, Old: old}
		if inExtents && old.Extent() != 1 {
			b.At = make([]int64, len(g.Displacements))
			for i, d := range g.Displacements {
				b.At[i] = a.mul(d, old.Extent())
			}
		}
		return &Stage{N: g.Count, Blocks: b}
	})
}

// Struct is MPI_Type_create_struct. If types contains MPI_LB or MPI_UB, it is MPI_Type_struct of MPI-1.
func Struct(blocklengths, displacements []int64, types []*Type) (*Type, error) {
	t := &Type{Kind: StructKind, Args: Args{
		Count: int64(len(displacements)), Blocklengths: blocklengths, Displacements: displacements,
	}, Olds: types}
	if err := checkLengths(blocklengths); err != nil {
		return nil, err
	}
	return t.regular(func(*arith) *Stage {
		return &Stage{N: t.Args.Count, Blocks: &Blocks{At: displacements, Lens: blocklengths, Types: types}}
	})
}

func checkLengths(blocklengths []int64) error {
	for i, n := range blocklengths {
		if n < 0 {
			return wrong("array_of_blocklengths", i, n, "is negative")
		}
	}
	return nil
}

// Subarray is MPI_Type_create_subarray. Its stages are the dimensions in the order of the data, slowest first.
func Subarray(sizes, subsizes, starts []int64, order Order, old *Type) (*Type, error) {
	n := len(sizes)
	if n == 0 {
		return nil, wrong("ndims", -1, 0, "is not positive")
	}
	for i := range sizes {
		switch {
		case sizes[i] < 1:
			return nil, wrong("array_of_sizes", i, sizes[i], "is not positive")
		case subsizes[i] < 1:
			return nil, wrong("array_of_subsizes", i, subsizes[i], "is not positive")
		case subsizes[i] > sizes[i]:
			return nil, wrong("array_of_subsizes", i, subsizes[i], "is larger than array_of_sizes there")
		case starts[i] < 0:
			return nil, wrong("array_of_starts", i, starts[i], "is negative")
		case starts[i] > sizes[i]-subsizes[i]:
			return nil, wrong("array_of_starts", i, starts[i], "lets the subarray reach beyond the array")
		}
	}
	t := &Type{Kind: SubarrayKind, Args: Args{
		Count: int64(n), Sizes: sizes, Subsizes: subsizes, Starts: starts, Order: order,
	}, Olds: []*Type{old}}
	return t.array(func(a *arith, d int, stride int64) (s Stage) {
		return Stage{N: subsizes[d], First: a.mul(starts[d], stride), Stride: stride}
	})
}

// array makes the stages of subarray and darray. dim returns the stage of one dimension. The extent of the type is that
// of the whole array.
func (t *Type) array(dim func(a *arith, d int, stride int64) Stage) (*Type, error) {
	g, old := &t.Args, t.Olds[0]
	if unknown(t.Olds) {
		return t.asUnknown(), nil
	}
	var a arith
	stride := old.Extent()
	var of *Stage
	fastest := slices.Collect(func(yield func(int) bool) {
		for i := range g.Sizes {
			if g.Order == OrderC {
				i = len(g.Sizes) - 1 - i
			}
			if !yield(i) {
				return
			}
		}
	})
	for k, d := range fastest {
		s := dim(&a, d, stride)
		if s.Group == 0 {
			s.Group = s.N
		}
		if k == 0 {
			s.Old = old
		} else {
			s.Of = of
		}
		of = &s
		stride = a.mul(stride, g.Sizes[d])
	}
	if a.over {
		return nil, ErrTooLarge
	}
	_, err := t.regular(func(*arith) *Stage { return of })
	if err != nil {
		return nil, err
	}
	t.LB, t.UB, t.lbMark, t.ubMark = 0, stride, true, true
	return t, nil
}

// Darray is MPI_Type_create_darray: the part of process rank in an array that is distributed to size processes, which
// form a grid of psizes. Its stages are the dimensions, slowest first.
func Darray(
	size, rank int64, gsizes []int64, distribs []Distribution, dargs, psizes []int64, order Order, old *Type,
) (*Type, error) {
	n := len(gsizes)
	switch {
	case size < 1:
		return nil, wrong("size", -1, size, "is not positive")
	case rank < 0 || rank >= size:
		return nil, wrong("rank", -1, rank, "is not a rank among size processes")
	case n == 0:
		return nil, wrong("ndims", -1, 0, "is not positive")
	}
	var a arith
	procs := int64(1)
	for i := range gsizes {
		switch {
		case gsizes[i] < 1:
			return nil, wrong("array_of_gsizes", i, gsizes[i], "is not positive")
		case psizes[i] < 1:
			return nil, wrong("array_of_psizes", i, psizes[i], "is not positive")
		case dargs[i] != DefaultDarg && dargs[i] < 1 && distribs[i] != DistributeNone:
			return nil, wrong("array_of_dargs", i, dargs[i], "is not positive")
		case distribs[i] == DistributeNone && psizes[i] != 1:
			return nil, wrong("array_of_psizes", i, psizes[i], "must be 1 in a dimension that is not distributed")
		}
		if distribs[i] == DistributeBlock && dargs[i] != DefaultDarg && dargs[i] <= (gsizes[i]-1)/psizes[i] {
			return nil, wrong("array_of_dargs", i, dargs[i], "is too small: with MPI_DISTRIBUTE_BLOCK, "+
				"array_of_dargs times array_of_psizes must cover array_of_gsizes")
		}
		procs = a.mul(procs, psizes[i])
	}
	if procs != size || a.over {
		return nil, wrong("size", -1, size, "is not the product of array_of_psizes")
	}
	t := &Type{Kind: DarrayKind, Args: Args{
		Count: int64(n), Size: size, Rank: rank, Sizes: gsizes, Distributions: distribs, Dargs: dargs, Psizes: psizes,
		Order: order,
	}, Olds: []*Type{old}}
	coords := make([]int64, n) // the process grid is always row-major (section 5.1.4)
	for i, r := n-1, rank; i >= 0; i-- {
		coords[i], r = r%psizes[i], r/psizes[i]
	}
	return t.array(func(a *arith, d int, stride int64) Stage {
		g, p, c := gsizes[d], psizes[d], coords[d]
		block := dargs[d]
		switch distribs[d] {
		case DistributeNone:
			return Stage{N: g, Stride: stride}
		case DistributeBlock:
			if block == DefaultDarg {
				block = (g-1)/p + 1
			}
			first := min(a.mul(c, block), g)
			return Stage{N: min(block, g-first), First: a.mul(first, stride), Stride: stride}
		}
		if block == DefaultDarg {
			block = 1
		}
		block = min(block, g) // a larger block has the same effect
		if block > (g-1)/p {  // one round
			first := min(a.mul(c, block), g)
			return Stage{N: min(block, g-first), First: a.mul(first, stride), Stride: stride}
		}
		round := block * p // elements that one round distributes, a block to each process
		n := g / round * block
		n += min(max(g%round-c*block, 0), block)
		return Stage{N: n, First: a.mul(c*block, stride), Stride: stride, Group: block, Jump: a.mul(round, stride)}
	})
}

// Resized is MPI_Type_create_resized: old with other bounds.
func Resized(lb, extent int64, old *Type) (*Type, error) {
	t := &Type{Kind: ResizedKind, Args: Args{LB: lb, Extent: extent}, Olds: []*Type{old}}
	if unknown(t.Olds) {
		return t.asUnknown(), nil
	}
	_, err := t.regular(func(a *arith) *Stage { return repeat(1, 0, 0, nil, old) })
	if err != nil {
		return nil, err
	}
	var a arith
	t.LB, t.UB, t.lbMark, t.ubMark = a.add(lb, 0), a.add(lb, extent), true, true
	if a.over {
		return nil, ErrTooLarge
	}
	return t, nil
}

// Dup is MPI_Type_dup.
func Dup(old *Type) (*Type, error) {
	t := &Type{Kind: DupKind, Olds: []*Type{old}}
	if unknown(t.Olds) {
		return t.asUnknown(), nil
	}
	_, err := t.regular(func(*arith) *Stage { return repeat(1, 0, 0, nil, old) })
	t.LB, t.UB, t.lbMark, t.ubMark = old.LB, old.UB, old.lbMark, old.ubMark
	return t, err
}

// F90 is a type of MPI_Type_create_f90_real, _complex or _integer, with one element. It does not use p for integer. The
// size is in bytes, -1 if it is not known.
func F90(kind Kind, p, r, size int64) *Type {
	return f90(kind, p, r, size)
}

// Build calls the constructor of a kind, with arguments from a. A struct takes all of olds, other kinds take the first.
// Build does not make the types of MPI_Type_create_f90_… (see F90), which have no old type.
func Build(kind Kind, a *Args, olds []*Type) (*Type, error) {
	var old *Type
	if len(olds) > 0 {
		old = olds[0]
	}
	switch kind {
	case DupKind:
		return Dup(old)
	case ContiguousKind:
		return Contiguous(a.Count, old)
	case VectorKind:
		return Vector(a.Count, a.Blocklength, a.Stride, old)
	case HvectorKind:
		return Hvector(a.Count, a.Blocklength, a.Stride, old)
	case IndexedKind:
		return Indexed(a.Blocklengths, a.Displacements, old)
	case HindexedKind:
		return Hindexed(a.Blocklengths, a.Displacements, old)
	case IndexedBlockKind:
		return IndexedBlock(a.Blocklength, a.Displacements, old)
	case HindexedBlockKind:
		return HindexedBlock(a.Blocklength, a.Displacements, old)
	case StructKind:
		return Struct(a.Blocklengths, a.Displacements, olds)
	case SubarrayKind:
		return Subarray(a.Sizes, a.Subsizes, a.Starts, a.Order, old)
	case DarrayKind:
		return Darray(a.Size, a.Rank, a.Sizes, a.Distributions, a.Dargs, a.Psizes, a.Order, old)
	case ResizedKind:
		return Resized(a.LB, a.Extent, old)
	}
	return UnknownType(), nil
}

// UnknownType returns an unknown type.
func UnknownType() *Type { return (&Type{Olds: nil}).asUnknown() }

func repeat(n, first, stride int64, of *Stage, old *Type) *Stage {
	return &Stage{N: n, First: first, Stride: stride, Group: n, Of: of, Old: old}
}

func unknown(olds []*Type) bool {
	return slices.ContainsFunc(olds, func(o *Type) bool { return o == nil || o.Size < 0 })
}

func (t *Type) asUnknown() *Type {
	t.Size, t.Elements = -1, -1
	if t.Kind == Named {
		t.Kind = Unknown
	}
	return t
}

// regular computes the properties of a new type from the stages that make returns.
func (t *Type) regular(make func(*arith) *Stage) (*Type, error) {
	if unknown(t.Olds) {
		return t.asUnknown(), nil
	}
	var a arith
	t.dialect = dialectOf(t.Olds)
	t.stage = make(&a)
	var b bounds
	t.stage.measure(&a, &b)
	t.Elements, t.Size = t.stage.elements, t.stage.size
	t.LB, t.UB, t.lbMark, t.ubMark = b.lb, b.ub, b.lbMark, b.ubMark
	t.TrueLB, t.TrueUB, t.data = b.trueLB, b.trueUB, b.data
	t.align, t.only, t.Depth = b.align, b.only, b.depth+1
	if b.several {
		t.only = nil
	}
	if !t.data && t.Kind != StructKind {
		// In both MPICH and Open MPI, copies of a type without data have no bounds, whatever the bounds of that type.
		// In a struct, its bounds count.
		t.LB, t.UB, t.lbMark, t.ubMark = 0, 0, false, false
	}
	if t.data && !t.ubMark && t.align > 1 && t.rounded() {
		// The epsilon of section 5.1.6.
		if r := (t.UB - t.LB) % t.align; r > 0 {
			t.UB = a.add(t.UB, t.align-r)
		}
	}
	if a.over {
		return nil, ErrTooLarge
	}
	return t, nil
}

// bounds gathers the bounds of the copies of types in a stage.
type bounds struct {
	lb, ub, trueLB, trueUB int64
	lbMark, ubMark         bool
	any, data              bool // any: lb and ub are set; data: trueLB and trueUB are set
	several                bool
	only                   *Basic
	align                  int64
	depth                  int
}

// merge adds copies of b. Their least displacement is lo, and the greatest is hi.
func (m *bounds) merge(a *arith, b *bounds, lo, hi int64) {
	if b.lbMark && !m.lbMark {
		m.lb, m.lbMark = a.add(b.lb, lo), true
	} else if b.lbMark == m.lbMark && (b.any || b.lbMark) {
		if v := a.add(b.lb, lo); !m.any && !m.lbMark || v < m.lb {
			m.lb = v
		}
	}
	if b.ubMark && !m.ubMark {
		m.ub, m.ubMark = a.add(b.ub, hi), true
	} else if b.ubMark == m.ubMark && (b.any || b.ubMark) {
		if v := a.add(b.ub, hi); !m.any && !m.ubMark || v > m.ub {
			m.ub = v
		}
	}
	m.any = m.any || b.any
	if b.data {
		if v := a.add(b.trueLB, lo); !m.data || v < m.trueLB {
			m.trueLB = v
		}
		if v := a.add(b.trueUB, hi); !m.data || v > m.trueUB {
			m.trueUB = v
		}
		m.data = true
	}
	switch {
	case m.only == nil && !m.several:
		m.only, m.several = b.only, b.several
	case b.several || b.only != nil && b.only != m.only:
		m.several = true
	}
	m.align = max(m.align, b.align)
	m.depth = max(m.depth, b.depth)
}

func (t *Type) bounds() bounds {
	return bounds{
		lb: t.LB, ub: t.UB, trueLB: t.TrueLB, trueUB: t.TrueUB, lbMark: t.lbMark, ubMark: t.ubMark, data: t.data,
		any:     t.data || t.Kind != Named, // MPI_LB and MPI_UB have no bounds except those that they mark
		several: t.only == nil && t.data, only: t.only, align: t.align, depth: t.Depth,
	}
}

// measure computes the stage's elements, bytes and bounds.
func (s *Stage) measure(a *arith, out *bounds) {
	if s.Blocks != nil {
		s.measureBlocks(a, out)
		return
	}
	var b bounds
	var elements, size int64
	if s.Old != nil {
		b, elements, size = s.Old.bounds(), s.Old.Elements, s.Old.Size
	} else {
		s.Of.measure(a, &b)
		elements, size = s.Of.elements, s.Of.size
		b.depth++
	}
	s.elements, s.size = a.mul(s.N, elements), a.mul(s.N, size)
	if s.N == 0 {
		out.depth = b.depth
		return
	}
	lo, hi := s.span(a)
	out.merge(a, &b, lo, hi)
}

// span returns the least and the greatest displacement of a regular stage's children.
func (s *Stage) span(a *arith) (lo, hi int64) {
	if s.Group == 0 || s.Group >= s.N {
		last := a.add(s.First, a.mul(s.N-1, s.Stride))
		return min(s.First, last), max(s.First, last)
	}
	// Only darray has several groups. Its strides and jumps have the same sign.
	last := s.N - 1
	full := a.add(a.mul(last/s.Group, s.Jump), a.mul(last%s.Group, s.Stride))
	if last >= s.Group {
		if end := a.add(a.mul(last/s.Group-1, s.Jump), a.mul(s.Group-1, s.Stride)); abs(end) > abs(full) {
			full = end
		}
	}
	end := a.add(s.First, full)
	return min(s.First, end), max(s.First, end)
}

func (s *Stage) measureBlocks(a *arith, out *bounds) {
	b := s.Blocks
	uniform := b.Lens == nil && b.Old != nil
	if !uniform {
		b.before, b.bytes = make([]int64, s.N+1), make([]int64, s.N+1)
	}
	var last *Type
	var of bounds
	for i := range int(s.N) {
		n, old := b.Len(i), b.Type(i)
		if old != last {
			last, of = old, old.bounds()
			if b.Types != nil && !sticks(old) {
				of.lbMark, of.ubMark = false, false
			}
		}
		if !uniform {
			b.before[i+1] = a.add(b.before[i], a.mul(n, old.Elements))
			b.bytes[i+1] = a.add(b.bytes[i], a.mul(n, old.Size))
		}
		if n == 0 {
			continue
		}
		end := a.add(b.At[i], a.mul(n-1, old.Extent()))
		out.merge(a, &of, min(b.At[i], end), max(b.At[i], end))
	}
	out.depth++
	if uniform {
		s.elements, s.size = a.mul(s.N, a.mul(b.Length, b.Old.Elements)), a.mul(s.N, a.mul(b.Length, b.Old.Size))
		return
	}
	s.elements, s.size = b.before[s.N], b.bytes[s.N]
}
