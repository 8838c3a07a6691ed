package datatype

import (
	"fmt"
	"strings"
)

// pairs are the predefined types of a value and an index (section 6.9.4), with the names of their two basic types. For
// matching, they are structs of two elements.
var pairs = map[string][2]string{
	"MPI_2INT":              {"MPI_INT", "MPI_INT"},
	"MPI_FLOAT_INT":         {"MPI_FLOAT", "MPI_INT"},
	"MPI_DOUBLE_INT":        {"MPI_DOUBLE", "MPI_INT"},
	"MPI_LONG_INT":          {"MPI_LONG", "MPI_INT"},
	"MPI_SHORT_INT":         {"MPI_SHORT", "MPI_INT"},
	"MPI_LONG_DOUBLE_INT":   {"MPI_LONG_DOUBLE", "MPI_INT"},
	"MPI_2INTEGER":          {"MPI_INTEGER", "MPI_INTEGER"},
	"MPI_2REAL":             {"MPI_REAL", "MPI_REAL"},
	"MPI_2DOUBLE_PRECISION": {"MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION"},
	"MPI_2COMPLEX":          {"MPI_COMPLEX", "MPI_COMPLEX"},
	"MPI_2DOUBLE_COMPLEX":   {"MPI_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX"},
}

// Predefined returns the predefined type of the given name ("MPI_DOUBLE_INT") and size in bytes, -1 if the size is not
// known. Each call returns a new *Type. A caller that compares pointers must keep the first one.
func Predefined(name string, size int64) *Type {
	if name == "MPI_LB" || name == "MPI_UB" {
		lower := name == "MPI_LB"
		return &Type{Kind: Named, Args: Args{}, Basic: BasicFor(name), lbMark: lower, ubMark: !lower}
	}
	if p, ok := pairs[name]; ok {
		first, second := size/2, size-size/2
		if strings.HasSuffix(name, "_INT") {
			first, second = size-4, 4
		}
		return pair(name, p, first, second)
	}
	return element(BasicFor(name), size)
}

func pair(name string, of [2]string, first, second int64) *Type {
	a, b := Predefined(of[0], first), Predefined(of[1], second)
	if first <= 0 || second <= 0 {
		return (&Type{Basic: BasicFor(name)}).asUnknown()
	}
	at := (first + b.align - 1) / b.align * b.align
	t, err := Struct([]int64{1, 1}, []int64{0, at}, []*Type{a, b})
	if err != nil {
		return UnknownType()
	}
	t.Kind, t.Args, t.Olds, t.Basic = Named, Args{}, nil, BasicFor(name)
	return t
}

func element(b *Basic, size int64) *Type {
	if size < 0 {
		return (&Type{Basic: b}).asUnknown()
	}
	t := &Type{Basic: b, Size: size, Elements: 1, UB: size, TrueUB: size, data: true, only: b, align: 1}
	if b.Category == ComplexCategory {
		size /= 2
	}
	if size > 0 && size <= 16 && size&(size-1) == 0 && b.Name != "MPI_PACKED" {
		t.align = size
	}
	return t
}

func f90(kind Kind, p, r, size int64) *Type {
	what := map[Kind]string{F90RealKind: "REAL", F90ComplexKind: "COMPLEX", F90IntegerKind: "INTEGER"}[kind]
	name := fmt.Sprintf("MPI_%s(p=%d,r=%d)", what, p, r)
	if kind == F90IntegerKind {
		name = fmt.Sprintf("MPI_%s(r=%d)", what, r)
	}
	t := element(BasicFor(name), size)
	t.Kind, t.Args = kind, Args{P: p, R: r}
	return t
}

// Name is the name of a predefined type in the standard, "" for other types.
func (t *Type) Name() string {
	if t == nil || t.Basic == nil {
		return ""
	}
	return t.Basic.Name
}
