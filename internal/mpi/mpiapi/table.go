package mpiapi

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./gen

//go:embed api.txt
var text string

// table is the parsed api.txt.
type table struct {
	funcs  []*Func // by ID-1
	byName map[string]*Func
	skips  map[string]string // name to reason
}

var load = sync.OnceValue(func() *table {
	t, err := parse(text)
	if err != nil {
		panic("mpiapi: " + err.Error()) // impossible: the table is part of the program, and tests parse it
	}
	return t
})

var hashed = sync.OnceValue(func() []uint64 { return hashes(Funcs()) })

// Funcs returns all functions, ordered by ID. They are shared: don't change them.
func Funcs() []*Func { return load().funcs }

// ByName returns the function with the given C name, "MPI_Send", or nil.
func ByName(name string) *Func { return load().byName[name] }

// ByID returns the function with the given number, or nil. The numbers begin with 1.
func ByID(id FuncID) *Func {
	f := load().funcs
	if i := int(id) - 1; uint(i) < uint(len(f)) {
		return f[i]
	}
	return nil
}

// InABI reports whether the standard ABI has a function with the given C name (MPI standard 5.0, chapter 20). It has
// all functions of the standard that are not removed, except for those that convert handles and statuses of Fortran:
// they belong to the Fortran bindings.
func InABI(name string) bool {
	f := ByName(name)
	fortran := func(ctype string) bool {
		return strings.Contains(ctype, "MPI_Fint") || strings.Contains(ctype, "MPI_F08_status")
	}
	return f != nil && f.Since > 0 && f.Removed == 0 && !fortran(f.Result) &&
		!slices.ContainsFunc(f.Params, func(p Param) bool { return fortran(p.CType) })
}

// Skipped returns the reason why the function with the given C name is deliberately not in the table. It returns "" for
// all other names.
func Skipped(name string) string { return load().skips[name] }

// Hash identifies the numbering, layout and contents of call records.
func Hash() uint64 { return hash }

// Reads reports whether this table describes the call records of a program whose table has the given hash. That is so
// if this table begins with that of the writer: functions have been added since.
func Reads(hash uint64) bool { return slices.Contains(hashed(), hash) }
