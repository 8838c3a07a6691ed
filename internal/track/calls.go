package track

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// returned returns the result of a call that has returned.
func returned(rec []byte) int32 { return int32(binary.LittleEndian.Uint32(rec[layout.RecordRCAt:])) }

// enter follows a call up to the point where MPI takes over.
func (t *Tracker) enter(th *Thread, p *plan, c *event.Call) {
	th.view = nil
	rec, open := c.Raw(), c.State == event.Open
	if !th.orderly || p.act == mpiapi.ActInit {
		t.Events.OddTime.Publish(Call{th, c})
	}
	t.Events.CallEntered.Publish(p.fn.ID, Call{th, c})
	t.publishUses(th, p, c)
	if t.Replay != nil && (p.doubtful || !open && returned(rec) != 0) {
		t.Replay.Doubt(th, p.shared)
	}
	if !open && returned(rec) != 0 && !th.tookPart(p, rec) {
		return // it failed at once: no other process will match it
	}
	if p.freesObject {
		th.enterFree(p, rec)
	}
	if p.enter != nil {
		p.enter(t, th, p, c)
	}
	if p.collective {
		t.enterCollective(th, p, c)
	}
	if p.operates {
		t.operationBegan(th, c)
	}
}

// publishUses publishes odd datatypes and requests of a call, and its use of the buffer for buffered sends. The effects
// of the call have not been followed yet.
func (t *Tracker) publishUses(th *Thread, p *plan, c *event.Call) {
	if len(p.types) != 0 {
		t.publishOddTypes(th, p, c)
	}
	switch {
	case p.buffered:
		t.Events.BufferedSending.Publish(BufferedSending{th, c, c})
	case p.completes:
		if c.State == event.Open || returned(c.Raw()) != 0 {
			t.Events.OddRequests.Publish(Call{th, c})
		}
	case p.act == mpiapi.ActStart || p.act == mpiapi.ActStartall:
		t.enterStart(th, p, c)
	}
}

// leave follows the effects of a call when it has returned.
func (t *Tracker) leave(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	rc := returned(rec)
	if th.tellReturn {
		th.tellReturn = false
		t.Events.Returned.Publish(Call{th, c})
	}
	if rc != 0 {
		t.withdrawWrong(th)
	}
	if p.leave != nil {
		p.leave(t, th, p, c, rc)
	}
	if p.succeed != nil && rc == 0 {
		p.succeed(t, th, p, c)
	}
	if len(t.leaders.waiting) != 0 && p.fn.Base == mpiapi.IDIntercommCreate {
		t.leaveLeader(th, rc != 0)
	}
	if p.makesHandle && rc == 0 {
		t.enterMade(th, p, c)
	}
	if p.objects != nil && rc == 0 {
		t.followObjects(th, p.objects, c)
	}
	if p.runs && th.Process.Callbacks || rc != 0 && th.Process.Handlers {
		// Functions of the program have run inside MPI.
		t.Events.RequestsVague.Publish(RequestsVague{Process: th.Process})
	}
	if rc != 0 {
		th.Process.doubtful = th.Process.doubtful || th.Process.Handlers
		t.publishFailure(th, th.call(rec), rc)
		if t.Replay != nil {
			t.Replay.Doubt(th, false)
		}
	}
	t.Events.CallLeft.Publish(p.fn.ID, Call{th, c})
	if th.Held != (memory.Held{}) {
		t.Events.OperationLeft.Publish(th)
	}
	th.underWay.end()
}
