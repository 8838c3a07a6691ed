package deadlock

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis/nearmiss"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// A miss is a near miss of a thread in a deadlock.
type miss struct {
	nearmiss.Miss
	blocked *waiting.Blocked
}

const (
	searched = 16 // threads to search near misses for
	told     = 3  // near misses in a finding
)

// nearMisses looks for what explains a deadlock. It returns at most one near miss for each thread. Of two operations
// that nearly match each other, it returns one.
func nearMisses(x *check.Run, d *waiting.Deadlock) (found []miss) {
	var links []waiting.Link
	for i := range d.Knots {
		links = append(links, d.Knots[i].Links[:min(len(d.Knots[i].Links), searched)]...)
		if len(links) > searched {
			break
		}
	}
	links = append(links, d.Orphans[:min(len(d.Orphans), searched)]...)
	stuck := make(map[*track.Process]*waiting.Blocked)
	for _, l := range links {
		stuck[l.Blocked.Thread.Process] = l.Blocked
	}
	explained := make(map[*match.Op]bool)
	for _, l := range links {
		waiting.Each([]waiting.Clause{*l.Clause}, func(c *waiting.Clause) {
			w, ok := nearmiss.Wanted(l.Blocked, c)
			if !ok || len(found) == told || explained[w.Op] && w.Op != nil {
				return
			}
			for _, m := range nearmiss.Search(&w, func(int32) bool { return idle(c, stuck) }) {
				if m.Op != nil && explained[m.Op] || m.Kind == nearmiss.Count && !fewer(&m) {
					continue
				}
				explained[m.Op] = m.Op != nil
				explained[w.Op] = w.Op != nil
				found = append(found, miss{m, l.Blocked})
				break
			}
		})
	}
	// An unmatched message may be for a later receive. It is an explanation only if there is no better one.
	best := nearmiss.Count
	for _, m := range found {
		best = min(best, m.Kind)
	}
	kept := found[:0]
	for _, m := range found {
		if m.Kind == best || m.Kind <= nearmiss.Comm {
			kept = append(kept, m)
		}
	}
	return kept
}

// fewer reports whether the other side has sent or received less than this one needs.
func fewer(m *nearmiss.Miss) bool {
	if m.Want.Send {
		return m.Sent < m.Received
	}
	return m.Received > 0 && m.Received < m.Sent
}

// idle reports whether the only process that a clause waits for has ended, or waits in a collective. Then the numbers
// of its sends and receives are final.
func idle(c *waiting.Clause, stuck map[*track.Process]*waiting.Blocked) bool {
	if len(c.Procs) != 1 {
		return false
	}
	p := c.Procs[0]
	if p.Ended != nil || p.Finalizing {
		return true
	}
	b := stuck[p]
	return b != nil && b.Clauses[0].What == waiting.ToJoin
}

// miss says what a thread waits for and what there is instead. It adds both places.
func (s *story) miss(m *miss) string {
	s.link(m.blocked)
	text := s.wanted(m) + s.instead(m)
	if op := s.other(m); op != nil {
		s.add(role(m), *op, nil)
	}
	return text
}

// furtherMiss adds a line about another near miss, unless it is the same mistake on another rank.
func (s *story) furtherMiss(m, first *miss) {
	same := m.Kind == first.Kind && s.x.Place(m.blocked.Call) == s.x.Place(first.blocked.Call)
	a, b := s.other(m), s.other(first)
	same = same && (a == nil && b == nil || a != nil && b != nil && s.x.Place(*a) == s.x.Place(*b))
	s.link(m.blocked)
	text := s.wanted(m) + s.instead(m)
	if a != nil {
		s.add(role(m), *a, nil)
	}
	if !same {
		s.line("Rank %d: %s%s.", m.blocked.Thread.Process.Rank, text, check.Parens(s.x.Line(m.blocked.Call)))
	}
}

// other returns the call that a near miss is about, besides the one that waits; nil if there is none.
func (s *story) other(m *miss) *match.Call {
	switch {
	case m.Took != nil:
		return &m.Took.Call
	case m.Op != nil:
		return &m.Op.Call
	}
	return nil
}

// wanted says what the thread of a near miss waits for: "MPI_Recv waits for tag 1 from rank 3".
func (s *story) wanted(m *miss) string {
	x, w := s.x, m.Want
	name := x.Func(m.blocked.Call).Name
	if w.Op != nil && x.Func(m.blocked.Call).Class == mpiapi.Wait {
		name += " for " + x.CallIn(w.Op.Call)
	}
	peer := "any rank"
	if w.Peer != match.Any {
		peer = fmt.Sprintf("rank %d", w.Comm.Members[w.Peer])
	}
	on := ""
	if m.Kind == nearmiss.Comm || m.Kind == nearmiss.Count {
		on = " on " + x.Comm(m.blocked.Call, w.Comm)
	}
	what := "a message"
	if m.Kind != nearmiss.Comm && w.Tag != match.Any {
		what = tag(w.Tag)
	}
	if w.Send {
		return fmt.Sprintf("%s waits for %s from %s%s", name, what, peer, on)
	}
	return fmt.Sprintf("%s waits for %s to receive %s%s", name, peer, what, on)
}

// instead says what there is instead of what a thread waits for: ", but rank 3 sent tag 2 (x.c:15)".
func (s *story) instead(m *miss) string {
	x, w := s.x, m.Want
	switch m.Kind {
	case nearmiss.Count:
		peer := w.Comm.Members[w.Peer]
		if w.Send {
			return fmt.Sprintf(", but rank %d has sent only %s for %s", peer,
				check.Plural(m.Sent, "message", "messages"), check.Plural(m.Received, "receive", "receives"))
		}
		return fmt.Sprintf(", but rank %d has begun only %s for %s", peer,
			check.Plural(m.Received, "receive", "receives"), check.Plural(m.Sent, "message", "messages"))
	case nearmiss.Taken:
		return fmt.Sprintf(", but an earlier receive took this message%s", s.at(m.Took.Call, m.blocked.Call))
	}
	op := m.Op
	me := op.Comm.Members[op.Me]
	at := s.at(op.Call, m.blocked.Call)
	if op.Send {
		switch m.Kind {
		case nearmiss.Tag:
			return fmt.Sprintf(", but rank %d sent %s%s", me, tag(op.Tag), at)
		case nearmiss.Comm:
			return fmt.Sprintf(", but rank %d sent it on %s%s", me, x.Comm(op.Call, op.Comm), at)
		case nearmiss.Elsewhere:
			return fmt.Sprintf(", but rank %d sent it to rank %d%s", me, op.Comm.Members[op.Peer], at)
		}
		return fmt.Sprintf(", but the message comes from rank %d%s", me, at)
	}
	from := "any rank"
	if op.Peer != match.Any {
		from = fmt.Sprintf("rank %d", op.Comm.Members[op.Peer])
	}
	switch m.Kind {
	case nearmiss.Tag:
		return fmt.Sprintf(", but rank %d receives %s%s", me, tag(op.Tag), at)
	case nearmiss.Comm:
		return fmt.Sprintf(", but rank %d receives on %s%s", me, x.Comm(op.Call, op.Comm), at)
	}
	return fmt.Sprintf(", but rank %d receives from %s%s", me, from, at)
}

// role describes the other call of a near miss.
func role(m *miss) string {
	if m.Took != nil {
		return "receive that took the message"
	}
	text := "receive"
	if m.Op.Send {
		text = "send"
	}
	switch m.Kind {
	case nearmiss.Tag:
		return text + " with another tag"
	case nearmiss.Comm:
		return text + " on another communicator"
	case nearmiss.Elsewhere:
		return map[bool]string{true: "send to another rank", false: "receive on another rank"}[m.Op.Send]
	}
	return text + " from another rank"
}

func tag(t int32) string {
	if t == match.Any {
		return "any tag"
	}
	return fmt.Sprintf("tag %d", t)
}

// details returns the near misses for programs that read the report.
func details(misses []miss) []map[string]any {
	list := make([]map[string]any, 0, len(misses))
	names := map[nearmiss.Kind]string{
		nearmiss.Tag: "tag", nearmiss.Comm: "communicator", nearmiss.Elsewhere: "sent elsewhere",
		nearmiss.Other: "other rank", nearmiss.Taken: "already received", nearmiss.Count: "count",
	}
	for _, m := range misses {
		d := map[string]any{"kind": names[m.Kind], "waits": m.blocked.Thread.Process.Rank}
		if m.Op != nil {
			d["rank"] = m.Op.Comm.Members[m.Op.Me]
		}
		list = append(list, d)
	}
	return list
}
