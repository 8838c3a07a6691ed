// Package memory has the checks of the buffers that programs pass to MPI.
package memory

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
)

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalModification, Inaccessible}

// element names the element that a byte of a message's data belongs to, "" if that is unknown.
func element(t *match.Datatype, count int64, at uint64) string {
	of := t.Of()
	if of == nil || of.Size <= 0 {
		return ""
	}
	if path := check.BytePath(t, "datatype", count, int64(at)); path != "" {
		return path
	}
	return fmt.Sprintf("element %d of %d × %s", int64(at)/of.Size, count, t)
}
