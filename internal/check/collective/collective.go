// Package collective has the checks of collective operations: what all members of a communicator, window or file must
// agree on (package agree), and that they agree.
package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// patience is how many ticks a collective that its members entered in different ways is given to become complete.
const patience = 2

// group are members that pass the same where they should all pass the same.
type group struct {
	argument string // what they pass
	call     match.Call
	members  []int32
	calls    bool // argument is what they call
}

// rule is one thing that members must agree on.
type rule struct {
	// groups returns the members by what they pass, nil if there is nothing wrong.
	groups func(x *check.Run, c *match.Collective) []group
	// what completes "The processes of MPI_COMM_WORLD …".
	what        func(c *match.Collective) string
	why, advice string
	// verbs are for one and for several processes, before what they pass.
	verbs [2]string
	// entering, if it is not nil, returns what is called when a member enters a collective by a function that enters names. It may
	// add to what the member contributes.
	entering func(x *check.Run) func(track.CollectiveEntering)
	enters   func(*mpiapi.Func) bool
}

// start runs a rule as a check.
func (r *rule) start(x *check.Run) {
	if r.entering != nil {
		enter := r.entering(x)
		for _, f := range mpiapi.Funcs() {
			if r.enters(f) {
				x.Track.CollectiveEntering.On(x.Owner, enter, f.ID)
			}
		}
	}
	watch(x, func(c *match.Collective) {
		if gs := r.groups(x, c); len(gs) > 0 {
			r.report(x, c, gs)
		}
	})
}

// watch calls found once for each collective in which members do not agree: when all have entered it, or when that
// doesn't happen for a while. It also calls found for a collective in which a member has failed or died.
func watch(x *check.Run, found func(*match.Collective)) {
	type place struct {
		comm *match.Comm
		at   uint64
	}
	waiting, told := make(map[place]int), make(map[place]bool)
	look := func(limit int) {
		for p := range waiting {
			if waiting[p]++; waiting[p] > limit {
				delete(waiting, p)
				if c, ok := p.comm.SoFar(p.at); ok {
					told[p] = true
					found(&c)
				}
			}
		}
	}
	x.Match.Disagreed.On(x.Owner, func(e match.Disagreed) { waiting[place{e.Comm, e.Position}] = 0 })
	x.Match.CollectiveMismatched.On(x.Owner, func(c *match.Collective) {
		p := place{c.Comm, c.Position}
		if _, ok := waiting[p]; ok || c.Uneven && !told[p] {
			found(c)
		}
		delete(waiting, p)
		delete(told, p)
	})
	// Not all members may enter a collective in which one fails or dies: those that have entered are compared.
	x.Track.CallFailed.On(x.Owner, func(e track.CallFailed) {
		if f := e.Failure; f != nil && f.Comm != nil && !f.Comm.Complete(f.Position) {
			waiting[place{f.Comm, f.Position}] = 0
		}
	})
	x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
		for _, th := range p.Threads {
			if v, at := th.InCollective(); v != nil && !v.Complete(at) {
				waiting[place{v.Comm, at}] = 0
			}
		}
	})
	x.Track.Tick.On(x.Owner, func(struct{}) { look(patience) })
	x.Track.RunOver.On(x.Owner, func(struct{}) { look(-1) })
}

// byValue groups the members by an aspect; those whose argument is not significant are in none.
func byValue(c *match.Collective, a match.Aspect, argument func(v *match.Variant) string) []group {
	return split(c, func(v *match.Variant) uint64 { return v.Values[a] }, argument)
}

// split groups the members by a key; those with key 0 are in no group.
func split(c *match.Collective, key func(v *match.Variant) uint64, argument func(v *match.Variant) string) []group {
	var gs []group
	at := make(map[uint64]int)
	for i := range c.Variants {
		v := &c.Variants[i]
		k := key(v)
		if k == 0 {
			continue
		}
		j, ok := at[k]
		if !ok {
			j = len(gs)
			at[k] = j
			gs = append(gs, group{argument: argument(v), call: v.Call})
		}
		gs[j].members = append(gs[j].members, members(c, v)...)
	}
	return gs
}

// members returns who called a collective in the way of v.
func members(c *match.Collective, v *match.Variant) []int32 {
	if len(c.Variants) > 1 {
		return v.Members
	}
	var all []int32
	for m := range int32(c.Comm.Size()) {
		if _, missing := slices.BinarySearch(c.Missing, m); !missing {
			all = append(all, m)
		}
	}
	return all
}

func (r *rule) report(x *check.Run, c *match.Collective, gs []group) {
	// The largest group comes first: it is the one that the odd ones are seen against.
	slices.SortStableFunc(gs, func(a, b group) int { return len(b.members) - len(a.members) })
	majority := len(gs) > 1 && len(gs[0].members) > len(gs[1].members)
	var (
		parts, keys []string
		all         []int
		details     []map[string]any
		f           = &finding.Finding{FollowUp: c.FollowUp}
	)
	for i := range gs {
		g := &gs[i]
		ranks := check.Ranks(c.Comm, g.members)
		slices.Sort(ranks)
		all = append(all, ranks...)
		verbs := r.verbs
		if g.calls {
			verbs = [2]string{"calls", "call"}
		}
		verb := verbs[1]
		if len(ranks) == 1 {
			verb = verbs[0]
		}
		if i < shownGroups {
			parts = append(parts, fmt.Sprintf("%s %s %s", finding.RankNames(ranks), verb, g.argument))
		}
		role := "call"
		switch {
		case majority && i > 0 && len(ranks) == 1:
			role = "odd one out"
		case majority && i > 0:
			role = "odd ones out"
		case majority:
			role = "majority"
		}
		if i < shownGroups {
			site := x.Site(role, g.call)
			for _, rank := range ranks {
				if rank != site.Rank {
					site.Also = append(site.Also, rank)
				}
			}
			f.Sites = append(f.Sites, site)
			keys = append(keys, x.Place(g.call)+"|"+x.Func(g.call).Name)
			details = append(details, map[string]any{"ranks": ranks, "argument": g.argument, "function": x.Func(g.call).Name})
		}
	}
	if n := len(gs) - shownGroups; n > 0 {
		parts = append(parts, fmt.Sprintf("and so on, %d more in all", n))
	}
	if len(c.Missing) > 0 {
		ranks := check.Ranks(c.Comm, c.Missing)
		slices.Sort(ranks)
		parts = append(parts, finding.RankNames(ranks)+" did not come")
	}
	slices.Sort(all)
	slices.Sort(keys)
	f.Key = strings.Join(slices.Compact(keys), "|")
	f.Ranks = slices.Compact(all)
	comm := x.Comm(gs[0].call, c.Comm)
	f.Message = fmt.Sprintf("The processes of %s %s (collective number %d on it):\n%s.\n%s", comm, r.what(c), c.Position+1,
		strings.Join(parts, "; "), r.why)
	f.Advice = r.advice
	f.Details = map[string]any{"comm": comm, "position": c.Position + 1, "groups": details}
	x.Report(f)
	x.Refuse(f, c.Comm, c.Position)
}

// shownGroups is how many groups a finding describes.
const shownGroups = 8

// function names the operation that all are in.
func function(c *match.Collective) string { return mpiapi.ByID(c.Variants[0].Func).Name }

// about makes the sentence for members of one operation.
func about(format string) func(c *match.Collective) string {
	return func(c *match.Collective) string { return fmt.Sprintf(format, function(c)) }
}

var passes = [2]string{"passes", "pass"}

// newCheck returns a check by a rule.
func newCheck(id, title, doc string, r *rule) *check.Check {
	return &check.Check{
		ID: "GLOBAL:COLLECTIVE:" + id, Severity: finding.Error, Title: title, Doc: doc,
		Start: r.start,
	}
}

// settled reports whether the members are in the same operation with the same, allowed arguments as far as everything
// else depends on them: one cause makes one finding.
func settled(c *match.Collective) bool {
	return !c.Different && !c.Conflicts.Has(match.Validity) && !c.Conflicts.Has(match.Root)
}
