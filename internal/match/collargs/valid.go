package collargs

import (
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// wrong notes that parameter i has a value that the standard forbids. Only the first such parameter is kept.
func (f *filler) wrong(i int, why string) {
	if e := f.entry; e.Invalid == 0 && i >= 0 {
		e.Invalid, e.Why = i+1, why
	}
}

// atLeast reports parameter i as wrong if its value, or an element of its array, is below a limit.
func (f *filler) atLeast(i int, limit int64, why string) {
	p := &f.plan.fn.Params[i]
	if p.Length == "" {
		if f.call.Int(i) < limit {
			f.wrong(i, why)
		}
		return
	}
	a, _ := f.call.In(i)
	for k := range a.Len() {
		if a.At(k) < limit {
			f.wrong(i, why)
		}
	}
}

// significant reports whether parameter i is significant in this call.
func (f *filler) significant(i int) bool {
	return Significant(f.call, i, Part{f.atRoot, f.inter(), f.absent}, f.inPlace, f.hasInPlace)
}

// validate finds arguments that the standard forbids, whatever the other members pass.
func (f *filler) validate() {
	p := f.plan
	if v := f.entry.Values[match.Root]; v>>40 != 0 {
		f.wrong(p.root, f.noRank(f.call.Int(p.root)))
	}
	if p.data != none {
		for _, i := range []int{p.sendCount, p.recvCount} {
			if i >= 0 && f.significant(i) {
				f.atLeast(i, 0, "is negative")
			}
		}
	}
	if p.op >= 0 && f.takesPart() {
		f.reduction()
	}
}

// noRank says why a number is no rank that could be the root.
func (f *filler) noRank(rank int64) string {
	c, base := f.member.Comm, 0
	owner, peers := "the communicator", c.Size()
	if f.inter() {
		owner = "the remote group of the inter-communicator"
		if base, peers = c.Split, c.Size()-c.Split; f.second() {
			base, peers = 0, c.Split
		}
	}
	return c.NoRank(rank, owner, int32(base), int32(peers))
}

// categories are the categories of datatypes for which a predefined operation is defined (section 6.9.2).
type categories uint

const (
	integers categories = 1 << iota
	floats
	logicals
	complexes
	bytesOnly
	valuePairs
)

var operands = map[string]categories{
	"MPI_MAX": integers | floats, "MPI_MIN": integers | floats,
	"MPI_SUM": integers | floats | complexes, "MPI_PROD": integers | floats | complexes,
	"MPI_LAND": integers | logicals, "MPI_LOR": integers | logicals, "MPI_LXOR": integers | logicals,
	"MPI_BAND": integers | bytesOnly, "MPI_BOR": integers | bytesOnly, "MPI_BXOR": integers | bytesOnly,
	"MPI_MAXLOC": valuePairs, "MPI_MINLOC": valuePairs,
}

// reduction checks that a predefined operation is used on a datatype for which it is defined.
func (f *filler) reduction() {
	op := f.entry.Values[match.Operation]
	if op == 0 {
		return
	}
	var t *datatype.Type
	if i := f.plan.sendType; i >= 0 {
		t = f.process.Type(f.call.Handle(i)).Of()
	}
	why := f.memo.reduction(op, t, func() string {
		return misused(f.process.NameHandle(mpiapi.Op, f.call.Handle(f.plan.op)), t)
	})
	if why != "" {
		f.wrong(f.plan.op, why)
	}
}

// misused returns the error of a reduction with the named operation on values of type t; "" if no error is known.
func misused(name string, t *datatype.Type) string {
	switch name {
	case "MPI_OP_NULL":
		return "is no operation"
	case "MPI_REPLACE", "MPI_NO_OP":
		return "is for one-sided communication only"
	}
	want, ok := operands[name]
	if !ok || t == nil || t.Size < 0 {
		return ""
	}
	switch have, known := categoryOf(t); {
	case !known:
	case have == 0 && name == "MPI_MAXLOC" || have == 0 && name == "MPI_MINLOC":
		// MPICH and Open MPI accept these operations on pairs of equal numbers, as old Fortran programs used them.
	case have == 0:
		return "is a predefined operation, which is not defined on derived datatypes"
	case have&want == 0:
		return "is not defined on " + t.Name()
	}
	return ""
}

// Reduction returns the error of a local reduction with the named operation on values of type t; "" if no error is
// known (MPI standard, section 6.9.2).
func Reduction(name string, t *datatype.Type) string { return misused(name, t) }

// categoryOf returns the category of the values of a type; 0 for a derived type.
func categoryOf(t *datatype.Type) (c categories, known bool) {
	if t.Kind == datatype.F90RealKind || t.Kind == datatype.F90ComplexKind || t.Kind == datatype.F90IntegerKind {
		return 0, false
	}
	if !t.Predefined() {
		return 0, true
	}
	name := t.Name()
	switch {
	case t.Elements == 2:
		return valuePairs, true
	case name == "MPI_BYTE":
		return bytesOnly, true
	case name == "MPI_CHAR" || name == "MPI_PACKED" || !strings.HasPrefix(name, "MPI_"):
		// MPICH and Open MPI reduce MPI_CHAR as if it were MPI_SIGNED_CHAR.
		return 0, false
	}
	switch t.Basic.Category {
	case datatype.IntegerCategory:
		return integers, true
	case datatype.FloatCategory:
		return floats, true
	case datatype.ComplexCategory:
		return complexes, true
	case datatype.LogicalCategory:
		return logicals, true
	}
	return 0, false
}

// validGrid finds an invalid Cartesian grid.
func (f *filler) validGrid() {
	n := f.param("ndims")
	if f.call.Int(n) < 0 {
		f.wrong(n, "is negative")
		return
	}
	i := f.param("dims")
	f.atLeast(i, 1, "has an element that is not positive")
	dims, ok := f.call.In(i)
	product := int64(1)
	for k := range dims.Len() {
		if product *= max(dims.At(k), 1); product > 1<<31 {
			break
		}
	}
	if ok && product > int64(f.member.Comm.Size()) {
		f.wrong(i, "asks for more processes than the communicator has")
	}
}

func (f *filler) validGraph() {
	n := f.param("nnodes")
	nodes := f.call.Int(n)
	switch {
	case nodes < 0:
		f.wrong(n, "is negative")
		return
	case nodes > int64(f.member.Comm.Size()):
		f.wrong(n, "is more than the communicator has processes")
		return
	}
	index, _ := f.call.In(f.param("index"))
	for k := 1; k < index.Len(); k++ {
		if index.At(k) < index.At(k-1) {
			f.wrong(f.param("index"), "must not decrease: it adds up the numbers of neighbours")
			return
		}
	}
	edges, _ := f.call.In(f.param("edges"))
	for k := range edges.Len() {
		if e := edges.At(k); e < 0 || e >= nodes {
			f.wrong(f.param("edges"), "names a node that is not there")
		}
	}
}

// within finds ranks outside the communicator.
func (f *filler) within(name string, a event.Array) {
	for k := range a.Len() {
		if r := a.At(k); r < 0 || r >= int64(f.member.Comm.Size()) {
			if null, ok := f.process.Constant("MPI_PROC_NULL"); ok && r == null {
				continue
			}
			f.wrong(f.param(name), "names a rank that is not in the communicator")
		}
	}
}
