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

// Missing finds collectives that some members have entered and others never will. The others have called MPI_Finalize,
// or they wait elsewhere forever, for the members in the collective.
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

// absence is a collective that some members of a communicator never call.
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

// reportMissing reports the collectives whose missing members have all called MPI_Finalize. It reports only the first
// one of each communicator: the later ones miss the same members. CommFreeMismatch reports communicators that only some
// have freed.
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

// deadlock reports the collectives that cause a deadlock: the missing members wait elsewhere for the members in the
// collective. Members that wait for something else have another cause. Where collectives of different communicators
// wait for each other, OrderMismatch reports that.
func (m *missing) deadlock(d *waiting.Deadlock) {
	if !m.proper() {
		return
	}
	told := make(map[*track.Process]bool) // another finding says what they wait for
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

// nearMiss reports whether something nearly matches what a thread waits for: a message with another tag, destination or
// communicator, or an earlier receive that took the message. This is then the likely cause. A message from a third
// process is not evidence: a later receive may be for it.
func nearMiss(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) {
		if w, ok := nearmiss.Wanted(b, c); ok && !found {
			misses := nearmiss.Search(&w, func(int32) bool { return false })
			found = slices.ContainsFunc(misses, func(n nearmiss.Miss) bool { return n.Kind != nearmiss.Other })
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

// candidates returns the communicators with incomplete collectives. Those in which processes wait come first.
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

// absence returns the first collective on c that members never call. It is nil if there is none, or if another finding
// explains it.
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
		lines = append(lines[:shownGroups],
			fmt.Sprintf("%s more wait elsewhere", check.Plural(n, "process", "processes")))
	}
	if len(a.left) > 0 {
		var ranks []int
		for _, p := range a.left {
			ranks = append(ranks, p.Rank)
			if call, ok := finalizing(p); ok {
				places.add("finished", call)
			}
		}
		slices.Sort(ranks)
		lines = append(lines,
			fmt.Sprintf("%s %s called MPI_Finalize", finding.RankNames(ranks), verb(ranks, "has", "have")))
		out = append(out, ranks...)
	}
	slices.Sort(out)
	f.Ranks = append(f.Ranks, out...)
	comm := m.x.Comm(call, c.Comm)
	f.Message = fmt.Sprintf("%s %s %s, but %s never %s: ", capital(finding.RankNames(in)), verb(in, "calls", "call"),
		name, finding.RankNames(out), verb(out, "does", "do"))
	if only, ok := strings.CutPrefix(lines[0], finding.RankNames(out)); ok && len(lines) == 1 {
		f.Message += verb(out, "it", "they") + only
	} else {
		f.Message = strings.TrimSpace(f.Message) + "\n" + strings.Join(lines, ",\n")
	}
	f.Message += fmt.Sprintf(".\nThis is collective %d on %s.", c.Position+1, comm)
	f.Why = consequence(a, in, m.within(c))
	f.Advice = "Find the path on which these processes skip the call: a condition that depends on the rank, a loop " +
		"of another length, an early return."
	if likeSend(mpiapi.ByID(c.Variants[0].Func)) && slices.ContainsFunc(a.waiting, receives) {
		f.Advice = name + " is not a send: all processes of the communicator must call it, also those that receive. " +
			"MPI_Recv does not receive its data."
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

// consequence says which rule is broken, and what follows. within: some members are still in the collective.
func consequence(a *absence, in []int, within bool) string {
	text := "All processes of a communicator must call its collective operations (MPI standard, chapter 6)."
	if a.collective.Comm.Domain == match.Gathering {
		text = "All processes of the group must call it, with the same group and tag (MPI standard, section 7.4.2)."
	}
	if len(a.inside) == 0 && !within {
		text += fmt.Sprintf(" The call on %s returned only by chance: it may wait for the others.",
			finding.RankNames(in))
	}
	if a.more > 0 {
		text += fmt.Sprintf(" %s of this communicator %s the same processes.",
			check.Plural(int(a.more), "later collective", "later collectives"),
			map[bool]string{true: "lacks", false: "lack"}[a.more == 1])
	}
	return text
}

// likeSend reports whether a function may be mistaken for a send: its root gives data to all.
func likeSend(f *mpiapi.Func) bool {
	return f.Flow == mpiapi.OneToAll && f.Class != mpiapi.CollectiveInit
}

func receives(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) { found = found || c.What == waiting.ToSend })
	return found
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
