package generate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// missed returns what is wrong with the analysis of a program with a bug, "" if nothing is. told is false if the
// records of the run cannot show the bug.
func missed(p *Planted, seed uint64) (why string, told bool) {
	got, run, err := analyse(p.Program, seed, false)
	if err != nil {
		return err.Error(), true
	}
	if run.Polling {
		return "", false
	}
	var stuck []int
	for r, at := range run.Hung {
		if p.Ranks[r][at].Func != "MPI_Finalize" {
			stuck = append(stuck, r)
		}
	}
	slices.Sort(stuck)
	found := false
	var wrong []string
	for _, f := range got {
		switch {
		case slices.Contains(p.Bug.Finds, f.Check) && at(f, p.Calls):
			found = true
		case f.Check == hard && subset(f.Ranks, stuck):
			found = found || p.Bug.Hangs // if others wait for them, no further finding is needed
		case slices.Contains(p.Bug.May, f.Check), f.Severity == finding.Info:
		case p.Bug.Hangs && f.Check == potential:
		case len(stuck) > 0 && (f.Check == missing || f.Check == pending || f.Check == different):
		default:
			wrong = append(wrong, fmt.Sprintf("%s: %v on ranks %v: %s\n%s", f.Check, f.Severity,
				f.Ranks, f.Message, sites(f)))
		}
	}
	if f := unseen[p.Bug.Finds[0]]; f != nil && len(stuck) == 0 && slices.ContainsFunc(slices.Concat(p.Ranks...), f) {
		found = true // not necessarily: see the limits of the check
	}
	if !found && !run.Vague && exists(p.Bug, len(stuck) > 0) {
		var others []string
		for _, f := range got {
			others = append(others, fmt.Sprintf("%s %v", f.Check, f.Ranks))
		}
		wrong = append([]string{fmt.Sprintf("not found: ranks %v are stuck, found %q", stuck, others)}, wrong...)
	}
	return strings.Join(wrong, "\n"), true
}

// unseen are calls after which a check does not see everything, according to its documentation.
var unseen = map[string]func(*Call) bool{potential: adapts, race: cancels, ready: cancels}

func cancels(c *Call) bool { return c.Func == "MPI_Cancel" }

// adapts reports whether the actions of a program after a call may depend on timing.
func adapts(c *Call) bool {
	switch mpiapi.ByName(c.Func).Class {
	case mpiapi.Test, mpiapi.Probe:
		return true
	}
	switch c.Func {
	case "MPI_Waitany", "MPI_Waitsome", "MPI_Cancel":
		return true
	}
	return c.Args["source"] == Word("MPI_ANY_SOURCE")
}

// subset reports whether all of some ranks are among others: those that were stuck first.
func subset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(r int) bool { return !slices.Contains(all, r) })
}

// exists reports whether there is a check that should find the bug.
func exists(b *Bug, stuck bool) bool {
	if stuck && b.Hangs {
		return true
	}
	for _, c := range all.Checks() {
		if slices.Contains(b.Finds, c.ID) {
			return true
		}
		for _, id := range b.Finds {
			if strings.HasPrefix(id, c.ID+":") {
				return true
			}
		}
	}
	return false
}

// at reports whether a finding names one of some calls.
func at(f *finding.Finding, calls [][2]int) bool {
	return slices.ContainsFunc(f.Sites, func(s finding.Site) bool {
		if len(s.Stack) == 0 {
			return false
		}
		r, c := Where(s.Stack[0].PC)
		return slices.Contains(calls, [2]int{r, c})
	})
}

// TestPlantedBugs: each bug is found at its place, and there is no other finding.
func TestPlantedBugs(t *testing.T) {
	for _, bug := range Bugs {
		t.Run(bug.Name, func(t *testing.T) {
			done, vain := 0, 0
			n := *planted
			if long > 0 {
				n = 1 << 30
			}
			start := time.Now()
			for seed := *from; done < n && vain < 50*n+1000 &&
				(long == 0 || time.Since(start) < long/time.Duration(len(Bugs))); seed++ {
				o := Options{Isendrecv: true}
				p := Plant(bug, seed, o)
				if p == nil {
					vain++
					continue
				}
				why, told := missed(p, seed)
				if !told {
					vain++
					continue
				}
				done++
				if why == "" {
					continue
				}
				fails := func(o Options) string {
					p := Plant(bug, seed, o)
					if p == nil {
						return ""
					}
					for s := range uint64(20) {
						if w, _ := missed(p, seed+s); w != "" {
							return w
						}
					}
					return ""
				}
				o, why = smaller(o, fails)
				p = Plant(bug, seed, o)
				t.Fatalf("seed %d, %v: %s\nreduced:\n%s%s", seed, p.Calls, why, text(p.Program),
					again("TestPlantedBugs$/"+strings.ReplaceAll(bug.Name, " ", "_")+"$", seed, "planted"))
			}
			if done == 0 && long == 0 {
				t.Error("no program has a place for it")
			}
		})
	}
}
