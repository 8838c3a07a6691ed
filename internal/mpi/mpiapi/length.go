package mpiapi

import (
	"fmt"
	"strconv"
	"strings"
)

// ElementsKind says how to compute the number of an array's elements.
type ElementsKind uint8

// The ways to compute the number of elements.
const (
	NoArray     ElementsKind = iota // not an array
	ByParam                         // Factor times the value of parameter Arg; 0 if negative
	BySize                          // processes in the remote group of communicator Arg, else in its only group
	ByLocalSize                     // processes in the (local) group of communicator Arg
	ByDims                          // dimensions of Cartesian communicator Arg
	ByInDegree                      // neighbours to receive from in the topology of communicator Arg
	ByOutDegree                     // neighbours to send to in the topology of communicator Arg
	ByLast                          // last of the first N elements of array Arg; 0 if N is 0
	BySum                           // sum of the first N elements of array Arg
)

// Elements is the number of elements of an array, as an expression over a function's parameters. The zero value means
// that there is no array.
type Elements struct {
	Kind   ElementsKind
	Factor int // ByParam: multiple, at least 1
	Arg    int // index of the parameter
	N      int // ByLast, BySum: index of the parameter that holds the number of elements of array Arg
}

var elementsKinds = map[string]ElementsKind{
	"size": BySize, "localsize": ByLocalSize, "ndims": ByDims, "indegree": ByInDegree, "outdegree": ByOutDegree,
	"last": ByLast, "sum": BySum,
}

// parseElements parses a length of a parameter of f, whose parameters must be known.
func (f *Func) parseElements(s string) (Elements, error) {
	if s == "" {
		return Elements{}, nil
	}
	if name, args, ok := strings.Cut(s, "("); ok {
		k, known := elementsKinds[name]
		list, closed := strings.CutSuffix(args, ")")
		if !known || !closed {
			return Elements{}, fmt.Errorf("length %q: want size, localsize, ndims, indegree or outdegree(comm), "+
				"last or sum(array,n)", s)
		}
		a, n, two := strings.Cut(list, ",")
		if two != (k == ByLast || k == BySum) {
			return Elements{}, fmt.Errorf("length %q: wrong number of arguments", s)
		}
		e := Elements{Kind: k, Arg: f.param(a)}
		if e.Arg < 0 {
			return Elements{}, fmt.Errorf("length %q: no parameter %s", s, a)
		}
		p := &f.Params[e.Arg]
		if !two {
			if p.Kind != Comm || p.Pointer {
				return Elements{}, fmt.Errorf("length %q: %s is not a communicator", s, a)
			}
			return e, nil
		}
		if p.Length != n || p.Kind != Int || p.Dir != In {
			return Elements{}, fmt.Errorf("length %q: %s is not an array of int that is read and has %s elements",
				s, a, n)
		}
		e.N = f.param(n)
		return e, nil
	}
	e := Elements{Kind: ByParam, Factor: 1}
	name := s
	if factor, rest, ok := strings.Cut(s, "*"); ok {
		var err error
		if e.Factor, err = strconv.Atoi(factor); err != nil || e.Factor < 1 {
			return Elements{}, fmt.Errorf("length %q: %q is not a positive number", s, factor)
		}
		name = rest
	}
	if e.Arg = f.param(name); e.Arg < 0 {
		return Elements{}, fmt.Errorf("length %q: no parameter %s", s, name)
	}
	if p := &f.Params[e.Arg]; p.Length != "" || p.Kind != Int && p.Kind != Count {
		return Elements{}, fmt.Errorf("length %q: %s is not a number", s, name)
	}
	return e, nil
}

// param returns the index of the parameter with the given name, or -1.
func (f *Func) param(name string) int {
	for i := range f.Params {
		if f.Params[i].Name == name {
			return i
		}
	}
	return -1
}
