package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/stream"
)

// Events are published by a Tracker while it follows the records. An event, and the call in it, are valid until the
// subscriber returns. Subscribe before the first process.
type Events struct {
	CallEvents
	RequestEvents
	ObjectEvents
	ProcessEvents
}

// CallEvents are about the calls of threads.
type CallEvents struct {
	// CallEntered: a thread has called a function. The effects of the call have not been followed yet. A subscriber
	// turns off the fast path that some functions have. So it costs time with every call of the function.
	CallEntered stream.Keyed[mpiapi.FuncID, Call]
	// CallLeft: a call has returned, and all of its effects have been followed.
	CallLeft stream.Keyed[mpiapi.FuncID, Call]
	// OddTime: a thread has called a function, and the time of the call or the thread may be wrong: MPI is not
	// initialized or is finalized, the call initializes MPI, or several threads of the process call MPI. It comes
	// before CallEntered. It is not published for calls of the only thread between MPI_Init and MPI_Finalize, or for
	// those of the main thread at MPI_THREAD_FUNNELED.
	OddTime stream.Topic[Call]
	// OddArguments: a frequent function was called with arguments that are not certainly correct: a send, receive or
	// probe with an odd communicator, rank, tag, count or buffer; a start of unknown requests; a collective on an
	// unknown communicator. The operation of the call has been entered.
	OddArguments stream.Topic[Call]
	// Returned: a thread for which Thread.TellReturn was called has returned from a call. The effects of the call have
	// not been followed yet.
	Returned   stream.Topic[Call]
	CallFailed stream.Topic[CallFailed]
	// SumsSeen: a process has recorded sums of data. They belong to the thread's present call, or to the operation that
	// the call starts or completes.
	SumsSeen stream.Topic[SumsSeen]
	// ChangeSeen: a process has recorded that data changed while an operation read them. The thread's present call
	// completes the operation.
	ChangeSeen stream.Topic[ChangeSeen]
	// Unreachable: a process has recorded that the thread's present call has a buffer that cannot be accessed.
	Unreachable stream.Topic[Unreachable]
	SiteSeen    stream.Topic[SiteSeen]
	CodeSeen    stream.Topic[CodeSeen]
	// OperationBegan: a call has begun an operation on buffers: a message (Thread.Waiting has its send and its
	// receive), a collective, or an operation on a file or only on memory (MPI_Reduce_local). Calls of the fast paths
	// come as MessagePassed and CollectiveRepeated instead. Persistent requests and matched probes come as
	// RequestStarted and MessagePassed.
	OperationBegan stream.Topic[Call]
	// OperationLeft: a call has returned, and Thread.Held has memory that no request has taken over.
	OperationLeft stream.Topic[*Thread]
	// MessagePassed: a call that has returned sends or receives a message: MPI_Mrecv, MPI_Imrecv, or a call of the fast
	// path. Those of the fast path are published only if MPI holds memory of the process (Process.Lent), or if the call
	// receives a derived datatype.
	MessagePassed   stream.Topic[MessagePassed]
	BufferedSending stream.Topic[BufferedSending]
	BufferedSent    stream.Topic[BufferedSent]
	// CollectiveEntering: a thread enters a collective. Its arguments have not been compared with those of others yet.
	CollectiveEntering stream.Keyed[mpiapi.FuncID, CollectiveEntering]
	CollectiveEntered  stream.Hot[CollectiveEntered]
	// CollectiveRepeated: a blocking collective of the fast path has returned. It has the same arguments as an earlier
	// one, except for the addresses of its buffers. It is published only if MPI holds memory of the process
	// (Process.Lent), or if the extents of the buffers do not show that these do not overlap.
	CollectiveRepeated stream.Topic[CollectiveRepeated]
	LeadersDiffer      stream.Topic[LeadersDiffer]
	LeadersMet         stream.Topic[LeadersMet]
}

// RequestEvents are about requests.
type RequestEvents struct {
	// RequestMade: a call has returned a request.
	RequestMade stream.Topic[RequestEvent]
	// RequestStarted: a call starts a persistent request.
	RequestStarted stream.Topic[RequestStarted]
	// PartitionReady: a call marks a partition of a started send ready.
	PartitionReady stream.Topic[PartitionReady]
	// RequestOver: the operation of a request is complete or given up, or may be complete: another one with the same
	// handle is. It may be published several times for one operation.
	RequestOver stream.Topic[RequestEvent]
	// RequestGone: a request is completed or freed. Its memory will be used for another request.
	RequestGone stream.Topic[RequestEvent]
	// RequestsVague: it is not known any more which operations of a process are over.
	RequestsVague stream.Topic[RequestsVague]
	RequestFreed  stream.Topic[RequestFreed]
	// OddRequests: a call may have requests that it must not have. MPI_Start or MPI_Startall has a request that it
	// cannot start, or a wait or test has not returned or has failed. The effects of the call have not been followed
	// yet.
	OddRequests stream.Topic[Call]
	StrayHandle stream.Topic[StrayHandle]
}

// ObjectEvents are about the other objects of processes.
type ObjectEvents struct {
	OddDatatype  stream.Topic[OddDatatype]
	TypeRejected stream.Topic[TypeRejected]
	TypeMade     stream.Topic[TypeMade]
	// CommFreed: all members have freed a communicator.
	CommFreed stream.Topic[*match.Comm]
	Crowded   stream.Topic[Crowded]
}

// ProcessEvents are about processes, and the run.
type ProcessEvents struct {
	FinalizeEntered stream.Topic[FinalizeEntered]
	// FinalizeLeft: MPI_Finalize has returned.
	FinalizeLeft stream.Topic[*Process]
	// ProcessDied: a signal has ended a process. If an error handler has ended the process because of errors, it comes
	// before these are published. It also comes before ProcessEnded.
	ProcessDied stream.Topic[*Process]
	// ProcessEnded: a process has ended. Process.Ended says how.
	ProcessEnded stream.Topic[*Process]
	ModuleMapped stream.Topic[ModuleMapped]
	// Tick: a tenth of a second has passed.
	Tick stream.Topic[struct{}]
	// RunOver: there are no more records and no more events of processes.
	RunOver stream.Topic[struct{}]
}

// Call is a call of a thread.
type Call struct {
	Thread *Thread
	Call   *event.Call
}

// Kept returns a copy of the call for findings.
func (c Call) Kept() match.Call { return c.Thread.call(c.Call.Raw()) }

// CollectiveEntering says that a thread enters a collective on a communicator, window or file.
type CollectiveEntering struct {
	Thread *Thread
	View   *View
	Call   *event.Call
	// Entry is the part of the process in the collective. A subscriber may set Invalid and Why: then there is one
	// finding for all processes.
	Entry *match.Entry
}

// OddDatatype says that a call has a datatype that is not known to be ready for communication: it is not committed,
// freed, null, or was never seen. The effects of the call have not been followed yet. It is not published for
// MPI_Type_commit and MPI_Type_free.
type OddDatatype struct {
	Thread   *Thread
	Call     *event.Call
	Param    int // of the function
	Index    int // in an array, else -1
	Handle   uint64
	Datatype *match.Datatype // nil if the handle stands for no datatype
}

// BufferedSending says that a call is about to begin a send in buffered mode. Arguments is the call that has the
// arguments of the send: the same call, or the one that made the persistent request.
type BufferedSending struct {
	Thread          *Thread
	Call, Arguments *event.Call
}

// BufferedSent says that a thread has begun a send in buffered mode. A subscriber that keeps Op calls its method
// Retain.
type BufferedSent struct {
	Thread *Thread
	Op     *match.Op
	View   *View // the communicator
}

// StrayHandle says that a wait or test has completed a handle without a request. Index is its index in the array of
// requests, 0 if the call has a single request.
type StrayHandle struct {
	Thread *Thread
	Call   *event.Call
	Index  int
	Handle uint64
}

// RequestFreed says that MPI_Request_free has freed a request. The request has its state before the call.
type RequestFreed struct {
	Thread  *Thread
	Call    *event.Call
	Request *Request
}

// MessagePassed is the record of a call that sends or receives a message of a datatype, which is nil if it is not
// known.
type MessagePassed struct {
	Thread   *Thread
	Datatype *match.Datatype
	Record   []byte
}

// CollectiveRepeated is a collective on a communicator.
type CollectiveRepeated struct {
	Thread  *Thread
	View    *View
	Record  []byte
	Extents *memory.Extents // kept with the arguments: values that a subscriber stores are there the next time
}

// RequestEvent is a request, and the thread whose call concerns it.
type RequestEvent struct {
	Thread  *Thread
	Request *Request
}

// RequestStarted is a persistent request, and the record of the call that starts it.
type RequestStarted struct {
	Thread  *Thread
	Request *Request
	Record  []byte
}

// PartitionReady is a partition of a send, and the record of the call that marks it ready.
type PartitionReady struct {
	Thread    *Thread
	Request   *Request
	Partition int64
	Record    []byte
}

// RequestsVague is a process of which it is not known which operations are over. If Always is set, it will never be
// known again, since functions of the program complete requests inside MPI.
type RequestsVague struct {
	Process *Process
	Always  bool
}

// CallFailed says that a call has returned an error, or is about to end the program because of one.
type CallFailed struct {
	Thread  *Thread
	Call    match.Call
	RC      int32
	Failure *Failure // nil if only RC is known
}

// CollectiveEntered says that a thread has entered the collective at a position of a communicator, window or file.
type CollectiveEntered struct {
	Thread   *Thread
	View     *View
	Position uint64
	Call     match.Call
}

// SumsSeen has sums of data.
type SumsSeen struct {
	Thread *Thread
	Sums   *event.Sums
}

// ChangeSeen says which data changed.
type ChangeSeen struct {
	Thread *Thread
	Change *event.Changed
}

// Unreachable describes a buffer that cannot be accessed. The call has not returned.
type Unreachable struct {
	Thread *Thread
	Buffer event.Unreachable
}

// FinalizeEntered says that a process has entered MPI_Finalize.
type FinalizeEntered struct {
	Process *Process
	Call    match.Call
}

// LeadersDiffer says that the leaders of two groups that make an inter-communicator pass different tags.
type LeadersDiffer struct{ A, B Leader }

// LeadersMet says that the leader of a group that makes an inter-communicator has found the leader of the other
// group. Local is the communicator of its group.
type LeadersMet struct {
	Local    *match.Comm
	Position uint64
}

// TypeRejected says that a constructor of datatypes is called with an argument that the standard forbids.
type TypeRejected struct {
	Thread *Thread
	Call   match.Call
	Error  *datatype.ArgumentError
}

// TypeMade says that a constructor of datatypes has returned a datatype. A subscriber may keep it: later facts about
// the datatype, such as its name, are entered there.
type TypeMade struct {
	Process  *Process
	Datatype *match.Datatype
}

// Crowded says that a process has reached a limit of Tracker.Limits for a kind of objects, or two, four, eight … times
// the limit.
type Crowded struct {
	Process *Process
	Kind    mpiapi.Kind
}

// ModuleMapped says that a file is mapped into a process.
type ModuleMapped struct {
	Process *Process
	Module  event.Module
}

// CodeSeen says that the code of a Python function has got its number in a thread.
type CodeSeen struct {
	Thread *Thread
	Code   event.Code
}

// SiteSeen says that a call stack of a thread has got its number.
type SiteSeen struct {
	Thread *Thread
	Site   event.Site
}
