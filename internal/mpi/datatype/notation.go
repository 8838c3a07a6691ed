package datatype

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The textual form of types, which docs/types.md describes: vector(3, 2, 4, INT).

// kindWords are the constructors' names in the textual form.
var kindWords = map[Kind]string{
	DupKind: "dup", ContiguousKind: "contiguous", VectorKind: "vector", HvectorKind: "hvector", IndexedKind: "indexed",
	HindexedKind: "hindexed", IndexedBlockKind: "indexed_block", HindexedBlockKind: "hindexed_block",
	StructKind:   "struct",
	SubarrayKind: "subarray", DarrayKind: "darray", ResizedKind: "resized", F90RealKind: "f90_real",
	F90ComplexKind: "f90_complex", F90IntegerKind: "f90_integer", Unknown: "unknown",
}

var (
	orderWords        = map[Order]string{OrderC: "C", OrderFortran: "FORTRAN"}
	distributionWords = map[Distribution]string{
		DistributeNone: "none", DistributeBlock: "block", DistributeCyclic: "cyclic",
	}
)

// defaultSizes are the sizes of predefined types in bytes, with C on 64-bit Linux, and default kinds of four bytes in
// Fortran. DefaultSize knows the sizes of types whose names contain the size.
var defaultSizes = map[string]int64{
	"MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_WCHAR": 4, "MPI_BYTE": 1, "MPI_PACKED": 1,
	"MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8,
	"MPI_LONG_LONG_INT": 8, "MPI_LONG_LONG": 8, "MPI_UNSIGNED_LONG_LONG": 8,
	"MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16,
	"MPI_INT8_T": 1, "MPI_INT16_T": 2, "MPI_INT32_T": 4, "MPI_INT64_T": 8,
	"MPI_UINT8_T": 1, "MPI_UINT16_T": 2, "MPI_UINT32_T": 4, "MPI_UINT64_T": 8,
	"MPI_AINT": 8, "MPI_OFFSET": 8, "MPI_COUNT": 8,
	"MPI_C_BOOL": 1, "MPI_C_COMPLEX": 8, "MPI_C_FLOAT_COMPLEX": 8,
	"MPI_C_DOUBLE_COMPLEX": 16, "MPI_C_LONG_DOUBLE_COMPLEX": 32,
	"MPI_CXX_BOOL": 1, "MPI_CXX_FLOAT_COMPLEX": 8,
	"MPI_CXX_DOUBLE_COMPLEX": 16, "MPI_CXX_LONG_DOUBLE_COMPLEX": 32,
	"MPI_INTEGER": 4, "MPI_REAL": 4, "MPI_DOUBLE_PRECISION": 8, "MPI_COMPLEX": 8, "MPI_DOUBLE_COMPLEX": 16,
	"MPI_LOGICAL": 4, "MPI_CHARACTER": 1,
	"MPI_2INT": 8, "MPI_FLOAT_INT": 8, "MPI_DOUBLE_INT": 12, "MPI_LONG_INT": 12,
	"MPI_SHORT_INT": 6, "MPI_LONG_DOUBLE_INT": 20,
	"MPI_2INTEGER": 8, "MPI_2REAL": 8, "MPI_2DOUBLE_PRECISION": 16,
	"MPI_2COMPLEX": 16, "MPI_2DOUBLE_COMPLEX": 32,
	"MPI_LB": 0, "MPI_UB": 0,
}

// DefaultSize returns the size in bytes of a predefined type ("MPI_INT") on x86-64 and aarch64 under Linux. It returns
// false if there is no such type.
func DefaultSize(name string) (int64, bool) {
	if size, ok := defaultSizes[name]; ok {
		return size, true
	}
	short, ok := strings.CutPrefix(name, "MPI_")
	if !ok {
		return 0, false
	}
	for _, base := range []string{"INTEGER", "REAL", "COMPLEX", "LOGICAL"} {
		if !sized(short, base) {
			continue
		}
		size, err := strconv.ParseInt(short[len(base):], 10, 64)
		least, most := int64(1), int64(16)
		switch base {
		case "REAL":
			least = 2
		case "COMPLEX":
			least, most = 4, 32
		}
		return size, err == nil && size >= least && size <= most && size&(size-1) == 0
	}
	return 0, false
}

// F90Size returns the size in bytes of the type that Fortran's selected_real_kind and selected_int_kind choose for p
// decimal digits and an exponent range of r. It returns -1 unless all compilers choose the same type: IEEE single or
// double precision, or an integer in two's complement. A negative p or r is MPI_UNDEFINED.
func F90Size(kind Kind, p, r int64) int64 {
	if kind == F90IntegerKind {
		for i, most := range []int64{2, 4, 9, 18} { // decimal digits of 1, 2, 4 and 8 bytes
			if r <= most {
				return 1 << i
			}
		}
		return -1
	}
	size := int64(-1)
	switch {
	case p <= 6 && r <= 37:
		size = 4
	case p <= 15 && r <= 307:
		size = 8
	}
	if kind == F90ComplexKind && size > 0 {
		size *= 2
	}
	return size
}

// Format returns the textual form of t, in one line. Parse can read it. Types that are used more than once get a name.
// The text contains all arguments of the constructors, so a type of thousands of blocks has a long text.
func Format(t *Type) string {
	f := formatter{names: map[*Type]string{}}
	for i, shared := range sharedTypes(t) {
		name := fmt.Sprintf("t%d", i+1)
		f.WriteString(name + " = ")
		f.constructor(shared)
		f.WriteString("; ")
		f.names[shared] = name
	}
	f.text(t)
	return f.String()
}

// sharedTypes returns the derived types that are used several times in t. A type comes after the types that it uses.
func sharedTypes(t *Type) []*Type {
	var order []*Type
	uses := map[*Type]int{}
	var visit func(*Type)
	visit = func(t *Type) {
		if t == nil || t.Kind == Named || t.Kind == Unknown {
			return
		}
		uses[t]++
		if uses[t] > 1 {
			return
		}
		for _, old := range t.Olds {
			visit(old)
		}
		order = append(order, t)
	}
	visit(t)
	return slices.DeleteFunc(order, func(t *Type) bool { return uses[t] < 2 })
}

type formatter struct {
	strings.Builder
	names map[*Type]string
}

// text writes the name of t, or its constructor if it has no name.
func (f *formatter) text(t *Type) {
	switch {
	case t == nil || t.Kind == Unknown:
		f.WriteString("unknown")
	case t.Kind == Named:
		f.WriteString(formatNamed(t))
	case f.names[t] != "":
		f.WriteString(f.names[t])
	default:
		f.constructor(t)
	}
}

func formatNamed(t *Type) string {
	size, known := DefaultSize(t.Basic.Name)
	switch {
	case !known:
		return fmt.Sprintf("%s:%d", t.Basic.Name, t.Size)
	case size != t.Size:
		return fmt.Sprintf("%s:%d", t.kindName(), t.Size)
	}
	return t.kindName()
}

func (f *formatter) constructor(t *Type) {
	if t.Kind == StructKind {
		f.structure(t)
		return
	}
	f.WriteString(kindWords[t.Kind] + "(")
	f.WriteString(strings.Join(formatArgs(t), ", "))
	if len(t.Olds) > 0 {
		if t.Kind != DupKind {
			f.WriteString(", ")
		}
		f.text(t.Olds[0])
	}
	f.WriteString(")")
	if g := &t.Args; len(t.Olds) == 0 && t.Size != F90Size(t.Kind, g.P, g.R) {
		fmt.Fprintf(f, ":%d", t.Size)
	}
}

// formatArgs returns the arguments of t's constructor in MPI's order, without the old type.
func formatArgs(t *Type) []string {
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	g := &t.Args
	switch t.Kind {
	case ContiguousKind:
		return []string{num(g.Count)}
	case VectorKind, HvectorKind:
		return []string{num(g.Count), num(g.Blocklength), num(g.Stride)}
	case IndexedKind, HindexedKind:
		return []string{formatList(g.Blocklengths), formatList(g.Displacements)}
	case IndexedBlockKind, HindexedBlockKind:
		return []string{num(g.Blocklength), formatList(g.Displacements)}
	case SubarrayKind:
		return []string{formatList(g.Sizes), formatList(g.Subsizes), formatList(g.Starts), orderWords[g.Order]}
	case DarrayKind:
		return []string{
			num(g.Size), num(g.Rank), formatList(g.Sizes), formatDistributions(g), formatList(g.Psizes),
			orderWords[g.Order],
		}
	case ResizedKind:
		return []string{num(g.LB), num(g.Extent)}
	case F90RealKind, F90ComplexKind:
		return []string{num(g.P), num(g.R)}
	case F90IntegerKind:
		return []string{num(g.R)}
	}
	return nil
}

// structure writes struct{2*INT @0, DOUBLE @8}.
func (f *formatter) structure(t *Type) {
	f.WriteString("struct{")
	for i, old := range t.Olds {
		if i > 0 {
			f.WriteString(", ")
		}
		if n := t.Args.Blocklengths[i]; n != 1 {
			fmt.Fprintf(f, "%d*", n)
		}
		f.text(old)
		fmt.Fprintf(f, " @%d", t.Args.Displacements[i])
	}
	f.WriteString("}")
}

func formatList(ns []int64) string {
	b := []byte{'['}
	for i, n := range ns {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

// formatDistributions writes [block, cyclic(2)]: the distributions with their arguments.
func formatDistributions(g *Args) string {
	words := make([]string, len(g.Distributions))
	for i, d := range g.Distributions {
		words[i] = distributionWords[d]
		if g.Dargs[i] != DefaultDarg {
			words[i] += fmt.Sprintf("(%d)", g.Dargs[i])
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}
