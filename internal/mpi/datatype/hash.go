package datatype

import "math/bits"

// Hash is a hash of a sequence of basic elements. Equal sequences have equal hashes. Different sequences of n elements
// have equal hashes with a probability of less than (n/2^61)². Hashes can be compared with ==. The zero Hash is the
// hash of the empty sequence.
//
// Like the operators of Gropp, Runtime Checking of Datatype Signatures in MPI (section 3), Concat is associative and
// not commutative. So the hash of a derived type follows from the hashes of its old types. Unlike Gropp's hash, this
// one is a polynomial modulo a prime, evaluated at two points. Its coefficients are the elements. It does not lose
// information by shifts that wrap around, or by symbols that cancel.
type Hash struct {
	// N is the number of elements.
	N int64

	a, b point
}

// point is the polynomial's value at one point x, and x^N. Both are 0 for the empty sequence.
type point struct{ value, power uint64 }

// prime is 2^61-1.
const prime = 1<<61 - 1

// The points are generators of the multiplicative group modulo prime, so that their powers repeat as late as possible.
const (
	pointA = 0x0f3a9c5d17be6404
	pointB = 0x14c7e8a2590d3b69
)

// hashBasic returns the hash of one element.
func hashBasic(name string) Hash {
	return Hash{
		N: 1,
		a: point{symbol(name, 0xcbf29ce484222325), pointA},
		b: point{symbol(name, 0x9e3779b97f4a7c15), pointB},
	}
}

// symbol maps a name to a number below prime, by FNV-1a and the mixing function of splitmix64.
func symbol(name string, seed uint64) uint64 {
	h := seed
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return (h ^ h>>31) % prime
}

// Sum64 folds the hash into one number.
func (h Hash) Sum64() uint64 {
	return (h.a.value ^ bits.RotateLeft64(h.b.value, 29)) + uint64(h.N)*0x9e3779b97f4a7c15
}

// Concat returns the hash of h's elements followed by g's elements.
func (h Hash) Concat(g Hash) Hash {
	switch {
	case h.N == 0:
		return g
	case g.N == 0:
		return h
	}
	return Hash{N: h.N + g.N, a: h.a.concat(g.a), b: h.b.concat(g.b)}
}

func (p point) concat(q point) point {
	return point{value: addMod(mulMod(p.value, q.power), q.value), power: mulMod(p.power, q.power)}
}

// Repeat returns the hash of n copies of h's elements, or of the empty sequence if n is not positive. It takes O(log n)
// steps.
func (h Hash) Repeat(n int64) Hash {
	if n == 1 {
		return h
	}
	var all Hash
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			all = all.Concat(h) // copies of one sequence commute
		}
		if n > 1 {
			h = h.Concat(h)
		}
	}
	return all
}

func mulMod(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return addMod(lo&prime, lo>>61|hi<<3)
}

// addMod adds two numbers that are at most prime. The result is below prime. It has no branch, because the processor
// could not predict it.
func addMod(x, y uint64) uint64 {
	s := x + y - prime
	return s + prime&uint64(int64(s)>>63)
}
