package collective

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

const (
	// shownGroups is how many groups a finding describes.
	shownGroups = 8
	// oneLine is how many bytes the first line of a finding has at most. Longer texts have a line for each group.
	oneLine = 200
)

// report reports that the members of a collective do not pass what the rule wants.
func (r *rule) report(x *check.Run, c *match.Collective, gs []group) {
	// The largest group comes first: the odd ones differ from it.
	slices.SortStableFunc(gs, func(a, b group) int { return len(b.members) - len(a.members) })
	var (
		parts, keys []string
		all         []int
		details     []map[string]any
		f           = &finding.Finding{FollowUp: c.FollowUp}
		inLine      = x.Line(gs[0].call)
	)
	for i := range gs {
		g := &gs[i]
		ranks := check.Ranks(c.Comm, g.members)
		slices.Sort(ranks)
		all = append(all, ranks...)
		if i >= shownGroups {
			continue
		}
		site := x.Site(role(gs, i), g.call)
		for _, rank := range ranks {
			if rank != site.Rank {
				site.Also = append(site.Also, rank)
			}
		}
		f.Sites = append(f.Sites, site)
		keys = append(keys, x.Place(g.call)+"|"+x.Func(g.call).Name)
		details = append(details,
			map[string]any{"ranks": ranks, "argument": g.argument, "function": x.Func(g.call).Name})
		if g.silent {
			continue
		}
		text := r.says(g, ranks)
		if line := check.Line(site.Stack); line != inLine {
			text += check.Parens(line)
		}
		parts = append(parts, text)
	}
	if n := len(gs) - shownGroups; n > 0 {
		parts = append(parts, fmt.Sprintf("… and %d more", n))
	}
	if len(c.Missing) > 0 {
		ranks := check.Ranks(c.Comm, c.Missing)
		slices.Sort(ranks)
		parts = append(parts, finding.RankNames(ranks)+" "+verb(ranks, "has", "have")+" not called it")
	}
	slices.Sort(all)
	slices.Sort(keys)
	f.Key = strings.Join(slices.Compact(keys), "|")
	f.Ranks = slices.Compact(all)
	comm := x.Comm(gs[0].call, c.Comm)
	f.Message = r.message(c, f.Ranks, parts) + fmt.Sprintf("\nThis is collective %d on %s.", c.Position+1, comm)
	gs = gs[:min(len(gs), shownGroups)]
	f.Message += whereDifferent(gs)
	for i := range gs {
		same := func(g group) bool { return g.data.Type == gs[i].data.Type || side(g.data) == side(gs[i].data) }
		if !slices.ContainsFunc(gs[:i], same) {
			role := fmt.Sprintf("datatype of rank %d", f.Sites[i].Rank)
			f.Sites = append(f.Sites, x.Origins(role, gs[i].data.Type)...)
		}
	}
	f.Why, f.Advice = r.why, r.advice
	if r.more != nil {
		f.Why, f.Advice = r.more(c)
	}
	f.Details = map[string]any{"comm": comm, "position": c.Position + 1, "groups": details}
	x.Report(f)
	x.Refuse(f, c.Comm, c.Position)
}

// whereDifferent is a line of the message: where the data of two of the groups differ first. It is "" if that is in the
// first line.
func whereDifferent(gs []group) string {
	for i := range gs {
		if gs[i].other != (match.Side{}) {
			return firstDifference(gs[i].data, gs[i].other)
		}
	}
	for i := 1; i < len(gs); i++ {
		if line := firstDifference(gs[0].data, gs[i].data); line != "" {
			return line
		}
	}
	return ""
}

// says says what a group does.
func (r *rule) says(g *group, ranks []int) string {
	if g.text != "" {
		return g.text
	}
	verbs := r.verbs
	if g.verbs != [2]string{} {
		verbs = g.verbs
	}
	return finding.RankNames(ranks) + " " + verb(ranks, verbs[0], verbs[1]) + " " + g.argument
}

// message puts together what the groups do: in one line if there is room.
func (r *rule) message(c *match.Collective, ranks []int, parts []string) string {
	name := function(c) + ": "
	if c.Different || disorder(c) {
		name = "" // the groups have the names
	}
	line := name + strings.Join(parts, "; ")
	if len(parts) == 2 {
		line = name + parts[0] + ", but " + parts[1]
	}
	if len(line) <= oneLine {
		return sentence(line)
	}
	return fmt.Sprintf("%s %s:\n%s.", capital(finding.RankNames(ranks)), conjugated(r.what(c), ranks),
		strings.Join(parts, ";\n"))
}

// sentence makes a text a sentence.
func sentence(text string) string { return capital(text) + "." }

// role says what the calls of a group have to do with a finding. A group is the majority only if it is the largest one.
func role(gs []group, i int) string {
	switch {
	case gs[i].role != "":
		return gs[i].role
	case len(gs) < 2 || len(gs[0].members) == len(gs[1].members):
		return "call"
	case i == 0:
		return "majority"
	case len(gs[i].members) == 1:
		return "odd one out"
	}
	return "odd ones out"
}

// conjugated puts the verb that a text begins with into the form for the number of ranks.
func conjugated(text string, ranks []int) string {
	if len(ranks) > 1 {
		return text
	}
	word, rest, _ := strings.Cut(text, " ")
	if word == "do" {
		return "does " + rest
	}
	if strings.HasSuffix(word, "s") {
		word += "e"
	}
	return word + "s " + rest
}
