package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	processes "github.com/mpivet/mpivet/internal/mpi/group"
)

//go:embed groups.md
var groupsDoc string

// GroupMismatch finds members that do not agree on who is to be in a new communicator.
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
			return "do not agree on the groups in " + function(c)
		}
		return "pass different split types to " + function(c)
	},
	verbs: passes,
	why: "Who is in a group that is passed to MPI_Comm_create must pass the same group, so that different groups have nobody in common; " +
		"between groups, all processes of one side pass the same (MPI standard, section 7.4.2). MPI_Comm_split_type wants the same split_type everywhere, or MPI_UNDEFINED.",
	advice: "Compute the group from something that is the same on all of its processes, and in the same order. Processes that are to be in no communicator pass MPI_GROUP_EMPTY to MPI_Comm_create, and MPI_UNDEFINED to MPI_Comm_split_type.",
}

// clashing returns the members by the groups that they pass, of those groups that clash.
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

// gatherings reports whether two processes block each other as each is in a call that makes a communicator of a group
// with the other one, out of the same communicator, but with another group or tag. Then they may have meant the same
// one.
func gatherings(arcs []arc) bool {
	return len(arcs) == 2 && related(arcs[0].clause.Comm.Comm, arcs[1].clause.Comm.Comm)
}

// related reports whether two gatherings make communicators out of the same one.
func related(a, b *match.Comm) bool {
	return a.Domain == match.Gathering && b.Domain == match.Gathering && a.Parent() == b.Parent() && a.World == b.World
}

// meeting finds processes that do not meet, as they are in different gatherings.
type meeting struct {
	leavers
	told map[*match.Comm]bool
}

// deadlock tells of those who wait for each other.
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

// reportPassed tells of those whom MPI has let go on, and that have called MPI_Finalize now.
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

// left reports whether those who are missing in a gathering will never come.
func (m *meeting) left(c *match.Comm) bool {
	first, _ := c.Incomplete()
	v, ok := c.At(first)
	if ok {
		_, ok = m.gone(c, v.Missing)
	}
	return ok
}

// elsewhere returns a gathering that processes have entered who are missing in c, and in which processes are missing
// that have entered c; nil if there is none.
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

// ahead reports whether somebody has entered a gathering that is missing in b, where it is a member.
func ahead(a, b *match.Comm) bool {
	first, _ := a.Incomplete()
	other, _ := b.Incomplete()
	return slices.ContainsFunc(check.All(a), func(m int32) bool {
		i := b.Index(a.Members[m])
		return i >= 0 && a.Entered(m) > first && b.Entered(i) <= other
	})
}

// gathering is one of those that do not meet: a call of it, and the ranks that are in it.
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
		lines = append(lines, fmt.Sprintf("%s %s %s", finding.RankNames(g.ranks), verb(g.ranks, "passes", "pass"), gathered(m.x, g.call, g.comm)))
	}
	f.Message = fmt.Sprintf("Processes call %s, but do not meet:\n%s.\n"+
		"All processes of the group must pass the same group, in the same order, and the same tag (MPI standard, section 7.4.2). If these calls are to make different communicators, they are made in different orders.",
		name, strings.Join(lines, ";\n"))
	f.Advice = "Pass the same arguments on all processes of the group. Several such communicators must be made in the same order on all processes that are in them."
	f.Sites, f.Key = places.list, "apart|"+places.key()
	m.x.Report(f)
	for _, c := range both {
		first, _ := c.Incomplete()
		m.told[c] = true
		m.x.Refuse(f, c, first)
	}
}

// gathered says with which arguments processes are in a gathering.
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
