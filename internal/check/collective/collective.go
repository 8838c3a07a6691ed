// Package collective has the checks of collective operations.
package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
)

//go:embed operation.md
var operationDoc string

//go:embed root.md
var rootDoc string

// OperationMismatch finds members of a communicator that are in different collectives at the same time (MPI standard,
// section 6.14 "Correctness"; seed of the rule: Falzone et al., Collective Error Detection for MPI Collective
// Operations, table 1).
var OperationMismatch = &check.Check{
	ID:       "GLOBAL:COLLECTIVE:OPERATION_MISMATCH",
	Severity: finding.Error,
	Title:    "processes call different collective operations at the same time",
	Doc:      operationDoc,
	New: func(x *check.Context) check.Hooks {
		return watch(x, differentFunctions, func(c *match.Collective) {
			report(x, c, "do not call the same collective operation",
				"All processes of a communicator must call its collective operations in the same order (MPI standard, chapter 6, \"Correctness\"). "+
					"Otherwise the operations take each other's data, or wait for ever.",
				"Find out why the odd ones go another way here: usually a condition that depends on the rank, a loop with another number of turns, or an earlier collective that some left out.",
				func(v *match.Variant) string { return mpiapi.ByID(v.Func).Name })
		})
	},
}

// RootMismatch finds rooted collectives whose members name different roots.
var RootMismatch = &check.Check{
	ID:       "GLOBAL:COLLECTIVE:ROOT_MISMATCH",
	Severity: finding.Error,
	Title:    "processes name different roots in a collective operation",
	Doc:      rootDoc,
	New: func(x *check.Context) check.Hooks {
		return watch(x, differentRoots, func(c *match.Collective) {
			base := c.Comm.Split
			report(x, c, "name different roots in "+mpiapi.ByID(c.Variants[0].Func).Name,
				"The root must be the same on all processes of the communicator (MPI standard, chapter 6). Otherwise several processes take themselves for the root, or none, and data end up in the wrong place or processes wait for ever.",
				"Compute the root from something that is the same on all processes. It is a rank in the communicator of the call, not in MPI_COMM_WORLD.",
				func(v *match.Variant) string {
					if v.Root == match.None {
						return "root=MPI_PROC_NULL"
					}
					root := v.Root
					if base != 0 && int(root) >= base {
						root -= int32(base)
					}
					return fmt.Sprintf("root=%d", root)
				})
		})
	},
}

func differentFunctions(c *match.Collective) bool {
	return slices.ContainsFunc(c.Variants, func(v match.Variant) bool { return v.Func != c.Variants[0].Func })
}

func differentRoots(c *match.Collective) bool { return len(c.Variants) > 1 && !differentFunctions(c) }

// patience is how many ticks a collective that its members entered in different ways is given to become complete.
const patience = 2

// watch calls found once for each collective that is wrong: when all members have entered it, or when that doesn't
// happen for a while.
func watch(x *check.Context, wrong func(*match.Collective) bool, found func(*match.Collective)) check.Hooks {
	type place struct {
		comm *match.Comm
		at   uint64
	}
	waiting := make(map[place]int)
	look := func(limit int) {
		for p := range waiting {
			if waiting[p]++; waiting[p] > limit {
				delete(waiting, p)
				if c, ok := p.comm.At(p.at); ok && wrong(&c) {
					found(&c)
				}
			}
		}
	}
	return check.Hooks{
		Disagree: func(c *match.Comm, at uint64) { waiting[place{c, at}] = 0 },
		Collective: func(c *match.Collective) {
			if len(c.Variants) == 1 || len(waiting) == 0 {
				return
			}
			p := place{c.Comm, c.Position}
			if _, ok := waiting[p]; ok && wrong(c) {
				found(c)
			}
			delete(waiting, p)
		},
		Tick:   func() { look(patience) },
		Finish: func() { look(-1) },
	}
}

func report(x *check.Context, c *match.Collective, what, why, advice string, argument func(*match.Variant) string) {
	// The largest group comes last: it is the one that the odd ones are seen against.
	vs := slices.Clone(c.Variants)
	slices.SortStableFunc(vs, func(a, b match.Variant) int { return a.Count - b.Count })
	majority := vs[len(vs)-1].Count > vs[len(vs)-2].Count
	slices.Reverse(vs)

	var (
		parts, keys []string
		all         []int
		groups      []map[string]any
		f           = &finding.Finding{FollowUp: c.FollowUp}
	)
	for i := range vs {
		v := &vs[i]
		ranks := check.Ranks(c.Comm, v.Members)
		slices.Sort(ranks)
		all = append(all, ranks...)
		verb := "call"
		if len(ranks) == 1 {
			verb = "calls"
		}
		text := fmt.Sprintf("%s %s %s", finding.RankNames(ranks), verb, argument(v))
		if strings.HasPrefix(argument(v), "root=") {
			text = fmt.Sprintf("%s: %s", finding.RankNames(ranks), argument(v))
		}
		parts = append(parts, text)
		role := "call"
		switch {
		case majority && i > 0 && len(ranks) == 1:
			role = "odd one out"
		case majority && i > 0:
			role = "odd ones out"
		case majority:
			role = "majority"
		}
		site := x.Site(role, v.Call)
		for _, r := range ranks {
			if r != site.Rank {
				site.Also = append(site.Also, r)
			}
		}
		f.Sites = append(f.Sites, site)
		keys = append(keys, x.Place(v.Call)+argument(v))
		groups = append(groups, map[string]any{"ranks": ranks, "argument": argument(v), "function": mpiapi.ByID(v.Func).Name})
	}
	if len(c.Missing) > 0 {
		ranks := check.Ranks(c.Comm, c.Missing)
		slices.Sort(ranks)
		parts = append(parts, finding.RankNames(ranks)+" did not come")
	}
	slices.Sort(all)
	slices.Sort(keys)
	f.Key = strings.Join(keys, "|")
	f.Ranks = all
	comm := x.Comm(vs[0].Call, c.Comm)
	f.Message = fmt.Sprintf("The processes of %s %s (collective number %d on it):\n%s.\n%s", comm, what, c.Position+1,
		strings.Join(parts, "; "), why)
	f.Advice = advice
	f.Details = map[string]any{"comm": comm, "position": c.Position + 1, "groups": groups}
	x.Report(f)
}

// Checks are the checks of this family.
var Checks = []*check.Check{OperationMismatch, RootMismatch}
