package datatype

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestGarbageArguments checks that constructors return a type or an error for all arguments.
func TestGarbageArguments(t *testing.T) {
	number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 9), rapid.SampledFrom([]int64{
		math.MaxInt64, math.MinInt64, math.MaxInt64 / 2, 1 << 62, 1 << 61, 1 << 32, 1<<32 + 1, math.MaxInt32,
		math.MinInt32, DefaultDarg,
	}))
	positive := rapid.OneOf(rapid.Int64Range(1, math.MaxInt64), rapid.Int64Range(1, 4))
	olds := []*Type{
		Predefined("MPI_INT", 4), Predefined("MPI_DOUBLE_INT", 12), Predefined("MPI_LB", 0),
		UnknownType(), nil,
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		list := func(g *rapid.Generator[int64]) []int64 { return rapid.SliceOfN(g, n, n).Draw(t, "list") }
		one := func() int64 { return number.Draw(t, "number") }
		values := rapid.SampledFrom([]*rapid.Generator[int64]{number, positive}).Draw(t, "values")
		a := &Args{
			Count: one(), Blocklength: one(), Stride: one(), Blocklengths: list(values), Displacements: list(number),
			Sizes:    list(values),
			Subsizes: list(values), Starts: list(number), Dargs: list(values), Psizes: list(values), Size: one(),
			Rank:  one(),
			Order: Order(rapid.IntRange(0, 1).Draw(t, "order")), LB: one(), Extent: one(),
		}
		a.Size = 1
		for i, p := range a.Psizes {
			a.Distributions = append(a.Distributions, Distribution(rapid.IntRange(0, 2).Draw(t, "distribution")))
			if rapid.Bool().Draw(t, "whole") {
				a.Psizes[i], a.Dargs[i] = 1, DefaultDarg
				p = 1
			}
			a.Size *= p
		}
		if a.Size > 0 {
			a.Rank = rapid.Int64Range(0, a.Size-1).Draw(t, "rank")
		}
		of := make([]*Type, max(n, 1))
		for i := range of {
			of[i] = rapid.SampledFrom(olds).Draw(t, "old")
		}
		kind := Kind(rapid.IntRange(int(DupKind), int(ResizedKind)).Draw(t, "kind"))
		if kind == StructKind {
			of = of[:n]
		}
		ty, err := Build(kind, a, of)
		if (ty == nil) == (err == nil) {
			t.Fatalf("%v: %v and %v", kind, ty, err)
		}
		if err == nil && ty.Size >= 0 && (ty.Elements < 0 || ty.TrueUB < ty.TrueLB) {
			t.Fatalf("%s: %d elements from %d to %d", Format(ty), ty.Elements, ty.TrueLB, ty.TrueUB)
		}
	})
}

// TestLargeDistributions checks types that fit into 64 bits, although products of their arguments do not.
func TestLargeDistributions(t *testing.T) {
	intType := Predefined("MPI_INT", 4)
	cyclic, err := Darray(1<<32, 1, []int64{1 << 33}, []Distribution{DistributeCyclic}, []int64{1 << 32},
		[]int64{1 << 32}, OrderC, intType)
	if err != nil || cyclic.Elements != 1<<32 || cyclic.TrueLB != 1<<34 {
		t.Errorf("cyclic: %v, %v", cyclic, err)
	}
	block, err := Darray(4, 0, []int64{8}, []Distribution{DistributeBlock}, []int64{math.MaxInt64 / 2}, []int64{4},
		OrderC, intType)
	if err != nil || block.Elements != 8 {
		t.Errorf("block: %v, %v", block, err)
	}
}
