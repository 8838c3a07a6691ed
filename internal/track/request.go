package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
)

// RequestKind says what kind of operation a request stands for.
type RequestKind uint8

// The kinds of requests.
const (
	OtherRequest RequestKind = iota // I/O, one-sided, generalized, partitioned
	SendRequest
	RecvRequest
	BothRequest // MPI_Isendrecv
	CollectiveRequest
)

// Request is a request that the program has not completed or freed.
type Request struct {
	Handle     uint64
	Var        uint64 // address of the variable that received it
	Kind       RequestKind
	Persistent bool
	Active     bool
	Cancelled  bool         // by MPI_Cancel, since it became active; it may take part nevertheless
	Known      bool         // its operation is complete, as reported by MPI_Request_get_status(_…) or MPI_Parrived
	Started    bool         // a persistent one was started at least once
	Refused    bool         // it was reported that MPI cannot free it
	Ops        [2]*match.Op // while active; nil for MPI_PROC_NULL
	View       *View        // collective
	Pos        uint64
	// Of a persistent collective, and of one side of a partitioned message.
	Rounds      *Rounds
	Partitioned *Partitioned
	Made        match.Call // the call that made it
	Number      uint64     // number of the request in the process, in the order of creation
	Operation   uint64     // event.Operation of Made

	// Overwritten is the call that returned another request into the variable while this one was not over, nil if there
	// is none. A copy of the handle may exist.
	Overwritten *match.Call

	Held memory.Held // memory held by its operation; used only by package analysis/buffers
	Sums uint64      // the number of its operation; used only by package analysis/checksum

	list       *requestList // of its handle; nil when it is over
	prev, next *Request     // same handle
}
