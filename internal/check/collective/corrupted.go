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

// Corrupted finds data that did not arrive as they were sent (seed of the rule: the MPI correctness checker of Intel's
// trace collector). It has work only if the processes make sums of the data.
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

// dataAspects are those that may differ where the data are the same for all that: types of two languages.
const dataAspects match.AspectSet = 1<<match.Data | 1<<match.DataBack | 1<<match.Counts | 1<<match.CountsBack

// otherwiseWrong reports whether the members of a collective disagree in what decides on where data go: another check
// tells of that.
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
			lines = append(lines, fmt.Sprintf("and so on, %d more in all", len(list)-shownGroups))
		}
		if i >= shownGroups {
			continue
		}
		places.add("sender", d.Sender)
		places.add("receiver", d.Receiver)
		lines = append(lines, fmt.Sprintf("the %s that rank %d received from rank %d", check.Plural(int(d.Bytes), "byte", "bytes"), to, from))
		details = append(details, map[string]any{"sender": from, "receiver": to, "bytes": d.Bytes})
	}
	slices.Sort(ranks)
	comm := x.Comm(first.Receiver, c)
	x.Report(&finding.Finding{
		Key:   name + "|" + places.key(),
		Ranks: slices.Compact(ranks),
		Sites: places.list,
		Message: fmt.Sprintf("Data in %s on %s (collective number %d on it) are not what was sent: %s.\n", name, comm, at+1, strings.Join(lines, "; ")) +
			"The sum of the data when the sender began the operation differs from that of what the receiver had when it was complete. " +
			"They were damaged on the way, by MPI or what it uses, or by the program itself: a buffer must not be written, nor a receive buffer " +
			"be read, while the operation runs (MPI standard, section 6.1), and parts that are received must not overlap.",
		Advice: "Look for threads, or communication still under way, that use the buffers of these calls, and for displacements that let parts " +
			"overlap. If there is none, try other transports of the MPI library, and other nodes: the network, or the memory, may be at fault.",
		Details: map[string]any{"comm": comm, "position": at + 1, "function": name, "parts": details},
	})
}
