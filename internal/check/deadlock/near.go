package deadlock

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis/nearmiss"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
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
				if m.Op != nil && explained[m.Op] {
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

// miss describes a near miss, and adds its place.
func (s *story) miss(m miss) string {
	x, w := s.x, m.Want
	me := m.blocked.Thread.Process.Rank
	rank := func(member int32) int { return int(w.Comm.Members[member]) }
	comm := x.Comm(m.blocked.Call, w.Comm)
	switch m.Kind {
	case nearmiss.Count:
		if w.Send {
			return fmt.Sprintf("So far, rank %d has sent %s to rank %d on %s, but rank %d is in its %s receive from "+
				"it.",
				rank(w.Peer), check.Plural(m.Sent, "message", "messages"), me, comm, me, ordinal(m.Received))
		}
		return fmt.Sprintf("So far, rank %d has received %s from rank %d on %s, but rank %d is in its %s send to it.",
			rank(w.Peer), check.Plural(m.Received, "message", "messages"), me, comm, me, ordinal(m.Sent))
	case nearmiss.Taken:
		s.add("receive that took the message", m.Took.Call)
		return fmt.Sprintf("Near miss: rank %d sent to rank %d with %s on %s, but an earlier receive took the "+
			"message (%s).",
			rank(m.Took.From), me, tag(m.Took.Tag), comm, x.CallAt(m.Took.Call))
	}
	op := m.Op
	s.add(role[m.Kind][op.Send], op.Call)
	theirs := x.Comm(op.Call, op.Comm)
	if op.Send {
		text := fmt.Sprintf("Near miss: rank %d sent to rank %d with %s on %s (%s), but rank %d waits for ",
			op.Comm.Members[op.Me], op.Comm.Members[op.Peer], tag(op.Tag), theirs, x.CallAt(op.Call), me)
		switch m.Kind {
		case nearmiss.Tag:
			return text + tag(w.Tag) + "."
		case nearmiss.Comm:
			return text + "a message on " + comm + "."
		case nearmiss.Elsewhere:
			return text + fmt.Sprintf("a message from rank %d.", rank(w.Peer))
		}
		return text + fmt.Sprintf("rank %d.", rank(w.Peer))
	}
	from := "any rank"
	if op.Peer != match.Any {
		from = fmt.Sprintf("rank %d", op.Comm.Members[op.Peer])
	}
	text := fmt.Sprintf("Near miss: rank %d receives from %s with %s on %s (%s), but rank %d sends ",
		op.Comm.Members[op.Me], from, tag(op.Tag), theirs, x.CallAt(op.Call), me)
	switch m.Kind {
	case nearmiss.Tag:
		return text + "with " + tag(w.Tag) + "."
	case nearmiss.Comm:
		return text + "on " + comm + "."
	case nearmiss.Elsewhere:
		return text + fmt.Sprintf("to rank %d.", rank(w.Peer))
	}
	return text + "to it."
}

// add adds the place of a call that a thread is no longer in.
func (s *story) add(what string, c match.Call) {
	s.finding.Sites = append(s.finding.Sites, s.x.Site(what, c))
}

// role describes the other operation of a near miss, by whether it sends.
var role = map[nearmiss.Kind]map[bool]string{
	nearmiss.Tag:       {true: "send with another tag", false: "receive with another tag"},
	nearmiss.Comm:      {true: "send on another communicator", false: "receive on another communicator"},
	nearmiss.Elsewhere: {true: "send to another rank", false: "receive of another rank"},
	nearmiss.Other:     {true: "send from another rank", false: "receive from another rank"},
}

func tag(t int32) string {
	if t == match.Any {
		return "any tag"
	}
	return fmt.Sprintf("tag %d", t)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
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
