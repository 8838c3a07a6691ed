package datatype

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPending compares the results of Pending with comparisons of all buffers.
func TestPending(t *testing.T) {
	type held struct {
		buffer Buffer
		access Access
		handle Handle
	}
	property := func(t rapid.TB, roll dice) {
		p := Pending[int]{Reads: roll(0, 4) == 0}
		all := map[int]held{}
		types := []*Type{char, double}
		for range 6 {
			types = append(types, layoutType(roll, roll(1, 2)))
		}
		most := roll(1, 80)
		for step := range 3 * int(most) {
			b := Buffer{
				Base: uint64(roll(100000, 102000)), Count: roll.some(6),
				Type: types[roll(0, int64(len(types)-1))],
			}
			access := Access(roll(0, 1))
			var want, got []int
			for i, h := range all {
				if _, ok := FirstOverlap(b, h.buffer); ok && (p.Reads || access == Write || h.access == Write) {
					want = append(want, i)
				}
			}
			for i, o := range p.Overlapping(b, access) {
				got = append(got, i)
				if serialised(b)[o.First] != int64(o.Address) ||
					serialised(all[i].buffer)[o.Second] != int64(o.Address) {
					t.Fatalf("%+v is not shared", o)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%d pending: got %v, want %v", len(all), got, want)
			}
			for int64(len(all)) >= most {
				keys := slices.Sorted(maps.Keys(all))
				i := keys[roll(0, int64(len(keys)-1))]
				p.Remove(all[i].handle)
				delete(all, i)
			}
			all[step] = held{b, access, p.Add(b, access, step)}
		}
		for _, h := range all {
			p.Remove(h.handle)
		}
		if p.Len() != 0 {
			t.Fatalf("%d left after all are removed", p.Len())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		property(t, func(from, to int64) int64 { return rapid.Int64Range(from, to).Draw(t, "n") })
	})
	for seed := range uint64(40) {
		if property(t, evenly(seed)); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// BenchmarkPending compares a buffer with the pending buffers, adds it, and removes it.
func BenchmarkPending(b *testing.B) {
	for _, n := range []int{0, 1, 4, 16, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var p Pending[int]
			r := rand.New(rand.NewPCG(1, 1))
			handles := make([]Handle, n)
			for i, k := range r.Perm(n) {
				handles[i] = p.Add(Buffer{uint64(1<<20 + 100*k), 10, double}, Access(k%2), i)
			}
			found := 0
			b.ResetTimer()
			for i := range b.N {
				k := i * 7919 % (n + 1)
				buffer := Buffer{uint64(1<<20 + 100*k + 85), 1, double}
				for range p.Overlapping(buffer, Write) {
					found++
				}
				p.Remove(p.Add(buffer, Write, -1))
			}
			if found != 0 {
				b.Errorf("%d overlaps", found)
			}
		})
	}
}
