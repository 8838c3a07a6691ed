// Package deadlock has the checks of processes that wait forever.
package deadlock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
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
		waiting.Fact.Of(x.Facts).Found.Late(x.Owner, func(d *waiting.Deadlock) {
			hard(x, d) // the checks of collectives may have reported the cause
		})
	},
}

const (
	shown  = 8  // groups of processes that a finding describes one by one
	path   = 16 // processes in the line that lists a cycle
	groups = 4  // sets of processes that block each other
)

func hard(x *check.Run, d *waiting.Deadlock) {
	if !d.News {
		return // further processes wait for those that were reported
	}
	f := &finding.Finding{}
	for i := range d.Blocked {
		f.Ranks = append(f.Ranks, d.Blocked[i].Thread.Process.Rank)
	}
	f.Ranks = slices.Compact(f.Ranks)
	s := newStory(x, d, f)
	misses := nearMisses(x, d)
	s.tell(misses)
	f.Details = map[string]any{
		"cycle": rankNumbers(d.Cycle()), "knots": knotRanks(d), "ended": rankNumbers(d.Gone),
		"near_misses": details(misses), "graph": sorted(draw(x, d)),
	}
	x.Report(f)
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

// Checks are the checks of this family.
var Checks = []*check.Check{Hard, NoProgress, Potential}
