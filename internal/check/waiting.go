package check

import (
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
	"github.com/mpivet/mpivet/internal/wait"
)

// Waiting says in words where a thread waits and what for: "MPI_Recv for rank 0 to send (tag=5, MPI_COMM_WORLD)".
func (x *Context) Waiting(b *wait.Blocked) string {
	p := b.Thread.Process
	var parts []string
	for i := range b.Clauses {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("%d more operations", len(b.Clauses)-i))
			break
		}
		parts = append(parts, x.clause(p, b, &b.Clauses[i]))
	}
	return fmt.Sprintf("%s for %s", mpiapi.ByID(b.Call.Func()).Name, Join(parts))
}

func (x *Context) clause(p *track.Process, b *wait.Blocked, c *wait.Clause) string {
	var ranks []int
	self := false
	for _, q := range c.Procs {
		ranks = append(ranks, q.Rank)
		self = self || q == p
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	who := finding.RankNames(ranks)
	if len(ranks) > 1 {
		who = "any of " + who
	}
	if self && len(ranks) == 1 {
		who = "itself"
	}
	switch c.What {
	case wait.ToReceive:
		return fmt.Sprintf("%s to receive (%s)", who, x.envelope(b.Call, c.Op.Tag, c.Op.Comm))
	case wait.ToSend:
		comm := c.Comm
		if c.Op != nil {
			return fmt.Sprintf("%s to send (%s)", who, x.envelope(b.Call, c.Op.Tag, c.Op.Comm))
		}
		return fmt.Sprintf("%s to send (%s)", who, x.envelope(b.Call, c.Tag, comm.Comm))
	case wait.ToLead:
		return fmt.Sprintf("%s to lead the other group into it (%s)", who, x.Comm(b.Call, c.Comm.Comm))
	}
	return fmt.Sprintf("%s to call it too (%s)", who, x.Comm(b.Call, c.Comm.Comm))
}

func (x *Context) envelope(call match.Call, tag int32, comm *match.Comm) string {
	t := fmt.Sprintf("tag=%d", tag)
	if tag == match.Any {
		t = "any tag"
	}
	return t + ", " + x.Comm(call, comm)
}
