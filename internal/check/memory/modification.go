package memory

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/checksum"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

//go:embed modification.md
var modificationDoc string

// IllegalModification finds buffers that change while an operation reads them (MPI standard, sections 3.7.2, 3.9 and
// 6.12). It works only if the processes make checksums of the data.
var IllegalModification = &check.Check{
	ID:       "LOCAL:MEMORY:ILLEGAL_MODIFICATION",
	Severity: finding.Error,
	Title:    "the program changes a buffer while MPI reads it",
	Doc:      modificationDoc,
	KeptSums: true,
	Needs:    []analysis.Need{checksum.Fact},
	Start: func(x *check.Run) {
		checksum.Fact.Of(x.Facts).Modified.On(x.Owner, func(m *checksum.Modification) { x.Report(modified(x, m)) })
	},
}

func modified(x *check.Run, m *checksum.Modification) *finding.Finding {
	fn := x.Func(m.Operation)
	rank, name := m.Thread.Process.Rank, fn.Name
	f := &finding.Finding{
		Key:   x.Place(m.Operation) + "|" + x.Place(m.Completed),
		Ranks: []int{rank},
		Sites: []finding.Site{x.Site("operation", m.Operation)},
		Advice: "Complete the operation with MPI_Wait or a successful MPI_Test before the buffer is written to or " +
			"freed. Or prepare the new data in another buffer.",
		Details: map[string]any{"function": name, "bytes": m.Bytes, "at": m.At, "length": m.Length, "exact": m.Exact},
	}
	rule := "The program must not write to a send buffer before the operation is complete (MPI standard, section 3.7.2)"
	completed, buffer, does := x.Func(m.Completed).Name, "send buffer", "send"
	if fn.Arg(mpiapi.TheFile) >= 0 {
		buffer, does = "buffer", "write"
		rule = "The program must not use the buffer of a file operation before the operation is complete (MPI " +
			"standard, section 14.4.1)"
	}
	f.Message = fmt.Sprintf("The %s of %s was changed before %s%s completed the operation", buffer, name, completed,
		check.Parens(x.Line(m.Completed)))
	if m.Blocking {
		f.Message = fmt.Sprintf("The send buffer of %s was changed during the call", name)
		f.Advice = "Look for other threads that write to the buffer. Let them wait until the call has returned."
		rule = "No thread may write to a send buffer while a call sends from it (MPI standard, section 3.4)"
	} else {
		f.Sites = append(f.Sites, x.Site("completed", m.Completed))
	}
	f.Message += ": " + check.Difference(&m.Changed, m.Type, m.Count)
	f.Why = fmt.Sprintf("%s. MPI may %s the old data, the new data, or a mixture.", rule, does)
	if e := check.Element(m.Type, m.Count, m.At); e != "" {
		f.Details["element"] = e
	}
	return f
}
