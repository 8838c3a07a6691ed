package datatype

// Dialect says which rules for the bounds of types (MPI 4.0, section 5.1.6) an MPI library follows, so that extents are
// those of the library. Predefined types have a dialect, and derived types inherit it. The tests of package mpitest
// know where a library differs from its dialect.
type Dialect uint8

// The dialects.
const (
	// Standard follows the standard, as Open MPI does. Every type that is made from a type with explicit bounds
	// inherits these bounds. The extents of types without explicit bounds are rounded up to the alignment of their
	// elements.
	Standard Dialect = iota
	// MPICH4 is the dialect of MPICH 4. A struct does not inherit explicit bounds. Only structs are rounded up, unless
	// they contain MPI_LB or MPI_UB, or all their blocks are of one type.
	MPICH4
)

// Predefined returns a type as the function Predefined does, for an MPI library of the dialect.
func (d Dialect) Predefined(name string, size int64) *Type {
	t := Predefined(name, size)
	t.dialect = d
	return t
}

func dialectOf(olds []*Type) Dialect {
	d := Standard
	for _, o := range olds {
		d = max(d, o.dialect)
	}
	return d
}

// sticks reports whether a struct inherits the explicit bounds of old.
func sticks(old *Type) bool { return old.dialect != MPICH4 || old.Kind == Named }

// rounded reports whether a type without an explicit upper bound is rounded up to its alignment.
func (t *Type) rounded() bool {
	if t.dialect != MPICH4 {
		return true
	}
	if t.Kind != StructKind || t.lbMark {
		return false
	}
	first := t.Olds[0]
	for _, o := range t.Olds {
		alike := single(o) && single(first) && o.Size == first.Size && o.Basic.Category == first.Basic.Category
		if o != first && !alike {
			return true
		}
	}
	return false
}

// single reports whether a type is one basic element.
func single(t *Type) bool { return t.Kind == Named && t.Elements == 1 }
