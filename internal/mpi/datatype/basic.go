// Package datatype models MPI datatypes without calling MPI: their construction and layout, and whether data sent with
// one type may be received with another (MPI standard, section 3.3.1, type matching rules).
package datatype

import (
	"strings"
	"sync"
)

// Basic is a basic type, the type of elements of messages. There is one Basic for each basic type, so that pointers can
// be compared.
type Basic struct {
	Name     string // canonical: synonyms share one Basic
	Language Language
	Category Category

	hash Hash // of one element
}

// Language is the language whose variables a basic type describes.
type Language uint8

// The languages. Types of no language, such as MPI_BYTE and MPI_AINT, are the same in all of them.
const (
	NoLanguage Language = iota
	C
	Fortran
	CPlusPlus
)

// Category is a coarse kind of value. It decides on pairs of types of different languages: the standard (section
// 19.3.10 of MPI 4.0) lets a program receive an INTEGER as an int, but not as a double.
type Category uint8

// The categories.
const (
	OtherCategory Category = iota
	IntegerCategory
	FloatCategory
	ComplexCategory
	LogicalCategory
	CharacterCategory
)

// synonyms maps names to other names of the same type, as the standard defines them.
var synonyms = map[string]string{
	"MPI_LONG_LONG":       "MPI_LONG_LONG_INT",
	"MPI_C_FLOAT_COMPLEX": "MPI_C_COMPLEX",
}

var noLanguage = map[string]Category{
	"MPI_BYTE": OtherCategory, "MPI_PACKED": OtherCategory,
	"MPI_AINT": IntegerCategory, "MPI_OFFSET": IntegerCategory, "MPI_COUNT": IntegerCategory,
}

var fortranNames = map[string]Category{
	"MPI_INTEGER": IntegerCategory, "MPI_REAL": FloatCategory, "MPI_DOUBLE_PRECISION": FloatCategory,
	"MPI_COMPLEX": ComplexCategory, "MPI_DOUBLE_COMPLEX": ComplexCategory, "MPI_LOGICAL": LogicalCategory,
	"MPI_CHARACTER": CharacterCategory,
}

// basics are the Basics by name. Entries are never removed: all fields of a Basic follow from its name.
var basics sync.Map

// BasicFor returns the Basic of a predefined datatype's name ("MPI_INT").
func BasicFor(name string) *Basic {
	if c, ok := synonyms[name]; ok {
		name = c
	}
	if b, ok := basics.Load(name); ok {
		return b.(*Basic)
	}
	b, _ := basics.LoadOrStore(name, newBasic(name))
	return b.(*Basic)
}

func newBasic(name string) *Basic {
	b := &Basic{Name: name, Language: C, hash: hashBasic(name)}
	short := strings.TrimPrefix(name, "MPI_")
	if strings.ContainsRune(short, '(') {
		// A type with a precision and a range matches only types with the same precision and range (section 19.1.9).
		b.Language = NoLanguage
		return b
	}
	if c, ok := noLanguage[name]; ok {
		b.Language, b.Category = NoLanguage, c
		return b
	}
	if c, ok := fortranNames[name]; ok {
		b.Language, b.Category = Fortran, c
		return b
	}
	switch {
	case strings.HasPrefix(short, "CXX_"):
		b.Language = CPlusPlus
		switch {
		case strings.HasSuffix(short, "BOOL"):
			b.Category = LogicalCategory
		case strings.HasSuffix(short, "COMPLEX"):
			b.Category = ComplexCategory
		}
	case sized(short, "INTEGER"):
		b.Language, b.Category = Fortran, IntegerCategory
	case sized(short, "REAL"):
		b.Language, b.Category = Fortran, FloatCategory
	case sized(short, "COMPLEX"):
		b.Language, b.Category = Fortran, ComplexCategory
	case sized(short, "LOGICAL"):
		b.Language, b.Category = Fortran, LogicalCategory
	case strings.HasPrefix(short, "C_") && strings.HasSuffix(short, "COMPLEX"):
		b.Category = ComplexCategory
	case short == "C_BOOL":
		b.Category = LogicalCategory
	case short == "FLOAT" || short == "DOUBLE" || short == "LONG_DOUBLE":
		b.Category = FloatCategory
	case short == "CHAR" || short == "WCHAR":
		b.Category = CharacterCategory
	case short == "LB" || short == "UB":
		b.Language = NoLanguage
	default:
		b.Category = IntegerCategory
	}
	return b
}

// sized reports whether name is base followed by a size in bytes: INTEGER4.
func sized(name, base string) bool {
	rest, ok := strings.CutPrefix(name, base)
	return ok && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// String returns the name, "" for nil.
func (b *Basic) String() string {
	if b == nil {
		return ""
	}
	return b.Name
}
