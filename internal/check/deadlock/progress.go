package deadlock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed progress.md
var progressDoc string

// NoProgress reports processes that have been in the same MPI calls for a long time on average, if no deadlock can be
// shown. It is a note if some of them are not in MPI: they may only be slow.
var NoProgress = &check.Check{
	ID:       "GLOBAL:DEADLOCK:NO_PROGRESS",
	Severity: finding.Warning,
	Title:    "processes are in MPI for a long time without progress",
	Doc:      progressDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		if x.NoProgress <= 0 {
			return
		}
		p := &progress{x: x, stuck: make(map[ring.ThreadID]uint64), polling: make(map[ring.ThreadID]bool)}
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, func(d *waiting.Deadlock) {
			for _, b := range d.Blocked {
				p.stuck[b.Thread.ID] = b.Thread.Calls
			}
		})
		x.Track.FinalizeEntered.On(x.Owner, func(track.FinalizeEntered) { p.entered = x.Tracker.Now })
		x.Track.Tick.On(x.Owner, func(struct{}) {
			p.tick()
			p.polls()
		})
	},
}

// ticksPerSecond is how often Tick is called.
const ticksPerSecond = 10

type progress struct {
	x     *check.Run
	told  bool
	stuck map[ring.ThreadID]uint64 // threads in deadlocks, with the number of calls that they had made

	entered int // the tick at which a process entered MPI_Finalize last

	polling map[ring.ThreadID]bool // threads that were found to poll for nothing
}

func (p *progress) tick() {
	sum, n := 0, 0
	last := -1 // since the last process entered MPI_Finalize: these count only if there are no others
	for _, pr := range p.x.Tracker.Processes {
		if pr.Aborting || pr.Lost {
			return
		}
		if pr.Ended != nil || !pr.Initialized {
			continue
		}
		ticks := p.in(pr)
		if ticks < 0 {
			return // a deadlock explains it
		}
		if pr.Finalizing {
			if last < 0 || ticks < last {
				last = ticks
			}
			continue
		}
		sum += ticks
		n++
	}
	if n == 0 && last >= 0 {
		sum, n = min(last, p.x.Tracker.Now-p.entered), 1 // that process may have ended since
	}
	long := n > 0 && time.Duration(sum/n)*time.Second/ticksPerSecond >= p.x.NoProgress
	if long && !p.told {
		p.report()
	}
	p.told = long
}

// in returns for how many ticks all threads of a process have been in MPI calls, -1 if one of them is in a deadlock.
func (p *progress) in(pr *track.Process) int {
	least := -1
	for _, th := range pr.Threads {
		if calls, ok := p.stuck[th.ID]; ok && calls == th.Calls {
			return -1
		}
		ticks := 0
		if th.Open.Func != nil {
			ticks = p.x.Tracker.Waited(th)
		}
		if least < 0 || ticks < least {
			least = ticks
		}
	}
	return max(least, 0)
}

// group is the processes at one place.
type group struct {
	call   match.Call
	inside bool
	ticks  int // the longest time that one of them has been there
	ranks  []int
}

// stops returns the processes by the places that they are at: those in MPI first, then by rank.
func (p *progress) stops() (groups []*group, ranks []int, outside int) {
	index := make(map[string]*group)
	for _, pr := range p.x.Tracker.Processes {
		if pr.Ended != nil || !pr.Initialized || len(pr.Threads) == 0 {
			continue
		}
		ticks, th := p.in(pr), pr.Threads[0]
		inside := ticks > 0
		if !inside {
			outside++
			for _, o := range pr.Threads { // the one that may go on
				if o.Open.Func == nil {
					th = o
				}
			}
		}
		ranks = append(ranks, pr.Rank)
		k := fmt.Sprint(p.x.Place(th.Last), inside)
		g := index[k]
		if g == nil {
			g = &group{call: th.Last, inside: inside}
			index[k] = g
			groups = append(groups, g)
		}
		g.ticks = max(g.ticks, ticks)
		g.ranks = append(g.ranks, pr.Rank)
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		if a.inside != b.inside {
			return map[bool]int{true: -1, false: 1}[a.inside]
		}
		return slices.Min(a.ranks) - slices.Min(b.ranks)
	})
	return groups, ranks, outside
}

// site returns the place of a group for a finding.
func (p *progress) site(g *group) finding.Site {
	s := p.x.Site(map[bool]string{true: "in MPI", false: "last call"}[g.inside], g.call)
	for _, r := range g.ranks {
		if r != s.Rank {
			s.Also = append(s.Also, r)
		}
	}
	return s
}

// line says where a group is.
func (p *progress) line(g *group) string {
	who, name := sentence(finding.RankNames(g.ranks)), "MPI"
	if fn := p.x.Func(g.call); fn != nil {
		name = fn.Name
	}
	if g.inside {
		return fmt.Sprintf("%s %s been in %s for up to %d s.",
			who, verb(g.ranks, "has", "have"), name, g.ticks/ticksPerSecond)
	}
	return fmt.Sprintf("%s %s outside of MPI, or polling, after %s.", who, verb(g.ranks, "is", "are"), name)
}

func (p *progress) report() {
	x := p.x
	groups, ranks, outside := p.stops()
	f := &finding.Finding{Ranks: ranks, Details: map[string]any{"outside_mpi": outside}}
	var lines, keys []string
	for i, g := range groups {
		keys = append(keys, x.Place(g.call))
		if i < shown {
			slices.Sort(g.ranks)
			f.Sites = append(f.Sites, p.site(g))
			lines = append(lines, p.line(g))
		}
	}
	if n := len(groups) - shown; n > 0 {
		lines = append(lines, fmt.Sprintf("Others are at %s more.", check.Plural(n, "place", "places")))
	}
	f.Key = strings.Join(keys, "|")
	f.Message = fmt.Sprintf("%s %s been in the same MPI calls for %s on average, and no deadlock can be shown\n%s",
		sentence(finding.RankNames(ranks)), verb(ranks, "has", "have"), x.NoProgress, strings.Join(lines, "\n"))
	f.Why = "They may be in a deadlock that mpivet cannot prove, or wait for a slow operation."
	f.Advice = "Look at the processes that the others wait for. If the long wait is intended, raise the limit with " +
		"--no-progress."
	if outside > 0 {
		f.Severity = finding.Info
		f.Why = "Processes outside of MPI may be computing. Then the others only wait for them."
	}
	x.Report(f)
}

// pollTime is the longest time that a process may poll for what can never come before it is reported.
const pollTime = 10 * time.Second

// polls reports threads that poll for what can never come.
func (p *progress) polls() {
	x := p.x
	list := waiting.Fact.Of(x.Facts).Futile(int(min(pollTime, x.NoProgress) * ticksPerSecond / time.Second))
	now := make(map[ring.ThreadID]bool, len(list))
	for i := range list {
		b := &list[i]
		now[b.Thread.ID] = true
		if p.polling[b.Thread.ID] {
			continue
		}
		rank, name := b.Thread.Process.Rank, x.Func(b.Call).Name
		x.Report(&finding.Finding{
			Key:     "polling|" + x.Place(b.Call),
			Ranks:   []int{rank},
			Message: fmt.Sprintf("%s polls for %s, but this can never happen", name, x.Awaited(b)),
			Why: "All processes that could do this have finished, have ended, or wait forever. The process does " +
				"nothing else in MPI.",
			Advice: "Check the source, the tag and the communicator, and the number of messages. A polling loop " +
				"needs an exit for the case that nothing comes.",
			Sites:   []finding.Site{x.Site("polling", b.Call)},
			Details: map[string]any{"polling": true},
		})
	}
	p.polling = now
}
