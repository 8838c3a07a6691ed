// Package memory has the checks of the buffers that programs pass to MPI.
package memory

import "github.com/mpivet/mpivet/internal/check"

// Checks are the checks of this family.
var Checks = []*check.Check{IllegalModification, Inaccessible}
