package datatype

import "strings"

// combiners are the kinds by their names in the API table.
var combiners = func() map[string]Kind {
	m := make(map[string]Kind)
	for k := DupKind; k < Unknown; k++ {
		m[strings.ToLower(k.String())] = k
	}
	return m
}()

// KindOf returns the kind of a combiner as the API table writes it: "indexed_block". It returns Named for other texts.
func KindOf(combiner string) Kind { return combiners[combiner] }

// numberArgs and arrayArgs say where parameters are stored, by their names in the standard.
var (
	numberArgs = map[string]func(*Args) *int64{
		"count":       func(a *Args) *int64 { return &a.Count },
		"ndims":       func(a *Args) *int64 { return &a.Count },
		"blocklength": func(a *Args) *int64 { return &a.Blocklength },
		"stride":      func(a *Args) *int64 { return &a.Stride },
		"size":        func(a *Args) *int64 { return &a.Size },
		"rank":        func(a *Args) *int64 { return &a.Rank },
		"lb":          func(a *Args) *int64 { return &a.LB },
		"extent":      func(a *Args) *int64 { return &a.Extent },
		"p":           func(a *Args) *int64 { return &a.P },
		"r":           func(a *Args) *int64 { return &a.R },
	}
	arrayArgs = map[string]func(*Args) *[]int64{
		"array_of_blocklengths":  func(a *Args) *[]int64 { return &a.Blocklengths },
		"array_of_displacements": func(a *Args) *[]int64 { return &a.Displacements },
		"array_of_sizes":         func(a *Args) *[]int64 { return &a.Sizes },
		"array_of_gsizes":        func(a *Args) *[]int64 { return &a.Sizes },
		"array_of_subsizes":      func(a *Args) *[]int64 { return &a.Subsizes },
		"array_of_starts":        func(a *Args) *[]int64 { return &a.Starts },
		"array_of_dargs":         func(a *Args) *[]int64 { return &a.Dargs },
		"array_of_psizes":        func(a *Args) *[]int64 { return &a.Psizes },
	}
)

// NumberArg returns where the value of a constructor's parameter is stored, by the parameter's name in the standard. It
// returns nil if the parameter is not a number: "order" is a constant.
func NumberArg(param string) func(*Args) *int64 { return numberArgs[param] }

// ArrayArg returns where the elements of a constructor's parameter are stored, by the parameter's name in the standard.
// It returns nil if they are not numbers: "array_of_distribs" has constants.
func ArrayArg(param string) func(*Args) *[]int64 { return arrayArgs[param] }
