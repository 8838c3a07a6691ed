package datatype

// Dialect says which rules for the bounds of types (MPI 4.0, section 5.1.6) an MPI library follows. Predefined types have
// one, and those that are made of them inherit it: a type's extent is what MPI makes of it. Where each library departs
// from its dialect is in the tests of package mpitest.
type Dialect uint8

// The dialects.
const (
	// Standard is as the standard says: explicit bounds stick, which means that they are bounds of all that a type with
	// such bounds becomes part of; types without are rounded up to the alignment of what they consist of. So does Open MPI.
	Standard Dialect = iota
	// MPICH4 is that of MPICH 4: explicit bounds are forgotten when the type becomes part of a struct; and only structs are
	// rounded up, unless they have MPI_LB or MPI_UB in them, or all their blocks are of one type.
	MPICH4
)

// Predefined returns the predefined type of the given name and size, as the function Predefined does, for an MPI library
// of the dialect.
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

// sticks reports whether the explicit bounds of old are bounds of the struct that it becomes part of.
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
		if o != first && !(single(o) && single(first) && o.Size == first.Size && o.Basic.Category == first.Basic.Category) {
			return true
		}
	}
	return false
}

// single reports whether a type is one basic element.
func single(t *Type) bool { return t.Kind == Named && t.Elements == 1 }
