package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/collorder"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed order.md
var orderDoc string

// OrderMismatch finds processes that enter collectives of different communicators in orders in which they can block
// each other (package collorder), or do block each other.
var OrderMismatch = &check.Check{
	ID:       "GLOBAL:COLLECTIVE:ORDER_MISMATCH",
	Severity: finding.Error,
	Title:    "processes enter collectives of different communicators in orders that can block each other",
	Doc:      orderDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		o := &orders{x: x, simulation: collorder.New(), told: make(map[*match.Comm]bool)}
		x.Track.CollectiveEntered.On(x.Owner, func(e *track.CollectiveEntered) {
			if v := e.View; !v.Opaque && (v.World == nil || !v.World.Unsure) {
				o.simulation.Enter(v.Comm, v.Me, e.Position, &e.Call)
			}
		})
		x.Track.CallFailed.On(x.Owner, func(e track.CallFailed) {
			if v, _ := e.Thread.Joined(); v != nil {
				o.simulation.Distrust(v.Comm)
			}
		})
		x.Track.Tick.On(x.Owner, func(struct{}) {
			o.simulation.Tick()
			o.reportCrossings(orderPatience)
		})
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, o.deadlock)
		x.Track.RunOver.On(x.Owner, func(struct{}) {
			o.reportCrossings(0)
			o.reportOpen()
		})
	},
}

// orderPatience is how many ticks the check waits for further processes that belong into the same finding.
const orderPatience = 5

type orders struct {
	x          *check.Run
	simulation *collorder.Simulation
	told       map[*match.Comm]bool  // those that were part of a finding
	open       []*collorder.Crossing // it is not known yet whether threads share a communicator
}

func (o *orders) reportCrossings(patience int) {
	for c := o.simulation.Crossing(patience, o.gone); c != nil; c = o.simulation.Crossing(patience, o.gone) {
		if slices.ContainsFunc(c.Links, o.threaded) {
			o.open = append(o.open, c)
		} else {
			o.report(c)
		}
	}
}

// gone reports whether a member of a communicator has ended, or is about to.
func (o *orders) gone(c *match.Comm, member int32) bool {
	p := o.x.Tracker.ProcessOf(c.World, int(c.Members[member]))
	return p == nil || p.Ended != nil || p.Finalizing
}

// threaded reports whether processes with several threads are part of a link.
func (o *orders) threaded(l collorder.Link) bool {
	return slices.ContainsFunc(l.Threads, func(t collorder.Order) bool {
		return len(o.x.Tracker.ThreadByID(t.Thread).Process.Threads) > 1
	})
}

// reportOpen reports the crossings that were kept back: nothing more will become known about them.
func (o *orders) reportOpen() {
	for _, c := range o.open {
		o.report(c)
	}
	o.open = nil
}

// What both kinds of findings have in common.
const (
	orderWhy = "A collective may wait until all processes of its communicator have entered it (MPI standard, chapter " +
		"6, \"Correctness\")."
	orderAdvice = "Call the collectives in the same order on all processes that share several of these " +
		"communicators. Or use nonblocking ones (MPI_Ibcast …): start them in any order, and complete them together."
)

// report reports collectives that can block each other.
func (o *orders) report(c *collorder.Crossing) {
	if !c.Sound() || slices.ContainsFunc(c.Links, func(l collorder.Link) bool {
		w := l.First.Comm.World
		unknown := func(t collorder.Order) bool { return t.First == nil || t.Second == nil }
		return w != nil && w.Unsure || slices.ContainsFunc(l.Threads, unknown)
	}) {
		return
	}
	var (
		f       = new(finding.Finding)
		places  = newSites(o.x)
		lines   []string
		details []map[string]any
		names   = o.names(c)
	)
	for _, l := range o.lowestFirst(c.Links) {
		o.told[l.First.Comm] = true
		f.FollowUp = f.FollowUp || l.First.Comm.Desynchronised || outOfStep(l.First.Comm, l.First.Position)
		var ranks []int
		for _, t := range l.Threads {
			ranks = append(ranks, o.x.Rank(*t.First))
			places.add("first", *t.First)
		}
		for _, t := range l.Threads {
			places.add("then", *t.Second)
		}
		f.Ranks = append(f.Ranks, ranks...)
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		first, second := o.x.Func(*l.Threads[0].First).Name, o.x.Func(*l.Threads[0].Second).Name
		lines = append(lines, fmt.Sprintf("%s %s %s on %s first, then %s on %s", finding.RankNames(ranks),
			verb(ranks, "enters", "enter"), first, names[l.First.Comm], second, names[l.Second.Comm]))
		details = append(details,
			map[string]any{"ranks": ranks, "first": names[l.First.Comm], "then": names[l.Second.Comm]})
	}
	how := "for each other"
	if len(c.Links) > 2 {
		how = "in a circle"
	}
	f.Message = fmt.Sprintf("%s enter collectives of different communicators in different orders and can block each "+
		"other:\n%s.",
		capital(finding.RankNames(f.Ranks)), strings.Join(lines, ";\n"))
	f.Why = fmt.Sprintf("%s If these collectives wait, the processes wait %s forever.", orderWhy, how)
	f.Advice = orderAdvice
	f.Sites, f.Key = places.list, places.key()
	f.Details = map[string]any{"orders": details}
	o.x.Report(f)
	for _, l := range c.Links {
		o.x.Refuse(f, l.First.Comm, l.First.Position)
	}
}

// lowestFirst rotates a circle so that it begins with the lowest rank.
func (o *orders) lowestFirst(links []collorder.Link) []collorder.Link {
	at, lowest := 0, -1
	for i, l := range links {
		for _, t := range l.Threads {
			if r := o.x.Rank(*t.First); lowest < 0 || r < lowest {
				at, lowest = i, r
			}
		}
	}
	return slices.Concat(links[at:], links[:at])
}

// names returns the names of the communicators of a crossing. Where several have the same name, their ranks are added.
func (o *orders) names(c *collorder.Crossing) map[*match.Comm]string {
	names := make(map[*match.Comm]string)
	count := make(map[string]int)
	for _, l := range c.Links {
		n := o.x.Comm(*l.Threads[0].First, l.First.Comm)
		names[l.First.Comm] = n
		count[n]++
	}
	for comm, n := range names {
		if count[n] > 1 {
			names[comm] = n + " of " + finding.RankNames(check.Ranks(comm, check.All(comm)))
		}
	}
	return names
}

// deadlock reports collectives that do block each other, unless report has reported that they can.
func (o *orders) deadlock(d *waiting.Deadlock) {
	o.reportCrossings(0)
	o.reportOpen()
	arcs := circle(d)
	if len(arcs) == 0 || gatherings(arcs) ||
		!slices.ContainsFunc(arcs, func(a arc) bool { return !o.told[a.clause.Comm.Comm] }) {
		return
	}
	var (
		f      = new(finding.Finding)
		places = newSites(o.x)
		lines  []string
	)
	for i, a := range arcs {
		c, position := a.clause.Comm.Comm, a.clause.Pos
		o.told[c] = true
		var ranks []int
		for _, b := range inside(d, c, position) {
			ranks = append(ranks, b.Thread.Process.Rank)
			places.add("waiting", b.Call)
		}
		f.Ranks = append(f.Ranks, ranks...)
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		next := arcs[(i+1)%len(arcs)].process
		name, it := o.x.Func(a.blocked.Call).Name, "it too"
		if v, ok := c.At(position); ok && v.Variants[0].Func != a.blocked.Thread.Open.Func.Base {
			it = mpiapi.ByID(v.Variants[0].Func).Name
		}
		lines = append(lines, fmt.Sprintf("%s %s in %s for rank %d to call %s (%s)", finding.RankNames(ranks),
			verb(ranks, "waits", "wait"), name, next.Rank, it, o.x.Comm(a.blocked.Call, c)))
	}
	f.Message = fmt.Sprintf("%s enter collectives of different communicators in different orders and block each other:"+
		"\n%s.",
		capital(finding.RankNames(f.Ranks)), strings.Join(lines, ",\n"))
	f.Why, f.Advice = orderWhy+" Here it does.", orderAdvice
	f.Sites, f.Key = places.list, "blocked|"+places.key()
	o.x.Report(f)
	for _, a := range arcs {
		o.x.Refuse(f, a.clause.Comm.Comm, a.clause.Pos)
	}
}

// inside returns the threads that wait in a collective.
func inside(d *waiting.Deadlock, c *match.Comm, position uint64) (list []*waiting.Blocked) {
	for i := range d.Blocked {
		b := &d.Blocked[i]
		if slices.ContainsFunc(b.Clauses, func(cl waiting.Clause) bool {
			return cl.What == waiting.ToJoin && cl.Comm.Comm == c && cl.Pos == position
		}) {
			list = append(list, b)
		}
	}
	return list
}
