package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// collectives enters collectives into the order of their communicator, window or file.
type collectives struct {
	*core
	registry   *match.Registry
	gatherings *gatherings
	leaders    *leaders
	rounds     *rounds

	// Reused for the call that is entered.
	entry   match.Entry
	member  collargs.Member
	memo    collargs.Memo
	kept    match.Kept
	scratch match.Call
}

// enterCollective gives the call its position in the order of collectives.
func (cs *collectives) enterCollective(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	pr := th.Process
	v := pr.viewOf(p, rec)
	if p.gathers {
		v = cs.gatherings.gathering(th, c)
	}
	if v == nil {
		cs.Events.OddArguments.Publish(Call{th, c})
		return
	}
	m := &cs.member
	*m = collargs.Member{Comm: v.Comm, Me: v.Me}
	if top := v.topology; top != nil {
		m.Sources, m.Destinations, m.Known = top.sources, top.destinations, true
	}
	p.agree.Fill(&cs.entry, c, pr, m, &cs.memo)
	cs.Events.CollectiveEntering.Publish(p.fn.ID, CollectiveEntering{th, v, c, &cs.entry})
	if p.fn.Base == mpiapi.IDIntercommCreate {
		cs.leaders.enterLeader(th, v, c)
	}
	th.view = v
	cs.scratch.Thread = th.ID
	cs.scratch.Keep(rec)
	th.pos = cs.Match.Enter(v.Comm, v.Me, &cs.entry, cs.scratch)
	if p.repeatable {
		cs.remember(th, v, p, c)
	}
	if p.fn.Class == mpiapi.CollectiveInit {
		cs.rounds.initRounds(v, th.pos, &cs.entry)
	}
	if cs.Replay != nil {
		cs.Replay.Enter(th, v, th.pos, cs.entry.Root, p.blocks, rec)
	}
	cs.publishEntered(th, v, rec)
	if v.Domain == match.Gathering && v.Idle() {
		cs.registry.Forget(v.Comm)
	}
}

// publishEntered publishes that a thread has entered the collective at its position on v.
func (cs *collectives) publishEntered(th *Thread, v *View, rec []byte) {
	if e := &cs.Events.CollectiveEntered; e.Wanted() {
		*e.Next() = CollectiveEntered{th, v, th.pos, match.Borrow(th.ID, rec)}
	}
}
