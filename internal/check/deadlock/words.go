package deadlock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// most is how many alternatives of a wait a sentence names.
const most = 4

// name names the call that a thread is in. If it completes a request, the call that began the operation follows:
// "MPI_Wait for MPI_Irecv (x.c:12)".
func (s *story) name(b *waiting.Blocked, c *waiting.Clause) string {
	text := s.x.Func(b.Call).Name
	switch {
	case s.x.Func(b.Call).Class != mpiapi.Wait || c.What == waiting.Either:
	case c.Op != nil:
		text += " for " + s.x.CallIn(c.Op.Call)
	case c.Comm != nil && collective(c) != nil:
		text += " for " + s.x.Func(*collective(c)).Name
	}
	return text
}

// collective returns a call of the collective that a clause waits for; nil if it is not known.
func collective(c *waiting.Clause) *match.Call {
	if c.What != waiting.ToJoin {
		return nil
	}
	v, ok := c.Comm.At(c.Pos)
	if !ok || len(v.Variants) == 0 {
		return nil
	}
	for i := range v.Variants {
		if slices.Contains(v.Variants[i].Members, c.Comm.Me) {
			return &v.Variants[i].Call
		}
	}
	return &v.Variants[0].Call
}

// who names the processes that a clause waits for.
func who(b *waiting.Blocked, c *waiting.Clause) string {
	ranks := clauseRanks(c)
	switch {
	case len(ranks) > 1:
		return "any of " + finding.RankNames(ranks)
	case len(c.Procs) > 0 && c.Procs[0] == b.Thread.Process:
		return finding.RankNames(ranks) + " itself"
	}
	return finding.RankNames(ranks)
}

func clauseRanks(c *waiting.Clause) (ranks []int) {
	for _, p := range c.Procs {
		ranks = append(ranks, p.Rank)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// need says what a clause waits for: "rank 1 to send".
func (s *story) need(b *waiting.Blocked, c *waiting.Clause) string {
	who := who(b, c)
	switch c.What {
	case waiting.Either:
		return s.either(b, c)
	case waiting.ToReceive:
		return who + " to receive"
	case waiting.ToSend:
		if c.Further {
			return who + " to send one more message"
		}
		return who + " to send"
	case waiting.ToStart:
		if c.Op != nil {
			return who + " to start its side of the message"
		}
		return who + " to start the collective, too"
	case waiting.ToReady:
		return who + " to mark all partitions ready"
	case waiting.ToLead:
		return who + " to lead the other group into it"
	}
	if s.x.Func(b.Call).Class == mpiapi.Wait {
		if call := collective(c); call != nil {
			return fmt.Sprintf("%s to call %s too", who, s.x.Func(*call).Name)
		}
	}
	return who + " to call it too"
}

// either says in which ways a thread could continue.
func (s *story) either(b *waiting.Blocked, c *waiting.Clause) string {
	var ways []string
	for i, way := range c.Ways {
		text := s.both(b, way)
		switch {
		case text == "" || slices.Contains(ways, text):
		case len(ways) == most && i+1 < len(c.Ways):
			return strings.Join(ways, " or ") + fmt.Sprintf(" or %d more operations", len(c.Ways)-i)
		default:
			ways = append(ways, text)
		}
	}
	return strings.Join(ways, " or ")
}

// both says what must happen in one of several ways.
func (s *story) both(b *waiting.Blocked, way []waiting.Clause) string {
	var parts []string
	for i := range way {
		if len(parts) == most && len(way) > most+1 {
			parts = append(parts, fmt.Sprintf("%d more operations", len(way)-i))
			break
		}
		if way[i].What != waiting.ToTransfer {
			parts = append(parts, s.need(b, &way[i]))
		}
	}
	if len(parts) > 1 {
		return "both " + check.Join(parts)
	}
	return check.Join(parts)
}

// inside says in which call a thread is, and with which process: "MPI_Recv from rank 0 (x.c:12)". first is the call
// whose place the reader knows.
func (s *story) inside(b *waiting.Blocked, c *waiting.Clause, first match.Call) string {
	x := s.x
	text := x.Func(b.Call).Name
	if x.Func(b.Call).Class == mpiapi.Wait && c.Op != nil {
		text += " for " + x.Func(c.Op.Call).Name
	}
	ranks := finding.RankNames(clauseRanks(c))
	if len(clauseRanks(c)) > 1 {
		ranks = "any of " + ranks
	}
	switch c.What {
	case waiting.ToReceive:
		text += " to " + ranks
	case waiting.ToSend:
		text += " from " + ranks
	}
	return text + s.at(b.Call, first)
}

// at says where a call is: " (x.c:12)", or that it is at the line of another call that the reader knows.
func (s *story) at(c, known match.Call) string {
	line := s.x.Line(c)
	if line != "" && line == s.x.Line(known) {
		return " at the same line"
	}
	return check.Parens(line)
}

// on names the communicator of a clause: " on MPI_COMM_SELF". It is "" for MPI_COMM_WORLD.
func (s *story) on(b *waiting.Blocked, c *waiting.Clause) string {
	comm := commOf(c)
	if comm == nil {
		return ""
	}
	if name := s.x.Comm(b.Call, comm); name != "MPI_COMM_WORLD" {
		return " on " + name
	}
	return ""
}

func commOf(c *waiting.Clause) *match.Comm {
	switch {
	case c.Op != nil:
		return c.Op.Comm
	case c.Comm != nil:
		return c.Comm.Comm
	}
	return nil
}

// gone says how a process ended, and where: "has ended (MPI_Finalize at x.c:30)".
func (s *story) ended(p *track.Process) string {
	how := ending(p)
	if !p.Finalizing {
		return how
	}
	call := p.Phase.Finalize
	for _, th := range p.Threads {
		if len(call.Raw) == 0 && len(th.Last.Raw) > 0 && s.x.Func(th.Last).Base == mpiapi.IDFinalize {
			call = th.Last
		}
	}
	line := s.x.Line(call)
	switch {
	case line == "":
		return how
	case strings.Contains(how, "MPI_Finalize"):
		return how + " (" + line + ")"
	}
	return how + " (MPI_Finalize at " + line + ")"
}
