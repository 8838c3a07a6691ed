package match

import (
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Aspect is an argument, or group of arguments, on which the members of a collective operation must agree, in addition
// to the function.
type Aspect uint8

// The aspects.
const (
	Root Aspect = iota
	Operation
	InPlace  // whether MPI_IN_PLACE is passed, if either all must pass it or none
	Data     // the signature of the data that go to or come from all members; with two groups: from the first group
	DataBack // with two groups: from the second group
	Counts   // the signatures of the parts of a vector that all members pass; with two groups: of the first group
	CountsBack
	Leader    // MPI_Intercomm_create
	High      // MPI_Intercomm_merge, first group
	HighOther // second group
	Topology
	FileArguments
	WindowArguments
	Groups   // the arguments that select the processes of new communicators
	Validity // whether the arguments are valid at all; it has no value
	Aspects
)

// Side is the data that a member sends or receives: Count elements of Type; no data if Type is nil.
type Side struct {
	Count int64
	Type  *Datatype
}

// Part is the data that a member of a collective sends to, or receives from, one other member.
type Part struct {
	Peer int32
	Out  bool
	Side
}

// Entry is one member's part in a collective operation: the arguments that concern the other members.
type Entry struct {
	Func mpiapi.FuncID
	// Root is the root's member number, or None if the call names no root.
	Root int32
	// Values represent the arguments: they are equal if the arguments agree. 0: not significant at this member.
	Values [Aspects]uint64
	// Sides are the data that Values[Data] and Values[DataBack] represent. Torn: the member itself also names other
	// data, Other, that should be the same but are not.
	Sides [2]Side
	Other Side
	Torn  bool
	// Pairwise operations move data between pairs of members. Different pairs may move different data. Sum is the sum
	// of one number for each part that the member sends, minus the numbers for the parts that it receives. If all parts
	// agree, the total of all Sums is 0. Parts are the parts that are not empty. Enter keeps a copy of them.
	Pairwise bool
	Sum      uint64
	Parts    []Part
	// Grouped: Group is the set of processes of a new communicator. Values[Groups] represents it, but need not be the
	// same at all members: see Clash.
	Grouped bool
	Group   group.Group
	// Misplaced: MPI_IN_PLACE is passed where the standard does not allow it.
	Misplaced bool
	// Invalid is the number, counted from 1, of the parameter with a value that the standard forbids; 0 if there is
	// none. Why describes the error.
	Invalid int
	Why     string
	// Disorder describes an error in the order of the calls on a file; "" if there is none.
	Disorder string
	// Unsure: the data that the member moves are not known.
	Unsure bool

	kept uint64 // its digest, if the entry is not changed any more
}

// Plain reports whether no parts or groups are compared for the entry, and the entry alone has no error.
func (e *Entry) Plain() bool {
	return !e.Pairwise && !e.Grouped && !e.Unsure && len(e.Parts) == 0 && e.alone() == 0
}

// Kept is a collection of plain entries that many calls share, because programs use the same few again and again. The
// zero value is empty.
type Kept struct{ byDigest map[uint64]*Entry }

// keptLimit is the maximum number of entries that are remembered.
const keptLimit = 4096

// Keep returns an entry equal to e, which must be plain. The result must not be changed. Equal entries get the same
// result as long as it is remembered.
func (k *Kept) Keep(e *Entry) *Entry {
	d := e.digest()
	if o := k.byDigest[d]; o != nil && o.Func == e.Func && o.Root == e.Root && o.Values == e.Values &&
		o.Sides == e.Sides {
		return o
	}
	o := *e
	o.Parts, o.kept = nil, d
	if len(k.byDigest) >= keptLimit || k.byDigest == nil {
		k.byDigest = make(map[uint64]*Entry)
	}
	k.byDigest[d] = &o
	return &o
}

// digest is equal for entries that agree in everything except the pairwise data.
func (e *Entry) digest() uint64 {
	if e.kept != 0 {
		return e.kept
	}
	// Spread the function over all bits. Otherwise a small value, such as a root, cancels the difference of two
	// functions.
	h := (uint64(e.Func) + 1) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	for a, v := range &e.Values {
		if v != 0 { // most are not significant
			h = (h ^ v ^ uint64(a)<<56) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	if e.Torn {
		h++
	}
	if e.Misplaced {
		h += 2
	}
	if e.Disorder != "" {
		h += 4
	}
	return h + uint64(e.Invalid)<<8
}

// alone returns the aspects in which the entry has an error by itself.
func (e *Entry) alone() (s AspectSet) {
	if e.Torn {
		s |= 1 << Data
	}
	if e.Misplaced {
		s |= 1 << InPlace
	}
	if e.Disorder != "" {
		s |= 1 << FileArguments
	}
	if e.Invalid != 0 {
		s |= 1 << Validity
	}
	return s
}

// conflict returns the aspects in which two entries disagree, as a set. Both entries must be for the same function.
func (e *Entry) conflict(o *Entry) AspectSet {
	var s AspectSet
	for a := range Aspects {
		if v, w := e.Values[a], o.Values[a]; v != w && v != 0 && w != 0 {
			s |= 1 << a
		}
	}
	if e.Grouped {
		s &^= 1 << Groups
	}
	return s
}

// AspectSet is a set of aspects.
type AspectSet uint32

// Has reports whether a is in the set.
func (s AspectSet) Has(a Aspect) bool { return s&(1<<a) != 0 }
