package datatype

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/datatype/strided"
)

// serialised returns the address of every byte of the buffer, by its position in the serialised data. It uses the type
// map.
func serialised(b Buffer) []int64 {
	var all []int64
	elements := flatten(b.Type)
	for i := range b.Count {
		for _, e := range elements {
			for k := range basicSize[e.basic] {
				all = append(all, int64(b.Base)+i*b.Type.Extent()+e.at+k)
			}
		}
	}
	return all
}

var (
	char, short, double = Predefined("MPI_CHAR", 1), Predefined("MPI_SHORT", 2), Predefined("MPI_DOUBLE", 8)
	layoutBasics        = []*Type{
		char, short, double, Predefined("MPI_DOUBLE_INT", 12), Predefined("MPI_SHORT_INT", 6),
		Predefined("MPI_LB", 0), Predefined("MPI_UB", 0),
	}
	basicSize = map[*Basic]int64{
		BasicFor("MPI_CHAR"): 1, BasicFor("MPI_SHORT"): 2, BasicFor("MPI_INT"): 4,
		BasicFor("MPI_DOUBLE"): 8,
	}
)

// dice returns a number between from and to.
type dice func(from, to int64) int64

func (d dice) list(n, from, to int64) []int64 {
	l := make([]int64, n)
	for i := range l {
		l[i] = d(from, to)
	}
	return l
}

// some returns a number from 0 up to most. 0 is rare.
func (d dice) some(most int64) int64 {
	if n := d(0, 5*most); n > 0 {
		return (n + 4) / 5
	}
	return 0
}

// evenly returns dice with evenly distributed numbers. Package rapid prefers small numbers, and so misses some cases.
func evenly(seed uint64) dice {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(from, to int64) int64 { return from + r.Int64N(to-from+1) }
}

// checkLayouts runs the property with the dice of rapid, which can shrink a failing case, and with even dice.
func checkLayouts(t *testing.T, property func(t rapid.TB, roll dice)) {
	rapid.Check(t, func(t *rapid.T) {
		property(t, func(from, to int64) int64 { return rapid.Int64Range(from, to).Draw(t, "n") })
	})
	for seed := range uint64(3000) {
		if property(t, evenly(seed)); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// layoutType makes a type with random constructors, nested up to depth times. It is small enough to visit every byte.
func layoutType(roll dice, depth int64) *Type {
	for {
		made, err := anyLayoutType(roll, depth)
		if err == nil && made.Size <= 2000 {
			return made
		}
	}
}

func anyLayoutType(roll dice, depth int64) (*Type, error) {
	if depth == 0 {
		return layoutBasics[roll(0, int64(len(layoutBasics)-3))], nil
	}
	old := func() *Type { return layoutType(roll, depth-1) }
	n := roll.some(5)
	switch Kind(roll(int64(DupKind), int64(ResizedKind))) {
	case DupKind:
		return Dup(old())
	case ContiguousKind:
		return Contiguous(n, old())
	case VectorKind:
		return Vector(n, roll.some(3), roll(-12, 12), old())
	case HvectorKind:
		return Hvector(n, roll.some(3), roll(-120, 120), old())
	case IndexedKind:
		return Indexed(roll.list(n, 0, 3), roll.list(n, -10, 10), old())
	case HindexedKind:
		return Hindexed(roll.list(n, 0, 3), roll.list(n, -40, 40), old())
	case IndexedBlockKind:
		return IndexedBlock(roll.some(3), roll.list(3*n, -30, 30), old())
	case HindexedBlockKind:
		return HindexedBlock(roll.some(3), roll.list(3*n, -300, 300), old())
	case StructKind:
		olds := make([]*Type, n)
		for i := range olds {
			if olds[i] = old(); roll(0, 9) == 9 {
				olds[i] = layoutBasics[len(layoutBasics)-1-i%2] // a bound
			}
		}
		return Struct(roll.list(n, 0, 3), roll.list(n, -160, 160), olds)
	case SubarrayKind:
		n = 1 + n/2
		sizes, subsizes, starts := roll.list(n, 1, 5), make([]int64, n), make([]int64, n)
		for i, s := range sizes {
			subsizes[i] = roll(1, s)
			starts[i] = roll(0, s-subsizes[i])
		}
		return Subarray(sizes, subsizes, starts, Order(roll(0, 1)), old())
	case DarrayKind:
		n = 1 + n/3
		gsizes, dists, dargs, psizes := roll.list(n, 1, 9), make([]Distribution, n), make([]int64, n),
			roll.list(n, 1, 3)
		procs := int64(1)
		for i := range gsizes {
			dargs[i] = DefaultDarg
			switch dists[i] = Distribution(roll(0, 2)); dists[i] {
			case DistributeNone:
				psizes[i] = 1
			case DistributeCyclic:
				dargs[i] = roll(1, 3)
			}
			procs *= psizes[i]
		}
		return Darray(procs, roll(0, procs-1), gsizes, dists, dargs, psizes, Order(roll(0, 1)), old())
	}
	return Resized(roll(-20, 20), roll(-60, 200), old())
}

func layoutBuffer(roll dice) Buffer {
	return Buffer{Base: uint64(roll(100000, 100300)), Count: roll.some(6), Type: layoutType(roll, roll(0, 4))}
}

// intervalsOf returns the intervals of a block, as blocks without levels.
func intervalsOf(b strided.Block) []strided.Block {
	if len(b.Levels) == 0 {
		return []strided.Block{b}
	}
	var all []strided.Block
	l := b.Levels[0]
	b.Levels = b.Levels[1:]
	for range l.Count {
		all = append(all, intervalsOf(b)...)
		b.Start += l.Stride
		b.Pos += l.Bytes
	}
	return all
}

func TestLayoutHasEveryByte(t *testing.T) {
	checkLayouts(t, func(t rapid.TB, roll dice) {
		typ := layoutType(roll, roll(0, 4))
		l := typ.Layout()
		want := serialised(Buffer{Count: 1, Type: typ})
		got := make([]int64, len(want))
		n := 0
		for b := range l.Blocks() {
			for _, i := range intervalsOf(b) {
				for k := range i.Length {
					got[i.Pos+k] = i.Start + k
					n++
				}
			}
		}
		if n != len(want) || !slices.Equal(got, want) {
			t.Fatalf("%d of %d bytes, got\n%v\nwant\n%v", n, len(want), got, want)
		}
		if first, end := l.Bounds(); first != typ.TrueLB || end != typ.TrueUB {
			t.Fatalf("from %d to %d, want %d to %d", first, end, typ.TrueLB, typ.TrueUB)
		}
	})
}

func TestOverlapIsExact(t *testing.T) {
	hits := 0
	checkLayouts(t, func(t rapid.TB, roll dice) {
		a, b := layoutBuffer(roll), layoutBuffer(roll)
		inA, inB := serialised(a), serialised(b)
		has := map[int64]bool{}
		for _, at := range inA {
			has[at] = true
		}
		want := slices.ContainsFunc(inB, func(at int64) bool { return has[at] })
		got, ok := FirstOverlap(a, b)
		if ok != want {
			t.Fatalf("overlap: got %v, want %v", ok, want)
		}
		if !ok {
			return
		}
		hits++
		if inA[got.First] != int64(got.Address) || inB[got.Second] != int64(got.Address) {
			t.Fatalf("got %+v, but there are %d and %d", got, inA[got.First], inB[got.Second])
		}
	})
	if hits == 0 {
		t.Error("no buffers overlapped: nothing was tested")
	}
}

// firstSelfOverlap returns the least number of copies, up to most, with a byte that occurs twice. It returns 0 if there
// is no such number.
func firstSelfOverlap(t *Type, most int64) int64 {
	has := map[int64]bool{}
	one := serialised(Buffer{Count: 1, Type: t})
	for i := range most {
		for _, at := range one {
			at += i * t.Extent()
			if has[at] {
				return i + 1
			}
			has[at] = true
		}
	}
	return 0
}

func TestSelfOverlapIsExact(t *testing.T) {
	checkLayouts(t, func(t rapid.TB, roll dice) {
		typ := layoutType(roll, roll(0, 3))
		const most = 12
		from := firstSelfOverlap(typ, most)
		for _, count := range roll.list(8, 0, most) {
			b := Buffer{Base: 100000, Count: count, Type: typ}
			got, ok := b.SelfOverlap()
			if want := from != 0 && count >= from; ok != want {
				t.Fatalf("%d copies: got %v, but they overlap from %d copies on", count, ok, from)
			}
			if all := serialised(b); ok && (got.First == got.Second || all[got.First] != int64(got.Address) ||
				all[got.Second] != int64(got.Address)) {
				t.Fatalf("%d copies: got %+v, but there are %d and %d", count, got, all[got.First], all[got.Second])
			}
		}
	})
}

func blocksOf(t *Type) []strided.Block { return slices.Collect(t.Layout().Blocks()) }

// TestBlocklistOfFigure1 is the example of section VII.A.5 in the paper on MUST's datatype checks. In the paper, the
// ends of the intervals are inclusive.
func TestBlocklistOfFigure1(t *testing.T) {
	s := made(Struct([]int64{1, 5, 7, 2, 1}, []int64{-4, 0, 47, 76, 100}, []*Type{
		Predefined("MPI_LB", 0), Predefined("MPI_INT", 4), Predefined("MPI_CHAR", 1), Predefined("MPI_DOUBLE", 8),
		Predefined("MPI_UB", 0),
	}))
	got := fmt.Sprint(blocksOf(s))
	if want := "[{0 20 0 []} {47 7 20 []} {76 16 27 []}]"; got != want {
		t.Errorf("start, length and position: got %s, want %s", got, want)
	}
}

// made returns the type. It panics if there is an error.
func made(t *Type, err error) *Type {
	if err != nil {
		panic(err)
	}
	return t
}

// TestPlanesAreOneBlock checks that a plane of an array is one strided block, whatever its constructors.
func TestPlanesAreOneBlock(t *testing.T) {
	const k = 1000
	column := made(Resized(0, 8, made(Vector(k, 1, k*k, double)))) // along z, next one in x
	row := made(Vector(k, 1, k, double))
	indices := make([]int64, k)
	for i := range indices {
		indices[i] = int64(i) * k
	}
	for name, typ := range map[string]*Type{
		"xy":            made(Contiguous(k*k, double)),
		"xz":            made(Vector(k, k, k*k, double)),
		"yz":            made(Vector(k*k, 1, k, double)),
		"yz nested":     made(Hvector(k, 1, k*k*8, row)),
		"xz of columns": made(Contiguous(k, column)),
		"xz subarray":   made(Subarray([]int64{k, k, k}, []int64{k, 1, k}, []int64{0, 7, 0}, OrderC, double)),
		"yz subarray":   made(Subarray([]int64{k, k, k}, []int64{k, k, 1}, []int64{0, 0, 7}, OrderC, double)),
		"yz Fortran": made(Subarray([]int64{k, k, k}, []int64{1, k, k}, []int64{7, 0, 0}, OrderFortran,
			double)),
		"haloed yz": made(Subarray([]int64{k, k, k}, []int64{k - 2, k - 2, 1}, []int64{1, 1, 1}, OrderC,
			double)),
		"haloed inside": made(Subarray([]int64{k, k, k}, []int64{k - 2, k - 2, k - 2}, []int64{1, 1, 1}, OrderC,
			double)),
		"indexed row": made(IndexedBlock(1, indices, double)),
		"indexed of indexed": made(IndexedBlock(1, indices,
			made(Resized(0, k*8, made(IndexedBlock(1, indices, double)))))),
		"darray cyclic": made(Darray(10, 3, []int64{k, k}, []Distribution{DistributeCyclic, DistributeNone},
			[]int64{5, DefaultDarg}, []int64{10, 1}, OrderC, double)),
	} {
		if b := blocksOf(typ); len(b) != 1 {
			t.Errorf("%s: %d blocks, the first is %v", name, len(b), b[0])
		}
	}
}
