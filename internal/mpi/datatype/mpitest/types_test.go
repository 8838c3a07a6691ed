package mpitest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

var libraries = []string{"mpich", "openmpi"}

// dice returns a number between from and to.
type dice func(from, to int64) int64

func (d dice) list(n, from, to int64) []int64 {
	l := make([]int64, n)
	for i := range l {
		l[i] = d(from, to)
	}
	return l
}

// anyType makes a type with a random constructor, of types nested up to depth times.
func (l *library) anyType(roll dice, depth int64) *datatype.Type {
	for {
		t, err := l.constructed(roll, depth)
		if err == nil && t.Size <= 4000 && t.TrueUB-t.TrueLB < 1<<20 {
			return t
		}
	}
}

func (l *library) basic(roll dice) *datatype.Type {
	for {
		t := l.predefined[roll(0, int64(len(l.predefined))-1)]
		if t.Size > 0 && !slices.ContainsFunc(l.unfit, func(s string) bool { return strings.Contains(t.Name(), s) }) {
			return t
		}
	}
}

func (l *library) constructed(roll dice, depth int64) (*datatype.Type, error) {
	if depth == 0 {
		return l.basic(roll), nil
	}
	old := func() *datatype.Type { return l.anyType(roll, roll(0, depth-1)) }
	n := roll(0, 4)
	switch datatype.Kind(roll(int64(datatype.DupKind), int64(datatype.ResizedKind))) {
	case datatype.DupKind:
		return datatype.Dup(old())
	case datatype.ContiguousKind:
		return datatype.Contiguous(n, old())
	case datatype.VectorKind:
		return datatype.Vector(n, roll(0, 3), roll(-6, 6), old())
	case datatype.HvectorKind:
		return datatype.Hvector(n, roll(0, 3), roll(-60, 60), old())
	case datatype.IndexedKind:
		return datatype.Indexed(roll.list(n, 0, 3), roll.list(n, -6, 6), old())
	case datatype.HindexedKind:
		return datatype.Hindexed(roll.list(n, 0, 3), roll.list(n, -60, 60), old())
	case datatype.IndexedBlockKind:
		return datatype.IndexedBlock(roll(0, 3), roll.list(n, -6, 6), old())
	case datatype.HindexedBlockKind:
		return datatype.HindexedBlock(roll(0, 3), roll.list(n, -60, 60), old())
	case datatype.StructKind:
		olds := make([]*datatype.Type, n)
		for i := range olds {
			olds[i] = old()
		}
		return datatype.Struct(roll.list(n, 0, 3), roll.list(n, -60, 60), olds)
	case datatype.SubarrayKind:
		n = 1 + n/2
		sizes, subsizes, starts := roll.list(n, 1, 4), make([]int64, n), make([]int64, n)
		for i, s := range sizes {
			subsizes[i] = roll(1, s)
			starts[i] = roll(0, s-subsizes[i])
		}
		return datatype.Subarray(sizes, subsizes, starts, datatype.Order(roll(0, 1)), old())
	case datatype.DarrayKind:
		return l.darray(roll, 1+n/2, old())
	}
	return datatype.Resized(roll(-16, 16), roll(-8, 64), old())
}

func (l *library) darray(roll dice, n int64, old *datatype.Type) (*datatype.Type, error) {
	gsizes, dists, dargs, psizes := roll.list(n, 1, 7), make([]datatype.Distribution, n), make([]int64, n),
		roll.list(n, 1, 3)
	procs := int64(1)
	for i := range gsizes {
		dargs[i] = datatype.DefaultDarg
		switch dists[i] = datatype.Distribution(roll(0, 2)); dists[i] {
		case datatype.DistributeNone:
			psizes[i] = 1
		case datatype.DistributeBlock:
			if roll(0, 1) == 1 {
				dargs[i] = (gsizes[i]+psizes[i]-1)/psizes[i] + roll(0, 2)
			}
		case datatype.DistributeCyclic:
			if roll(0, 2) > 0 {
				dargs[i] = roll(1, 3)
			}
		}
		procs *= psizes[i]
	}
	if old.Size == 0 {
		old = l.basic(roll) // Open MPI 4.1.4 rejects types without data here
	}
	return datatype.Darray(procs, roll(0, procs-1), gsizes, dists, dargs, psizes, datatype.Order(roll(0, 1)), old)
}

// children calls f for the copies of old types in a type, with their displacements.
func children(t *datatype.Type, f func(at int64, old *datatype.Type)) {
	var walk func(s *datatype.Stage, at int64)
	walk = func(s *datatype.Stage, at int64) {
		for i := range s.N {
			to := at + s.At(i)
			switch {
			case s.Blocks != nil:
				b := s.Block(i)
				walk(&b, to)
			case s.Of != nil:
				walk(s.Of, to)
			default:
				f(to, s.Old)
			}
		}
	}
	if t.Kind != datatype.Named {
		walk(t.Stage(), 0)
	}
}

// anywhere reports whether a condition holds for a type, or for one of the types it is made of.
func anywhere(t *datatype.Type, is func(*datatype.Type) bool) bool {
	return is(t) || slices.ContainsFunc(t.Olds, func(o *datatype.Type) bool { return anywhere(o, is) })
}

// The known cases in which a library differs from its dialect, or the two libraries differ from each other.

// emptyPart reports whether a struct contains a type without data. For vectors and indexed types with empty blocks,
// MPICH 4.0.2 computes bounds as if the blocks were not empty. It crashes by a division by zero when it packs some such
// structs: "struct{3*vector(2, 0, -4, hindexed([0, 3], [-1, -1], CHAR)) @-6, resized(-8, 1, contiguous(2, FLOAT))
// @-7}". Open MPI 4.1.4 uses a wrong extent when it packs several copies of some such structs.
func emptyPart(t *datatype.Type) bool {
	return t.Kind == datatype.StructKind && slices.ContainsFunc(t.Olds,
		func(o *datatype.Type) bool { return o.Size == 0 })
}

// cyclic reports whether a type is a darray with a cyclic distribution. MPICH 4.0.2 includes the remainder of a cyclic
// distribution in the true bounds, even if there is no remainder.
func cyclic(t *datatype.Type) bool {
	return slices.Contains(t.Args.Distributions, datatype.DistributeCyclic)
}

// copied reports whether a struct contains a type that is one copy of another type. MPICH 4.0.2 takes both for one
// type, and does not round up structs of the two.
func copied(t *datatype.Type) bool {
	return t.Kind == datatype.StructKind && slices.ContainsFunc(t.Olds, func(o *datatype.Type) bool {
		n := 0
		children(o, func(int64, *datatype.Type) { n++ })
		return n == 1
	})
}

// negative reports whether the extent is negative. MPICH 4.0.2 packs copies of some such types from wrong memory.
func negative(t *datatype.Type) bool { return t.Extent() < 0 }

// backwards reports whether a vector has a stride of -1 byte. Open MPI 4.1.4 mistakes it for another layout, and packs
// wrong memory.
func backwards(t *datatype.Type) bool {
	stride := t.Args.Stride
	switch t.Kind {
	case datatype.VectorKind:
		stride *= t.Olds[0].Extent()
	case datatype.HvectorKind:
	default:
		return false
	}
	return stride == -1 && t.Args.Count > 1
}

// unaligned reports whether a type has unaligned blocks, and a block that begins before the first one. Open MPI 4.1.4
// rounds up (epsilon) after each block that it adds. The result differs if the next block begins before the first.
func unaligned(t *datatype.Type) bool {
	a, first, least, odd := alignment(t), int64(0), int64(0), false
	n := 0
	children(t, func(at int64, old *datatype.Type) {
		if n++; n == 1 {
			first, least = at+old.LB, at+old.LB
		}
		least = min(least, at+old.LB)
		odd = odd || at%a != 0 || old.LB%a != 0 || old.Extent()%a != 0
	})
	return odd && least < first
}

// alignment returns the strictest alignment of the basic types in C.
func alignment(t *datatype.Type) int64 {
	switch name := t.Name(); {
	case name == "":
		a := int64(1)
		for _, o := range t.Olds {
			a = max(a, alignment(o))
		}
		return a
	case strings.Contains(name, "LONG_DOUBLE"):
		return 16
	case strings.HasSuffix(name, "COMPLEX"):
		return t.Size / 2
	case name == "MPI_2INT" || name == "MPI_FLOAT_INT" || name == "MPI_SHORT_INT":
		return 4
	default:
		return min(t.Size, 8)
	}
}

// compare lets MPI make a type, and reports differences from package datatype. compared is false if a part of the
// comparison was left out.
func (l *library) compare(t rapid.TB, ty *datatype.Type, copies int64) (compared bool) {
	t.Helper()
	if anywhere(ty, emptyPart) {
		copies = 0
	}
	got, err := l.ask(ty, copies)
	if err != nil {
		t.Fatalf("%s: %v", datatype.Format(ty), err)
	}
	want := computed(ty, copies)
	compared = true
	switch {
	case ty.Size == 0, anywhere(ty, emptyPart): // the libraries disagree on the bounds of types without data
		*got = answer{size: got.size}
		*want = answer{size: want.size}
		compared = false
	case l.name == "mpich" && (anywhere(ty, negative) || anywhere(ty, copied)),
		l.name == "openmpi" && (anywhere(ty, backwards) || anywhere(ty, unaligned)):
		*got = answer{size: got.size}
		*want = answer{size: want.size}
		compared = false
	}
	if l.name == "mpich" && anywhere(ty, cyclic) {
		got.trueLB, got.trueExtent = want.trueLB, want.trueExtent
		compared = false
	}
	if got.String() != want.String() {
		t.Fatalf("%s, %d copies:\n%s says %s\nnot          %s", datatype.Format(ty), copies, l.name, got, want)
	}
	return compared
}

// TestTypes compares random types.
func TestTypes(t *testing.T) {
	for _, name := range libraries {
		t.Run(name, func(t *testing.T) {
			l := open(t, name)
			property := func(t rapid.TB, roll dice) bool {
				return l.compare(t, l.anyType(roll, roll(1, 3)), roll(0, 2))
			}
			rapid.Check(t, func(t *rapid.T) {
				property(t, func(from, to int64) int64 { return rapid.Int64Range(from, to).Draw(t, "n") })
			})
			whole, all := 0, 5000
			for seed := range all {
				r := rand.New(rand.NewPCG(uint64(seed), 1)) // rapid prefers small numbers
				if property(t, func(from, to int64) int64 { return from + r.Int64N(to-from+1) }) {
					whole++
				}
			}
			t.Logf("%d types, %d of them in all", all, whole)
			if whole < all/2 {
				t.Errorf("only %d of %d types are compared in all", whole, all)
			}
		})
	}
}

// special are types that are rare among random types, and types that both libraries treat alike although the standard
// does not define that.
var special = []string{
	// Types without data, and copies of them.
	"contiguous(0, INT)", "vector(1, 0, 3, INT)", "struct{}", "resized(0, 16, contiguous(0, INT))",
	"contiguous(3, resized(0, 16, contiguous(0, INT)))", "contiguous(2, contiguous(0, INT))",
	// Empty blocks do not count.
	"struct{0*INT @8, INT @4}", "indexed([0, 1], [7, 2], INT)",
	// Types are rounded up as in C, except types with explicit bounds.
	"struct{CHAR @0, DOUBLE @8, CHAR @16}", "struct{DOUBLE @0, FLOAT @8}", "struct{2INT @0, CHAR @9}",
	"struct{DOUBLE_COMPLEX @0, CHAR @16}", "resized(0, 5, struct{INT @0, CHAR @4})",
	"contiguous(3, resized(0, 5, struct{INT @0, CHAR @4}))", "struct{LONG_INT @0, DOUBLE @20}",
	"contiguous(3, DOUBLE_INT)",
	"contiguous(2, SHORT_INT)",
	// Negative strides and displacements.
	"vector(3, 1, -1, INT)", "hvector(2, 2, -8, INT)", "indexed([1, 2], [3, -3], DOUBLE)",
	// As in the examples of the standard's sections 5.1.2 to 5.1.4.
	"struct{2*FLOAT @0, CHAR @16, 3*INT @20}", "vector(2, 3, 4, struct{DOUBLE @0, CHAR @8})",
	"subarray([100, 100], [100, 25], [0, 75], C, DOUBLE)", "darray(6, 3, [7, 9], [block, cyclic(2)], [2, 3], C, INT)",
}

// markers are types with MPI_LB and MPI_UB, which MPI 3.0 removed.
var markers = []string{
	"struct{LB @-4, 5*INT @0, 7*CHAR @47, 2*DOUBLE @76, UB @100}", "struct{UB @3, INT @0, DOUBLE @8}",
	"contiguous(2, struct{LB @3, INT @0, UB @8})", "struct{INT @0, struct{LB @3, INT @0, UB @8} @16}",
}

func TestSpecialTypes(t *testing.T) {
	for _, name := range libraries {
		t.Run(name, func(t *testing.T) {
			l := open(t, name)
			texts := special
			if l.number["MPI_LB"] > 0 {
				texts = slices.Concat(texts, markers)
			}
			for _, text := range texts {
				ty, err := datatype.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				ty = l.in(ty)
				got, err := l.ask(ty, 2)
				if err != nil {
					t.Errorf("%s: %v", text, err)
				} else if want := computed(ty, 2); got.String() != want.String() {
					t.Errorf("%s:\n%s says %s\nnot          %s", text, name, got, want)
				}
			}
		})
	}
}

// in makes a type again, from the predefined types of the library.
func (l *library) in(t *datatype.Type) *datatype.Type {
	if t.Kind == datatype.Named {
		return l.predefined[l.number[t.Name()]]
	}
	var olds []*datatype.Type
	for _, o := range t.Olds {
		olds = append(olds, l.in(o))
	}
	made, err := datatype.Build(t.Kind, &t.Args, olds)
	if err != nil {
		panic(err)
	}
	return made
}
