package collective

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	processes "github.com/mpivet/mpivet/internal/mpi/group"
)

//go:embed groups.md
var groupsDoc string

// GroupMismatch finds members that disagree on the groups of new communicators.
var GroupMismatch = &check.Check{
	ID: "GLOBAL:COLLECTIVE:GROUP_MISMATCH", Severity: finding.Error, Doc: groupsDoc,
	Title: "processes do not agree on the groups of new communicators",
	Needs: []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		groupRule.start(x)
		m := &meeting{leavers: newLeavers(x), told: make(map[*match.Comm]bool)}
		x.Track.CallFailed.On(x.Owner, m.failed)
		x.Track.FinalizeEntered.On(x.Owner, m.finalize)
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, m.deadlock)
		x.Track.Tick.On(x.Owner, func(struct{}) { m.tick() })
		x.Track.RunOver.On(x.Owner, func(struct{}) { m.reportPassed() })
	},
}

var groupRule = &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		switch {
		case !settled(c):
			return nil
		case len(c.Clashes) > 0:
			return clashing(c)
		}
		return simple(match.Groups, "split_type")(x, c)
	},
	what: func(c *match.Collective) string {
		if len(c.Clashes) > 0 {
			return "pass groups that contradict each other to " + function(c)
		}
		return "pass different split types to " + function(c)
	},
	verbs: passes,
	more: func(c *match.Collective) (why, advice string) {
		if len(c.Clashes) == 0 {
			return "All processes must pass the same split_type, or MPI_UNDEFINED (MPI standard, section 7.4.2).",
				"Pass the same split_type on all processes. A process that is to be in no new communicator passes " +
					"MPI_UNDEFINED."
		}
		return "All processes of a group must pass this same group, so different groups have no process in common. " +
				"On an inter-communicator, all processes of one side pass the same group (MPI standard, section " +
				"7.4.2).",
			"Compute the group from something that is the same on all its processes, in the same order. A process " +
				"that is to be in no new communicator passes MPI_GROUP_EMPTY."
	},
}

// clashing returns the members that pass groups which clash, by these groups.
func clashing(c *match.Collective) (gs []group) {
	add := func(m match.Clash, i int) {
		text := "group=" + m.Groups[i].String()
		at := slices.IndexFunc(gs, func(g group) bool { return g.argument == text })
		if at < 0 {
			at = len(gs)
			gs = append(gs, group{argument: text, call: m.Calls[i]})
		}
		if !slices.Contains(gs[at].members, m.Members[i]) {
			gs[at].members = append(gs[at].members, m.Members[i])
		}
		if c.Crowded() {
			return
		}
		for k := range c.Variants {
			if v := &c.Variants[k]; v.Grouped && v.Group == m.Groups[i] {
				gs[at].members = slices.Clone(members(c, v))
			}
		}
	}
	for _, m := range c.Clashes {
		add(m, 0)
		add(m, 1)
	}
	return gs
}

// gatherings reports whether two processes block each other in calls that make a communicator of a group. Each group
// has the other process, and both come from the same communicator, but the groups or tags differ. The program may have
// meant one communicator.
func gatherings(arcs []arc) bool {
	return len(arcs) == 2 && related(arcs[0].clause.Comm.Comm, arcs[1].clause.Comm.Comm)
}

// related reports whether two gatherings make communicators from the same parent.
func related(a, b *match.Comm) bool {
	return a.Domain == match.Gathering && b.Domain == match.Gathering && a.Parent() == b.Parent() && a.World == b.World
}

// meeting finds processes that do not meet because they are in different gatherings.
type meeting struct {
	leavers
	told map[*match.Comm]bool
}

// deadlock reports processes that wait for each other.
func (m *meeting) deadlock(d *waiting.Deadlock) {
	if arcs := circle(d); gatherings(arcs) {
		m.report(arcs[0].clause.Comm.Comm, arcs[1].clause.Comm.Comm)
	}
}

func (m *meeting) tick() {
	if m.leaving {
		m.reportPassed()
	}
}

// reportPassed reports processes that MPI let continue, and that have called MPI_Finalize since.
func (m *meeting) reportPassed() {
	if !m.proper() {
		return
	}
	for _, c := range m.incomplete() {
		if other := elsewhere(m.x, c); other != nil && !m.told[c] && m.left(c) && m.left(other) {
			m.report(c, other)
		}
	}
}

// left reports whether the processes that are missing in a gathering will never enter it.
func (m *meeting) left(c *match.Comm) bool {
	first, _ := c.Incomplete()
	v, ok := c.At(first)
	if ok {
		_, ok = m.gone(c, v.Missing)
	}
	return ok
}

// elsewhere returns a second gathering that crosses c: a process missing in c has entered it, and a process that has
// entered c is missing in it. It returns nil if there is none.
func elsewhere(x *check.Run, c *match.Comm) *match.Comm {
	if c.Domain != match.Gathering {
		return nil
	}
	for _, o := range x.Tracker.Comms.Incomplete() {
		if o != c && related(c, o) && ahead(c, o) && ahead(o, c) {
			return o
		}
	}
	return nil
}

// ahead reports whether a member of both gatherings has entered a, but not b.
func ahead(a, b *match.Comm) bool {
	first, _ := a.Incomplete()
	other, _ := b.Incomplete()
	return slices.ContainsFunc(check.All(a), func(m int32) bool {
		i := b.Index(a.Members[m])
		return i >= 0 && a.Entered(m) > first && b.Entered(i) <= other
	})
}

// gathering is one of two gatherings that do not meet: one of its calls, and the ranks that have entered it.
type gathering struct {
	comm  *match.Comm
	call  match.Call
	ranks []int
}

func (m *meeting) report(both ...*match.Comm) {
	var (
		f      = new(finding.Finding)
		places = newSites(m.x)
		lines  []string
		name   string
		calls  []gathering
	)
	for _, c := range both {
		first, _ := c.Incomplete()
		v, ok := c.At(first)
		if m.told[c] || !ok {
			return
		}
		g := gathering{comm: c, call: v.Variants[0].Call}
		for i := range v.Variants {
			g.ranks = append(g.ranks, check.Ranks(c, members(&v, &v.Variants[i]))...)
		}
		slices.Sort(g.ranks)
		calls = append(calls, g)
	}
	slices.SortFunc(calls, func(a, b gathering) int { return slices.Compare(a.ranks, b.ranks) })
	for _, g := range calls {
		name = m.x.Func(g.call).Name
		places.add("call", g.call, g.ranks...)
		f.Ranks = append(f.Ranks, g.ranks...)
		lines = append(lines, fmt.Sprintf("%s %s %s",
			finding.RankNames(g.ranks), verb(g.ranks, "passes", "pass"), gathered(m.x, g.call, g.comm)))
	}
	f.Message = fmt.Sprintf("%s: %s, but %s.", name, lines[0], lines[1])
	f.Why = "All processes of the group must pass the same group, in the same order, and the same tag (MPI standard, " +
		"section 7.4.2). If the calls are for different communicators, the processes create these in different orders."
	f.Advice = "Pass the same arguments on all processes of the group. Create several such communicators in the same " +
		"order on all their processes."
	f.Sites, f.Key = places.list, "apart|"+places.key()
	m.x.Report(f)
	for _, c := range both {
		first, _ := c.Incomplete()
		m.told[c] = true
		m.x.Refuse(f, c, first)
	}
}

// gathered says which arguments the processes in a gathering have passed.
func gathered(x *check.Run, call match.Call, c *match.Comm) string {
	list := func(from, to int) string {
		return processes.Of(slices.Values(c.Members[from:to])).String()
	}
	text := "the group " + list(0, len(c.Members))
	if c.Split != 0 {
		text = "the groups " + list(0, c.Split) + " and " + list(c.Split, len(c.Members))
	}
	return text + " and " + argument(x, "tag", "stringtag")(&match.Variant{Call: call})
}
