package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// observed is the number of ticks for which the polls of a thread are watched. After that, the thread is assumed to
// make no other polls.
const observed = 10

// Futile returns the threads that have called only tests and probes (MPI_Test, MPI_Iprobe, …) for the given number of
// ticks, if all these polls failed and none can succeed any more. A poll cannot succeed if only processes could
// complete it that are in a deadlock which has been reported, or that have finished or ended. The program may still
// stop polling by itself. Clauses are what the polls wait for. Futile must be called every tick: it begins to watch a
// thread in the first call, and returns it some ticks later.
func (a *Analyzer) Futile(ticks int) (list []Blocked) {
	var l *look
	for _, th := range a.tracker.Threads {
		if n := a.tracker.Polling(th); n < ticks || n == 0 {
			continue
		}
		a.tracker.Watch(th)
		polls, seen := a.tracker.Polls(th)
		if seen < observed || len(polls) == 0 {
			continue
		}
		if l == nil {
			l = a.newLook()
		}
		cs := l.asked(th, polls)
		if cs == nil || a.possible(th, cs) {
			continue
		}
		list = append(list, Blocked{Thread: th, Call: polls[len(polls)-1].Call, Clauses: cs})
	}
	return list
}

// asked returns what must happen for one of several polls to succeed; nil if that is not known.
func (l *look) asked(th *track.Thread, polls []track.Poll) []Clause {
	var ways [][]Clause
	for i := range polls {
		way := l.poll(th, &polls[i])
		if way == nil {
			return nil
		}
		ways = append(ways, way)
	}
	if len(ways) == 1 {
		return ways[0]
	}
	return []Clause{{What: Either, Ways: ways}}
}

func (l *look) poll(th *track.Thread, p *track.Poll) []Clause {
	var ps parts
	switch {
	case p.View != nil:
		ps = l.probe(th, p.View, p.Source, p.Tag)
	case !p.All:
		cs, _ := l.waitForAny(p.Requests)
		return cs
	default:
		ps = l.waitForAll(p.Requests)
	}
	return ps.clauses()
}

// possible reports whether the events that th polls for may still happen.
func (a *Analyzer) possible(th *track.Thread, cs []Clause) bool {
	sets := make(map[**track.Process]bool) // by their first element
	alone := len(th.Process.Threads) == 1 && !th.Process.Multiple
	live := func(p *track.Process) bool { return !a.inert(p) && !(alone && p == th.Process) }
	var all func(cs []Clause) bool
	all = func(cs []Clause) bool {
		return !slices.ContainsFunc(cs, func(c Clause) bool {
			if c.What == Either {
				return !slices.ContainsFunc(c.Ways, all)
			}
			if len(c.Procs) < 2 {
				return !slices.ContainsFunc(c.Procs, live)
			}
			yes, ok := sets[&c.Procs[0]]
			if !ok {
				yes = slices.ContainsFunc(c.Procs, live)
				sets[&c.Procs[0]] = yes
			}
			return !yes
		})
	}
	return all(cs)
}

// inert reports whether a process will make no more MPI calls: it has ended, has finished with MPI, or is in a deadlock
// that has been reported.
func (a *Analyzer) inert(p *track.Process) bool {
	if p.Ended != nil {
		return true
	}
	if len(p.Threads) == 0 || p.Lost || p.World == nil || p.World.Unsure {
		return false
	}
	return !slices.ContainsFunc(p.Threads, func(th *track.Thread) bool {
		finished := a.tracker.Done(th) || th.Open.Func != nil && th.Open.Func.ID == mpiapi.IDFinalize && !p.Callbacks
		return !finished && !(th.Open.Func != nil && a.isReported(th))
	})
}
