package collective

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

// pairwise finds the pairs of members whose sent and expected data differ.
func pairwise(c *match.Collective) (worst difference, gs []group) {
	type part struct {
		m match.Mismatch
		d difference
	}
	var found []part
	for _, m := range c.Mismatches {
		d := compare(m.Sent, m.Expected)
		if d == noDifference {
			continue
		}
		worst = max(worst, d)
		found = append(found, part{m, d})
	}
	var flows []flow
	for _, p := range found {
		if p.d != worst {
			continue
		}
		i := slices.IndexFunc(flows, func(f flow) bool { return f.takes(&p.m) })
		if i < 0 {
			i = len(flows)
			flows = append(flows, flow{first: p.m})
		}
		flows[i].from = append(flows[i].from, p.m.From)
		flows[i].to = append(flows[i].to, p.m.To)
	}
	for i := range flows {
		gs = append(gs, flows[i].groups(c)...)
	}
	return worst, gs
}

// flow are data that one member expects from others, or sends to others, all in the same way.
type flow struct {
	first    match.Mismatch
	from, to []int32
}

// takes reports whether a mismatch is one more of the same.
func (f *flow) takes(m *match.Mismatch) bool {
	oneTo := len(f.to) == 1 || f.to[0] == f.to[1]
	oneFrom := len(f.from) == 1 || f.from[0] == f.from[1]
	return sameSide(f.first.Sent, m.Sent) && sameSide(f.first.Expected, m.Expected) &&
		(oneTo && m.To == f.to[0] && m.From != f.from[0] || oneFrom && m.From == f.from[0] && m.To != f.to[0])
}

// sameSide reports whether two texts about data would be the same.
func sameSide(a, b match.Side) bool {
	return a.Count == b.Count && (a.Type == b.Type || side(a) == side(b))
}

// groups returns the two sides of a flow. The text of the first one speaks of both.
func (f *flow) groups(c *match.Collective) []group {
	m := &f.first
	from, to := slices.Compact(slices.Clone(f.from)), slices.Compact(slices.Clone(f.to))
	senders, receivers := finding.RankNames(check.Ranks(c.Comm, from)), finding.RankNames(check.Ranks(c.Comm, to))
	sent, expected := nothing(m.Sent), nothing(m.Expected)
	out := group{
		argument: sent + " to " + receivers, verbs: [2]string{"sends", "send"},
		call: m.Sender, members: from, role: "sends", data: m.Sent,
	}
	in := group{
		argument: expected + " from " + senders, verbs: [2]string{"expects", "expect"},
		call: m.Receiver, members: to, role: "expects", data: m.Expected,
		other: m.Sent,
	}
	if m.From == m.To && len(from) == 1 && len(to) == 1 {
		out.argument, in.argument, senders = sent+" to itself", expected+" from itself", "itself"
	}
	if len(from) > 1 {
		senders = "each of " + senders
	}
	if len(to) > 1 {
		receivers = "each of " + receivers
	}
	switch {
	case len(to) > 1:
		out.text = fmt.Sprintf("%s sends %s to %s, but they expect %s", finding.RankNames(check.Ranks(c.Comm, from)),
			sent, receivers, after(m.Expected, m.Sent))
		in.silent = true
	case len(from) > 1:
		in.text = fmt.Sprintf("%s expects %s from %s, but they send %s", receivers, expected, senders,
			after(m.Sent, m.Expected))
		out.silent = true
	case m.From == m.To:
		in.text = fmt.Sprintf("%s expects %s from itself, but sends %s", receivers, expected,
			after(m.Sent, m.Expected))
		out.silent = true
	default:
		in.text = fmt.Sprintf("%s expects %s from %s, but it sends %s", receivers, expected, senders,
			after(m.Sent, m.Expected))
		out.silent = true
	}
	return []group{in, out}
}

// after describes data after other data were described: their type is not repeated.
func after(s, other match.Side) string {
	if s.Type == other.Type && s.Count != 0 && other.Count != 0 {
		return strconv.FormatInt(s.Count, 10)
	}
	return nothing(s)
}

func nothing(s match.Side) string {
	if s.Count == 0 {
		return "nothing"
	}
	return side(s)
}
