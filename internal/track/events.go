package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/stream"
)

// Events are what a Tracker tells of as it follows the records. An event, and the call in it, are valid until the subscriber
// returns. Subscribe before the first process.
type Events struct {
	// CallEntered: a thread has called a function. Nothing that the call changes has been changed. A subscriber turns off the fast
	// path that some functions have, and so it costs time with every call of the function.
	CallEntered stream.Keyed[mpiapi.FuncID, Call]
	// CallLeft: a call has returned, and everything that it changes has been changed.
	CallLeft stream.Keyed[mpiapi.FuncID, Call]

	// OddTime: a thread has called a function, and the time of the call or the thread may be wrong: MPI is not initialized or is
	// finalized, the call initializes MPI, or several threads of the process call MPI. It comes before CallEntered. The calls of
	// the only thread between MPI_Init and MPI_Finalize, and those of the main thread at MPI_THREAD_FUNNELED, are no such calls.
	OddTime stream.Topic[Call]
	// Returned: a thread for which Thread.TellReturn was called has returned from a call. What the call changes has not been
	// changed.
	Returned stream.Topic[Call]

	CallFailed        stream.Topic[CallFailed]
	CollectiveEntered stream.Hot[CollectiveEntered]
	SumsSeen          stream.Topic[SumsSeen]
	DataChanged       stream.Topic[DataChanged]
	Unreachable       stream.Topic[Unreachable]
	// CommFreed: all members have freed a communicator.
	CommFreed       stream.Topic[*match.Comm]
	FinalizeEntered stream.Topic[FinalizeEntered]
	// FinalizeLeft: MPI_Finalize has returned.
	FinalizeLeft stream.Topic[*Process]

	LeadersDiffer stream.Topic[LeadersDiffer]
	LeadersMet    stream.Topic[LeadersMet]

	WrongDatatype stream.Topic[WrongDatatype]
	WrongBuffer   stream.Topic[WrongBuffer]
	WrongRequest  stream.Topic[WrongRequest]
	WrongArgument stream.Topic[WrongArgument]
	Overlapped    stream.Topic[Overlapped]

	TypeRejected stream.Topic[TypeRejected]
	TypeMade     stream.Topic[TypeMade]
	Crowded      stream.Topic[Crowded]
	// ProcessEnded: a process has ended. Process.Ended says how.
	ProcessEnded stream.Topic[*Process]
	ModuleMapped stream.Topic[ModuleMapped]
	SiteSeen     stream.Topic[SiteSeen]

	// Tick: a tenth of a second has passed.
	Tick stream.Topic[struct{}]
	// RunOver: there are no more records, and no process will tell anything any more.
	RunOver stream.Topic[struct{}]
}

// Call is a call of a thread.
type Call struct {
	Thread *Thread
	Call   *event.Call
}

// Kept returns the call as findings keep it.
func (c Call) Kept() match.Call { return c.Thread.call(c.Call.Raw()) }

// TellReturn has the next return of the thread from a call published as Events.Returned.
func (th *Thread) TellReturn() { th.tellReturn = true }

// CallFailed says that a call has returned an error, or is about to end the program for one.
type CallFailed struct {
	Thread  *Thread
	Call    match.Call
	RC      int32
	Failure *Failure // nil if the call did not tell more than RC
}

// CollectiveEntered says that a thread has entered the collective at a position of a communicator, window or file.
type CollectiveEntered struct {
	Thread   *Thread
	View     *View
	Position uint64
	Call     match.Call
}

// SumsSeen has sums of the data that the call at a position of a communicator sends, or has received.
type SumsSeen struct {
	Thread   *Thread
	View     *View
	Position uint64
	Call     match.Call
	Sums     *event.Sums
}

// DataChanged says that data changed while an operation read them.
type DataChanged struct {
	Thread *Thread
	Change *Modification
}

// Unreachable says that a call hands a buffer to MPI that can't be accessed. The call has not returned.
type Unreachable struct {
	Thread *Thread
	Call   match.Call
	Buffer *Inaccessible
}

// FinalizeEntered says that a process has entered MPI_Finalize.
type FinalizeEntered struct {
	Process *Process
	Call    match.Call
}

// LeadersDiffer says that the leaders of two groups that make an inter-communicator pass different tags.
type LeadersDiffer struct{ A, B Leader }

// LeadersMet says that the leader of a group that makes an inter-communicator has found the leader of the other group. Local
// is the communicator of its group.
type LeadersMet struct {
	Local    *match.Comm
	Position uint64
}

// WrongDatatype says that a call, which has not returned, is made with a datatype that it must not be given.
type WrongDatatype struct {
	Thread *Thread
	Call   match.Call
	Use    *DatatypeUse
}

// WrongBuffer says that a call finds no room in the buffer for buffered sends, or attaches or detaches it wrongly.
type WrongBuffer struct {
	Thread *Thread
	Call   match.Call
	Error  *BufferError
}

// WrongRequest says that a call is given a request that it must not be given, or that need not have been made.
type WrongRequest struct {
	Thread *Thread
	Call   match.Call
	Error  *RequestError
}

// WrongArgument says that a call that is no collective is given an argument that the standard forbids.
type WrongArgument struct {
	Thread *Thread
	Call   match.Call
	Error  *ArgumentError
}

// Overlapped says that a call hands memory to MPI that MPI has already, or hands it over twice.
type Overlapped struct {
	Thread  *Thread
	Call    match.Call
	Overlap *Overlap
}

// TypeRejected says that a constructor of datatypes is called with an argument that the standard forbids.
type TypeRejected struct {
	Thread *Thread
	Call   match.Call
	Error  *datatype.ArgumentError
}

// TypeMade says that a constructor of datatypes has returned a datatype. It may be kept: what becomes known of the datatype
// later, such as its name, is entered there.
type TypeMade struct {
	Process  *Process
	Datatype *match.Datatype
}

// Crowded says that a process has as many objects of a kind at once as Tracker.Limits says, or two, four, eight … times as many.
type Crowded struct {
	Process *Process
	Kind    mpiapi.Kind
}

// ModuleMapped says that a file is mapped into a process.
type ModuleMapped struct {
	Process *Process
	Module  event.Module
}

// SiteSeen says that a call stack of a thread has got a number.
type SiteSeen struct {
	Thread *Thread
	Site   event.Site
}
