package collective

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
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed missing.md
var missingDoc string

// Missing finds collectives that some members have entered and others never will: they have called MPI_Finalize, or
// wait elsewhere for ever because of those who have.
var Missing = &check.Check{
	ID:       "GLOBAL:COLLECTIVE:MISSING",
	Severity: finding.Error,
	Title:    "processes never join a collective operation that others are in",
	Doc:      missingDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		m := &missing{leavers: newLeavers(x), told: make(map[*match.Comm]bool)}
		x.Track.CallFailed.On(x.Owner, m.failed)
		x.Track.FinalizeEntered.On(x.Owner, m.finalize)
		x.Track.Tick.On(x.Owner, func(struct{}) { m.tick() })
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, m.deadlock)
		x.Track.RunOver.On(x.Owner, func(struct{}) { m.reportMissing() })
	},
}

type missing struct {
	leavers
	told map[*match.Comm]bool
}

// absence is a collective that some members of a communicator never join.
type absence struct {
	collective match.Collective
	more       uint64 // collectives after it that are not complete either
	left       []*track.Process
	waiting    []*waiting.Blocked
	inside     []*waiting.Blocked // those that wait in it
}

func (m *missing) tick() {
	if m.leaving {
		m.reportMissing()
	}
}

// reportMissing tells of the collectives whose missing members have all called MPI_Finalize: the first of each
// communicator, as those behind it miss the same members at least. What was freed by some only is told by
// CommFreeMismatch.
func (m *missing) reportMissing() {
	if !m.proper() {
		return
	}
	for _, c := range m.incomplete() {
		first, end := c.Incomplete()
		v, ok := c.At(first)
		if m.told[c] || !ok || outOfStep(c, first) || freeing(&v) || elsewhere(m.x, c) != nil {
			continue
		}
		if left, ok := m.gone(c, v.Missing); ok {
			m.report(&absence{collective: v, more: end - first - 1, left: left})
		}
	}
}

// deadlock tells of the collectives that are the cause of a deadlock: members wait elsewhere, for what those who have
// entered the collective would do later. Where they wait for something else, that is the cause; where it is collectives
// of different communicators that wait for each other, OrderMismatch tells of it.
func (m *missing) deadlock(d *waiting.Deadlock) {
	if !m.proper() {
		return
	}
	told := make(map[*track.Process]bool) // what they wait for has been told
	for _, a := range circle(d) {
		told[a.process] = true
	}
	told = d.Released(told)
	for _, c := range m.candidates(d) {
		if a := m.absence(d, c, told); a != nil && !m.told[c] {
			m.report(a)
			told = d.Released(union(told, m.entered(&a.collective)))
		}
	}
}

// nearMiss reports whether something nearly matches what a thread waits for: then a message with another tag,
// destination or communicator, or an earlier receive that took it, is the likely cause. That the message of a third
// process has come means nothing: it may be for later.
func nearMiss(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) {
		if w, ok := nearmiss.Wanted(b, c); ok && !found {
			found = slices.ContainsFunc(nearmiss.Search(&w, func(int32) bool { return false }), func(n nearmiss.Miss) bool { return n.Kind != nearmiss.Other })
		}
	})
	return found
}

func union(a, b map[*track.Process]bool) map[*track.Process]bool {
	for p := range b {
		a[p] = true
	}
	return a
}

// candidates returns the communicators with incomplete collectives, those first in which processes wait.
func (m *missing) candidates(d *waiting.Deadlock) []*match.Comm {
	var list []*match.Comm
	// Lists of clauses, by their beginning: threads in one collective share theirs.
	done := make(map[*waiting.Clause]bool)
	for i := range d.Blocked {
		first := &d.Blocked[i].Clauses[0]
		if done[first] {
			continue
		}
		done[first] = true
		for _, cl := range d.Blocked[i].Clauses {
			if cl.What == waiting.ToJoin && !m.unclear[cl.Comm.Comm] && !slices.Contains(list, cl.Comm.Comm) {
				list = append(list, cl.Comm.Comm)
			}
		}
	}
	for _, c := range m.incomplete() {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// positions bounds the number of collectives of a communicator that are looked at.
const positions = 64

// absence returns the first collective on c that members never join, for which processes are not to blame that are told
// of already; nil if there is none.
func (m *missing) absence(d *waiting.Deadlock, c *match.Comm, told map[*track.Process]bool) *absence {
	first, end := c.Incomplete()
	at := []uint64{first}
	for i := range c.Members { // where further members are missing
		if n := c.Entered(int32(i)); n > first && n < end {
			at = append(at, n)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, n := range at[:min(len(at), positions)] {
		v, ok := c.At(n)
		if !ok || outOfStep(c, n) {
			return nil
		}
		a := &absence{collective: v, more: end - n - 1, inside: inside(d, c, n)}
		released := d.Released(m.entered(&v))
		cause := false
		for _, q := range m.processes(c, v.Missing) {
			switch {
			case q == nil || q.Ended != nil && !q.Finalizing:
				return nil
			case q.Finalizing:
				if !q.Callbacks {
					a.left = append(a.left, q)
					cause = true
				}
			default:
				if b := d.Waiting(q); b != nil && !told[q] && !explained(b) {
					a.waiting = append(a.waiting, b)
					cause = cause || released[q] && !nearMiss(b)
				}
			}
		}
		if cause {
			return a
		}
	}
	return nil
}

// entered returns the processes that have entered a collective.
func (m *missing) entered(c *match.Collective) map[*track.Process]bool {
	set := make(map[*track.Process]bool)
	for i := range c.Variants {
		for _, p := range m.processes(c.Comm, members(c, &c.Variants[i])) {
			set[p] = true
		}
	}
	return set
}

func (m *missing) report(a *absence) {
	c := &a.collective
	m.told[c.Comm] = true
	var (
		places = newSites(m.x)
		in     []int
		call   = c.Variants[0].Call
		name   = mpiapi.ByID(c.Variants[0].Func).Name
	)
	for i := range c.Variants {
		v := &c.Variants[i]
		ranks := check.Ranks(c.Comm, members(c, v))
		places.add("in the collective", v.Call, ranks...)
		in = append(in, ranks...)
	}
	slices.Sort(in)
	f := &finding.Finding{Ranks: slices.Clone(in)}
	var out []int
	lines, texts := []string{}, make(map[string][]int)
	for _, b := range a.waiting {
		rank := b.Thread.Process.Rank
		text := m.x.Waiting(b)
		if texts[text] == nil {
			lines = append(lines, text)
		}
		texts[text] = append(texts[text], rank)
		out = append(out, rank)
		places.add("waiting elsewhere", b.Call)
	}
	for i, text := range lines {
		ranks := texts[text]
		lines[i] = fmt.Sprintf("%s %s in %s", finding.RankNames(ranks), verb(ranks, "waits", "wait"), text)
	}
	if n := len(lines) - shownGroups; n > 0 {
		lines = append(lines[:shownGroups], fmt.Sprintf("%s more wait elsewhere", check.Plural(n, "process", "processes")))
	}
	if len(a.left) > 0 {
		var ranks []int
		for _, p := range a.left {
			ranks = append(ranks, p.Rank)
			if call, ok := finalizing(p); ok {
				places.add("done", call)
			}
		}
		slices.Sort(ranks)
		lines = append(lines, fmt.Sprintf("%s %s called MPI_Finalize", finding.RankNames(ranks), verb(ranks, "has", "have")))
		out = append(out, ranks...)
	}
	slices.Sort(out)
	f.Ranks = append(f.Ranks, out...)
	comm := m.x.Comm(call, c.Comm)
	f.Message = fmt.Sprintf("%s %s %s on %s (collective number %d on it), and %s never %s:\n%s.\n%s",
		capital(finding.RankNames(in)), verb(in, "calls", "call"), name, comm, c.Position+1,
		finding.RankNames(out), verb(out, "does", "do"), strings.Join(lines, ",\n"), consequence(a, in, m.within(c)))
	f.Advice = "Find the path on which these processes leave the call out: a condition that depends on the rank, a loop with another number of turns, a return too early."
	if likeSend(mpiapi.ByID(c.Variants[0].Func)) && slices.ContainsFunc(a.waiting, receives) {
		f.Advice = name + " is no send: all processes of the communicator call it, also those that only receive. What it moves is not received by MPI_Recv."
	}
	f.Sites, f.Key = places.list, places.key()
	f.Details = map[string]any{"comm": comm, "position": c.Position + 1, "entered": in, "missing": out, "more": a.more}
	m.x.Report(f)
	m.x.Refuse(f, c.Comm, c.Position)
}

// within reports whether threads are still in a collective.
func (m *missing) within(c *match.Collective) bool {
	return slices.ContainsFunc(m.x.Tracker.Threads, func(th *track.Thread) bool {
		v, at := th.InCollective()
		return v != nil && v.Comm == c.Comm && at == c.Position
	})
}

// consequence says what comes of it; within: some are still in the collective.
func consequence(a *absence, in []int, within bool) string {
	text := "All processes of a communicator must call its collective operations (MPI standard, chapter 6)."
	if a.collective.Comm.Domain == match.Gathering {
		text = "All processes of the group must call it, with the same group and tag (MPI standard, section 7.4.2)."
	}
	if len(a.inside) == 0 && !within {
		text += fmt.Sprintf(" That %s could leave it without the others is luck.", finding.RankNames(in))
	}
	if a.more > 0 {
		text += fmt.Sprintf(" The same goes for %s on it.", check.Plural(int(a.more), "further collective", "further collectives"))
	}
	return text
}

// likeSend reports whether a function is mistaken for a send: its root gives data to all.
func likeSend(f *mpiapi.Func) bool {
	return f.Flow == mpiapi.OneToAll && f.Class != mpiapi.CollectiveInit
}

func receives(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) { found = found || c.What == waiting.ToSend })
	return found
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
