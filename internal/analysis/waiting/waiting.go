// Package waiting finds processes that can never go on: an AND-OR wait-for graph over the calls that threads are in,
// and the part of it that nothing can release.
//
// The model: a thread in a blocking call waits for all of its clauses, and for a clause until any of the processes in
// it does something. A process that computes, or polls, or is in a call that can't be analysed, may do anything. Those
// that nothing that may still happen can release form the deadlock (a knot, in a graph with AND and OR arcs). It is
// built when a thread has come to a stop, and solved in time linear in its arcs.
package waiting

import (
	"maps"
	"slices"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Clause is something that a thread waits for and any of Procs could do.
type Clause struct {
	What What
	// Procs may be shared by many clauses: those of all that wait for any member of a communicator are one slice.
	Procs  []*track.Process
	Comm   *track.View
	Pos    uint64    // of the collective on Comm, for ToJoin
	Op     *match.Op // the send or receive that finds no partner, for SendsTo and ReceivesFrom; nil of a probe
	Tag    int32     // ToSend: of what is received or probed for, or match.Any
	Source int32     // ToSend: the member that it must come from, or match.Any
	// Loose: the standard lets MPI return without it. That the thread waits all the same follows only from its not
	// having returned.
	Loose bool
	// Further, of ToSend: messages that it could take are on their way, but as many are taken by other receives.
	Further bool
	// Ways, for Either, are lists of which one is enough, with all that is in it.
	Ways [][]Clause
}

// What says what would release a thread.
type What uint8

// What threads wait for.
const (
	ToReceive  What = iota // a send waits for its receive
	ToSend                 // a receive or probe waits for its send
	ToJoin                 // a collective waits for members
	ToLead                 // the leader of a group waits for that of the other, to make an inter-communicator
	ToTransfer             // what has its partner waits for the data to move
	ToStart                // a persistent collective, or one side of a partitioned message, waits for others to start theirs
	ToReady                // a partitioned message waits for all of its partitions to be marked ready
	Either                 // any of several ways
)

// Each calls f for every clause of a list, and those of its ways in place of Either.
func Each(cs []Clause, f func(*Clause)) {
	for i := range cs {
		if cs[i].What != Either {
			f(&cs[i])
		}
		for _, way := range cs[i].Ways {
			Each(way, f)
		}
	}
}

// Blocked is a thread that can't go on.
type Blocked struct {
	Thread  *track.Thread
	Call    match.Call
	Clauses []Clause // all must be released

	lenient bool // the standard lets MPI return without some of what it is in
}

// Deadlock is a set of threads that can't go on for ever.
type Deadlock struct {
	Blocked []Blocked // in the order of ranks
	// Knots are minimal sets of processes that block each other, smallest first: none of them can go on whatever the
	// others do. All further processes wait for these or for Orphans.
	Knots []Knot
	// Orphans wait for nothing but processes that have finished or ended.
	Orphans []Link
	// Gone are processes that others wait for and that have finished or ended.
	Gone []*track.Process
	// News: a knot or an orphan is among them that was not told before.
	News bool

	graph *graph
	first []int32 // by process: its first thread in Blocked, from 1 on
}

// Waiting returns the first thread of a process that can't go on, nil if there is none.
func (d *Deadlock) Waiting(p *track.Process) *Blocked {
	if d.first == nil {
		d.first = make([]int32, d.graph.procs)
		for i := len(d.Blocked) - 1; i >= 0; i-- {
			d.first[number(d.Blocked[i].Thread.Process)] = int32(i + 1)
		}
	}
	if i := d.first[number(p)]; i > 0 {
		return &d.Blocked[i-1]
	}
	return nil
}

// Cycle returns the processes of the first knot if each waits for the next and the last for the first, else nil.
func (d *Deadlock) Cycle() (cycle []*track.Process) {
	if len(d.Knots) > 0 && d.Knots[0].Cycle {
		for _, l := range d.Knots[0].Links {
			cycle = append(cycle, l.Blocked.Thread.Process)
		}
	}
	return cycle
}

// patience is how many ticks a thread must have been in the same call before it is looked at.
const patience = 3

// grace is how many ticks a process that was killed, or ended by MPI, leaves the launcher for ending the others.
const grace = 30

// Analyzer looks for deadlocks, tick by tick.
type Analyzer struct {
	// Found: processes are deadlocked. The event is valid until the subscriber returns.
	Found stream.Topic[*Deadlock]

	tracker  *track.Tracker
	known    []uint64 // by thread: if it was reported, the number of calls that it had made, plus 1
	killed   int      // ticks since a process was killed
	held     func(*track.Thread) bool
	letGo    func(*track.Thread)
	settling int             // ticks that a deadlock found has not been told yet
	resting  []*track.Thread // that have been seen in a call, and not for long enough
	ended    int             // processes that had ended at the last look
	due      bool            // something has happened since then that a deadlock may follow from
	graph    graph
}

// Fact is the analysis of who waits for whom in a run. Whoever drives the run calls Tick.
var Fact = &analysis.Fact[*Analyzer]{
	Name:  "who waits for whom",
	Start: func(r *analysis.Run) *Analyzer { return New(r.Tracker) },
}

// New returns an analyzer of the processes that t tracks.
func New(t *track.Tracker) *Analyzer {
	return &Analyzer{tracker: t}
}

// SetHolds tells the analyzer which threads are not in MPI but held before it, in strict mode: letGo is called for one
// whose call MPI might let return, but that others wait for, or that is held for long. It may then be in MPI.
func (a *Analyzer) SetHolds(held func(*track.Thread) bool, letGo func(*track.Thread)) {
	a.held, a.letGo = held, letGo
}

// longest is how many ticks a thread is held whose call MPI might let return: what it is held for may wait for it in
// ways that can't be seen here, as by polling.
const longest = 100

// letGoOld lets go the threads that have been held for long. Those that MPI, too, would make wait are held on.
func (a *Analyzer) letGoOld() {
	l := a.newLook()
	for _, th := range a.tracker.Threads {
		if !a.candidate(th) || a.tracker.Waited(th) < longest || !a.held(th) {
			continue
		}
		if cs, lenient := l.clauses(th); cs == nil || lenient {
			a.letGo(th)
		}
	}
}

// letGoLoose lets go those of the threads that are held although MPI might let their calls return. It reports whether
// there are any.
func (a *Analyzer) letGoLoose(list []Blocked) bool {
	found := false
	for i := range list {
		b := &list[i]
		if a.held(b.Thread) && b.lenient {
			a.letGo(b.Thread)
			found = true
		}
	}
	return found
}

// Tick looks for a deadlock that has not been found yet, and publishes it. confirm, if not nil, is asked whether the
// threads found have had the chance to run.
func (a *Analyzer) Tick(confirm func([]Blocked) bool) {
	if d := a.search(confirm); d != nil {
		a.Found.Publish(d)
	}
}

func (a *Analyzer) search(confirm func([]Blocked) bool) *Deadlock {
	if a.changed() {
		a.due = true
	}
	if a.tracker.Aborting || !a.due && a.held == nil {
		return nil
	}
	if a.tracker.Killed > 0 {
		if a.killed++; a.killed < grace {
			return nil
		}
	}
	a.due = false
	if a.held != nil {
		a.letGoOld()
	}
	return a.find(confirm)
}

// changed reports whether a thread has come to a stop, or a process has ended, since the last tick. Whatever else may
// happen makes no new deadlock: the last of its threads to come to a stop has done so in a call of its own, and so has
// everything before that its and the others' calls depend on.
func (a *Analyzer) changed() bool {
	changed := a.ended != a.tracker.Ended
	a.ended = a.tracker.Ended
	a.resting = a.tracker.Resting(a.resting)
	a.resting = slices.DeleteFunc(a.resting, func(th *track.Thread) bool {
		settled := a.candidate(th) || a.tracker.Done(th)
		changed = changed || settled
		if settled || th.Open.Func == nil || th.Process.Ended != nil {
			th.Rested()
			return true
		}
		return false
	})
	return changed
}

func (a *Analyzer) candidate(th *track.Thread) bool {
	return th.Process.Ended == nil && th.Open.Func != nil && a.tracker.Waited(th) >= patience && !th.Open.Refused
}

// arriving reports whether threads are in calls that they entered too lately to be looked at.
func (a *Analyzer) arriving() bool {
	return slices.ContainsFunc(a.resting, func(th *track.Thread) bool {
		return th.Process.Ended == nil && th.Open.Func != nil && a.tracker.Waited(th) < patience
	})
}

// look is the work of one look at all processes.
type look struct {
	a        *Analyzer
	joins    joins
	sections map[section][]*track.Process
	blocked  []Blocked // process by process
}

func (a *Analyzer) newLook() *look {
	return &look{a: a, joins: make(joins), sections: make(map[section][]*track.Process)}
}

func (a *Analyzer) find(confirm func([]Blocked) bool) *Deadlock {
	l := a.newLook()
	g := &a.graph
	g.reset(len(a.tracker.Processes))
	for _, p := range a.tracker.Processes {
		from := len(l.blocked)
		if free := l.process(p); free {
			l.blocked = l.blocked[:from]
			g.release(number(p))
		}
	}
	l.blocked = g.solve(l.blocked)
	fresh := slices.ContainsFunc(l.blocked, func(b Blocked) bool { return !a.isReported(b.Thread) })
	if !fresh {
		a.settling = 0
		return nil
	}
	a.due = true
	if a.settling < patience && a.arriving() {
		a.settling++ // what they wait for may belong to the same deadlock
		return nil
	}
	a.settling = 0
	if confirm != nil && !confirm(l.blocked) || a.held != nil && a.letGoLoose(l.blocked) {
		return nil
	}
	a.due = false
	d := describe(g, l.blocked, a.isReported)
	if n := len(a.tracker.Threads); n > len(a.known) {
		a.known = append(a.known, make([]uint64, n-len(a.known))...)
	}
	for i := range d.Blocked {
		th := d.Blocked[i].Thread
		a.known[th.ID] = th.Calls + 1
	}
	return d
}

// describe returns the deadlock of threads that are stuck in a graph.
func describe(g *graph, stuck []Blocked, told func(*track.Thread) bool) *Deadlock {
	slices.SortStableFunc(stuck, func(x, y Blocked) int { return x.Thread.Process.Rank - y.Thread.Process.Rank })
	d := &Deadlock{Blocked: stuck, Gone: gone(stuck), graph: g}
	d.untie(told)
	return d
}

// isReported reports whether a thread was in a deadlock that has been reported, in the call in which it is now.
func (a *Analyzer) isReported(th *track.Thread) bool {
	return int(th.ID) < len(a.known) && a.known[th.ID] == th.Calls+1
}

// process adds the threads of a process to those that are blocked. It reports whether the process may do something:
// then they are not. A process that has ended, or will call nothing any more, is neither.
func (l *look) process(p *track.Process) (free bool) {
	if p.Ended != nil {
		return false
	}
	if len(p.Threads) == 0 || p.Lost || p.World == nil || p.World.Unsure {
		return true
	}
	for _, th := range p.Threads {
		if l.a.tracker.Done(th) {
			continue
		}
		if !l.a.candidate(th) {
			return true
		}
		if th.Open.Func.ID == mpiapi.IDFinalize && !p.Callbacks {
			continue // it will do nothing for others any more
		}
		clauses, lenient := l.clauses(th)
		if clauses == nil {
			return true
		}
		call := match.Call{Thread: th.ID, Raw: th.Open.Call.Raw()}
		l.blocked = append(l.blocked, Blocked{th, call, clauses, lenient})
	}
	return false
}

// gone lists the processes waited for that will do nothing any more.
func gone(order []Blocked) []*track.Process {
	lists := make(map[*Clause]bool)        // by their beginning
	sets := make(map[**track.Process]bool) // likewise
	found := make(map[*track.Process]bool)
	for _, b := range order {
		if lists[&b.Clauses[0]] {
			continue
		}
		if len(b.Clauses) > 1 {
			lists[&b.Clauses[0]] = true
		}
		Each(b.Clauses, func(c *Clause) {
			if c.What == ToTransfer || len(c.Procs) > 1 && sets[&c.Procs[0]] {
				return
			}
			if len(c.Procs) > 1 {
				sets[&c.Procs[0]] = true
			}
			for _, p := range c.Procs {
				if p.Ended != nil || p.Finalizing {
					found[p] = true
				}
			}
		})
	}
	return slices.SortedFunc(maps.Keys(found), func(x, y *track.Process) int { return x.Rank - y.Rank })
}
