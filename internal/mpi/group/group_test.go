package group

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// lists draws lists of different small ranks. Regular lists are more frequent than in a uniform choice.
func lists() *rapid.Generator[[]int32] {
	return rapid.Custom(func(t *rapid.T) []int32 {
		var list []int32
		for range rapid.IntRange(0, 4).Draw(t, "runs") {
			r := run{
				rapid.Int32Range(0, 12).Draw(t, "start"), rapid.Int32Range(-3, 3).Draw(t, "stride"),
				rapid.Int32Range(1, 6).Draw(t, "count"),
			}
			for i := range r.count {
				if rank := r.start + i*r.stride; rank >= 0 && !slices.Contains(list, rank) {
					list = append(list, rank)
				}
			}
		}
		return list
	})
}

func of(list []int32) Group { return Of(slices.Values(list)) }

func keep(list []int32, f func(int, int32) bool) []int32 {
	out := []int32{}
	for i, r := range list {
		if f(i, r) {
			out = append(out, r)
		}
	}
	return out
}

// TestOperations compares groups with lists of ranks.
func TestOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := lists().Draw(t, "a"), lists().Draw(t, "b")
		g, h := of(a), of(b)
		same := func(what string, got Group, want []int32) {
			t.Helper()
			if !slices.Equal(got.List(), want) || got.Size() != len(want) {
				t.Fatalf("%s: %v of %d, want %v", what, got.List(), got.Size(), want)
			}
			if got != of(want) {
				t.Fatalf("%s: not the same as the group of %v", what, want)
			}
		}
		in := func(list []int32, yes bool) func(int, int32) bool {
			return func(_ int, r int32) bool { return slices.Contains(list, r) == yes }
		}
		same("itself", g, a)
		same("union", g.Union(h), slices.Concat(a, keep(b, in(a, false))))
		same("intersection", g.Intersection(h), keep(a, in(b, true)))
		same("difference", g.Difference(h), keep(a, in(b, false)))
		if (g == h) != slices.Equal(a, b) || (g.Hash() == h.Hash()) != slices.Equal(a, b) {
			t.Fatalf("%v and %v: equal %v", a, b, g == h)
		}
		for r := range int32(32) {
			if got, want := g.Index(r), slices.Index(a, r); got != want {
				t.Fatalf("rank %d of %v is %d, want %d", r, a, got, want)
			}
		}
		if len(a) == 0 {
			return
		}
		some := rapid.SliceOfDistinct(rapid.Int64Range(0, int64(len(a)-1)), rapid.ID[int64]).Draw(t, "ranks")
		got, _ := g.Incl(some)
		want := []int32{}
		for _, i := range some {
			want = append(want, a[i])
		}
		same("incl", got, want)
		got, _ = g.Excl(some)
		same("excl", got, keep(a, func(i int, _ int32) bool { return !slices.Contains(some, int64(i)) }))
	})
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		triples, want []int64
		ok            bool
	}{
		{[]int64{0, 6, 2}, []int64{0, 2, 4, 6}, true},
		{[]int64{5, 2, -1, 0, 0, 7}, []int64{5, 4, 3, 2, 0}, true},
		{[]int64{0, 7, 3}, []int64{0, 3, 6}, true},
		{[]int64{}, nil, true},
		{[]int64{0, 6, 0}, nil, false},
		{[]int64{6, 0, 2}, nil, false},
		{[]int64{0, 1 << 40, 1}, nil, false},
		{[]int64{0, 6}, nil, false},
	} {
		got, ok := Ranges(c.triples, 8)
		if ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v, want %v, %v", c.triples, got, ok, c.want, c.ok)
		}
	}
}

func TestOutside(t *testing.T) {
	g := First(4)
	if _, ok := g.Incl([]int64{0, 4}); ok {
		t.Error("a rank outside is included")
	}
	if _, ok := g.Excl([]int64{-1}); ok {
		t.Error("a rank outside is excluded")
	}
	if g.String() != "{0, 1, 2, 3}" || (Group{}).String() != "{}" {
		t.Error(g, Group{})
	}
	if got := First(20).String(); got != "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, …}" {
		t.Error(got)
	}
}

// TestLarge checks that a group of a million processes takes a few bytes, also after a few are removed.
func TestLarge(t *testing.T) {
	g, ok := First(1 << 20).Excl([]int64{5, 1000})
	if !ok || g.Size() != 1<<20-2 || len(g.runs.Value()) != 3*runSize || g.Index(1001) != 999 {
		t.Errorf("%d processes in %d bytes", g.Size(), len(g.runs.Value()))
	}
}
