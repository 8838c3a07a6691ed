package strided

import (
	"testing"

	"pgregory.net/rapid"
)

func TestFirstHit(t *testing.T) {
	for m := uint64(2); m < 24; m++ {
		for a := range m {
			for lo := uint64(1); lo < m; lo++ {
				for hi := lo; hi < m; hi++ {
					want, found := uint64(0), false
					for x := range m {
						if v := a * x % m; v >= lo && v <= hi {
							want, found = x, true
							break
						}
					}
					if got, ok := firstHit(a, m, lo, hi); ok != found || got != want {
						t.Fatalf("first x with %d ≤ %d·x mod %d ≤ %d: got %d, %v; want %d, %v", lo, a, m, hi, got, ok,
							want, found)
					}
				}
			}
		}
	}
}

// TestFirstHitOfLargeNumbers tests numbers near the limits of 64 bits. It checks that a·x ≡ lo (mod m).
func TestFirstHitOfLargeNumbers(t *testing.T) {
	const m = 1<<61 - 1 // a prime
	for _, x := range []uint64{2, 12345678901, 1 << 60, m - 1} {
		const a = 1<<59 + 12345
		lo := mulMod(a, x, m)
		if got, ok := firstHit(a, m, lo, lo); !ok || got != x {
			t.Errorf("got %d, %v; want %d", got, ok, x)
		}
	}
}

func mulMod(a, b, m uint64) uint64 {
	var r uint64
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			r = (r + a) % m
		}
		a = a * 2 % m
	}
	return r
}

func TestFormIsSolvedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type variable struct{ c, min, max int64 }
		num := func(lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, "n") }
		vars := make([]variable, num(0, 5))
		var f form
		f.reset()
		sums := map[int64]bool{0: true}
		for i := range vars {
			lo := num(-5, 5)
			vars[i] = variable{num(-70, 70), lo, lo + num(0, 6)}
			v := vars[i]
			f.add(v.c, v.min, v.max)
			next := map[int64]bool{}
			for s := range sums {
				for x := v.min; x <= v.max; x++ {
					next[s+v.c*x] = true
				}
			}
			sums = next
		}
		lo := num(-1500, 1500)
		hi := lo + num(-1, 30)
		want := false
		for s := lo; s <= hi; s++ {
			want = want || sums[s]
		}
		left := budget(steps)
		got := f.solve(lo, hi, &left)
		if got != want {
			t.Fatalf("%v between %d and %d: got %v, want %v", vars, lo, hi, got, want)
		}
		if !got {
			return
		}
		var sum int64
		for i, v := range vars {
			x := f.value(i)
			if x < v.min || x > v.max {
				t.Fatalf("%v: variable %d is %d", vars, i, x)
			}
			sum += v.c * x
		}
		if sum < lo || sum > hi {
			t.Fatalf("%v: sum %d is not between %d and %d", vars, sum, lo, hi)
		}
	})
}

// TestUnrelatedStrides compares two combs of a million teeth each with unrelated strides. The loop of the paper would
// visit every tooth.
func TestUnrelatedStrides(t *testing.T) {
	a := Interval(8).Repeat(1_000_000, 0, 1_000_003)
	b := Interval(8).Repeat(1_000_000, 0, 1_000_211)
	hit, ok := Meet(Copies{a, 1, 0}, Copies{b, 1, 0}, 500_000)
	if !ok || hit.At/1_000_003 != hit.First/8 || (hit.At-500_000)/1_000_211 != hit.Second/8 {
		t.Errorf("got %v, %v", hit, ok)
	}
	// Each comb is between the teeth of the other: both strides are multiples of 16.
	a, b = Interval(8).Repeat(1_000_000, 0, 1_000_016), Interval(8).Repeat(1_000_000, 0, 1_000_032)
	if hit, ok := Meet(Copies{a, 1, 0}, Copies{b, 1, 0}, 8); ok {
		t.Errorf("got %v", hit)
	}
}

// TestCombsAtEvenAndOddPlaces checks that the common divisor of all distances decides on combs of several levels that
// are otherwise unrelated.
func TestCombsAtEvenAndOddPlaces(t *testing.T) {
	comb := func(inner, outer int64) *Layout {
		return Interval(1).Repeat(1_000_000, 0, inner).Repeat(1_000_000, 0, outer)
	}
	a, b := comb(1_000_002, 2_000_000_000_014), comb(1_000_006, 2_000_000_000_022)
	if hit, ok := Meet(Copies{a, 1, 0}, Copies{b, 1, 0}, 1); ok {
		t.Errorf("got %v", hit)
	}
}
