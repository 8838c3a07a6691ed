package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// leaderPair is the world ranks of the two processes that lead the groups of a new inter-communicator.
type leaderPair struct {
	peer      *match.Comm
	low, high int
}

// leader is one of them, while it waits for the other.
type leader struct {
	Leader
	process *Process
	thread  *Thread
	peer    *View
	other   int // rank of the other leader, which may not be known yet
	tag     int64
	told    bool // it was reported that the tags differ
}

// leaders has the processes that lead a group into MPI_Intercomm_create and wait for the leader of the other group.
type leaders struct {
	*core
	job     *job
	waiting map[leaderPair][]*leader
}

func newLeaders(c *core, j *job) leaders {
	return leaders{core: c, job: j, waiting: make(map[leaderPair][]*leader)}
}

// Leader is a process that leads a group into MPI_Intercomm_create: its call, and the position of the call among the
// collectives of the group's communicator.
type Leader struct {
	Call     match.Call
	Local    *match.Comm
	Position uint64
}

// enterLeader compares the tags that the two leaders pass to MPI_Intercomm_create. They must be equal (MPI standard,
// section 7.6.2). If a process has several threads, another thread may be about to pass the right one.
func (ls *leaders) enterLeader(th *Thread, local *View, c *event.Call) {
	pr, f := th.Process, c.Func
	peer := pr.View(c.Handle(f.Param("peer_comm")))
	if peer == nil || peer.Opaque || c.Int(f.Param("local_leader")) != int64(local.Me-local.Base) {
		return
	}
	m, ok := peer.peer(c.Int(f.Param("remote_leader")))
	if !ok || peer.Members[m] < 0 {
		return
	}
	other := int(peer.Members[m])
	k := leaderPair{peer.Comm, min(pr.Rank, other), max(pr.Rank, other)}
	me := &leader{
		Leader:  Leader{th.call(c.Raw()), local.Comm, local.Entered(local.Me)},
		process: pr, thread: th, peer: peer, other: other, tag: c.Int(f.Param("tag")),
	}
	list := ls.waiting[k]
	at := slices.IndexFunc(list, func(l *leader) bool { return l.process != pr && l.tag == me.tag })
	if at < 0 {
		for _, l := range list {
			if l.process != pr && !l.told && !pr.Multiple && !l.process.Multiple {
				l.told, me.told = true, true
				ls.waiting[k] = append(list, me)
				ls.Events.LeadersDiffer.Publish(LeadersDiffer{l.Leader, me.Leader})
				return
			}
		}
		ls.waiting[k] = append(list, me)
		return
	}
	found := list[at].Leader
	defer func() { ls.Events.LeadersMet.Publish(LeadersMet{found.Local, found.Position}) }()
	if list = slices.Delete(list, at, at+1); len(list) == 0 {
		delete(ls.waiting, k)
	} else {
		ls.waiting[k] = list
	}
}

// leaveLeader forgets a leader whose call has returned. The other leader may not have been seen, but it has come if the
// call succeeded.
func (ls *leaders) leaveLeader(th *Thread, failed bool) {
	for k, list := range ls.waiting {
		list = slices.DeleteFunc(list, func(l *leader) bool { return l.thread == th && (l.told || failed) })
		if len(list) == 0 {
			delete(ls.waiting, k)
		} else {
			ls.waiting[k] = list
		}
	}
}

// Leading reports whether a group that is in MPI_Intercomm_create at a position of its communicator waits for the
// leader of the other group, as far as it is known.
func (ls *leaders) Leading(local *match.Comm, position uint64) bool {
	for _, list := range ls.waiting {
		for _, l := range list {
			if l.Local == local && l.Position == position {
				return true
			}
		}
	}
	return false
}

// Counterpart returns the leader of the other group that a thread in MPI_Intercomm_create waits for, and the
// communicator that contains both. It returns nil unless the thread leads its own group, and the other leader has not
// come with the same tag.
func (ls *leaders) Counterpart(th *Thread) (*View, *Process) {
	if th.Open.Func == nil || th.Open.Func.Base != mpiapi.IDIntercommCreate {
		return nil, nil
	}
	for _, list := range ls.waiting {
		for _, l := range list {
			if l.thread == th {
				return l.peer, ls.job.ProcessOf(l.process.World, l.other)
			}
		}
	}
	return nil, nil
}
