package datatype

import (
	"fmt"
	"math"
	"math/bits"
)

// Kind is the constructor of a type. The names are those of the combiners (MPI 4.0, section 5.1.13).
type Kind uint8

// The kinds.
const (
	Named Kind = iota // predefined
	DupKind
	ContiguousKind
	VectorKind
	HvectorKind
	IndexedKind
	HindexedKind
	IndexedBlockKind
	HindexedBlockKind
	StructKind
	SubarrayKind
	DarrayKind
	ResizedKind
	F90RealKind
	F90ComplexKind
	F90IntegerKind
	Unknown // the constructor is not known, and so nothing about the type is
)

var kindNames = [...]string{
	"NAMED", "DUP", "CONTIGUOUS", "VECTOR", "HVECTOR", "INDEXED", "HINDEXED", "INDEXED_BLOCK", "HINDEXED_BLOCK",
	"STRUCT", "SUBARRAY", "DARRAY", "RESIZED", "F90_REAL", "F90_COMPLEX", "F90_INTEGER", "UNKNOWN",
}

// String returns the combiner's name without MPI_COMBINER_: "STRUCT".
func (k Kind) String() string { return kindNames[k] }

// Order is the storage order of the arrays of subarray and darray.
type Order uint8

// The orders: MPI_ORDER_C is row-major.
const (
	OrderC Order = iota
	OrderFortran
)

// Distribution is how darray distributes one dimension to the processes.
type Distribution uint8

// The distributions.
const (
	DistributeNone Distribution = iota
	DistributeBlock
	DistributeCyclic
)

// DefaultDarg is MPI_DISTRIBUTE_DFLT_DARG.
const DefaultDarg = math.MinInt64

// Args are a constructor's arguments, unchanged from the program. A Kind uses only some of them.
type Args struct {
	Count         int64
	Blocklength   int64 // vector, hvector, (h)indexed_block
	Stride        int64 // vector: in extents of the old type; hvector: in bytes
	Blocklengths  []int64
	Displacements []int64 // indexed, indexed_block: in extents of the old type; else in bytes
	Sizes         []int64 // subarray: sizes; darray: gsizes
	Subsizes      []int64
	Starts        []int64
	Distributions []Distribution
	Dargs         []int64
	Psizes        []int64
	Size, Rank    int64 // darray
	Order         Order
	LB, Extent    int64 // resized
	P, R          int64 // f90 types
}

// Type is a datatype: a node of the meta type-tree (the paper on MUST's datatype checks, section IV.A). It is immutable
// and not tied to a handle: processes that construct equal types may share it. In Compare, a nil *Type is an unknown
// type.
type Type struct {
	Kind  Kind
	Basic *Basic  // of a Named type that is one element, and of F90 types
	Args  Args    // of a derived type
	Olds  []*Type // the old types: none for Named, one per block for struct, else one

	// Size is the number of bytes of data, -1 if the type is unknown.
	Size int64
	// LB and UB are the lower and the upper bound. Extent is their distance, and so the distance of the copies in an
	// array (section 5.1.6).
	LB, UB int64
	// TrueLB and TrueUB bound the bytes of the data (section 5.1.8). Both are 0 if there are no data.
	TrueLB, TrueUB int64
	// Elements is the number of basic elements.
	Elements int64
	// Depth is the number of stages above the deepest basic type.
	Depth int

	stage          *Stage // nil for one basic element and for Unknown
	lbMark, ubMark bool   // the bounds are explicit, and types made from it inherit them (MPI_LB, MPI_UB, resized, …)
	data           bool   // it has elements
	dialect        Dialect
	align          int64  // strictest alignment of its basic types
	only           *Basic // its only basic type, nil if there are several or none

	cache
}

// Extent is the distance between the copies of the type in an array.
func (t *Type) Extent() int64 { return t.UB - t.LB }

// Predefined reports whether the type is predefined by MPI.
func (t *Type) Predefined() bool { return t.Kind == Named }

// Stage is a node of the expanded type-tree (the paper on MUST's datatype checks, section IV.B), with folded children:
// it has the number and the displacements of the copies of a type or of another stage. Displacements are in bytes. A
// stage is regular (Of or Old is repeated) or a list of blocks.
type Stage struct {
	// N is the number of children.
	N int64
	// First is the displacement of child 0. Children form groups of Group children. The children of a group are Stride
	// apart, and the groups are Jump apart: child i is at First + i/Group·Jump + i%Group·Stride. Group is N if there
	// is only one group.
	First, Stride, Group, Jump int64
	// Of or Old is the child, exactly one of them unless Blocks is set.
	Of  *Stage
	Old *Type
	// Blocks lists the children of an irregular stage: block i is a stage of consecutive copies of a type.
	Blocks *Blocks

	elements int64 // of the whole stage
	size     int64 // bytes of data of the whole stage
}

// Blocks are the blocks of indexed and struct types: block i has Len(i) copies of Type(i), the first at At[i].
type Blocks struct {
	At     []int64
	Lens   []int64 // nil: every block has Length
	Length int64
	Types  []*Type // nil: every block consists of Old
	Old    *Type

	before []int64 // elements before block i, and the sum in one more entry; nil if all blocks have equally many
	bytes  []int64 // the same for bytes of data
}

// Len returns the number of copies in block i.
func (b *Blocks) Len(i int) int64 {
	if b.Lens == nil {
		return b.Length
	}
	return b.Lens[i]
}

// Type returns the type that block i consists of.
func (b *Blocks) Type(i int) *Type {
	if b.Types == nil {
		return b.Old
	}
	return b.Types[i]
}

// Stage returns the root of the expanded tree, nil for a type of one basic element.
func (t *Type) Stage() *Stage { return t.stage }

// At returns the displacement of child i relative to that of the stage.
func (s *Stage) At(i int64) int64 {
	if s.Blocks != nil {
		return s.Blocks.At[i]
	}
	if s.Group >= s.N || s.Group == 0 {
		return s.First + i*s.Stride
	}
	return s.First + i/s.Group*s.Jump + i%s.Group*s.Stride
}

// Block returns block i of an irregular stage as a stage. The displacements of its copies are relative to the block.
func (s *Stage) Block(i int64) Stage {
	b := s.Blocks
	n, old := b.Len(int(i)), b.Type(int(i))
	return Stage{N: n, Group: n, Stride: old.Extent(), Old: old, elements: n * old.Elements, size: n * max(old.Size, 0)}
}

// Elements returns the number of basic elements below the stage.
func (s *Stage) Elements() int64 { return s.elements }

// Bytes returns the number of bytes of data below the stage.
func (s *Stage) Bytes() int64 { return s.size }

// Before returns the number of basic elements, and of bytes of data, before child i.
func (s *Stage) Before(i int64) (elements, bytes int64) {
	if b := s.Blocks; b != nil {
		if b.before == nil {
			return i * b.Length * b.Old.Elements, i * b.Length * max(b.Old.Size, 0)
		}
		return b.before[i], b.bytes[i]
	}
	if s.N == 0 {
		return 0, 0
	}
	return i * (s.elements / s.N), i * (s.size / s.N)
}

// ArgumentError says which argument of a constructor is invalid according to the standard.
type ArgumentError struct {
	Param string // name of the parameter in the standard: array_of_blocklengths
	Index int    // of the array's element, -1 if the parameter is not an array, or if the error is about all of it
	Value int64
	Why   string // "is negative"
	Null  bool   // the array is a null pointer, and Value is not set
}

func (e *ArgumentError) Error() string {
	if e.Null {
		return e.Param + " is a null pointer"
	}
	if e.Index >= 0 {
		return fmt.Sprintf("%s[%d] = %d %s", e.Param, e.Index, e.Value, e.Why)
	}
	return fmt.Sprintf("%s = %d %s", e.Param, e.Value, e.Why)
}

func wrong(param string, index int, value int64, why string) error {
	return &ArgumentError{Param: param, Index: index, Value: value, Why: why}
}

// tooLargeError is the error of types that can't exist, because their size or extent exceeds MPI_Count.
type tooLargeError struct{}

func (tooLargeError) Error() string { return "the datatype is larger than an MPI_Count can tell" }

// ErrTooLarge means that a type's size, extent or number of elements exceeds 63 bits.
var ErrTooLarge error = tooLargeError{}

// arith computes with 64-bit numbers, and remembers whether a result was out of range.
type arith struct{ over bool }

func (a *arith) mul(x, y int64) int64 {
	hi, lo := bits.Mul64(uint64(abs(x)), uint64(abs(y)))
	if hi != 0 || lo > math.MaxInt64/4 || x == math.MinInt64 || y == math.MinInt64 {
		a.over = true
		return 0
	}
	if (x < 0) != (y < 0) {
		return -int64(lo)
	}
	return int64(lo)
}

func (a *arith) add(x, y int64) int64 {
	s := x + y
	if s > math.MaxInt64/4 || s < -math.MaxInt64/4 || (s > x) != (y > 0) && y != 0 {
		a.over = true
		return 0
	}
	return s
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}
