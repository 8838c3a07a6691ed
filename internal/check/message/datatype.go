// Package message has the checks of point-to-point messages.
package message

import (
	_ "embed"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

//go:embed datatype.md
var datatypeDoc string

//go:embed byte.md
var byteDoc string

//go:embed truncated.md
var truncatedDoc string

// DatatypeMismatch finds messages of which an element is received as another basic type than it was sent (MPI standard,
// section 3.3.1).
var DatatypeMismatch = &check.Check{
	ID:       "GLOBAL:MSG:DATATYPE:MISMATCH",
	Severity: finding.Error,
	Title:    "a message is received as another datatype than it was sent",
	Doc:      datatypeDoc,
	New: func(x *check.Context) check.Hooks {
		f := newFindings(x)
		return check.Hooks{Misfit: func(s, r *match.Op, c datatype.Comparison) {
			if c.Verdict == datatype.Mismatch {
				f.report(s, r, c, mismatch)
			}
		}}
	},
}

// ByteMismatch finds messages of which one side says MPI_BYTE and the other does not, if all fits otherwise.
var ByteMismatch = &check.Check{
	ID:       "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE",
	Severity: finding.Error,
	Title:    "one side of a message says MPI_BYTE, the other another datatype",
	Doc:      byteDoc,
	New: func(x *check.Context) check.Hooks {
		f := newFindings(x)
		return check.Hooks{Misfit: func(s, r *match.Op, c datatype.Comparison) {
			if c.Verdict == datatype.ByteMismatch {
				f.report(s, r, c, byteMismatch)
			}
		}}
	},
}

// Truncated finds messages that are longer than the receive that takes them (MPI standard, section 3.2.4). Those of
// another datatype are found by DatatypeMismatch.
var Truncated = &check.Check{
	ID:       "GLOBAL:MSG:TRUNCATED",
	Severity: finding.Error,
	Title:    "a message is longer than the buffer it is received into",
	Doc:      truncatedDoc,
	New: func(x *check.Context) check.Hooks {
		f := newFindings(x)
		return check.Hooks{Misfit: func(s, r *match.Op, c datatype.Comparison) {
			if c.Verdict == datatype.TooLong {
				f.report(s, r, c, truncated)
			}
		}}
	},
}

// Checks are the checks of this family.
var Checks = []*check.Check{DatatypeMismatch, ByteMismatch, Truncated}
