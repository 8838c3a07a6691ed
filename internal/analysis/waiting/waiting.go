// Package waiting finds processes that can never go on. It uses an AND-OR wait-for graph of the threads' open calls,
// and finds the part of it that nothing can release.
//
// The model: a thread in a blocking call waits for all of its clauses. It waits for a clause until any of the processes
// in the clause acts. A process that computes, or polls, or is in a call that cannot be analysed, may do anything. The
// threads that no possible action can release form the deadlock (a knot, in a graph with AND and OR arcs). The graph is
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

// Clause is a condition that a thread waits for. Any of Procs could fulfil it.
type Clause struct {
	What What
	// Procs may be shared by many clauses: all clauses that wait for any member of a communicator have the same slice.
	Procs  []*track.Process
	Comm   *track.View
	Pos    uint64    // of the collective on Comm, for ToJoin
	Op     *match.Op // the send or receive without a partner, for ToReceive and ToSend; nil for a probe
	Tag    int32     // ToSend: the tag of the receive or probe, or match.Any
	Source int32     // ToSend: the member that the message must come from, or match.Any
	// Loose: the standard allows MPI to return before the condition holds. Only the fact that the call has not returned
	// shows that the thread waits for it.
	Loose bool
	// Further, of ToSend: suitable messages have been sent, but the same number of other receives will take them.
	Further bool
	// Ways, for Either, are lists of clauses. It is enough if all clauses of one list are released.
	Ways [][]Clause
}

// What is the kind of event that would release a thread.
type What uint8

// The events that threads wait for.
const (
	ToReceive  What = iota // a send waits for its receive
	ToSend                 // a receive or probe waits for its send
	ToJoin                 // a collective waits for members
	ToLead                 // the leader of a group waits for the leader of the other, to make an inter-communicator
	ToTransfer             // a matched operation waits for its data to move
	ToStart                // a persistent collective, or one side of a partitioned message, waits for others' starts
	ToReady                // a partitioned message waits for all of its partitions to be marked ready
	Either                 // any of several ways
)

// Each calls f for every clause of a list. Instead of an Either clause, it calls f for the clauses of its ways.
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

// Blocked is a thread that cannot go on.
type Blocked struct {
	Thread  *track.Thread
	Call    match.Call
	Clauses []Clause // all must be released

	lenient bool // the standard allows MPI to return without some parts of the call
}

// Deadlock is a set of threads that can never go on.
type Deadlock struct {
	Blocked []Blocked // in the order of ranks
	// Knots are minimal sets of processes that block each other, smallest first. No process of a knot can go on,
	// whatever other processes do. All further processes wait for these or for Orphans.
	Knots []Knot
	// Orphans wait only for processes that have finished or ended.
	Orphans []Link
	// Gone are processes that others wait for and that have finished or ended.
	Gone []*track.Process
	// News: a knot or an orphan is among them that was not reported before.
	News bool

	graph *graph
	first []int32 // by process: its first thread in Blocked, from 1 on
}

// Waiting returns the first thread of a process that cannot go on; nil if there is none.
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

// patience is the number of ticks for which a thread must have been in the same call before it is examined.
const patience = 3

// grace is the number of ticks that the launcher has to end the other processes after a process was killed, or ended by
// MPI. MPICH 4.2 may take more than 3 seconds.
const grace = 200

// Analyzer looks for deadlocks at every tick.
type Analyzer struct {
	// Found: processes are deadlocked. The event is valid until the subscriber returns.
	Found stream.Topic[*Deadlock]

	tracker  *track.Tracker
	known    []uint64 // by thread: if it was reported, the number of calls that it had made, plus 1
	killed   int      // ticks since a process was killed
	held     func(*track.Thread) bool
	letGo    func(*track.Thread)
	stopped  func(*track.Thread) bool
	doubtful bool            // the last tick found a deadlock that could not be confirmed
	settling int             // ticks for which a deadlock was found but not yet reported
	resting  []*track.Thread // threads that have been seen in a call, but not for long enough
	ended    int             // processes that had ended at the last look
	due      bool            // since the last look, an event has happened that may have caused a deadlock
	graph    graph
}

// Fact is the analysis of which processes wait for which. The code that runs the analysis must call Tick.
var Fact = &analysis.Fact[*Analyzer]{
	Name:  "who waits for whom",
	Start: func(r *analysis.Run) *Analyzer { return New(r.Tracker) },
}

// New returns an analyzer of the processes that t tracks.
func New(t *track.Tracker) *Analyzer {
	return &Analyzer{tracker: t}
}

// SetHolds gives the analyzer functions for threads that strict mode holds before they enter MPI. held reports whether
// a thread is held. letGo is called for a held thread whose call MPI might allow to return, if others wait for the
// thread or it has been held for long. After that, the thread may be in MPI.
func (a *Analyzer) SetHolds(held func(*track.Thread) bool, letGo func(*track.Thread)) {
	a.held, a.letGo = held, letGo
}

// SetStopped gives the analyzer a function that reports whether a thread stands still for a debugger. Such a thread may
// act later, whatever its call is.
func (a *Analyzer) SetStopped(stopped func(*track.Thread) bool) { a.stopped = stopped }

// longest is the number of ticks for which a thread is held if MPI might allow its call to return. The processes that
// it is held for may wait for it in ways that the analyzer cannot see, for example by polling.
const longest = 100

// letGoOld releases threads that have been held for long. It does not release threads that MPI, too, would make wait.
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

// letGoLoose releases those of the held threads whose calls MPI might allow to return. It reports whether there are
// any.
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

// Tick looks for a deadlock that has not been found yet, and publishes it. If confirm is not nil, it is asked whether
// the threads found have had the chance to run.
func (a *Analyzer) Tick(confirm func([]Blocked) bool) {
	a.doubtful = false
	if d := a.search(confirm); d != nil {
		a.Found.Publish(d)
	}
}

// Doubtful reports whether the last tick found a deadlock that could not be confirmed.
func (a *Analyzer) Doubtful() bool { return a.doubtful }

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

// changed reports whether a thread has come to a stop, or a process has ended, since the last tick. No other event
// causes a new deadlock: the last of its threads to stop has stopped in its own call, and the earlier calls that the
// deadlock depends on have been made before that.
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
	return th.Process.Ended == nil && th.Open.Func != nil && a.tracker.Waited(th) >= patience && !th.Open.Refused &&
		(a.stopped == nil || !a.stopped(th))
}

// arriving reports whether threads are in calls that they entered too recently to be examined.
func (a *Analyzer) arriving() bool {
	return slices.ContainsFunc(a.resting, func(th *track.Thread) bool {
		return th.Process.Ended == nil && th.Open.Func != nil && a.tracker.Waited(th) < patience
	})
}

// look is the state of one look at all processes.
type look struct {
	a        *Analyzer
	joins    joins
	sections map[section][]*track.Process
	blocked  []Blocked // grouped by process
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
		a.settling++ // the threads that are arriving may belong to the same deadlock
		return nil
	}
	a.settling = 0
	a.doubtful = confirm != nil && !confirm(l.blocked)
	if a.doubtful || a.held != nil && a.letGoLoose(l.blocked) {
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

// describe returns the deadlock of the threads that are stuck in a graph.
func describe(g *graph, stuck []Blocked, told func(*track.Thread) bool) *Deadlock {
	slices.SortStableFunc(stuck, func(x, y Blocked) int { return x.Thread.Process.Rank - y.Thread.Process.Rank })
	d := &Deadlock{Blocked: stuck, Gone: gone(stuck), graph: g}
	d.untie(told)
	return d
}

// isReported reports whether the present call of a thread is part of a deadlock that has been reported.
func (a *Analyzer) isReported(th *track.Thread) bool {
	return int(th.ID) < len(a.known) && a.known[th.ID] == th.Calls+1
}

// process adds the threads of a process to the blocked threads. It reports whether the process is free, because one of
// its threads may act. The caller must then remove the threads again. A process that has ended, or will make no more
// calls, is neither blocked nor free.
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
			continue // it will do nothing more for others
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

// Explain returns a function that says what a thread waits for. ok is false if the thread waits for nothing, or if that
// is not known. The function is valid until the next records are read.
func (a *Analyzer) Explain() func(*track.Thread) (b Blocked, ok bool) {
	l := a.newLook()
	return func(th *track.Thread) (Blocked, bool) {
		if th.Open.Func == nil || th.Open.Refused || a.stopped != nil && a.stopped(th) {
			return Blocked{}, false
		}
		clauses, lenient := l.clauses(th)
		return Blocked{th, match.Call{Thread: th.ID, Raw: th.Open.Call.Raw()}, clauses, lenient}, clauses != nil
	}
}

// gone returns the processes that others wait for and that will make no more calls.
func gone(order []Blocked) []*track.Process {
	lists := make(map[*Clause]bool)        // by their first element
	sets := make(map[**track.Process]bool) // by their first element
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
