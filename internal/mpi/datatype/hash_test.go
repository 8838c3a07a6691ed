package datatype

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

var signatures = flag.Int("signatures", 200_000, "random signatures to look for collisions among")

// TestHashOfRandomSignatures looks for different signatures with equal hashes:
// go test ./internal/mpi/datatype -run RandomSignatures -v -signatures 10000000.
func TestHashOfRandomSignatures(t *testing.T) {
	n := *signatures
	if testing.Short() {
		n = min(n, 20_000)
	}
	// 64 bits of its SHA-256 stand for a signature. That is enough, because only a few signatures have equal hashes.
	type pair struct {
		a, b  uint64
		n     int64
		check uint64
	}
	list := make([]pair, n)
	r := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf("MPI_TYPE_%d", i)
	}
	for i := range list {
		h, text := randomSignature(r, names)
		sum := sha256.Sum256(text)
		list[i] = pair{h.a.value, h.b.value, h.N, binary.LittleEndian.Uint64(sum[:])}
	}
	slices.SortFunc(list, func(x, y pair) int {
		return slices.Compare([]uint64{x.a, x.b, uint64(x.n)}, []uint64{y.a, y.b, uint64(y.n)})
	})
	different, collisions, halves := 0, 0, 0
	for i := range list {
		x := &list[i]
		if i == 0 {
			different++
			continue
		}
		y := &list[i-1]
		if x.check != y.check {
			different++
			if x.a == y.a {
				halves++
				if x.b == y.b && x.n == y.n {
					collisions++
				}
			}
		}
	}
	t.Logf("%d signatures, %d different: %d collisions, %d of the first half of the hash alone", n, different,
		collisions, halves)
	if collisions != 0 {
		t.Errorf("%d collisions", collisions)
	}
	if different < n/2 {
		t.Errorf("only %d of %d signatures are different", different, n)
	}
}

// randomSignature returns the hash of a signature of up to 16 runs, some of them repeated, and its text. Adjacent runs
// have different types, so that different texts mean different signatures.
func randomSignature(r *rand.Rand, names []string) (h Hash, text []byte) {
	last := -1
	for range 1 + r.IntN(16) {
		kind := r.IntN(len(names))
		if kind == last {
			continue
		}
		last = kind
		count := int64(1) << r.IntN(12)
		if r.IntN(2) == 0 {
			count = 1 + r.Int64N(4)
		}
		h = h.Concat(BasicFor(names[kind]).hash.Repeat(count))
		text = binary.AppendVarint(append(text, byte(kind)), count)
	}
	return h, text
}

// TestPointsAreGenerators checks that the powers of the points repeat only after prime-1 powers.
func TestPointsAreGenerators(t *testing.T) {
	p := new(big.Int).SetUint64(prime)
	order := new(big.Int).SetUint64(prime - 1)
	rest := uint64(prime - 1)
	for f := uint64(2); rest > 1; f++ {
		if rest%f != 0 {
			continue
		}
		for rest%f == 0 {
			rest /= f
		}
		e := new(big.Int).Div(order, new(big.Int).SetUint64(f))
		for _, x := range []uint64{pointA, pointB} {
			if new(big.Int).Exp(new(big.Int).SetUint64(x), e, p).IsUint64() &&
				new(big.Int).Exp(new(big.Int).SetUint64(x), e, p).Uint64() == 1 {
				t.Errorf("%#x has order (prime-1)/%d at most", x, f)
			}
		}
	}
}

func TestMulMod(t *testing.T) {
	p := new(big.Int).SetUint64(prime)
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		x, y := r.Uint64N(prime), r.Uint64N(prime)
		if r.IntN(10) == 0 {
			x = prime - 1 - r.Uint64N(2)
		}
		want := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(y))
		if got := mulMod(x, y); got != want.Mod(want, p).Uint64() {
			t.Fatalf("%d · %d = %d modulo 2^61-1, not %d", x, y, want, got)
		}
	}
}

func BenchmarkHashConcat(b *testing.B) {
	h, one := BasicFor("MPI_INT").hash, BasicFor("MPI_DOUBLE").hash
	for b.Loop() {
		h = h.Concat(one)
	}
}

func BenchmarkHashRepeatMillion(b *testing.B) {
	h := BasicFor("MPI_INT").hash
	for b.Loop() {
		h.Repeat(1_000_000)
	}
}

func benchmarkTypes(b *testing.B) (particle, other *Type) {
	b.Helper()
	i, d := Predefined("MPI_INT", 4), Predefined("MPI_DOUBLE", 8)
	make := func(lens []int64, types ...*Type) *Type {
		return must(Struct(lens, []int64{0, 8, 32}, types))
	}
	return make([]int64{1, 3, 2}, i, d, i), make([]int64{1, 1, 2}, i, must(Contiguous(3, d)), i)
}

// BenchmarkSign makes the signature of a struct of three blocks.
func BenchmarkSign(b *testing.B) {
	t, _ := benchmarkTypes(b)
	for b.Loop() {
		t.sign()
	}
}

func BenchmarkCompare(b *testing.B) {
	particle, other := benchmarkTypes(b)
	i, d := Predefined("MPI_INT", 4), Predefined("MPI_INT", 4)
	for _, c := range []struct {
		name       string
		send, recv Use
		want       Verdict
	}{
		{"same type", Use{particle, 10}, Use{particle, 10}, Matches},
		{"same basic type", Use{i, 10}, Use{d, 20}, Matches},
		{"equal structs", Use{particle, 1000}, Use{other, 1000}, Matches},
		{"partial receive", Use{particle, 1000}, Use{must(Contiguous(5000, other)), 1}, Matches},
		{
			"ends inside", Use{
				must(Struct([]int64{1, 2}, []int64{0, 8}, []*Type{i, Predefined("MPI_DOUBLE", 8)})),
				1,
			}, Use{particle, 1000}, Matches,
		},
		{"mismatch", Use{particle, 1000}, Use{i, 1000000}, Mismatch},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if Compare(c.send, c.recv, false).Verdict != c.want {
					b.Fatal(Compare(c.send, c.recv, false))
				}
			}
		})
	}
}
