// Package deadlock has the checks of processes that wait for ever.
package deadlock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/track"
	"github.com/mpivet/mpivet/internal/wait"
)

//go:embed hard.md
var hardDoc string

// Hard reports processes that can never go on: a knot in the AND-OR wait-for graph (package wait).
var Hard = &check.Check{
	ID:       "GLOBAL:DEADLOCK:HARD",
	Severity: finding.Fatal,
	Title:    "processes wait for each other for ever",
	Doc:      hardDoc,
	New: func(x *check.Context) check.Hooks {
		return check.Hooks{Deadlock: func(d *wait.Deadlock) { hard(x, d) }}
	},
}

// shown is how many processes are described one by one.
const shown = 8

func hard(x *check.Context, d *wait.Deadlock) {
	first := make(map[*track.Process]*wait.Blocked)
	var ranks []int
	for i := range d.Blocked {
		b := &d.Blocked[i]
		if first[b.Thread.Process] == nil {
			first[b.Thread.Process] = b
			ranks = append(ranks, b.Thread.Process.Rank)
		}
	}
	f := &finding.Finding{Ranks: ranks}
	var lines []string
	order := slices.Clone(d.Cycle)
	listed := make(map[*track.Process]bool)
	for _, p := range order {
		listed[p] = true
	}
	for _, b := range d.Blocked { // then those that are not in the cycle
		if p := b.Thread.Process; !listed[p] {
			listed[p] = true
			order = append(order, p)
		}
	}
	var keys []string
	places := make(map[string]int) // index of its site
	for i, p := range order {
		b := first[p]
		if i < shown || i < len(d.Cycle) && i < 4*shown {
			lines = append(lines, fmt.Sprintf("rank %d waits in %s", p.Rank, x.Waiting(b)))
		}
		place := x.Place(b.Call)
		if at, ok := places[place]; ok {
			f.Sites[at].Also = append(f.Sites[at].Also, p.Rank)
			continue
		}
		places[place] = len(f.Sites)
		keys = append(keys, place)
		f.Sites = append(f.Sites, x.Site("waiting", b.Call))
	}
	if n := len(order) - len(lines); n > 0 {
		lines = append(lines, fmt.Sprintf("%s more wait likewise", check.Plural(n, "process", "processes")))
	}
	for _, p := range d.Gone {
		lines = append(lines, fmt.Sprintf("rank %d %s", p.Rank, ending(p)))
	}
	slices.Sort(keys)
	f.Key = strings.Join(keys, "|")
	head := fmt.Sprintf("%s can never go on", sentence(finding.RankNames(ranks)))
	cycle := rankNumbers(d.Cycle)
	switch {
	case len(d.Cycle) == 1:
		head += ": it waits for itself"
	case len(d.Cycle) > 1:
		path := make([]string, 0, len(cycle)+1)
		for _, r := range append(cycle, cycle[0]) {
			path = append(path, fmt.Sprint(r))
		}
		head += ": the cycle is " + strings.Join(path, " -> ")
	case len(d.Gone) > 0:
		head += ": what they wait for has ended or is about to"
		if len(ranks) == 1 {
			head = strings.Replace(head, "they wait", "it waits", 1)
		}
	}
	f.Message = head + ".\n" + strings.Join(lines, ",\n") + "."
	f.Advice = advice(d)
	f.Details = map[string]any{"cycle": cycle, "ended": rankNumbers(d.Gone)}
	x.Report(f)
}

// sentence begins s with a capital.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func rankNumbers(ps []*track.Process) []int {
	ranks := make([]int, 0, len(ps))
	for _, p := range ps {
		ranks = append(ranks, p.Rank)
	}
	return ranks
}

func ending(p *track.Process) string {
	switch {
	case p.Ended == nil:
		return "is in MPI_Finalize"
	case p.Ended.Kind == ring.Exited && p.Finalizing:
		return "has ended"
	case p.Ended.Kind == ring.Exited:
		return fmt.Sprintf("has exited with status %d without MPI_Finalize", p.Ended.Code)
	}
	return "was killed"
}

func advice(d *wait.Deadlock) string {
	sends, recvs, colls := 0, 0, 0
	for _, b := range d.Blocked {
		for _, c := range b.Clauses {
			switch c.What {
			case wait.ToReceive:
				sends++
			case wait.ToSend:
				recvs++
			case wait.ToJoin, wait.ToLead:
				colls++
			}
		}
	}
	switch {
	case colls > 0:
		return "Every process of the communicator must reach the collective call. Look for a path on which one leaves it out, or does something else first that needs the others."
	case sends > 0 && recvs == 0:
		return "Let one side receive first, or use MPI_Sendrecv or MPI_Irecv before the sends: that a send returns before its receive is posted is luck."
	case len(d.Gone) > 0:
		return "Compare the number of sends and receives: a process waits for a message that nobody will send any more. Check source, tag and communicator of the receive too."
	}
	return "Let one of them send before it receives, and check source, tag and communicator of the receives: a message with others than those does not match."
}

// Checks are the checks of this family.
var Checks = []*check.Check{Hard, NoProgress}
