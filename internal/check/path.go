package check

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// BytePath addresses the element that a byte belongs to, given its position in the data of count copies of t. It uses
// the name of the datatype, or the given name if it has none. It returns "" for basic and unknown datatypes.
func BytePath(t *match.Datatype, name string, count, at int64) string {
	of := t.Of()
	if of == nil || of.Elements == 1 && of.Predefined() {
		return ""
	}
	if t.Name != "" {
		name = t.Name
	}
	return datatype.PathToByte(of, name, at).Among(count).String()
}
