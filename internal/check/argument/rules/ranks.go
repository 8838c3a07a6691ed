package rules

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// rankRule finds numbers that are not ranks of the communicator or window.
func (f function) rankRule(i int) rule {
	q, at := &f.Params[i], f.value(i)
	if !at.Exists() {
		return nil
	}
	anybody, nobody := false, true // MPI_ANY_SOURCE and MPI_PROC_NULL are allowed
	switch {
	case q.Role == mpiapi.Dest, q.Role == mpiapi.TargetRank:
	case q.Role == mpiapi.Source:
		anybody = !f.partitioned()
	case q.Name == "rank" && f.has(mpiapi.TheWin):
	case q.Name == "rank" && f.has(mpiapi.TheComm):
		nobody = false
	default:
		return nil
	}
	return func(c *call) bool {
		r, v := int32(at.Int(c.rec)), c.view
		if v == nil || uint32(r) < uint32(v.Peers) || nobody && c.isRank(r, "MPI_PROC_NULL") ||
			anybody && c.isRank(r, "MPI_ANY_SOURCE") {
			return true
		}
		if c.isRank(r, "MPI_ANY_SOURCE") {
			return c.reject(i, f.misplaced("MPI_ANY_SOURCE"))
		}
		return c.reject(i, v.NoRank(int64(r), owner(v), v.Base, v.Peers))
	}
}

// owner names the object whose ranks are counted.
func owner(v *track.View) string {
	switch {
	case v.Domain == match.Window:
		return "the window"
	case v.Split != 0:
		return "the remote group of the inter-communicator"
	}
	return "the communicator"
}

// misplaced says why the function does not allow a wildcard.
func (f function) misplaced(wildcard string) string {
	if f.partitioned() {
		return "is " + wildcard + ": partitioned messages do not allow it"
	}
	return "is " + wildcard + ": only receives and probes allow it"
}

// tagRule finds tags that are out of range.
func (f function) tagRule(i int) rule {
	q, at := &f.Params[i], f.value(i)
	if q.Role != mpiapi.SendTag && q.Role != mpiapi.RecvTag || !at.Exists() || f.collective {
		return nil
	}
	wildcard := q.Role == mpiapi.RecvTag && !f.partitioned()
	return func(c *call) bool {
		tag := int32(at.Int(c.rec))
		return uint32(tag) <= uint32(c.process.MaxTag()) || wildcard && c.isRank(tag, "MPI_ANY_TAG") ||
			c.reject(i, f.aboutTag(c, tag))
	}
}

// aboutTag says what is wrong with a tag.
func (f function) aboutTag(c *call, tag int32) string {
	switch {
	case c.isRank(tag, "MPI_ANY_TAG"):
		return f.misplaced("MPI_ANY_TAG")
	case tag < 0:
		return "is negative"
	}
	return fmt.Sprintf("is more than MPI_TAG_UB, which is %d", c.process.MaxTag())
}

// bridgeRule checks the arguments of MPI_Intercomm_create that are significant only for the leader of the group
// (section 7.6.2).
func (f function) bridgeRule() rule {
	leader, remote, tag := f.named("local_leader"), f.named("remote_leader"), f.value(f.Arg(mpiapi.SendTag))
	peer := given{param: f.Param("peer_comm"), kind: mpiapi.Comm, at: f.named("peer_comm")}
	return func(c *call) bool {
		if c.view == nil || int64(c.view.Me) != leader.Int(c.rec) || c.view.Split != 0 {
			return true
		}
		if v := c.process.View(peer.at.Handle(c.rec)); v == nil {
			if !c.handle(&peer, peer.at.Handle(c.rec)) {
				return false
			}
		} else if r := remote.Int(c.rec); r < 0 || r >= int64(v.Peers) {
			why := fmt.Sprintf("is not a rank of peer_comm: ranks go from 0 to %d", v.Peers-1)
			return c.reject(f.Param("remote_leader"), why)
		}
		n := int32(tag.Int(c.rec))
		return uint32(n) <= uint32(c.process.MaxTag()) || c.reject(f.Arg(mpiapi.SendTag), f.aboutTag(c, n))
	}
}
