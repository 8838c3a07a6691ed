// Package hold decides about collective calls that strict mode (mpivet run --strict) holds before they enter MPI. When
// all members have entered a collective and no check has found an error in it, all calls may go on. Otherwise all calls
// are refused, so that no member waits in MPI for a member whose call was refused.
//
// No call is held forever. If some members can never enter a collective, the other members' calls are refused, or the
// program is ended. MPI may let a member leave some collectives before all members have entered (for example the root
// of a broadcast). Such a call is let go without a verdict when others may wait for the process that is held (package
// waiting): a program that relies on that is not portable, but strict mode must not stop it. If the calls of a
// communicator cannot be followed, none of them is held.
//
// A nonblocking collective is never held, because it must return without waiting for others. It gets a verdict like the
// others. The call that completes it is held, or refused, instead: once in each process.
package hold

import (
	"slices"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Gate holds the calls of the ranks. ring.Live implements it.
type Gate interface {
	// Judge publishes the verdict on the call that a thread is in.
	Judge(ring.ThreadID, ring.Verdict)
	// Refused notes that a collective is refused. It is called before any call of the collective is refused.
	Refused()
	// EndStrict lets all calls go on, from now on.
	EndStrict()
}

// place is a position in the order of a communicator's collectives.
type place struct {
	comm *match.Comm
	at   uint64
}

// hearing is a collective for which calls are held, which is refused, or which was let go.
type hearing struct {
	waiting []*track.Thread
	why     string                  // the finding because of which it is refused, "" if there is none
	told    map[*track.Process]bool // processes whose calls have been refused
	free    bool                    // let go without a verdict
}

// Judge decides about the collectives of a run.
type Judge struct {
	tracker  *track.Tracker
	gate     Gate
	hearings map[place]*hearing
	holding  map[*track.Thread]bool // threads without a verdict
	decided  []place                // decided since the calls that wait for them were examined
	blind    map[*match.Comm]bool   // some members could not be seen when others were let go
	leaving  bool                   // there are processes that that may make calls which are not recorded
	ending   func() bool
}

// NoGate is a gate for a replay of a run in strict mode: the verdicts were published during the run.
type NoGate struct{}

// Judge does nothing.
func (NoGate) Judge(ring.ThreadID, ring.Verdict) {}

// Refused does nothing.
func (NoGate) Refused() {}

// EndStrict does nothing.
func (NoGate) EndStrict() {}

// New returns a judge of the calls that t tracks. When ending reports that mpivet is about to end the program, no
// call is refused any more: the calls stay held until the program has ended.
func New(t *track.Tracker, g Gate, ending func() bool) *Judge {
	return &Judge{
		tracker: t, gate: g, ending: ending,
		hearings: make(map[place]*hearing), holding: make(map[*track.Thread]bool), blind: make(map[*match.Comm]bool),
	}
}

// Holds reports whether a thread is held.
func (j *Judge) Holds(th *track.Thread) bool { return j.holding[th] }

// Batch decides about the calls in a batch of records. The batch must have been tracked.
func (j *Judge) Batch(b *ring.Batch) {
	if th := j.tracker.ThreadByID(b.Thread); b.Open && th.Open.Func != nil {
		j.decide(th)
	}
	j.retryHeld()
}

// Collective notes that all members have entered a collective. The checks must have seen it.
func (j *Judge) Collective(c *match.Collective) { j.Examine(c.Comm, c.Position) }

// Examine has the calls of a collective examined again, after an event that they wait for.
func (j *Judge) Examine(c *match.Comm, at uint64) {
	if p := (place{c, at}); j.hearings[p] != nil {
		j.decided = append(j.decided, p)
	}
}

// complete reports whether all members have entered a collective and, for MPI_Intercomm_create, the leader of the other
// group has, too.
func (j *Judge) complete(p place) bool {
	return p.comm.Complete(p.at) && !j.tracker.Leading(p.comm, p.at)
}

// Refuse has all calls of a collective refused because of a finding. why is the text of the error: the check and what
// it has found. It has no effect if the members have been let go.
func (j *Judge) Refuse(why string, c *match.Comm, at uint64) {
	p := place{c, at}
	if j.complete(p) {
		return
	}
	h := j.hearing(p)
	if h.free || h.why != "" {
		return
	}
	h.why, h.told = why, make(map[*track.Process]bool)
	j.gate.Refused()
	j.decided = append(j.decided, p)
}

// LetGo lets all members of the collectives for which a thread is held go on without a verdict.
func (j *Judge) LetGo(th *track.Thread) {
	for _, c := range j.calls(th) {
		h := j.hearing(c.place)
		h.free = h.why == ""
		j.blind[c.comm] = j.blind[c.comm] || j.unseen(c.comm)
		j.decided = append(j.decided, c.place)
	}
	j.retryHeld()
}

// Deadlock refuses the collectives for which deadlocked threads are held. why is the text of the error.
func (j *Judge) Deadlock(d *waiting.Deadlock, why string) {
	for i := range d.Blocked {
		th := d.Blocked[i].Thread
		if !j.holding[th] {
			continue
		}
		for _, c := range j.calls(th) {
			j.Refuse(why, c.comm, c.at)
		}
	}
	j.retryHeld()
}

// End forgets a process that has ended.
func (j *Judge) End(p *track.Process) {
	for _, th := range p.Threads {
		delete(j.holding, th)
	}
}

// Tick decides about the calls for which something has changed, and lets calls go that cannot be followed any more.
func (j *Judge) Tick() {
	j.leaving = slices.ContainsFunc(j.tracker.Processes, callsBack)
	for p, h := range j.hearings {
		if len(h.waiting) > 0 && !j.followed(p.comm) {
			j.decided = append(j.decided, p)
		}
	}
	j.retryHeld()
}

// retryHeld examines the held calls again that wait for a collective that has been decided.
func (j *Judge) retryHeld() {
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
				j.decide(th)
			}
		}
		// A member that comes later to a complete collective has entered it before, by a nonblocking call.
		if j.complete(p) && (h.why == "" || len(h.told) >= p.comm.Size()) {
			delete(j.hearings, p)
		}
	}
}

// collective is a collective that a thread's call takes part in or completes.
type collective struct {
	place
	view *track.View
}

// calls returns the collectives for which the open call of a thread is held.
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

// decide publishes the verdict on the call that a thread is in, if there is one yet.
func (j *Judge) decide(th *track.Thread) {
	f := th.Open.Func
	if !f.Held() && f.Class != mpiapi.Wait && f.Class != mpiapi.Test {
		return
	}
	_, all := j.tracker.Collectives(th)
	mayWait := all || f.Held()
	var open []place
	for _, c := range j.calls(th) {
		why, judged := j.refusal(c.place, th.Process)
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
	j.publish(th, ring.Verdict{})
}

// publish gives a thread the verdict on the call that it is in. The thread's time in MPI begins then.
func (j *Judge) publish(th *track.Thread, v ring.Verdict) {
	delete(j.holding, th)
	th.Open.Since, th.Open.Refused = j.tracker.Now, v.Refused != ring.GoOn
	j.gate.Judge(th.ID, v)
}

// refusal returns the finding because of which a collective is refused for a process, "" if it is not refused.
func (j *Judge) refusal(p place, by *track.Process) (why string, ok bool) {
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

// refuse makes a call return an error.
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
		v.Handle = c.view.Handle // handle of the communicator that another is made from, if there is one
	} else if th.Process.ViewOf(c.comm) == nil { // freed; a program may do this before the operation is complete
		v.Refused, v.Handle = ring.OnComm, 0
	}
	j.publish(th, v)
	j.decided = append(j.decided, c.place) // the hearing is deleted when all processes have got the refusal
}

func (j *Judge) hearing(p place) *hearing {
	h := j.hearings[p]
	if h == nil {
		h = new(hearing)
		j.hearings[p] = h
	}
	return h
}

// followed reports whether all calls of the members on a communicator are known, so that mpivet can wait for them.
func (j *Judge) followed(c *match.Comm) bool {
	return !c.Opaque && (c.World == nil || !c.World.Unsure) &&
		(!j.blind[c] || !j.unseen(c)) && (!j.leaving || !j.has(c, callsBack))
}

// callsBack reports whether a process is in MPI_Finalize, from where MPI may call functions of the program. Calls of
// these functions are not recorded.
func callsBack(p *track.Process) bool { return p != nil && p.Finalizing && p.Callbacks }

// unseen reports whether a communicator has members that have not been seen: on another node, or not yet in MPI.
func (j *Judge) unseen(c *match.Comm) bool {
	return j.has(c, func(p *track.Process) bool { return p == nil })
}

// has reports whether kind returns true for any process of a communicator. kind gets nil for a process that has not
// been seen.
func (j *Judge) has(c *match.Comm, kind func(*track.Process) bool) bool {
	return slices.ContainsFunc(c.Members, func(rank int32) bool {
		return kind(j.tracker.ProcessOf(c.World, int(rank)))
	})
}
