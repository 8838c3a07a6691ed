package match

import (
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Aspect is something that the members of a collective operation must agree on, beyond the function.
type Aspect uint8

// The aspects.
const (
	Root Aspect = iota
	Operation
	InPlace  // whether MPI_IN_PLACE is passed, where all must or none
	Data     // the signature of the data that go to or come from everybody; between groups: from the first group
	DataBack // between groups: from the second group
	Counts   // the signatures of the parts of a vector that all pass; between groups: the first group
	CountsBack
	Leader    // MPI_Intercomm_create
	High      // MPI_Intercomm_merge, first group
	HighOther // second group
	Topology
	FileArguments
	WindowArguments
	Groups   // what says of which processes new communicators are made
	Validity // whether the arguments are allowed at all; it has no value
	Aspects
)

// Side is what a member sends or receives: Count copies of Type, nothing if Type is nil.
type Side struct {
	Count int64
	Type  *Datatype
}

// Part is what a member of a collective sends to, or receives from, one other member.
type Part struct {
	Peer int32
	Out  bool
	Side
}

// Entry is one member's part in a collective operation: what it passes that concerns the others.
type Entry struct {
	Func mpiapi.FuncID
	// Root is the root's member number, None where the call names none.
	Root int32
	// Values stand for the arguments: they are equal where those agree. 0: not significant at this member.
	Values [Aspects]uint64
	// Sides are the data that Values[Data] and Values[DataBack] stand for. Torn: the member itself names other data,
	// Other, that must be the same.
	Sides [2]Side
	Other Side
	Torn  bool
	// Pairwise operations move data between pairs of members that need not be alike. Sum is the sum of one number for
	// each part that the member sends, less that of those that it receives: all Sums together are 0 if all parts agree.
	// Parts are the parts that are not empty; Enter keeps a copy.
	Pairwise bool
	Sum      uint64
	Parts    []Part
	// Grouped: Group says which processes are to be members of a new communicator. Its value stands for it, but need
	// not be the same at all members: see Clash.
	Grouped bool
	Group   group.Group
	// Misplaced: MPI_IN_PLACE is passed where the standard does not allow it.
	Misplaced bool
	// Invalid is the parameter, counted from 1, that has a value which the standard forbids, Why what is wrong with it;
	// 0 if there is none.
	Invalid int
	Why     string
	// Disorder says what is wrong with the call's place among those on a file, "" if nothing is.
	Disorder string
	// Unsure: what the member moves is not known.
	Unsure bool

	kept uint64 // its digest, if it is not changed any more
}

// Plain reports whether the entry is one of an operation in which no parts or groups are compared, with nothing wrong
// with it alone.
func (e *Entry) Plain() bool {
	return !e.Pairwise && !e.Grouped && !e.Unsure && len(e.Parts) == 0 && e.alone() == 0
}

// Kept is a collection of plain entries that many calls share: programs use few, over and over. The zero value is
// empty.
type Kept struct{ byDigest map[uint64]*Entry }

// keptLimit is how many entries are remembered.
const keptLimit = 4096

// Keep returns an entry like e, a plain one, that must not be changed. It is the same one for equal entries as far as
// these are remembered.
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

// digest is equal for entries that agree in everything but what is pairwise.
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

// alone returns the aspects in which the entry is wrong by itself.
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

// conflict returns the aspects in which two entries disagree, as a set. Those of another function have none: they are
// another operation.
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
