package datatype

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// irregular returns a type of n doubles at irregular displacements, 2 to 8 doubles apart. There is no double at 0.
func irregular(n int, seed uint64) *Type {
	r := rand.New(rand.NewPCG(seed, 1))
	at := make([]int64, n)
	var next int64
	for i := range at {
		next += 2 * (1 + r.Int64N(4))
		at[i] = next
	}
	return made(Resized(0, int64(64*n+16), made(IndexedBlock(1, at, double))))
}

// BenchmarkIrregular makes the layout of n irregular blocks. It compares interleaved buffers without overlap, of one
// copy and of a thousand copies.
func BenchmarkIrregular(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		t, u := irregular(n, 1), irregular(n, 2)
		b.Run(fmt.Sprintf("n=%d/making", n), func(b *testing.B) {
			for b.Loop() {
				layoutOf(t.Olds[0])
			}
		})
		for _, copies := range []int64{1, 1000} {
			b.Run(fmt.Sprintf("n=%d/checking/copies=%d", n, copies), func(b *testing.B) {
				for b.Loop() {
					if _, ok := FirstOverlap(Buffer{1 << 20, copies, t}, Buffer{1<<20 + 8, copies, u}); ok {
						b.Fatal("overlap")
					}
				}
			})
		}
	}
}
