package check

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// BytePath addresses the element that a byte of the data of count copies of t belongs to, given its position in them: by the
// name of the datatype, or the given one if it has none. It is "" for basic datatypes, and for those that are not known.
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
