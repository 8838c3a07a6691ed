// Package deadlock has the checks of processes that wait forever.
package deadlock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/nearmiss"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed hard.md
var hardDoc string

// Hard reports processes that can never continue: a knot in the AND-OR wait-for graph (package waiting).
var Hard = &check.Check{
	ID:       "GLOBAL:DEADLOCK:HARD",
	Severity: finding.Fatal,
	Title:    "processes wait for each other forever",
	Doc:      hardDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, func(d *waiting.Deadlock) { hard(x, d) })
	},
}

const (
	shown  = 8  // processes, or groups of them, that a finding describes one by one
	path   = 16 // processes in the line that lists a cycle
	groups = 4  // sets of processes that block each other
)

func hard(x *check.Run, d *waiting.Deadlock) {
	if !d.News {
		return // further processes wait for those that were reported
	}
	f := &finding.Finding{Advice: advice(d)}
	for i := range d.Blocked {
		f.Ranks = append(f.Ranks, d.Blocked[i].Thread.Process.Rank)
	}
	f.Ranks = slices.Compact(f.Ranks)
	s := story{x: x, places: make(map[string]int), seen: make([]bool, len(x.Tracker.Threads)), finding: f}
	for i := range d.Knots {
		s.knot(&d.Knots[i], i < groups)
	}
	if n := len(d.Knots) - groups; n > 0 {
		s.line("%s more block each other likewise", check.Plural(n, "group of processes", "groups of processes"))
	}
	s.fold(d.Orphans)
	f.Key = s.key()
	s.tellOthers(d.Blocked)
	s.gone(d.Gone)
	misses := nearMisses(x, d)
	f.Message = head(f.Ranks, d) + ".\n" + strings.Join(s.lines, ",\n") + "."
	for _, m := range misses {
		f.Message += "\n" + s.miss(m)
	}
	if len(misses) > 0 {
		f.Advice = remedy[misses[0].Kind]
	}
	f.Details = map[string]any{
		"cycle": rankNumbers(d.Cycle()), "knots": knotRanks(d), "ended": rankNumbers(d.Gone),
		"near_misses": details(misses), "graph": sorted(draw(x, d)),
	}
	x.Report(f)
}

// head says in one line which processes are stuck.
func head(ranks []int, d *waiting.Deadlock) string {
	text := fmt.Sprintf("%s can never go on", sentence(finding.RankNames(ranks)))
	cycle := d.Cycle()
	switch {
	case len(d.Knots) > 1:
		return text + fmt.Sprintf(": there are %d groups of processes that block each other", len(d.Knots))
	case len(cycle) == 1 && len(ranks) == 1:
		return text + ": it waits for itself"
	case len(cycle) == 1:
		return text + fmt.Sprintf(": rank %d waits for itself", cycle[0].Rank)
	case len(cycle) > 1:
		list := rankNumbers(cycle)
		var steps []string
		for i, r := range list {
			if i == path-1 && len(list) > path {
				steps = append(steps, "…")
				break
			}
			steps = append(steps, fmt.Sprint(r))
		}
		return text + ": the cycle is " + strings.Join(append(steps, fmt.Sprint(list[0])), " -> ")
	case len(d.Knots) == 1 && len(d.Knots[0].Links) > 1:
		return text + fmt.Sprintf(": %s wait for each other", finding.RankNames(linkRanks(d.Knots[0].Links)))
	case len(d.Gone) > 0 && len(ranks) == 1:
		return text + ": it waits for a process that has ended or is about to end"
	case len(d.Gone) > 0:
		return text + ": they wait for processes that have ended or are about to end"
	}
	return text
}

// sentence begins s with a capital.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func linkRanks(links []waiting.Link) (ranks []int) {
	for _, l := range links {
		ranks = append(ranks, l.Blocked.Thread.Process.Rank)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

func knotRanks(d *waiting.Deadlock) [][]int {
	list := make([][]int, 0, len(d.Knots))
	for i := range d.Knots {
		list = append(list, linkRanks(d.Knots[i].Links))
	}
	return list
}

func rankNumbers(ps []*track.Process) []int {
	ranks := make([]int, 0, len(ps))
	for _, p := range ps {
		ranks = append(ranks, p.Rank)
	}
	return ranks
}

func ending(p *track.Process) string {
	switch {
	case p.Ended == nil && p.Finalized:
		return "has left MPI_Finalize"
	case p.Ended == nil:
		return "is in MPI_Finalize"
	case p.Ended.Kind == ring.Exited && p.Finalizing:
		return "has ended"
	case p.Ended.Kind == ring.Exited:
		return fmt.Sprintf("has exited with status %d without MPI_Finalize", p.Ended.Code)
	}
	return "was killed"
}

// advice says what to do about a deadlock that no near miss explains.
func advice(d *waiting.Deadlock) string {
	sends, recvs, colls, starts, parts := 0, 0, 0, 0, 0
	count := func(links []waiting.Link) {
		for _, l := range links {
			waiting.Each([]waiting.Clause{*l.Clause}, func(c *waiting.Clause) {
				switch c.What {
				case waiting.ToReceive:
					sends++
				case waiting.ToSend:
					recvs++
				case waiting.ToJoin, waiting.ToLead:
					colls++
				case waiting.ToStart:
					starts++
				case waiting.ToReady:
					parts++
				}
			})
		}
	}
	for i := range d.Knots {
		count(d.Knots[i].Links)
	}
	count(d.Orphans)
	switch {
	case colls > 0:
		return "Every process of the communicator must call the collective. Look for a path on which one skips it, " +
			"or first waits for another process."
	case parts > 0:
		return "Each time the send is started, mark every partition ready before waiting for it (MPI_Pready, " +
			"MPI_Pready_range or MPI_Pready_list)."
	case starts > 0:
		return "All sides must start a persistent operation, equally often. Look for a path on which one skips its " +
			"MPI_Start, or first waits for another process."
	case sends > 0 && recvs == 0:
		return "Let one side receive first, or use MPI_Sendrecv, or post the receives with MPI_Irecv before the " +
			"sends. A send may wait until its receive is posted."
	case len(d.Orphans) > 0:
		return "Compare the number of sends and receives: no process will send the awaited message. Check source, " +
			"tag and communicator of the receive too."
	}
	return "Let one of them send before it receives. Check source, tag and communicator of the receives: they must " +
		"match those of the messages."
}

// remedy says what to do about a deadlock that a near miss explains.
var remedy = map[nearmiss.Kind]string{
	nearmiss.Tag:  "Use the same tag on both sides, or receive with MPI_ANY_TAG.",
	nearmiss.Comm: "Send and receive on the same communicator: messages of another one never match.",
	nearmiss.Elsewhere: "Check the destination of the send and the source of the receive. Both are ranks in the " +
		"communicator of the call.",
	nearmiss.Other: "Check the source of the receive. If the order of the messages does not matter, receive from " +
		"MPI_ANY_SOURCE.",
	nearmiss.Taken: "Name source and tag in the earlier receive, or use another tag or communicator for its " +
		"messages. Then it cannot take this message.",
	nearmiss.Count: "Compare the number of sends and receives on both sides: loops of different lengths, or a path " +
		"that skips one.",
}

// Checks are the checks of this family.
var Checks = []*check.Check{Hard, NoProgress, Potential}
