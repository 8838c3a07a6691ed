// Package gropp is the hash of type signatures of Gropp, Runtime Checking of Datatype Signatures in MPI, and the
// experiment of its section 3.2 that tells how often different signatures have one value. It is here to measure the hash
// that mpivet uses (package datatype) against it.
//
// Table 1 of the paper can only be repeated with guesses, as it does not say which basic types, which n and m, and which
// numbers for the types were used, nor whether the number of elements is compared with the rest of the value. If every
// ordered pair of different types takes part in patterns (5) and (6), the number of different signatures is a multiple of
// the number of types, and 4625 = 5·5·5·37 allows five types and not thirteen, the number of basic types in C of which
// the paper says that few are used. Then many sets of n and m give 4,625. Those here, [Ns] and [Ms], with types numbered
// from 1 and the number of elements compared, come closest to the paper's figures of some sixty that were tried: all
// rows have the magnitude of the paper's, and their order is the same but for the two rows of + with small operands.
//
// One of the paper's claims does not hold: circular shifts do not distribute over addition modulo 2^32 where a carry is
// lost, so that + with << is not quite associative, and equal signatures may have different values if types are built
// in different ways. The rows of + are for values computed element by element.
package gropp

import "math/bits"

// Value is the value of a type signature (section 3): a number and the number of basic elements.
type Value struct {
	Alpha uint32
	N     uint32
}

// Operators are what the paper writes + and <<: xor or integer addition modulo 2^32, and a rotation to the left by a
// number of bits for each element.
type Operators struct {
	Xor    bool
	Rotate int
}

// Concat is the paper's ⊕: the value of a's elements with b's behind them.
func (o Operators) Concat(a, b Value) Value {
	shifted := bits.RotateLeft32(b.Alpha, o.Rotate*int(a.N%32))
	if o.Xor {
		return Value{Alpha: a.Alpha ^ shifted, N: a.N + b.N}
	}
	return Value{Alpha: a.Alpha + shifted, N: a.N + b.N}
}

// Repeat is ⊕ over n copies of v, in O(log n) (section 3.1).
func (o Operators) Repeat(v Value, n int) Value {
	var all Value
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			all = o.Concat(all, v)
		}
		v = o.Concat(v, v)
	}
	return all
}

// Hash returns the value of a signature, element by element. Types are indices into numbers.
func (o Operators) Hash(signature []uint8, numbers []uint32) Value {
	var v Value
	for _, t := range signature {
		v = o.Concat(v, Value{Alpha: numbers[t], N: 1})
	}
	return v
}

// Types is the number of basic types in the signatures.
const Types = 5

// Ns are the values of n in the patterns (4) to (6), Ms those of m.
var (
	Ns = []int{2, 4, 8, 16, 32}
	Ms = evenUpTo(46)
)

func evenUpTo(last int) (list []int) {
	for m := 2; m <= last; m += 2 {
		list = append(list, m)
	}
	return list
}

// Signatures returns the signatures of the patterns (4) to (6), every one different: n copies of a type; m copies of a
// struct of one type and n-1 times another; one more of the first type before those.
func Signatures() [][]uint8 {
	var list [][]uint8
	for i := range uint8(Types) {
		for _, n := range Ns {
			list = append(list, repeat([]uint8{i}, n))
		}
		for j := range uint8(Types) {
			if i == j {
				continue
			}
			for _, n := range Ns {
				member := append([]uint8{i}, repeat([]uint8{j}, n-1)...)
				for _, m := range Ms {
					array := repeat(member, m)
					list = append(list, array, append([]uint8{i}, array...))
				}
			}
		}
	}
	return list
}

func repeat(s []uint8, n int) []uint8 {
	all := make([]uint8, 0, n*len(s))
	for range n {
		all = append(all, s...)
	}
	return all
}

// Quality counts collisions: the part of different signatures whose value is that of another one, and the part of the
// values that belong to several, in percent, as in the paper's Table 1.
func Quality[V comparable](values []V) (collisions, duplicates float64) {
	times := make(map[V]int)
	for _, v := range values {
		times[v]++
	}
	collided, duplicated := 0, 0
	for _, n := range times {
		if n > 1 {
			collided += n
			duplicated++
		}
	}
	return 100 * float64(collided) / float64(len(values)), 100 * float64(duplicated) / float64(len(times))
}

// Row is a row of the paper's Table 1.
type Row struct {
	Operators
	Medium                 bool    // types are numbers below 2^16, else below 32
	Collisions, Duplicates float64 // the paper's figures, in percent
}

// Table is the paper's Table 1.
var Table = []Row{
	{Operators{Xor: true, Rotate: 1}, false, 57.4, 13.4},
	{Operators{Xor: true, Rotate: 3}, false, 48.9, 10.5},
	{Operators{Xor: false, Rotate: 1}, false, 24.9, 11.5},
	{Operators{Xor: false, Rotate: 3}, false, 29.4, 10.3},
	{Operators{Xor: true, Rotate: 1}, true, 45.6, 9.8},
	{Operators{Xor: false, Rotate: 1}, true, 1.2, 0.58},
}

// draws is how many sets of medium numbers a row is measured with.
const draws = 20

// Measure returns a row's collisions and duplicates over the signatures: those of medium numbers are means over several
// draws.
func (r Row) Measure(signatures [][]uint8) (collisions, duplicates float64) {
	if !r.Medium {
		return r.measure(signatures, []uint32{1, 2, 3, 4, 5})
	}
	g := generator(1)
	for range draws {
		numbers := make([]uint32, Types)
		for i := range numbers {
			numbers[i] = g.next()
		}
		c, d := r.measure(signatures, numbers)
		collisions += c / draws
		duplicates += d / draws
	}
	return collisions, duplicates
}

func (r Row) measure(signatures [][]uint8, numbers []uint32) (collisions, duplicates float64) {
	values := make([]Value, len(signatures))
	for i, s := range signatures {
		values[i] = r.Hash(s, numbers)
	}
	return Quality(values)
}

// generator makes numbers below 2^16 that are the same in every run: Knuth's MMIX generator.
type generator uint64

func (g *generator) next() uint32 {
	*g = *g*6364136223846793005 + 1442695040888963407
	return uint32(*g >> 48)
}
