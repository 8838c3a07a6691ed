package track

import (
	"errors"
	"hash/maphash"
	"slices"
	"weak"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// constructor is a function that makes a datatype from others, with the places of its arguments.
type constructor struct {
	makes   datatype.Kind
	old     slot // the type it is made from
	olds    int  // or the parameter with the types it is made from; -1 if there is only one, or none
	numbers []number
	arrays  []array
}

type number struct {
	name string
	at   slot
	to   func(*datatype.Args) *int64
}

type array struct {
	name  string
	param int
	to    func(*datatype.Args) *[]int64 // nil for the distributions
}

// kind returns the kind of datatype that the constructor makes, Unknown for other functions.
func (k *constructor) kind() datatype.Kind {
	if k == nil {
		return datatype.Unknown
	}
	return k.makes
}

const orderParam = "order" // a constant, too

// ConstructsType reports whether a function makes a datatype from others.
func ConstructsType(f *mpiapi.Func) bool { return f.Combiner != "" }

// newConstructor returns how f makes a datatype, nil if it is not a constructor.
func newConstructor(f *mpiapi.Func) *constructor {
	if f.Combiner == "" {
		return nil
	}
	k := &constructor{makes: datatype.KindOf(f.Combiner), olds: -1}
	for i := range f.Params {
		p := &f.Params[i]
		at := slot{At: p.Layout.At, Wide: p.Layout.Wide}
		switch {
		case p.Role == mpiapi.NewType:
		case p.Role == mpiapi.OldType && p.Pointer:
			k.olds = i
		case p.Role == mpiapi.OldType:
			k.old = at
		case p.Pointer:
			k.arrays = append(k.arrays, array{p.Name, i, datatype.ArrayArg(p.Name)})
		default:
			k.numbers = append(k.numbers, number{p.Name, at, datatype.NumberArg(p.Name)})
		}
	}
	return k
}

// trees makes the types that processes construct. Equal types are one object: handles and processes share them, so a
// comparison is mostly a comparison of addresses. Types without references are forgotten.
type trees struct {
	seed  maphash.Seed
	types map[uint64]weak.Pointer[datatype.Type] // by the hash of their arguments
	sweep int                                    // number of entries at which forgotten ones are removed

	args datatype.Args // reused for the arguments of each call
	olds []*datatype.Type
	from []*match.Datatype // the derived types among them
}

const leastSweep = 1024

func newTrees() trees {
	return trees{seed: maphash.MakeSeed(), types: make(map[uint64]weak.Pointer[datatype.Type]), sweep: leastSweep}
}

// makeType returns the type that a call constructs, nil if its arguments are not known.
func (t *trees) makeType(pr *Process, k *constructor, c *event.Call) (*datatype.Type, *datatype.ArgumentError) {
	known, err := t.readArgs(pr, k, c)
	if err != nil || !known {
		return nil, err
	}
	h := t.hash(k.makes)
	if ty := t.types[h].Value(); ty != nil && ty.Kind == k.makes && slices.Equal(ty.Olds, t.olds) &&
		equalArgs(&ty.Args, &t.args) {
		return ty, nil
	}
	args := t.args
	for _, a := range arraysOf(&args) {
		*a = append([]int64(nil), *a...)
	}
	args.Distributions = append([]datatype.Distribution(nil), args.Distributions...)
	ty, e := construct(k.makes, &args, slices.Clone(t.olds))
	if e != nil {
		errors.As(e, &err)
		return nil, err
	}
	if ty.Size >= 0 {
		t.keepType(h, ty)
	}
	return ty, nil
}

func (t *trees) keepType(h uint64, ty *datatype.Type) {
	if len(t.types) >= t.sweep {
		for h, p := range t.types {
			if p.Value() == nil {
				delete(t.types, h)
			}
		}
		t.sweep = max(leastSweep, 2*len(t.types))
	}
	t.types[h] = weak.Make(ty)
}

// readArgs fills in args and olds. The error is about arguments that are wrong whatever the values in the arrays: a
// negative count, a missing array, an invalid constant. Known is false if something is not recorded.
func (t *trees) readArgs(pr *Process, k *constructor, c *event.Call) (known bool, err *datatype.ArgumentError) {
	a := &t.args
	for _, p := range arraysOf(a) {
		*p = (*p)[:0]
	}
	*a = datatype.Args{
		Blocklengths: a.Blocklengths, Displacements: a.Displacements, Sizes: a.Sizes, Subsizes: a.Subsizes,
		Starts: a.Starts,
		Dargs:  a.Dargs, Psizes: a.Psizes, Distributions: a.Distributions[:0],
	}
	rec := c.Raw()
	for i := range k.numbers {
		n := &k.numbers[i]
		v := n.at.Int(rec)
		if n.to != nil {
			*n.to(a) = v
		} else if n.name == orderParam {
			if a.Order, known = pr.names.order(v); !known {
				return false, pr.names.noConstant(n.name, -1, v, "MPI_ORDER_C")
			}
		}
		if (n.name == "count" || n.name == "ndims") && v < 0 {
			return false, &datatype.ArgumentError{Param: n.name, Index: -1, Value: v, Why: "is negative"}
		}
	}
	for i := range k.arrays {
		if known, err := t.readArray(pr, &k.arrays[i], c); !known {
			return false, err
		}
	}
	t.olds, t.from = t.olds[:0], t.from[:0]
	switch {
	case k.olds >= 0:
		list, ok, err := elements(c, k.olds, a.Count)
		if !ok {
			return false, err
		}
		for i := range list.Len() {
			t.old(pr.Type(list.Handle(i)))
		}
	case k.old.At != 0:
		t.old(pr.Type(k.old.Handle(rec)))
	}
	return true, nil
}

// mostFrom is how many derived types a type remembers that it was made from.
const mostFrom = 8

func (t *trees) old(d *match.Datatype) {
	t.olds = append(t.olds, d.Of())
	if d != nil && !d.Permanent && len(t.from) < mostFrom && !slices.Contains(t.from, d) {
		t.from = append(t.from, d)
	}
}

func (t *trees) readArray(pr *Process, p *array, c *event.Call) (known bool, err *datatype.ArgumentError) {
	a := &t.args
	list, ok, err := elements(c, p.param, a.Count)
	if !ok {
		return false, err
	}
	if p.to == nil {
		for i := range list.Len() {
			d, ok := pr.names.distribution(list.At(i))
			if !ok {
				return false, pr.names.noConstant(p.name, i, list.At(i), "MPI_DISTRIBUTE_NONE")
			}
			a.Distributions = append(a.Distributions, d)
		}
		return true, nil
	}
	to := p.to(a)
	for i := range list.Len() {
		v := list.At(i)
		if to == &a.Dargs && pr.names.isConst("MPI_DISTRIBUTE_DFLT_DARG", v) {
			v = datatype.DefaultDarg
		}
		*to = append(*to, v)
	}
	return true, nil
}

// elements returns the n elements of an array that is an argument.
func elements(c *event.Call, param int, n int64) (event.Array, bool, *datatype.ArgumentError) {
	if n == 0 {
		return event.Array{}, true, nil
	}
	if c.Addr(param) == 0 {
		return event.Array{}, false, &datatype.ArgumentError{Param: c.Func.Params[param].Name, Index: -1, Null: true}
	}
	list, ok := c.In(param)
	return list, ok && int64(list.Len()) == n, nil
}

func (n *names) order(v int64) (datatype.Order, bool) {
	if n.isConst("MPI_ORDER_C", v) {
		return datatype.OrderC, true
	}
	return datatype.OrderFortran, n.isConst("MPI_ORDER_FORTRAN", v)
}

func (n *names) distribution(v int64) (datatype.Distribution, bool) {
	switch {
	case n.isConst("MPI_DISTRIBUTE_NONE", v):
		return datatype.DistributeNone, true
	case n.isConst("MPI_DISTRIBUTE_BLOCK", v):
		return datatype.DistributeBlock, true
	case n.isConst("MPI_DISTRIBUTE_CYCLIC", v):
		return datatype.DistributeCyclic, true
	}
	return 0, false
}

// noConstant reports that an argument is not one of a group of constants like the given one. It can only do so if that
// one is known.
func (n *names) noConstant(param string, index int, v int64, one string) *datatype.ArgumentError {
	if _, ok := n.constant(one); !ok {
		return nil
	}
	return &datatype.ArgumentError{
		Param: param, Index: index, Value: v,
		Why: "is not one of the constants for it (" + one + " …)",
	}
}

func arraysOf(a *datatype.Args) [7]*[]int64 {
	return [...]*[]int64{&a.Blocklengths, &a.Displacements, &a.Sizes, &a.Subsizes, &a.Starts, &a.Dargs, &a.Psizes}
}

func numbersOf(a *datatype.Args) [9]int64 {
	return [...]int64{a.Count, a.Blocklength, a.Stride, a.Size, a.Rank, a.LB, a.Extent, a.P, a.R}
}

func equalArgs(a, b *datatype.Args) bool {
	if numbersOf(a) != numbersOf(b) || a.Order != b.Order || !slices.Equal(a.Distributions, b.Distributions) {
		return false
	}
	for i, x := range arraysOf(a) {
		if !slices.Equal(*x, *arraysOf(b)[i]) {
			return false
		}
	}
	return true
}

// hash returns the hash of a kind, args and olds.
func (t *trees) hash(k datatype.Kind) uint64 {
	h := maphash.Comparable(t.seed, struct {
		kind    datatype.Kind
		numbers [9]int64
		order   datatype.Order
	}{k, numbersOf(&t.args), t.args.Order})
	mix := func(x uint64) { // the multiplication mixes upwards, the shift brings its high half down
		h = (h ^ x) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	for _, a := range arraysOf(&t.args) {
		mix(uint64(len(*a)))
		for _, x := range *a {
			mix(uint64(x))
		}
	}
	for _, d := range t.args.Distributions {
		mix(uint64(d))
	}
	for _, o := range t.olds {
		mix(maphash.Comparable(t.seed, o))
	}
	return h
}

func construct(kind datatype.Kind, a *datatype.Args, olds []*datatype.Type) (*datatype.Type, error) {
	if f90Kind(kind) {
		return datatype.F90(kind, a.P, a.R, datatype.F90Size(kind, a.P, a.R)), nil
	}
	return datatype.Build(kind, a, olds)
}

func f90Kind(k datatype.Kind) bool {
	return k == datatype.F90RealKind || k == datatype.F90ComplexKind || k == datatype.F90IntegerKind
}
