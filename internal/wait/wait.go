// Package wait finds processes that can never go on: an AND-OR wait-for graph over the calls that threads are in, and
// the part of it that nothing can release.
//
// The model: a thread in a blocking call waits for all of its clauses, and for a clause until any of the processes in
// it does something. A process that computes, or is in a call that can't be analysed, may do anything. Those that
// nothing that may still happen can release form the deadlock (a knot, in a graph with AND and OR arcs).
package wait

import (
	"maps"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Clause is something that a thread waits for and any of Procs could do.
type Clause struct {
	What  What
	Procs []*track.Process
	Comm  *track.View
	Pos   uint64    // of the collective on Comm, for ToJoin
	Op    *match.Op // the send or receive that finds no partner, for SendsTo and ReceivesFrom
	Tag   int32     // Probes
	// Loose: the standard lets MPI return without it. That the thread waits all the same follows only from its not having
	// returned.
	Loose bool
}

// What says what would release a thread.
type What uint8

// What threads wait for.
const (
	ToReceive What = iota // a send waits for its receive
	ToSend                // a receive or probe waits for its send
	ToJoin                // a collective waits for members
	ToLead                // the leader of a group waits for that of the other, to make an inter-communicator
)

// Blocked is a thread that can't go on.
type Blocked struct {
	Thread  *track.Thread
	Call    match.Call
	Clauses []Clause // all must be released
}

// Deadlock is a set of threads that can't go on for ever.
type Deadlock struct {
	Blocked []Blocked // in the order of ranks
	// Cycle is the shortest chain found in which everyone waits for the next and the last for the first. It is empty
	// where the threads wait for processes that have ended.
	Cycle []*track.Process
	// Gone are processes that others wait for and that have finished or ended.
	Gone []*track.Process
}

// patience is how many ticks a thread must have been in the same call before it is looked at.
const patience = 3

// grace is how many ticks a process that was killed leaves the launcher for ending the others.
const grace = 30

// Analyzer looks for deadlocks, tick by tick.
type Analyzer struct {
	tracker  *track.Tracker
	known    map[ring.ThreadID]uint64 // threads reported, with the number of calls that they had made
	killed   int                      // ticks since a process was killed
	held     func(*track.Thread) bool
	letGo    func(*track.Thread)
	joins    joins
	settling int // ticks that a deadlock found has not been told yet
}

// New returns an analyzer of the processes that t tracks.
func New(t *track.Tracker) *Analyzer {
	return &Analyzer{tracker: t, known: make(map[ring.ThreadID]uint64)}
}

// Holds tells the analyzer which threads are not in MPI but held before it, in strict mode: letGo is called for one whose
// call MPI might let return, but that others wait for, or that is held for long. It may then be in MPI.
func (a *Analyzer) Holds(held func(*track.Thread) bool, letGo func(*track.Thread)) {
	a.held, a.letGo = held, letGo
}

// longest is how many ticks a thread is held whose call MPI might let return: what it is held for may wait for it in ways
// that can't be seen here, as by polling.
const longest = 100

// letGoOld lets go the threads that have been held for long. Those that MPI, too, would make wait are held on.
func (a *Analyzer) letGoOld() {
	for _, th := range a.tracker.Threads {
		if !a.candidate(th) || th.Open.Ticks < longest || !a.held(th) {
			continue
		}
		if cs, ok := a.clauses(th); !ok || slices.ContainsFunc(cs, func(c Clause) bool { return c.Loose }) {
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
		if a.held(b.Thread) && slices.ContainsFunc(b.Clauses, func(c Clause) bool { return c.Loose }) {
			a.letGo(b.Thread)
			found = true
		}
	}
	return found
}

// Tick looks for a deadlock that has not been reported yet, nil if there is none. confirm, if not nil, is asked whether
// the threads found have had the chance to run.
func (a *Analyzer) Tick(confirm func([]Blocked) bool) *Deadlock {
	stuck := false
	a.joins = newJoins()
	for _, p := range a.tracker.Processes {
		if p.Aborting {
			return nil
		}
		if e := p.Ended; e != nil && (e.Kind == ring.Signaled || e.Kind == ring.Vanished && p.Initialized && !p.Finalizing) {
			if a.killed++; a.killed < grace {
				return nil
			}
		}
	}
	for _, th := range a.tracker.Threads {
		stuck = stuck || a.candidate(th)
	}
	if !stuck {
		return nil
	}
	if a.held != nil {
		a.letGoOld()
	}
	return a.find(confirm)
}

func (a *Analyzer) candidate(th *track.Thread) bool {
	return th.Process.Ended == nil && th.Open.Func != nil && th.Open.Ticks >= patience && !th.Open.Refused
}

// arriving reports whether threads are in calls that they entered too lately to be looked at.
func (a *Analyzer) arriving() bool {
	return slices.ContainsFunc(a.tracker.Threads, func(th *track.Thread) bool {
		return th.Process.Ended == nil && th.Open.Func != nil && th.Open.Ticks < patience
	})
}

func (a *Analyzer) find(confirm func([]Blocked) bool) *Deadlock {
	free := make(map[*track.Process]bool) // may still do something
	blocked := make(map[*track.Process][]Blocked)
	for _, p := range a.tracker.Processes {
		if p.Ended != nil {
			continue
		}
		if len(p.Threads) == 0 || p.Lost || p.World == nil || p.World.Unsure {
			free[p] = true
			continue
		}
		var mine []Blocked
		for _, th := range p.Threads {
			if !a.candidate(th) {
				free[p] = true
				break
			}
			if th.Open.Func.ID == mpiapi.IDFinalize && !p.Callbacks {
				continue // it will do nothing for others any more
			}
			clauses, ok := a.clauses(th)
			if !ok {
				free[p] = true
				break
			}
			c := match.Call{Thread: th.ID, Raw: th.Open.Call.Raw()}
			mine = append(mine, Blocked{th, c, clauses})
		}
		if !free[p] && len(mine) > 0 {
			blocked[p] = mine
		}
	}
	for changed := true; changed; {
		changed = false
		turn := make(turn)
		for p, list := range blocked {
			for _, b := range list {
				if turn.released(b.Clauses, free) {
					free[p], changed = true, true
					delete(blocked, p)
					break
				}
			}
		}
	}
	d := new(Deadlock)
	fresh := false
	for _, p := range a.tracker.Processes {
		for _, b := range blocked[p] {
			d.Blocked = append(d.Blocked, b)
			if calls, seen := a.known[b.Thread.ID]; !seen || calls != b.Thread.Calls {
				fresh = true
			}
		}
	}
	if !fresh {
		a.settling = 0
		return nil
	}
	if a.settling < patience && a.arriving() {
		a.settling++ // what they wait for may belong to the same deadlock
		return nil
	}
	a.settling = 0
	if confirm != nil && !confirm(d.Blocked) || a.held != nil && a.letGoLoose(d.Blocked) {
		return nil
	}
	for _, b := range d.Blocked {
		a.known[b.Thread.ID] = b.Thread.Calls
	}
	slices.SortStableFunc(d.Blocked, func(x, y Blocked) int { return x.Thread.Process.Rank - y.Thread.Process.Rank })
	d.Cycle = cycle(blocked, d.Blocked)
	d.Gone = gone(d.Blocked)
	return d
}

// turn has the verdicts of one turn on lists of clauses, by their beginning: threads in one collective share theirs. What
// a verdict of the same turn would change is seen in the next one.
type turn map[*Clause]bool

func (t turn) released(clauses []Clause, free map[*track.Process]bool) bool {
	if len(clauses) == 0 {
		return true
	}
	v, ok := t[&clauses[0]]
	if !ok {
		v = released(clauses, free)
		t[&clauses[0]] = v
	}
	return v
}

func released(clauses []Clause, free map[*track.Process]bool) bool {
	for i := range clauses {
		if !slices.ContainsFunc(clauses[i].Procs, func(p *track.Process) bool { return free[p] }) {
			return false
		}
	}
	return true
}

// clauses works out what a thread waits for. ok is false if it is not known, or nothing: it may go on.
func (a *Analyzer) clauses(th *track.Thread) (cs []Clause, ok bool) {
	switch th.Open.Func.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv:
		for _, op := range th.Waiting() {
			if op == nil {
				continue
			}
			c, state := a.operation(th.Process, op)
			if state == waiting {
				cs = append(cs, c)
			}
		}
	case mpiapi.Wait:
		reqs, all, known := a.tracker.Pending(th)
		if !known || len(reqs) == 0 {
			return nil, false
		}
		for _, r := range reqs {
			rc, state := a.request(th.Process, r)
			switch {
			case state == waiting && len(cs) == 0:
				cs = slices.Clip(rc) // they may be shared
			case state == waiting:
				cs = append(cs, rc...)
			case !all:
				return nil, false
			}
		}
		if !all {
			cs = []Clause{either(cs)}
		}
	case mpiapi.Probe:
		v, source, tag, blocking := a.tracker.Probing(th)
		if !blocking || v == nil || v.Opaque || v.Candidate(v.Me, source, tag) {
			return nil, false
		}
		cs = append(cs, Clause{What: ToSend, Comm: v, Tag: tag, Procs: a.sources(th.Process, v, source)})
	case mpiapi.Collective, mpiapi.CollectiveInit: // the latter may wait for others as well (section 6.13)
		v, pos := th.InCollective()
		if v == nil {
			return nil, false
		}
		cs = a.collective(v, pos)
		if peer, leader := a.tracker.Counterpart(th); leader != nil {
			cs = append(slices.Clip(cs), Clause{What: ToLead, Comm: peer, Procs: []*track.Process{leader}})
		}
	}
	if len(cs) == 0 || a.joins.open(cs) {
		return nil, false
	}
	return cs, true
}

// either joins clauses of which one is enough. It is only used where each stands for one operation, or where more
// processes in a clause mean fewer deadlocks.
func either(cs []Clause) Clause {
	c := cs[0]
	for _, o := range cs[1:] {
		c.Procs = append(slices.Clone(c.Procs), o.Procs...)
	}
	return c
}

type state uint8

const (
	unknown state = iota
	going         // it has its partner
	waiting
)

// operation works out whom a send or receive waits for.
func (a *Analyzer) operation(p *track.Process, op *match.Op) (Clause, state) {
	c := op.Comm
	switch {
	case c.Opaque || op.Removed:
		return Clause{}, unknown
	case op.Matched:
		return Clause{}, going
	case op.Send:
		if op.Mode == match.Buffered || op.Expected() {
			return Clause{}, unknown
		}
		return Clause{What: ToReceive, Op: op, Procs: []*track.Process{a.member(c, op.Peer)}}, waiting
	}
	if c.Candidate(op.Me, op.Peer, op.Tag) {
		return Clause{}, unknown
	}
	cl := Clause{What: ToSend, Op: op, Tag: op.Tag}
	if op.Peer != match.Any {
		cl.Procs = []*track.Process{a.member(c, op.Peer)}
	} else {
		base := c.PeerBase(op.Me)
		for i := range int32(c.Peers(op.Me)) {
			cl.Procs = append(cl.Procs, a.member(c, base+i))
		}
	}
	return cl, waiting
}

func (a *Analyzer) sources(p *track.Process, v *track.View, source int32) []*track.Process {
	if source != match.Any {
		return []*track.Process{a.member(v.Comm, source)}
	}
	var ps []*track.Process
	for i := range v.Peers {
		ps = append(ps, a.member(v.Comm, v.Base+i))
	}
	return ps
}

func (a *Analyzer) request(p *track.Process, r *track.Request) ([]Clause, state) {
	switch r.Kind {
	case track.CollectiveRequest:
		if r.Persistent {
			return nil, unknown
		}
		if cs := a.collective(r.View, r.Pos); len(cs) > 0 {
			return cs, waiting
		}
		return nil, unknown
	case track.OtherRequest:
		return nil, unknown
	}
	if r.Cancelled { // which MPI completes without the others (section 3.8.4)
		return nil, unknown
	}
	var cs []Clause
	for _, op := range r.Ops {
		if op == nil {
			continue
		}
		if c, s := a.operation(p, op); s == waiting {
			cs = append(cs, c)
		}
	}
	if len(cs) == 0 {
		return nil, unknown
	}
	return cs, waiting
}

// member returns the process behind a member, nil if it is not seen.
func (a *Analyzer) member(c *match.Comm, m int32) *track.Process {
	if m < 0 || int(m) >= len(c.Members) {
		return nil
	}
	return a.tracker.ProcessOf(c.World, int(c.Members[m]))
}

// cycle finds a short cycle among the blocked: breadth first from each, along the processes that are blocked too.
func cycle(blocked map[*track.Process][]Blocked, order []Blocked) []*track.Process {
	var best []*track.Process
	tries := 0
	for _, b := range order {
		if tries++; tries > 64 {
			break // any cycle will do
		}
		start := b.Thread.Process
		from := map[*track.Process]*track.Process{}
		queue := []*track.Process{start}
		found := (*track.Process)(nil)
		done := make(map[*Clause]bool) // lists of clauses, by their beginning
		for len(queue) > 0 && found == nil {
			p := queue[0]
			queue = queue[1:]
			for _, bl := range blocked[p] {
				if done[&bl.Clauses[0]] {
					continue
				}
				done[&bl.Clauses[0]] = true
				for _, c := range bl.Clauses {
					for _, q := range c.Procs {
						if q == start {
							found = p
						} else if _, seen := from[q]; !seen && blocked[q] != nil {
							from[q] = p
							queue = append(queue, q)
						}
					}
				}
			}
		}
		if found == nil {
			continue
		}
		var path []*track.Process
		for p := found; p != start; p = from[p] {
			path = append(path, p)
		}
		path = append(path, start)
		slices.Reverse(path)
		if best == nil || len(path) < len(best) {
			best = path
		}
	}
	return best
}

// gone lists the processes waited for that will do nothing any more.
func gone(order []Blocked) []*track.Process {
	done := make(map[*Clause]bool) // lists of clauses, by their beginning
	found := make(map[*track.Process]bool)
	for _, b := range order {
		if done[&b.Clauses[0]] {
			continue
		}
		done[&b.Clauses[0]] = true
		for _, c := range b.Clauses {
			for _, p := range c.Procs {
				if p != nil && (p.Ended != nil || p.Finalizing) {
					found[p] = true
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(x, y *track.Process) int { return x.Rank - y.Rank })
}
