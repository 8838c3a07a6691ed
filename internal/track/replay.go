package track

import "github.com/mpivet/mpivet/internal/match"

// Completion says how a thread learned that an operation is complete. So it says what the thread would have done if the
// operation had not been complete.
type Completion uint8

// The ways of completion.
const (
	// It would have waited: MPI_Wait, MPI_Waitall, or any other call if there was nothing else to wait for.
	Awaited Completion = iota
	Chosen             // it might have gone on with another operation: MPI_Waitany, MPI_Waitsome
	Polled             // it might have done something else: MPI_Test and the like
)

// Replay gets the actions of each thread, in the order of its calls, and what the thread waits for before it goes on.
// Records are valid only until a method returns. Operations may be kept with their method Retain.
//
// This is an interface and not a set of events. Nearly every call passes through it, most calls several times. In a
// halo exchange, the analysis of a call takes about 2,600 instructions, and each event would add 20 to 50 of them.
// There is only one replay. The order of the calls matters: Drop and Finish come before the operation may be used
// again.
type Replay interface {
	match.Replayer
	// Start: a thread calls MPI for the first time.
	Start(th *Thread)
	// Block: the call begins a send, a receive, or both, and returns when they are complete. An operation may be nil.
	Block(th *Thread, send, recv *match.Op)
	// Begin: an operation begins that will be completed, or dropped, later.
	Begin(th *Thread, op *match.Op)
	// Finish: a call has completed an operation. It may have been cancelled, or completed already.
	Finish(th *Thread, op *match.Op, how Completion, call []byte)
	// Drop: no call will ask whether an operation is complete: MPI_Request_free.
	Drop(th *Thread, op *match.Op)
	// Took: MPI_Mprobe or MPI_Improbe (polled) has taken the message for op. That begins and completes op.
	Took(th *Thread, op *match.Op, polled bool, call []byte)
	// Probe: MPI_Probe or MPI_Iprobe has seen a message from a member. any: its source was MPI_ANY_SOURCE.
	Probe(th *Thread, v *View, source, tag int32, any, polled bool, call []byte)
	// Enter: a collective is entered. root is the member that is its root, match.None if the call names none. A
	// blocking one is left before the thread goes on.
	Enter(th *Thread, v *View, position uint64, root int32, blocking bool, call []byte)
	// Leave: a call has completed a nonblocking collective.
	Leave(th *Thread, v *View, position uint64, how Completion, call []byte)
	// Cancel: MPI_Cancel is called for an operation, nil if it is not known for which. Later actions may depend on
	// whether the operation took part.
	Cancel(th *Thread, op *match.Op)
	// Doubt: from here on, the actions of the process may depend on unknown facts or on timing: a call has failed, or
	// the process looks at memory of another process. always: for the rest of the run, as processes share memory.
	Doubt(th *Thread, always bool)
}
