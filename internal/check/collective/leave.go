package collective

import (
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// leavers knows which processes have called MPI_Finalize: they will enter no further collective.
type leavers struct {
	x       *check.Run
	leaving bool                 // at least one has
	dying   bool                 // MPI ends a process for an error
	unclear map[*match.Comm]bool // a call on it failed: it may or may not have taken part
}

func newLeavers(x *check.Run) leavers { return leavers{x: x, unclear: make(map[*match.Comm]bool)} }

func (l *leavers) failed(e track.CallFailed) {
	l.dying = l.dying || e.Failure != nil && e.Failure.Fatal
	if v, _ := e.Thread.Joined(); v != nil {
		l.unclear[v.Comm] = true
	}
}

// incomplete returns the communicators with collectives that some members have entered and others have not.
func (l *leavers) incomplete() []*match.Comm {
	return slices.DeleteFunc(l.x.Tracker.Comms.Incomplete(), func(c *match.Comm) bool { return l.unclear[c] })
}

func (l *leavers) finalize(track.FinalizeEntered) { l.leaving = true }

// proper reports whether all processes that have ended called MPI_Finalize, and none is about to be killed. Otherwise
// the calls that they have not made are not evidence.
func (l *leavers) proper() bool {
	if l.dying {
		return false
	}
	for _, p := range l.x.Tracker.Processes {
		switch e := p.Ended; {
		case p.Aborting || p.Lost:
			return false
		case e == nil:
		case e.Asked || e.Kind == ring.Signaled, e.Kind != ring.Replaced && p.Initialized && !p.Finalizing:
			return false
		}
	}
	return true
}

// processes returns the processes of members, nil for those that are not recorded.
func (l *leavers) processes(c *match.Comm, members []int32) []*track.Process {
	list := make([]*track.Process, len(members))
	for i, m := range members {
		list[i] = l.x.Tracker.ProcessOf(c.World, int(c.Members[m]))
	}
	return list
}

// gone returns the processes of members, if none of them will enter another collective: they have called MPI_Finalize,
// and the program has no callbacks that MPI might call there.
func (l *leavers) gone(c *match.Comm, members []int32) (list []*track.Process, ok bool) {
	for _, p := range l.processes(c, members) {
		if p == nil || !p.Finalizing || p.Callbacks {
			return nil, false
		}
		list = append(list, p)
	}
	return list, len(list) > 0
}

// finalizing returns the call of MPI_Finalize of a process, if that is its last call.
func finalizing(p *track.Process) (match.Call, bool) {
	for _, th := range p.Threads {
		if len(th.Last.Raw) > 0 && th.Last.Func() == mpiapi.IDFinalize {
			return th.Last, true
		}
	}
	return match.Call{}, false
}

// freeing reports whether all members that have entered a collective free its communicator.
func freeing(c *match.Collective) bool {
	for i := range c.Variants {
		if f := c.Variants[i].Func; f != mpiapi.IDCommFree && f != mpiapi.IDCommDisconnect {
			return false
		}
	}
	return true
}
