package match

import "github.com/mpivet/mpivet/internal/mpi/datatype"

// Standing says how a program may use a datatype.
type Standing uint8

// The standings.
const (
	CommittedType Standing = iota // it may be used for communication: committed, or predefined
	// it may be committed or not: it comes from MPI_Type_get_contents, or was made from a datatype that is not recorded
	DoubtfulType
	UncommittedType // it may only be used to make other types
	FreedType       // it may not be used
)

// Datatype is the object of a datatype handle. It belongs to one process, or it is a predefined datatype, which is the
// same object for all processes.
type Datatype struct {
	*datatype.Type
	Name     string // of a predefined type: MPI_INT; of a derived type: the name that MPI_Type_set_name gave it, or ""
	Standing Standing
	// Permanent types are MPI's own and cannot be freed: predefined types, and types from MPI_Type_create_f90_real and
	// similar functions (MPI 4.0, section 19.1.9).
	Permanent bool
	// Given types were returned by MPI and not made by the program: by MPI_Type_get_contents or MPI_File_get_view.
	Given bool
	// Made, Committed and Freed are the calls that constructed, committed and freed it. They are empty if there was no
	// such call. They are also empty for predefined types, which are always committed. A copy of a committed type
	// (MPI_Type_dup) was committed by the call that committed the original.
	Made, Committed, Freed Call
	// From are the derived types of the program that it was made from, without repetitions. It is nil if there are
	// none, and for a type that was freed.
	From   []*Datatype
	Number uint64 // number of the type among the types that the process made, in the order of creation
	// Returned: MPI_Type_get_contents has returned the handle, so a program that commits it cannot know that it is
	// already committed. Again is the number of times that the handle was returned after it was known. It may be freed
	// that many more times.
	Returned bool
	Again    int
}

// String names the datatype for a message to the user.
func (d *Datatype) String() string {
	switch {
	case d == nil:
		return "an unknown datatype"
	case d.Name == "":
		return "a derived datatype"
	}
	return d.Name
}

// Of returns the type of the object; nil if it is unknown.
func (d *Datatype) Of() *datatype.Type {
	if d == nil {
		return nil
	}
	return d.Type
}
