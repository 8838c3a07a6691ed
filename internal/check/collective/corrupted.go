package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/checksum"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

//go:embed corrupted.md
var corruptedDoc string

// Corrupted finds data that do not arrive as they were sent. The rule comes from the MPI correctness checker of Intel's
// trace collector. The check works only if the processes make checksums of their data.
var Corrupted = &check.Check{
	ID: "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED", Severity: finding.Error,
	Title: "what a collective operation delivers is not what was sent", Doc: corruptedDoc,
	Needs: []analysis.Need{checksum.Fact},
	Start: func(x *check.Run) {
		p, sums := checksum.New(), checksum.Fact.Of(x.Facts)
		sums.Summed.On(x.Owner, func(e *checksum.Summed) {
			if list := p.Add(e.View, e.Position, e.Call, e.Sums); len(list) > 0 {
				corrupted(x, e.View.Comm, e.Position, list)
			}
		})
		sums.Modified.On(x.Owner, func(m *checksum.Modification) {
			if m.View != nil {
				p.Void(m.View.Comm, m.Position, m.Round)
			}
		})
		x.Match.CollectiveMismatched.On(x.Owner, func(c *match.Collective) {
			if otherwiseWrong(x, c) {
				p.Distrust(c.Comm)
			}
		})
	},
}

// dataAspects may differ although the data are the same: two languages have different types for them.
const dataAspects match.AspectSet = 1<<match.Data | 1<<match.DataBack | 1<<match.Counts | 1<<match.CountsBack

// otherwiseWrong reports whether the members of a collective disagree on where the data go. Another check reports that.
func otherwiseWrong(x *check.Run, c *match.Collective) bool {
	if c.Different || c.Conflicts&^dataAspects != 0 {
		return true
	}
	worst, _ := compareData(x, c)
	return worst != noDifference
}

// corrupted reports the parts of one collective that are not what was sent.
func corrupted(x *check.Run, c *match.Comm, at uint64, list []checksum.Difference) {
	var (
		first   = list[0]
		name    = x.Func(first.Receiver).Name
		places  = newSites(x)
		ranks   []int
		lines   []string
		details []map[string]any
	)
	for i := range list {
		d := &list[i]
		from, to := int(c.Members[d.From]), int(c.Members[d.To])
		ranks = append(ranks, from, to)
		if i == shownGroups {
			lines = append(lines, fmt.Sprintf("… and %d more", len(list)-shownGroups))
		}
		if i >= shownGroups {
			continue
		}
		places.add("sender", d.Sender)
		places.add("receiver", d.Receiver)
		lines = append(lines,
			fmt.Sprintf("the %s that rank %d received from rank %d", check.Plural(int(d.Bytes), "byte", "bytes"), to,
				from))
		details = append(details, map[string]any{"sender": from, "receiver": to, "bytes": d.Bytes})
	}
	slices.Sort(ranks)
	comm := x.Comm(first.Receiver, c)
	x.Report(&finding.Finding{
		Key:   name + "|" + places.key(),
		Ranks: slices.Compact(ranks),
		Sites: places.list,
		Message: fmt.Sprintf("Data in %s (collective %d on %s) are not what was sent: %s.", name, at+1, comm,
			strings.Join(lines, "; ")),
		Why: "The checksum of the sent data differs from that of the received data. MPI, the network, the memory or " +
			"the program changed them. While the operation runs, the program must not write to its buffers, nor read " +
			"a receive buffer (MPI standard, section 6.1). Parts that are received must not overlap.",
		Advice: "Look for threads, and for communication that is still running, that use these buffers. Look for " +
			"displacements that let parts overlap. If there are none, try another transport of the MPI library, or " +
			"other nodes.",
		Details: map[string]any{"comm": comm, "position": at + 1, "function": name, "parts": details},
	})
}
