package match

import "github.com/mpivet/mpivet/internal/mpi/datatype"

// Standing says what a program may do with a datatype.
type Standing uint8

// The standings.
const (
	CommittedType Standing = iota // it may be used for communication: committed, or predefined
	// it may be committed or not: from MPI_Type_get_contents, or of what is not recorded
	DoubtfulType
	UncommittedType // it may be used to make others
	FreedType       // it may not be used
)

// Datatype is what a datatype handle stands for: an object of one process, or a predefined datatype, which is the same
// object for all.
type Datatype struct {
	*datatype.Type
	Name     string // of a predefined type: MPI_INT; of a derived one: what MPI_Type_set_name gave it, or ""
	Standing Standing
	// Permanent types are MPI's own, and can't be freed: predefined ones, and those of MPI_Type_create_f90_real and the
	// like (MPI 4.0, section 19.1.9).
	Permanent bool
	// Given types were returned by MPI without being made: MPI_Type_get_contents, MPI_File_get_view.
	Given bool
	// Made, Committed and Freed are the calls that constructed, committed and freed it. They are empty for what has not
	// happened, and for predefined types, which are always committed. The copy of a committed type (MPI_Type_dup) was
	// committed by the call that committed the original.
	Made, Committed, Freed Call
	Number                 uint64 // of the type among those that the process made, in the order of their making
	// Returned: MPI_Type_get_contents has returned the handle, so that those who commit it can't know that it is
	// committed. Again is how often it did after it was known: so many more times it may be freed.
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

// Of returns the type that the object stands for, nil if that is unknown.
func (d *Datatype) Of() *datatype.Type {
	if d == nil {
		return nil
	}
	return d.Type
}
