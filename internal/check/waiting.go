package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

// Waiting says where a thread waits and what for: "MPI_Recv for rank 0 to send (tag=5, MPI_COMM_WORLD)".
func (x *Run) Waiting(b *waiting.Blocked) string {
	return fmt.Sprintf("%s for %s", x.Func(b.Call).Name, Join(x.clauses(b, b.Clauses)))
}

// Awaited says what a thread waits for: "rank 0 to send (tag=5, MPI_COMM_WORLD)". It returns "" if MPI only has to move
// data.
func (x *Run) Awaited(b *waiting.Blocked) string { return Join(x.clauses(b, b.Clauses)) }

// WaitingFor says the same for one of the clauses.
func (x *Run) WaitingFor(b *waiting.Blocked, c *waiting.Clause) string {
	return fmt.Sprintf("%s for %s", x.Func(b.Call).Name, x.clause(b, c))
}

// named is how many clauses of a thread are described.
const named = 4

func (x *Run) clauses(b *waiting.Blocked, cs []waiting.Clause) (parts []string) {
	for i := range cs {
		if i == named && len(cs) > named+1 {
			return append(parts, fmt.Sprintf("%d more operations", len(cs)-i))
		}
		if cs[i].What != waiting.ToTransfer {
			parts = append(parts, x.clause(b, &cs[i]))
		}
	}
	return parts
}

// either says in which ways a thread could continue.
func (x *Run) either(b *waiting.Blocked, c *waiting.Clause) string {
	var ways []string
	for _, way := range c.Ways {
		parts := x.clauses(b, way)
		if len(parts) == 0 {
			continue
		}
		text := Join(parts)
		if len(parts) > 1 {
			text = "both " + text
		}
		ways = append(ways, text)
	}
	ways = slices.Compact(ways)
	if n := len(ways); n > named+1 {
		ways = append(ways[:named], fmt.Sprintf("%d more operations", n-named))
	}
	return strings.Join(ways, " or ")
}

func (x *Run) clause(b *waiting.Blocked, c *waiting.Clause) string {
	if c.What == waiting.Either {
		return x.either(b, c)
	}
	p := b.Thread.Process
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
	case waiting.ToReceive:
		return fmt.Sprintf("%s to receive (%s)", who, x.Envelope(b.Call, c.Op.Tag, c.Op.Comm))
	case waiting.ToSend:
		what := "send"
		if c.Further {
			what = "send one more message"
		}
		if c.Op != nil {
			return fmt.Sprintf("%s to %s (%s)", who, what, x.Envelope(b.Call, c.Op.Tag, c.Op.Comm))
		}
		return fmt.Sprintf("%s to %s (%s)", who, what, x.Envelope(b.Call, c.Tag, c.Comm.Comm))
	case waiting.ToStart, waiting.ToReady:
		if c.What == waiting.ToReady {
			return fmt.Sprintf("%s to mark all partitions ready (%s)", who, x.Envelope(b.Call, c.Op.Tag, c.Op.Comm))
		} else if c.Op != nil {
			return fmt.Sprintf("%s to start its side (%s)", who, x.Envelope(b.Call, c.Op.Tag, c.Op.Comm))
		}
		return fmt.Sprintf("%s to start it too (%s)", who, x.Comm(b.Call, c.Comm.Comm))
	case waiting.ToLead:
		return fmt.Sprintf("%s to lead the other group into it (%s)", who, x.Comm(b.Call, c.Comm.Comm))
	}
	return fmt.Sprintf("%s to call it too (%s)", who, x.Comm(b.Call, c.Comm.Comm))
}

// Envelope describes the messages that an operation may match, as the thread that made a call names them.
func (x *Run) Envelope(call match.Call, tag int32, comm *match.Comm) string {
	t := fmt.Sprintf("tag=%d", tag)
	if tag == match.Any {
		t = "any tag"
	}
	return t + ", " + x.Comm(call, comm)
}
