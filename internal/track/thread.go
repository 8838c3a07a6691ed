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
	Calls   uint64 // those with records
	Open    Open
	Last    match.Call // the last call that was seen, complete or not
	underWay
	pollLog

	resting    bool // in job.resting, or returned from there
	orderly    bool // none of its calls needs an OddTime event
	tellReturn bool // its next return from a call is an event, see TellReturn

	decoder event.Decoder
}

// underWay is the state of the call that a thread is in, or has just returned from.
type underWay struct {
	Failure *Failure // the error that the call has reported
	raised  bool     // an error handler has got Failure, and has not returned
	// Explained says which check has reported an error in the call.
	Explained Explanation
	// Held is memory that MPI holds because of the call. A request that the call returns takes it over. Only package
	// analysis/buffers uses it.
	Held memory.Held

	ops         [2]*match.Op // its send and its receive
	taken       *match.Op    // the receive of the message that it consumes
	view        *View        // its communicator, window or file
	pos         uint64       // its position in the order of collectives
	comm        []event.Comm // that it has made
	constructed *datatype.Type
	from        []*match.Datatype // the derived types that it is made from
	started     []*Request        // by MPI_Start or MPI_Startall
	// number of objects that the process had made when the thread entered a call that frees objects
	freeing uint64
}

// end forgets the state that ends with the call.
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

// Open is the call that a thread is in, according to the records read so far.
type Open struct {
	Func  *mpiapi.Func // nil if it is not in a call
	Call  event.Call   // a copy
	Since int          // the tick at which it was entered; in strict mode, at which it was let into MPI
	// Refused: in strict mode, the call may not enter MPI, and is about to return.
	Refused bool

	room []byte
}

// Failure is an error that a call has returned, or that is about to end the program.
type Failure struct {
	Code, Class int32
	Text        string
	Fatal       bool // MPI_ERRORS_ARE_FATAL: the call will not return
	// Comm and Position are the place of a failed collective. Comm is nil if the call is not a collective.
	Comm     *match.Comm
	Position uint64
	Refused  bool // mpivet raised the error in strict mode: the call did not enter MPI
}

// Rested allows Resting to return a thread again.
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

// Consumed returns the receive of the message that the present call consumes: MPI_Mrecv or MPI_Imrecv. It is nil if
// there is none.
func (th *Thread) Consumed() *match.Op { return th.taken }

// Joined returns the communicator and position of the collective that thread th is in, or has just returned from, nil
// if its last call is not a collective.
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

// TellReturn requests that the next return of the thread from a call is published as Events.Returned.
func (th *Thread) TellReturn() { th.tellReturn = true }
