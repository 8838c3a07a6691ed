package generate

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// derived is a datatype that a rank has made: copies of a pattern of basic datatypes.
type derived struct {
	value   Variable
	pattern []Word
	copies  int
	extent  int // bytes, at most
}

// payload is the content of a message or of a part of a collective: copies of a pattern of basic datatypes.
type payload struct {
	pattern []Word
	copies  int
}

// room is the arguments for a buffer: a number of elements of a datatype, and their maximum size in bytes.
type room struct {
	count  int
	typ    Value
	extent int
	bytes  int // of the data
}

// patterns are the contents of messages. Those of the first tags are fixed, so that such messages can match any receive
// with the same tag.
var patterns = [][]Word{
	{"MPI_INT"},
	{"MPI_DOUBLE"},
	{"MPI_CHAR"},
	{"MPI_INT", "MPI_DOUBLE"},
	{"MPI_FLOAT"},
	{"MPI_BYTE"},
	{"MPI_SHORT", "MPI_SHORT", "MPI_LONG"},
	{"MPI_UNSIGNED"},
}

func (p payload) bytes() int {
	n := 0
	for _, w := range p.pattern {
		n += sizes[w]
	}
	return n * p.copies
}

// as returns arguments for p at rank r. It makes a datatype if necessary.
func (b *builder) as(r int, p payload) room {
	k := b.ranks[r]
	if len(p.pattern) == 1 && !b.chance(3) {
		return room{p.copies, p.pattern[0], p.copies * sizes[p.pattern[0]], p.bytes()}
	}
	var fit []derived
	for _, t := range k.types {
		if slices.Equal(t.pattern, p.pattern) && p.copies%t.copies == 0 {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 || b.chance(4) {
		fit = []derived{b.newType(r, p)}
	}
	t := pick(b, fit)
	n := p.copies / t.copies
	return room{n, t.value, n * t.extent, p.bytes()}
}

// newType makes rank r construct and commit a datatype. A number of its elements has the content of p.
func (b *builder) newType(r int, p payload) derived {
	t := derived{pattern: p.pattern, copies: max(p.copies, 1)}
	if p.copies > 1 && p.copies%2 == 0 && b.chance(2) {
		t.copies = p.copies / 2
	}
	k := b.ranks[r]
	old, extent := Value(p.pattern[0]), sizes[p.pattern[0]]
	if len(p.pattern) > 1 {
		old, extent = b.structure(r, p.pattern)
	}
	inner := old
	t.value, t.extent = b.construct(r, old, t.copies, extent)
	if _, derived := inner.(Variable); derived {
		b.call(r, "MPI_Type_free", Args{"datatype": inner})
	}
	b.call(r, "MPI_Type_commit", Args{"datatype": t.value})
	k.types = append(k.types, t)
	return t
}

func (b *builder) typeVariable() Variable {
	n := b.p.Variables[mpiapi.Datatype]
	b.count(mpiapi.Datatype, n+1)
	return Variable{mpiapi.Datatype, n}
}

// structure makes a struct with one element of each type.
func (b *builder) structure(r int, pattern []Word) (Value, int) {
	v := b.typeVariable()
	var ones, at []int
	var types Types
	end := 0
	for _, w := range pattern {
		ones, at, types = append(ones, 1), append(at, end), append(types, w)
		end += 8 * (1 + b.rng.IntN(2))
	}
	b.call(r, "MPI_Type_create_struct", Args{
		"count": Number(len(pattern)), "array_of_blocklengths": Numbers(ones), "array_of_displacements": Numbers(at),
		"array_of_types": types, "newtype": v,
	})
	return v, end + 8
}

// construct makes a datatype of n copies of old, in the order of their addresses.
func (b *builder) construct(r int, old Value, n, extent int) (Variable, int) {
	v := b.typeVariable()
	a := Args{"oldtype": old, "newtype": v}
	block := 1
	if n%2 == 0 && b.chance(2) {
		block = 2
	}
	blocks := n / block
	var lengths, at, bytes []int
	end := 0
	for range blocks {
		lengths, at, bytes = append(lengths, block), append(at, end), append(bytes, end*extent)
		end += block + b.rng.IntN(2)
	}
	// Gaps are at most as long as the data.
	size := 2*n*extent + extent
	switch b.rng.IntN(8) {
	case 0:
		b.call(r, "MPI_Type_contiguous", a.with("count", Number(n)))
	case 1:
		a["count"], a["blocklength"], a["stride"] = Number(blocks), Number(block), Number(block+b.rng.IntN(2))
		b.call(r, "MPI_Type_vector", a)
	case 2:
		a["count"], a["blocklength"], a["stride"] = Number(blocks), Number(block), Number((block+b.rng.IntN(2))*extent)
		b.call(r, "MPI_Type_create_hvector", a)
	case 3:
		a["count"], a["array_of_blocklengths"], a["array_of_displacements"] = Number(blocks),
			Numbers(lengths), Numbers(at)
		b.call(r, "MPI_Type_indexed", a)
	case 4:
		a["count"], a["array_of_blocklengths"], a["array_of_displacements"] = Number(blocks),
			Numbers(lengths), Numbers(bytes)
		b.call(r, "MPI_Type_create_hindexed", a)
	case 5:
		a["count"], a["blocklength"], a["array_of_displacements"] = Number(blocks), Number(block), Numbers(at)
		b.call(r, "MPI_Type_create_indexed_block", a)
	case 6:
		types := make(Types, blocks)
		for i := range types {
			types[i] = old
		}
		b.call(r, "MPI_Type_create_struct", Args{
			"count": Number(blocks), "array_of_blocklengths": Numbers(lengths),
			"array_of_displacements": Numbers(bytes),
			"array_of_types":         types, "newtype": v,
		})
	case 7:
		inner := v
		b.call(r, "MPI_Type_contiguous", a.with("count", Number(n)))
		v = b.typeVariable()
		if b.chance(2) {
			b.call(r, "MPI_Type_dup", Args{"oldtype": inner, "newtype": v})
		} else {
			b.call(r, "MPI_Type_create_resized",
				Args{"oldtype": inner, "lb": Number(0), "extent": Number(size), "newtype": v})
		}
		b.call(r, "MPI_Type_free", Args{"datatype": inner})
	}
	return v, size
}

// operation makes rank r create a reduction operation.
func (b *builder) operation(r int) Value {
	k := b.ranks[r]
	if len(k.ops) == 0 {
		v := len(k.ops)
		b.count(mpiapi.Op, v+1)
		b.call(r, "MPI_Op_create", Args{"user_fn": UserFunction{}, "commute": Number(1), "op": Variable{mpiapi.Op, v}})
		k.ops = append(k.ops, v)
	}
	return Variable{mpiapi.Op, pick(b, k.ops)}
}
