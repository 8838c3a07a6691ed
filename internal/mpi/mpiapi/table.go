package mpiapi

import (
	_ "embed"
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
		panic("mpiapi: " + err.Error()) // the table is part of the program, and tested
	}
	return t
})

var hashed = sync.OnceValue(func() uint64 { return hash(Funcs()) })

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

// Skipped returns why the function with the given C name is deliberately not in the table, or "" if it is not one of
// those.
func Skipped(name string) string { return load().skips[name] }

// Hash identifies what the table says about numbering, layout and contents of call records. Records may be read only
// by a program whose table has the same hash.
func Hash() uint64 { return hashed() }
