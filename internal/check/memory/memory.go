// Package memory has the checks of the buffers that programs hand to MPI.
package memory

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/match"
)

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalModification, Inaccessible}

// element names the element that a byte of the serialised data of a message belongs to, "" if that is not known.
func element(t *match.Datatype, count int64, at uint64) string {
	of := t.Of()
	if of == nil || of.Size <= 0 {
		return ""
	}
	copies := int64(at) / of.Size
	if of.Elements == 1 && of.Predefined() {
		return fmt.Sprintf("element %d of %d, %s", copies, count, t)
	}
	name := t.Name
	if name == "" {
		name = "datatype"
	}
	return datatype.PathToByte(of, name, int64(at)).Among(count).String()
}
