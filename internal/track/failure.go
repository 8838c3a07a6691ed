package track

import (
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// failures follows calls that fail.
type failures struct{ *core }

// followError follows an error of a thread's present call. The call has returned it, or an error handler will get it.
func (fs *failures) followError(th *Thread, e *event.Error) {
	th.Failure = &Failure{Code: e.Code, Class: e.Class, Text: e.Text, Fatal: e.Fatal, Refused: e.Refused}
	switch f := th.Open.Func; {
	case e.Fatal, e.Raised && !th.Process.ownHandlers && f != nil && !forFiles(f):
		fs.publishFatal(th)
	case e.Raised:
		th.raised = true // the handler decides
	}
}

// publishFatal publishes an error that ends the process. The call will not return.
func (fs *failures) publishFatal(th *Thread) {
	th.raised = false
	th.Failure.Fatal = true
	fs.confirmTruncated(th)
	fs.publishFailure(th, th.Last, th.Failure.Code)
	fs.withdrawWrong(th)
}

// endedByHandler publishes the errors for which an error handler of MPI has ended a process.
func (fs *failures) endedByHandler(p *Process) {
	for _, th := range p.Threads {
		if !th.raised || th.Failure == nil || th.Open.Func == nil || p.Aborting {
			continue
		}
		// A handler of the program may do anything, and MPI's functions for files make internal calls that may fail.
		// Then only the end of the process inside MPI shows that the handler has ended it.
		exits := p.Ended.Kind == ring.Exited && p.Ended.InMPI && !p.Ended.Asked
		if exits || !p.Handlers && !forFiles(th.Open.Func) {
			fs.publishFatal(th)
		}
	}
}

// forFiles reports whether a function works on files. Their default error handler is MPI_ERRORS_RETURN.
func forFiles(f *mpiapi.Func) bool { return strings.HasPrefix(f.Name, "MPI_File_") }

// setHandler notes that the program has set an error handler for an object.
func (b *callbacks) setHandler(n *names, handle uint64) {
	w := n.handle(mpiapi.Errhandler, handle)
	if w == nil {
		b.Handlers = true
	}
	b.ownHandlers = b.ownHandlers || w == nil || w.Name.Name != "MPI_ERRORS_ARE_FATAL" &&
		w.Name.Name != "MPI_ERRORS_ABORT"
}

// withdrawWrong takes back the operations of a call that fails because its arguments are wrong: no other process will
// match them.
func (fs *failures) withdrawWrong(th *Thread) {
	if th.Explained != ByArgument {
		return
	}
	for i, op := range th.ops {
		if op != nil {
			fs.Match.Withdraw(op)
			fs.Match.Release(op)
			th.ops[i] = nil
		}
	}
}

// publishFailure publishes that a call has returned an error, or is about to end the program because of one.
func (fs *failures) publishFailure(th *Thread, call match.Call, rc int32) {
	if f := th.Failure; f != nil {
		if th.view != nil {
			f.Comm, f.Position = th.view.Comm, th.pos
		}
	}
	fs.Events.CallFailed.Publish(CallFailed{th, call, rc, th.Failure})
}

// Explanation is the kind of check that has reported an error in a call. The check sets it, so a check that is switched
// off explains nothing. If it is set, other checks do not report the consequences of the same mistake: other arguments
// that are wrong because of it, and the error that MPI returns.
type Explanation uint8

// The explanations.
const (
	Unexplained Explanation = iota
	ByDatatype              // a datatype is not committed, or freed, or null
	ByArgument              // an argument is wrong
	ByBuffer                // there is no room in the buffer for buffered sends
	ByRequest               // a request does not allow the call
	ByOrder                 // MPI is not initialized, or finalized, or another thread is in it
	ByOverlap               // two buffers overlap
	ByAccess                // a buffer cannot be accessed
	ByMessages              // messages were never received
)

// Inaccessible reports whether a finding says that a buffer of the thread's present call cannot be accessed.
func (th *Thread) Inaccessible() bool { return th.Explained == ByAccess }

// confirmTruncated confirms the matches of receives in a wait or test that are too short for their messages. The
// process is about to end because of them, so they cannot be cancelled any more.
func (fs *failures) confirmTruncated(th *Thread) {
	if !th.failedWith("MPI_ERR_TRUNCATE") && !th.failedWith("MPI_ERR_IN_STATUS") {
		return
	}
	if th.Open.Func == nil {
		return
	}
	p, c, pr := &fs.plans[th.Open.Func.ID], &th.Open.Call, th.Process
	handles, _ := pr.handles(p, c)
	for i, h := range handles {
		r := pr.findRequest(h, pr.requestVariable(p, c, i))
		if r == nil {
			continue
		}
		for _, op := range r.Ops {
			if op != nil && op.Tentative && op.Peer != match.Any {
				fs.Match.Confirm(op)
			}
		}
	}
}
