// Package collective has the checks of collective operations: all members of a communicator, window or file must call
// the same operation, with arguments that agree. Package collargs says which arguments these are.
package collective

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// patience is how many ticks a check waits for the other members to enter a collective in which some disagree.
const patience = 2

// group are members that pass the same, where all members should.
type group struct {
	argument string // what they pass
	call     match.Call
	members  []int32
	verbs    [2]string // in place of those of the rule
	role     string    // what the call has to do with the finding, "" to compare the sizes of the groups
	// text says it all, in place of the members with what they pass. silent: the text of another group says it.
	text   string
	silent bool
	// data are what they send or expect, if that is what differs.
	data match.Side
	// other are the data of the other side, if one sends what the other one expects.
	other match.Side
}

// rule is one thing that members must agree on.
type rule struct {
	// groups returns the members by what they pass, nil if there is nothing wrong.
	groups func(x *check.Run, c *match.Collective) []group
	// what completes "Ranks 0,1 …", where what the groups pass is too long for one line.
	what        func(c *match.Collective) string
	why, advice string
	// more returns why and advice, where they depend on the collective.
	more func(c *match.Collective) (why, advice string)
	// verbs are for one and for several processes, before what they pass.
	verbs [2]string
	// entering, if it is not nil, returns the function to call when a member enters a collective. It may add to what
	// the member contributes. enters names the functions concerned.
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
	watch(x, func(c *match.Collective) bool {
		gs := r.groups(x, c)
		if len(gs) > 0 {
			r.report(x, c, gs)
		}
		return len(gs) > 0
	})
}

// watch calls report for each collective in which members disagree: when all members have entered it, or when some do
// not enter it for a while. It also calls report for a collective in which a member has failed or died. report returns
// whether it has reported something. Then it is not called again for this collective.
func watch(x *check.Run, report func(*match.Collective) bool) {
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
					if report(&c) {
						told[p] = true
					}
				}
			}
		}
	}
	await := func(p place) {
		if !told[p] { // a call may be wrong by itself, and reported before the next member enters
			waiting[p] = 0
		}
	}
	x.Match.Disagreed.On(x.Owner, func(e match.Disagreed) { await(place{e.Comm, e.Position}) })
	x.Match.CollectiveMismatched.On(x.Owner, func(c *match.Collective) {
		p := place{c.Comm, c.Position}
		if _, ok := waiting[p]; ok || c.Uneven && !told[p] {
			report(c)
		}
		delete(waiting, p)
		delete(told, p)
	})
	// Where a member fails or dies, others may never enter the collective. Those that have entered are compared.
	x.Track.CallFailed.On(x.Owner, func(e track.CallFailed) {
		if f := e.Failure; f != nil && f.Comm != nil && !f.Comm.Complete(f.Position) {
			await(place{f.Comm, f.Position})
		}
	})
	x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
		for _, th := range p.Threads {
			if v, at := th.InCollective(); v != nil && !v.Complete(at) {
				await(place{v.Comm, at})
			}
		}
	})
	x.Track.Tick.On(x.Owner, func(struct{}) { look(patience) })
	x.Track.RunOver.On(x.Owner, func(struct{}) { look(-1) })
}

// byValue groups the members by an aspect. A member whose argument is not significant is in no group.
func byValue(c *match.Collective, a match.Aspect, argument func(v *match.Variant) string) []group {
	return split(c, func(v *match.Variant) uint64 { return v.Values[a] }, argument)
}

// split groups the members by a key. Those with key 0 are in no group.
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

// members returns the members that called a collective in the way of v.
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

// function names the operation that all members are in.
func function(c *match.Collective) string { return mpiapi.ByID(c.Variants[0].Func).Name }

// about makes what a rule says of members that are in one operation.
func about(format string) func(c *match.Collective) string {
	return func(c *match.Collective) string { return fmt.Sprintf(format, function(c)) }
}

var (
	passes = [2]string{"passes", "pass"}
	calls  = [2]string{"calls", "call"}
)

// newCheck returns a check by a rule.
func newCheck(id, title, doc string, r *rule) *check.Check {
	return &check.Check{
		ID: "GLOBAL:COLLECTIVE:" + id, Severity: finding.Error, Title: title, Doc: doc,
		Start: r.start,
	}
}

// settled reports whether the members are in the same operation, with valid arguments and the same root. If they are
// not, other differences follow from that: one cause makes one finding.
func settled(c *match.Collective) bool {
	return !c.Different && !c.Conflicts.Has(match.Validity) && !c.Conflicts.Has(match.Root)
}
