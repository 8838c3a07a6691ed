// Package hold judges collective calls that are held before they enter MPI (mpivet run --strict): when all members have
// entered a collective and no check has found an error in it, all may go on; else all are refused, so that nobody is
// left in MPI waiting for one that was.
//
// Nothing is held for ever. A collective that members can never come to is refused when that is found out, or its
// members are ended. One that MPI might let members leave before all have come (the root of a broadcast, say) is let
// go, unjudged, when somebody it is held for may be waiting for them (package wait): a program that relies on that is
// not portable, but strict mode is not what stops it. And where calls can't be followed, nothing is held.
//
// A nonblocking collective is never held, as it must return without waiting for others. It is judged like the others,
// and the call that completes it is held, or refused, in its place: once in each process.
package hold

import (
	"slices"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Gate is where calls are held: ring.Live.
type Gate interface {
	// Judge gives the verdict on the call that a thread is in.
	Judge(ring.ThreadID, ring.Verdict)
	// Refused says that a collective is refused, before any of its calls is.
	Refused()
	// EndStrict lets go all calls, from now on.
	EndStrict()
}

// place is a position in the order of a communicator's collectives.
type place struct {
	comm *match.Comm
	at   uint64
}

// hearing is what is known of a collective that calls are held for, that is refused, or that is let go.
type hearing struct {
	waiting []*track.Thread
	why     string                  // the check that refuses it, "" if none does
	told    map[*track.Process]bool // of the refusal
	free    bool                    // let go unjudged
}

// Judge judges the collectives of a run.
type Judge struct {
	tracker  *track.Tracker
	gate     Gate
	hearings map[place]*hearing
	holding  map[*track.Thread]bool // threads without a verdict
	decided  []place                // since calls that wait for it were looked at
	blind    map[*match.Comm]bool   // some members could not be seen when others were let go
	leaving  bool                   // there are processes whose last calls are not seen
	ending   func() bool
}

// NoGate is a gate for the records of a run in strict mode, whose verdicts were given when it ran.
type NoGate struct{}

// Judge does nothing.
func (NoGate) Judge(ring.ThreadID, ring.Verdict) {}

// Refused does nothing.
func (NoGate) Refused() {}

// EndStrict does nothing.
func (NoGate) EndStrict() {}

// New returns a judge of the calls that t follows. When ending says that mpivet is about to end the program, nothing is
// refused any more: held calls are left to it.
func New(t *track.Tracker, g Gate, ending func() bool) *Judge {
	return &Judge{
		tracker: t, gate: g, ending: ending, hearings: make(map[place]*hearing), holding: make(map[*track.Thread]bool), blind: make(map[*match.Comm]bool),
	}
}

// Holds reports whether a thread is held.
func (j *Judge) Holds(th *track.Thread) bool { return j.holding[th] }

// Batch judges what a batch of records has brought, which has been tracked.
func (j *Judge) Batch(b *ring.Batch) {
	if th := j.tracker.ThreadByID(b.Thread); b.Open && th.Open.Func != nil {
		j.look(th)
	}
	j.settle()
}

// Collective takes note that all members have entered a collective. Checks have looked at it.
func (j *Judge) Collective(c *match.Collective) { j.Look(c.Comm, c.Position) }

// Look has a collective looked at again, after something that it waits for.
func (j *Judge) Look(c *match.Comm, at uint64) {
	if p := (place{c, at}); j.hearings[p] != nil {
		j.decided = append(j.decided, p)
	}
}

// complete reports whether all have come that take part in a collective: its members, and for MPI_Intercomm_create the
// leader of the other group.
func (j *Judge) complete(p place) bool {
	return p.comm.Complete(p.at) && !j.tracker.Leading(p.comm, p.at)
}

// Refuse has all calls of a collective refused for what a check has found. It comes too late for one whose members have
// been let go.
func (j *Judge) Refuse(check string, c *match.Comm, at uint64) {
	p := place{c, at}
	if j.complete(p) {
		return
	}
	h := j.hearing(p)
	if h.free || h.why != "" {
		return
	}
	h.why, h.told = check, make(map[*track.Process]bool)
	j.gate.Refused()
	j.decided = append(j.decided, p)
}

// LetGo lets the collectives that a thread is held for go on unjudged, all their members.
func (j *Judge) LetGo(th *track.Thread) {
	for _, c := range j.calls(th) {
		h := j.hearing(c.place)
		h.free = h.why == ""
		j.blind[c.comm] = j.blind[c.comm] || j.unseen(c.comm)
		j.decided = append(j.decided, c.place)
	}
	j.settle()
}

// Deadlock refuses the collectives that threads are held for that can never go on.
func (j *Judge) Deadlock(d *waiting.Deadlock) {
	for i := range d.Blocked {
		th := d.Blocked[i].Thread
		if !j.holding[th] {
			continue
		}
		for _, c := range j.calls(th) {
			j.Refuse("GLOBAL:DEADLOCK:HARD", c.comm, c.at)
		}
	}
	j.settle()
}

// End forgets a process that has ended.
func (j *Judge) End(p *track.Process) {
	for _, th := range p.Threads {
		delete(j.holding, th)
	}
}

// Tick judges what has been found out in the meantime, and lets go what can't be followed any more.
func (j *Judge) Tick() {
	j.leaving = slices.ContainsFunc(j.tracker.Processes, callsBack)
	for p, h := range j.hearings {
		if len(h.waiting) > 0 && !j.followed(p.comm) {
			j.decided = append(j.decided, p)
		}
	}
	j.settle()
}

// settle looks again at the calls that wait for what has been decided.
func (j *Judge) settle() {
	for len(j.decided) > 0 {
		p := j.decided[len(j.decided)-1]
		j.decided = j.decided[:len(j.decided)-1]
		h := j.hearings[p]
		if h == nil {
			continue
		}
		waiting := h.waiting
		h.waiting = nil
		for _, th := range waiting {
			if j.holding[th] {
				j.look(th)
			}
		}
		// Whoever comes later to one that is complete has entered it before, by a nonblocking call.
		if j.complete(p) && (h.why == "" || len(h.told) >= p.comm.Size()) {
			delete(j.hearings, p)
		}
	}
}

// collective is one that the call of a thread is part of, or completes.
type collective struct {
	place
	view *track.View
}

// calls returns the collectives that the open call of a thread is held for.
func (j *Judge) calls(th *track.Thread) (list []collective) {
	if th.Open.Func == nil {
		return nil
	}
	switch f := th.Open.Func; {
	case f.Held():
		if v, at := th.InCollective(); v != nil {
			list = append(list, collective{place{v.Comm, at}, v})
		}
	case f.Class == mpiapi.Wait || f.Class == mpiapi.Test:
		reqs, _ := j.tracker.Collectives(th)
		for _, r := range reqs {
			list = append(list, collective{place{r.View.Comm, r.Pos}, r.View})
		}
	}
	return list
}

// look gives a verdict on the call that a thread is in, if there is one.
func (j *Judge) look(th *track.Thread) {
	f := th.Open.Func
	if !f.Held() && f.Class != mpiapi.Wait && f.Class != mpiapi.Test {
		return
	}
	_, all := j.tracker.Collectives(th)
	mayWait := all || f.Held()
	var open []place
	for _, c := range j.calls(th) {
		why, judged := j.judged(c.place, th.Process)
		switch {
		case why != "" && !j.ending():
			j.refuse(th, c, why)
			return
		case (!judged || why != "") && mayWait:
			open = append(open, c.place)
		}
	}
	for _, p := range open {
		if h := j.hearing(p); !slices.Contains(h.waiting, th) {
			h.waiting = append(h.waiting, th)
		}
	}
	if len(open) > 0 {
		j.holding[th] = true
		return
	}
	j.tell(th, ring.Verdict{})
}

// tell gives a thread the verdict on the call that it is in, from where its time in MPI begins.
func (j *Judge) tell(th *track.Thread, v ring.Verdict) {
	delete(j.holding, th)
	th.Open.Since, th.Open.Refused = j.tracker.Now, v.Refused != ring.GoOn
	j.gate.Judge(th.ID, v)
}

// judged says what has been decided about a collective as far as it concerns a process: why it is refused, "" if it is
// not.
func (j *Judge) judged(p place, by *track.Process) (why string, ok bool) {
	h := j.hearings[p]
	switch {
	case h != nil && h.free:
		return "", true
	case h != nil && h.why != "":
		if h.told[by] {
			return "", true
		}
		return h.why, true
	}
	return "", j.complete(p) || !j.followed(p.comm)
}

// refuse has a call return an error.
func (j *Judge) refuse(th *track.Thread, c collective, why string) {
	h := j.hearings[c.place]
	h.told[th.Process] = true
	v := ring.Verdict{Why: why, Handle: c.view.Handle}
	switch {
	case th.Open.Func.Base == mpiapi.IDFileOpen: // section 14.7
		v.Refused, v.Handle = ring.OnFile, 0
	case c.comm.Domain == match.Window:
		v.Refused = ring.OnWin
	case c.comm.Domain == match.File:
		v.Refused = ring.OnFile
	default:
		v.Refused = ring.OnComm
	}
	if c.comm.Domain == match.Gathering {
		v.Handle = c.view.Handle // of the communicator that another is made from, if there is one
	} else if th.Process.ViewOf(c.comm) == nil { // freed, which a program may do before the operation is complete
		v.Refused, v.Handle = ring.OnComm, 0
	}
	j.tell(th, v)
	j.decided = append(j.decided, c.place) // to forget it when all have been told
}

func (j *Judge) hearing(p place) *hearing {
	h := j.hearings[p]
	if h == nil {
		h = new(hearing)
		j.hearings[p] = h
	}
	return h
}

// followed reports whether the members' calls on a communicator are known, so that all can be waited for.
func (j *Judge) followed(c *match.Comm) bool {
	return !c.Opaque && (c.World == nil || !c.World.Unsure) && (!j.blind[c] || !j.unseen(c)) && (!j.leaving || !j.has(c, callsBack))
}

// callsBack reports whether a process is in MPI_Finalize, and MPI may call functions of the program from there: what
// these do is not seen.
func callsBack(p *track.Process) bool { return p != nil && p.Finalizing && p.Callbacks }

// unseen reports whether a communicator has members that have not been seen: on another node, or not yet in MPI.
func (j *Judge) unseen(c *match.Comm) bool {
	return j.has(c, func(p *track.Process) bool { return p == nil })
}

// has reports whether any of a communicator's processes is of a kind; nil stands for one that has not been seen.
func (j *Judge) has(c *match.Comm, kind func(*track.Process) bool) bool {
	return slices.ContainsFunc(c.Members, func(rank int32) bool { return kind(j.tracker.ProcessOf(c.World, int(rank))) })
}
