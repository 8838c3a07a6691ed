package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Threads of a process may get handles that others have just freed: MPI may return a value from one thread's call while another
// thread's call, which has freed the object of that value, has not returned yet. So what a call frees is what its handle stood
// for when the call was entered. In a process with one thread, that is no question.

// births counts the objects that a process with several threads has made.
type births struct {
	several  bool // the process has several threads
	births   uint64
	lastBorn map[objectKey]uint64 // by handle: the number of the last one
}

// born notes that a call has returned a handle of a new object.
func (b *births) born(k mpiapi.Kind, handle uint64) {
	if !b.several {
		return
	}
	b.births++
	b.lastBorn = put(b.lastBorn, objectKey{kind: k, handle: handle}, b.births)
}

// enterFree notes that a thread enters a call that may free objects, and takes the message that the call consumes.
func (t *Tracker) enterFree(th *Thread, p *plan, rec []byte) {
	pr := th.Process
	th.freeing = pr.births.births
	if p.act == mrecv || p.act == imrecv {
		h := p.message.Handle(rec)
		th.taken = pr.messageTable.taken[h]
		delete(pr.messageTable.taken, h)
	}
}

// renewed reports whether a handle stands for another object than it did when the thread entered the call that frees it.
func (th *Thread) renewed(k mpiapi.Kind, handle uint64) bool {
	return th.Process.lastBorn[objectKey{kind: k, handle: handle}] > th.freeing
}

// giveBack puts back the message of a call that has failed, unless its handle stands for another one by now.
func (th *Thread) giveBack(handle uint64) {
	if mt := &th.Process.messageTable; th.taken != nil && mt.taken[handle] == nil {
		mt.taken = put(mt.taken, handle, th.taken)
	}
	th.taken = nil
}

// leaveCommFree follows a call that has freed a communicator.
func (t *Tracker) leaveCommFree(th *Thread, handle uint64) {
	pr, v := th.Process, th.view
	if v == nil {
		return
	}
	if v.Comm.Free() {
		t.Events.CommFreed.Publish(v.Comm)
	}
	if pr.views[handle] == v {
		delete(pr.views, handle)
		pr.lastView = nil
	}
}

// leaveMatched returns the operation that a matched probe began, now that the program has received its message.
func (t *Tracker) leaveMatched(th *Thread, p *plan, rec []byte) *match.Op {
	op := th.taken
	th.taken = nil
	if op == nil {
		return nil
	}
	op.Count, op.Type = p.recvCount.Int(rec), th.Process.Type(p.recvType.Handle(rec))
	op.Call = th.call(rec)
	t.Match.Confirm(op)
	t.Events.MessagePassed.Publish(MessagePassed{th, op.Type, rec})
	return op
}
