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

	// Room for the call that is entered.
	entry   match.Entry
	member  collargs.Member
	memo    collargs.Memo
	kept    match.Kept
	scratch match.Call
}

// enterCollective takes the call's place in the order of collectives.
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
	if v.Domain == match.File {
		v.splitOrder(&cs.entry, th, c)
	}
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
	cs.entered(th, v, rec)
	if v.Domain == match.Gathering && v.Idle() {
		cs.registry.Forget(v.Comm)
	}
}

// splits is what is known of a file's split collectives.
type splits struct {
	active match.Call // the one that has begun, else empty
	before match.Call // active as it was before the latest call on the file
}

// splitOrder follows the split collectives of a file (MPI standard, section 14.4.5; column split): one at a time, ended by
// the function that goes with its beginning and is given the same buffer, and no other collective access in between.
func (v *View) splitOrder(e *match.Entry, th *Thread, c *event.Call) {
	if v.splits == nil {
		v.splits = new(splits)
	}
	s := v.splits
	s.before = s.active
	active, base := "", mpiapi.FuncID(0)
	if len(s.active.Raw) > 0 {
		begun := mpiapi.ByID(s.active.Func())
		active, base = begun.Name, begun.Base
	}
	name := mpiapi.ByID(c.Func.Base).Name
	switch c.Func.Split {
	case mpiapi.SplitBegin:
		if active == "" {
			s.active = th.call(c.Raw())
		}
	case mpiapi.SplitEnd:
		switch begins := c.Func.Begins(); {
		case active == "":
			e.Disorder = name + " though " + begins.Name + " was not called"
		case base != begins.ID:
			e.Disorder = name + " after " + active
		default:
			if begun, err := event.ParseCall(s.active.Raw); err == nil && buffer(&begun) != buffer(c) {
				e.Disorder = name + " with another buffer than " + active
			}
		}
		s.active = match.Call{}
		return
	case mpiapi.NoSplit:
		return
	}
	if active != "" {
		e.Disorder = name + " while " + active + " has not been ended"
	}
}

// buffer returns the address of the data that a call reads or writes.
func buffer(c *event.Call) uint64 {
	if i := max(c.Func.Arg(mpiapi.SendBuf), c.Func.Arg(mpiapi.RecvBuf)); i >= 0 {
		return c.Addr(i)
	}
	return 0
}

// refused takes note that the call that a thread is in has not entered MPI.
func (th *Thread) refused() {
	if v := th.view; v != nil && v.splits != nil && th.Open.Func != nil && th.Open.Func.Held() {
		v.splits.active = v.splits.before
	}
}

// entered tells that a thread has entered the collective at its position on v.
func (cs *collectives) entered(th *Thread, v *View, rec []byte) {
	if e := &cs.Events.CollectiveEntered; e.Wanted() {
		*e.Next() = CollectiveEntered{th, v, th.pos, match.Borrow(th.ID, rec)}
	}
}
