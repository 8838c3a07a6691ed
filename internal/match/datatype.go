package match

import "github.com/mpivet/mpivet/internal/datatype"

// Datatype is what a datatype handle stands for: an object of one process, or a predefined datatype, which is the same
// object for all.
type Datatype struct {
	*datatype.Type
	Name string // of a predefined type: MPI_INT; of a derived one: what MPI_Type_set_name gave it, or ""
	// Made and Committed are the calls that constructed and committed it; empty for predefined types, which are always
	// committed, and for those that are not.
	Made, Committed Call
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
