package track

import "github.com/mpivet/mpivet/internal/mpi/mpiapi"

// Threads of a process may get handles that others have just freed: MPI may return a value from one thread's call while
// the other thread's call, which has freed the object of that value, has not returned yet. So a call frees the object
// that its handle stood for when the call was entered. In a process with one thread, this case does not arise.

// births counts the objects that a process with several threads has made.
type births struct {
	several  bool // the process has several threads
	births   uint64
	lastBorn map[objectKey]uint64 // by handle: the number of the last one
}

// noteBirth notes that a call has returned a handle of a new object.
func (b *births) noteBirth(k mpiapi.Kind, handle uint64) {
	if !b.several {
		return
	}
	b.births++
	b.lastBorn = put(b.lastBorn, objectKey{kind: k, handle: handle}, b.births)
}

// enterFree notes that a thread enters a call that may free objects, and takes the message that the call consumes.
func (th *Thread) enterFree(p *plan, rec []byte) {
	pr := th.Process
	th.freeing = pr.births.births
	if p.act == mpiapi.ActMrecv || p.act == mpiapi.ActImrecv {
		h := p.message.Handle(rec)
		th.taken = pr.messageTable.matched[h]
		delete(pr.messageTable.matched, h)
	}
}

// renewed reports whether a handle stands for another object than at the time when the thread entered the call that
// frees it.
func (th *Thread) renewed(k mpiapi.Kind, handle uint64) bool {
	return th.Process.lastBorn[objectKey{kind: k, handle: handle}] > th.freeing
}

// leaveCommFree follows a call that has freed a communicator.
func (cs *comms) leaveCommFree(th *Thread, handle uint64) {
	pr, v := th.Process, th.view
	if v == nil {
		return
	}
	if v.Comm.Free() {
		cs.Events.CommFreed.Publish(v.Comm)
	}
	if pr.views[handle] == v {
		delete(pr.views, handle)
		pr.lastView = nil
	}
}
