package collective

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

//go:embed commfree.md
var commFreeDoc string

// CommFreeMismatch finds communicators that only some of their members have freed when the program ends.
var CommFreeMismatch = &check.Check{
	ID:       "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH",
	Severity: finding.Warning,
	Title:    "a communicator is freed by some of its processes only",
	Doc:      commFreeDoc,
	Start: func(x *check.Run) {
		l := newLeavers(x)
		x.Track.CallFailed.On(x.Owner, l.failed)
		x.Track.RunOver.On(x.Owner, func(struct{}) { unfreed(x, &l) })
	},
}

func unfreed(x *check.Run, l *leavers) {
	if !l.proper() {
		return
	}
	for _, c := range l.incomplete() {
		if !c.Shared() {
			continue // another check reports how it was created
		}
		first, _ := c.Incomplete()
		v, ok := c.At(first)
		if !ok || outOfStep(c, first) || !freeing(&v) {
			continue
		}
		if _, ok := l.gone(c, v.Missing); ok {
			reportUnfreed(x, l, &v)
		}
	}
}

func reportUnfreed(x *check.Run, l *leavers, c *match.Collective) {
	places := newSites(x)
	var freed []int
	for i := range c.Variants {
		v := &c.Variants[i]
		ranks := check.Ranks(c.Comm, members(c, v))
		places.add("freed", v.Call, ranks...)
		freed = append(freed, ranks...)
	}
	slices.Sort(freed)
	kept := check.Ranks(c.Comm, c.Missing)
	slices.Sort(kept)
	for _, p := range l.processes(c.Comm, c.Missing) {
		if v := p.ViewOf(c.Comm); v != nil && len(v.Made.Raw) > 0 {
			places.add("created, never freed", v.Made)
		}
	}
	name := x.Func(c.Variants[0].Call).Name
	comm := x.Comm(c.Variants[0].Call, c.Comm)
	x.Report(&finding.Finding{
		Key:   places.key(),
		Ranks: append(slices.Clone(freed), kept...),
		Message: fmt.Sprintf("%s %s %s with %s, but %s never %s.", capital(finding.RankNames(freed)),
			verb(freed, "frees", "free"), comm, name, finding.RankNames(kept), verb(kept, "does", "do")),
		Why: name + " is collective: all processes of the communicator must call it (MPI standard, section 7.4.3). " +
			"MPI may wait for the others, and keeps the communicator until all have freed it.",
		Advice:  "Free the communicator on every process that created it.",
		Sites:   places.list,
		Details: map[string]any{"comm": comm, "freed": freed, "kept": kept},
	})
}
