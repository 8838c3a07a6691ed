// Package message has the checks of point-to-point messages.
package message

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

//go:embed datatype.md
var datatypeDoc string

//go:embed byte.md
var byteDoc string

//go:embed truncated.md
var truncatedDoc string

// newCheck returns the check for messages whose two sides differ in the given way.
func newCheck(id, title, doc string, verdict datatype.Verdict, describe text) *check.Check {
	return &check.Check{
		ID: id, Severity: finding.Error, Title: title, Doc: doc,
		Start: func(x *check.Run) {
			f := newFindings(x)
			x.Match.Misfit.On(x.Owner, func(e match.Misfit) {
				if e.Comparison.Verdict == verdict {
					f.report(e.Send, e.Recv, e.Comparison, describe)
				}
			})
		},
	}
}

// DatatypeMismatch finds messages with an element that is received as another basic type than it was sent (MPI
// standard, section 3.3.1).
var DatatypeMismatch = newCheck("GLOBAL:MSG:DATATYPE:MISMATCH",
	"a message is received as another datatype than it was sent",
	datatypeDoc, datatype.Mismatch, mismatch)

// ByteMismatch finds messages with MPI_BYTE on one side and another datatype on the other, if nothing else differs.
var ByteMismatch = newCheck("GLOBAL:MSG:DATATYPE:MISMATCH:BYTE",
	"one side of a message says MPI_BYTE, the other another datatype",
	byteDoc, datatype.ByteMismatch, byteMismatch)

// Truncated finds messages that are longer than their receive (MPI standard, section 3.2.4). DatatypeMismatch finds
// those of another datatype.
var Truncated = newCheck("GLOBAL:MSG:TRUNCATED", "a message is longer than the buffer it is received into",
	truncatedDoc, datatype.TooLong, truncated)

// Checks are the checks of this family.
var Checks = []*check.Check{DatatypeMismatch, ByteMismatch, Truncated, Corrupted, Pending, Race, ReadySend}
