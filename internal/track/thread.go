package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Thread is a thread that calls MPI.
type Thread struct {
	*ring.Thread
	Process *Process
	Calls   uint64 // that have records
	Open    Open
	Last    match.Call // the last call that was seen, complete or not
	underWay
	pollLog

	resting    bool // in job.resting, or handed out from there
	orderly    bool // none of its calls is worth an OddTime
	tellReturn bool // its next return from a call is an event, see TellReturn

	decoder event.Decoder
}

// underWay is what is known of the call that a thread is in, or has just returned from.
type underWay struct {
	Failure *Failure // what the call has reported
	raised  bool     // an error handler has got Failure, and has not returned
	// Explained says which check has reported what is wrong with the call.
	Explained Explanation
	// Held is memory that MPI holds because of the call. A request that the call returns takes it over. Only package
	// analysis/buffers uses it.
	Held memory.Held

	ops         [2]*match.Op // its send and its receive
	taken       *match.Op    // the receive of the message that it consumes
	view        *View        // its communicator, window or file
	pos         uint64       // its place in the order of collectives
	comm        []event.Comm // that it has made
	constructed *datatype.Type
	started     []*Request // by MPI_Start or MPI_Startall
	freeing     uint64     // how many objects the process had made when the thread entered a call that frees
}

// end forgets what does not outlive the call.
func (u *underWay) end() {
	if u.Failure != nil {
		u.Failure, u.raised = nil, false
	}
	if u.Explained != Unexplained {
		u.Explained = Unexplained
	}
	if len(u.comm) != 0 {
		u.comm = u.comm[:0]
	}
}

// Open is the call that a thread is in, as of the records read so far.
type Open struct {
	Func  *mpiapi.Func // nil if it is in none
	Call  event.Call   // a copy
	Since int          // the tick at which it was entered; in strict mode, at which it was let into MPI
	// Refused: in strict mode, it is not let into MPI, and about to return.
	Refused bool

	room []byte
}

// Failure is an error that a call returned, or is about to die of.
type Failure struct {
	Code, Class int32
	Text        string
	Fatal       bool // MPI_ERRORS_ARE_FATAL: the call will not return
	// Comm and Position are the place of a failed collective, Comm nil if the call is none.
	Comm     *match.Comm
	Position uint64
	Refused  bool // the error is mpivet's, in strict mode: the call did not enter MPI
}

// Rested lets Resting return a thread again.
func (th *Thread) Rested() { th.resting = false }

// call returns a kept copy of the record.
func (th *Thread) call(rec []byte) match.Call {
	c := match.Call{Thread: th.ID}
	c.Keep(rec)
	return c
}

// failedWith reports whether the call under way has failed with an error of the given class.
func (th *Thread) failedWith(class string) bool {
	return th.Failure != nil && th.Process.names.isError(th.Failure.Class, class)
}

// Waiting describes the operations of a blocking call that thread th is in: its send and receive, nil if it has none.
func (u *underWay) Waiting() (ops [2]*match.Op) { return u.ops }

// Consumed returns the receive of the message that the call under way consumes: MPI_Mrecv or MPI_Imrecv. It is nil if
// there is none.
func (th *Thread) Consumed() *match.Op { return th.taken }

// Joined returns the communicator and position of the collective that thread th is in, or has just returned from, nil
// if its last call is none.
func (th *Thread) Joined() (*View, uint64) { return th.view, th.pos }

// InCollective returns the communicator and position of the collective that thread th is in, nil if it is in none.
func (th *Thread) InCollective() (*View, uint64) {
	if th.Open.Func == nil {
		return nil, 0
	}
	return th.view, th.pos
}

// TakesMessage reports whether the call that the thread is in receives a message that a matched probe has found.
func (th *Thread) TakesMessage() bool { return th.taken != nil }

// TellReturn has the next return of the thread from a call published as Events.Returned.
func (th *Thread) TellReturn() { th.tellReturn = true }
