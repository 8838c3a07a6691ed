package datatype

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// mapped is one basic element of a type map.
type mapped struct {
	basic *Basic
	at    int64
}

// flatten returns the type map by the constructors' definitions in the standard (section 5.1). It returns nil if the
// type map is long.
func flatten(t *Type) []mapped {
	if t.Elements > 3000 {
		return nil
	}
	switch {
	case t.Kind == Named && t.Elements == 2:
		b := t.Stage().Blocks
		return append(move(flatten(b.Type(0)), b.At[0]), move(flatten(b.Type(1)), b.At[1])...)
	case t.Kind == Named && t.Elements == 0:
		return nil
	case len(t.Olds) == 0 && t.Kind != StructKind:
		return []mapped{{t.Basic, 0}}
	}
	g := &t.Args
	var out []mapped
	copies := func(old *Type, n, at int64) {
		one := flatten(old)
		for i := range n {
			out = append(out, move(one, at+i*old.Extent())...)
		}
	}
	length := func(i int) int64 {
		if g.Blocklengths != nil {
			return g.Blocklengths[i]
		}
		return g.Blocklength
	}
	switch t.Kind {
	case ContiguousKind:
		copies(t.Olds[0], g.Count, 0)
	case VectorKind:
		for i := range g.Count {
			copies(t.Olds[0], g.Blocklength, i*g.Stride*t.Olds[0].Extent())
		}
	case HvectorKind:
		for i := range g.Count {
			copies(t.Olds[0], g.Blocklength, i*g.Stride)
		}
	case IndexedKind, IndexedBlockKind:
		for i, d := range g.Displacements {
			copies(t.Olds[0], length(i), d*t.Olds[0].Extent())
		}
	case HindexedKind, HindexedBlockKind:
		for i, d := range g.Displacements {
			copies(t.Olds[0], length(i), d)
		}
	case StructKind:
		for i, d := range g.Displacements {
			copies(t.Olds[i], g.Blocklengths[i], d)
		}
	case SubarrayKind:
		eachIndex(g.Sizes, func(index []int64, linear int64) {
			for d, i := range index {
				if i < g.Starts[d] || i >= g.Starts[d]+g.Subsizes[d] {
					return
				}
			}
			copies(t.Olds[0], 1, linear*t.Olds[0].Extent())
		}, g.Order)
	case DarrayKind:
		eachIndex(g.Sizes, func(index []int64, linear int64) {
			rank := int64(0)
			for d, i := range index {
				owner, darg := int64(0), g.Dargs[d]
				switch {
				case g.Distributions[d] == DistributeBlock && darg == DefaultDarg:
					owner = i / ((g.Sizes[d] + g.Psizes[d] - 1) / g.Psizes[d])
				case g.Distributions[d] == DistributeBlock:
					owner = i / darg
				case g.Distributions[d] == DistributeCyclic && darg == DefaultDarg:
					owner = i % g.Psizes[d]
				case g.Distributions[d] == DistributeCyclic:
					owner = i / darg % g.Psizes[d]
				}
				rank = rank*g.Psizes[d] + owner
			}
			if rank == g.Rank {
				copies(t.Olds[0], 1, linear*t.Olds[0].Extent())
			}
		}, g.Order)
	case ResizedKind, DupKind:
		copies(t.Olds[0], 1, 0)
	}
	return out
}

func move(elements []mapped, by int64) []mapped {
	out := make([]mapped, len(elements))
	for i, e := range elements {
		out[i] = mapped{e.basic, e.at + by}
	}
	return out
}

// eachIndex visits an array's elements in the order of their addresses.
func eachIndex(sizes []int64, visit func(index []int64, linear int64), order Order) {
	total := int64(1)
	for _, n := range sizes {
		total *= n
	}
	index := make([]int64, len(sizes))
	for linear := range total {
		rest := linear
		for k := range sizes {
			d := k
			if order == OrderC {
				d = len(sizes) - 1 - k
			}
			index[d], rest = rest%sizes[d], rest/sizes[d]
		}
		visit(index, linear)
	}
}

var basicTypes = []*Type{
	Predefined("MPI_INT", 4), Predefined("MPI_CHAR", 1), Predefined("MPI_DOUBLE", 8), Predefined("MPI_SHORT", 2),
	Predefined("MPI_BYTE", 1), Predefined("MPI_C_DOUBLE_COMPLEX", 16), Predefined("MPI_INTEGER", 4),
	Predefined("MPI_DOUBLE_INT", 12), Predefined("MPI_2INT", 8), F90(F90RealKind, 6, 30, 4),
	F90(F90IntegerKind, 0, 9, 4),
}

// drawType draws a type with at most depth nested constructors.
func drawType(t *rapid.T, depth int) *Type {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 5 {
		return basicTypes[rapid.IntRange(0, len(basicTypes)-1).Draw(t, "basic")]
	}
	var old *Type
	num := func(lo, hi int64, label string) int64 { return rapid.Int64Range(lo, hi).Draw(t, label) }
	nums := func(n int, lo, hi int64, label string) []int64 {
		return rapid.SliceOfN(rapid.Int64Range(lo, hi), n, n).Draw(t, label)
	}
	kind := Kind(num(int64(DupKind), int64(ResizedKind), "kind"))
	if kind != StructKind {
		old = drawType(t, depth-1)
	}
	few := rapid.SampledFrom([]int64{1, 2, 3, 0}) // rapid prefers the first values, so empty types are rare
	lengths := func(n int) []int64 { return rapid.SliceOfN(few, n, n).Draw(t, "blocklengths") }
	n := int(few.Draw(t, "n"))
	var out *Type
	var err error
	switch kind {
	case DupKind:
		out, err = Dup(old)
	case ContiguousKind:
		out, err = Contiguous(int64(n), old)
	case VectorKind:
		out, err = Vector(int64(n), few.Draw(t, "blocklength"), num(-3, 5, "stride"), old)
	case HvectorKind:
		out, err = Hvector(int64(n), few.Draw(t, "blocklength"), num(-30, 50, "stride"), old)
	case IndexedKind:
		out, err = Indexed(lengths(n), nums(n, -10, 10, "displacements"), old)
	case HindexedKind:
		out, err = Hindexed(lengths(n), nums(n, -50, 50, "displacements"), old)
	case IndexedBlockKind:
		out, err = IndexedBlock(few.Draw(t, "blocklength"), nums(n, -10, 10, "displacements"), old)
	case HindexedBlockKind:
		out, err = HindexedBlock(few.Draw(t, "blocklength"), nums(n, -50, 50, "displacements"), old)
	case StructKind:
		types := make([]*Type, n)
		for i := range types {
			types[i] = drawType(t, depth-1)
			if num(0, 9, "bound") == 9 {
				types[i] = Predefined(rapid.SampledFrom([]string{"MPI_LB", "MPI_UB"}).Draw(t, "mark"), 0)
			}
		}
		out, err = Struct(lengths(n), nums(n, -50, 50, "displacements"), types)
	case SubarrayKind:
		out, err = drawSubarray(t, old)
	case DarrayKind:
		out, err = drawDarray(t, old)
	case ResizedKind:
		out, err = Resized(num(-20, 20, "lb"), num(-20, 60, "extent"), old)
	}
	if err != nil {
		t.Fatalf("%v: %v", kind, err)
	}
	return out
}

func drawOrder(t *rapid.T) Order {
	return rapid.SampledFrom([]Order{OrderC, OrderFortran}).Draw(t, "order")
}

func drawSubarray(t *rapid.T, old *Type) (*Type, error) {
	n := rapid.IntRange(1, 3).Draw(t, "ndims")
	var sizes, subsizes, starts []int64
	for range n {
		size := rapid.Int64Range(1, 4).Draw(t, "size")
		sub := rapid.Int64Range(1, size).Draw(t, "subsize")
		sizes, subsizes = append(sizes, size), append(subsizes, sub)
		starts = append(starts, rapid.Int64Range(0, size-sub).Draw(t, "start"))
	}
	return Subarray(sizes, subsizes, starts, drawOrder(t), old)
}

func drawDarray(t *rapid.T, old *Type) (*Type, error) {
	n := rapid.IntRange(1, 3).Draw(t, "ndims")
	var gsizes, dargs, psizes []int64
	var dists []Distribution
	size := int64(1)
	for range n {
		g, p := rapid.Int64Range(1, 7).Draw(t, "gsize"), rapid.Int64Range(1, 3).Draw(t, "psize")
		dist := rapid.SampledFrom([]Distribution{DistributeNone, DistributeBlock, DistributeCyclic}).Draw(t,
			"distribution")
		darg, least := int64(DefaultDarg), int64(1)
		switch dist {
		case DistributeNone:
			p = 1
		case DistributeBlock:
			least = (g + p - 1) / p
		}
		if rapid.Bool().Draw(t, "darg given") {
			darg = rapid.Int64Range(least, g).Draw(t, "darg")
		}
		gsizes, dargs, psizes, dists = append(gsizes, g), append(dargs, darg), append(psizes, p), append(dists, dist)
		size *= p
	}
	rank := rapid.Int64Range(0, size-1).Draw(t, "rank")
	return Darray(size, rank, gsizes, dists, dargs, psizes, drawOrder(t), old)
}

// TestTouching checks that Touching finds the children with data in a range of bytes, and that Bounds are tight enough.
func TestTouching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 4)
		all := flatten(typ)
		if all == nil {
			return
		}
		lo := rapid.Int64Range(typ.TrueLB-5, typ.TrueUB+5).Draw(t, "lo")
		hi := lo + rapid.Int64Range(1, 40).Draw(t, "length")
		var found []mapped
		var visit func(n Node, at int64)
		visit = func(n Node, at int64) {
			if boundLo, boundHi := n.Bounds(); at+boundLo >= hi || at+boundHi <= lo {
				t.Fatalf("a node at %d with data from %d to %d is visited for %d to %d", at, boundLo, boundHi, lo, hi)
			}
			if n.Children() == 0 {
				found = append(found, mapped{n.Type.Basic, at})
			}
			last, count := int64(-1), n.CountTouching(lo-at, hi-at)
			for i := range n.Touching(lo-at, hi-at) {
				count--
				if i <= last {
					t.Fatalf("child %d comes after child %d", i, last)
				}
				last = i
				visit(n.Child(i), at+n.At(i))
			}
			if count != 0 {
				t.Fatalf("%d more children are counted than visited", count)
			}
		}
		if typ.TrueLB < hi && typ.TrueUB > lo {
			visit(typ.Root(), 0)
		}
		var want []mapped
		for i, e := range all {
			place, err := PathTo(typ, "", int64(i)).Resolve(typ)
			if err != nil {
				t.Fatal(err)
			}
			if e.at < hi && e.at+place.Node.Bytes() > lo {
				want = append(want, e)
			}
		}
		if !slices.Equal(found, want) {
			t.Fatalf("%s: from %d to %d there are %v, found %v", Format(typ), lo, hi, want, found)
		}
	})
}
