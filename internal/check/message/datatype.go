// Package message has the checks of point-to-point messages.
package message

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

//go:embed datatype.md
var datatypeDoc string

//go:embed byte.md
var byteDoc string

// DatatypeMismatch finds messages that are received as another basic type than they were sent (MPI standard, section
// 3.3.1). Derived types are not compared.
var DatatypeMismatch = &check.Check{
	ID:       "GLOBAL:MSG:DATATYPE:MISMATCH",
	Severity: finding.Error,
	Title:    "a message is received as another datatype than it was sent",
	Doc:      datatypeDoc,
	New: func(x *check.Context) check.Hooks {
		return check.Hooks{Message: func(s, r *match.Op) {
			// One comparison decides for nearly all messages.
			if s.Type != r.Type && s.Count != 0 && datatype.Compare(s.Type.Of(), r.Type.Of()) == datatype.Mismatch {
				report(x, s, r, "The standard requires the receive to name the type that was sent, element by element "+
					"(MPI standard, section 3.3.1): MPI may convert the data wrongly, or not at all.",
					fmt.Sprintf("Use the same datatype on both sides: receive with %s, or send %s.", s.Type, r.Type))
			}
		}}
	},
}

// ByteMismatch finds messages of which one side says MPI_BYTE and the other does not.
var ByteMismatch = &check.Check{
	ID:       "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE",
	Severity: finding.Error,
	Title:    "one side of a message says MPI_BYTE, the other another datatype",
	Doc:      byteDoc,
	New: func(x *check.Context) check.Hooks {
		return check.Hooks{Message: func(s, r *match.Op) {
			if s.Type != r.Type && s.Count != 0 && datatype.Compare(s.Type.Of(), r.Type.Of()) == datatype.ByteMismatch {
				report(x, s, r, "MPI_BYTE matches only MPI_BYTE (MPI standard, section 3.3.1). It works where all processes represent "+
					"the data alike, but data are not converted where they don't.",
					"Use MPI_BYTE, or the other datatype, on both sides.")
			}
		}}
	},
}

func report(x *check.Context, s, r *match.Op, why, advice string) {
	send, recv := x.Rank(s.Call), x.Rank(r.Call)
	x.Report(&finding.Finding{
		Key:   x.Place(s.Call) + "|" + x.Place(r.Call),
		Ranks: []int{recv, send},
		Message: fmt.Sprintf("Rank %d sends %s, rank %d receives it as %s.\n%s", send, elements(s), recv, elements(r),
			why),
		Advice: advice,
		Sites:  []finding.Site{x.Site("send", s.Call), x.Site("receive", r.Call)},
		Details: map[string]any{
			"sender": send, "receiver": recv, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm),
			"send_count": s.Count, "send_type": s.Type.String(), "receive_count": r.Count, "receive_type": r.Type.String(),
		},
	})
}

func elements(op *match.Op) string { return fmt.Sprintf("%d × %s", op.Count, op.Type) }

// Checks are the checks of this family.
var Checks = []*check.Check{DatatypeMismatch, ByteMismatch}
