package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
)

// RequestKind says what a request stands for.
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
	Cancelled  bool         // by MPI_Cancel, since it became active: it may take part all the same
	Known      bool         // its operation is complete, as MPI_Request_get_status or MPI_Parrived has said
	Started    bool         // a persistent one, at least once
	Refused    bool         // MPI would not free it, and that it can't be freed was told
	Ops        [2]*match.Op // while active; nil for MPI_PROC_NULL
	View       *View        // collective
	Pos        uint64
	// Of a persistent collective, and of one side of a partitioned message.
	Rounds      *Rounds
	Partitioned *Partitioned
	Made        match.Call // the call that made it
	Number      uint64     // of the request among the process's, in the order of their making
	Operation   uint64     // event.Operation of Made

	// Overwritten is the call that returned another request into the variable while this one was not over, nil if there
	// is none. A copy of the handle may be left.
	Overwritten *match.Call

	Held memory.Held // by its operation. Only package analysis/buffers uses it
	Sums uint64      // the number of its operation. Only package analysis/checksum uses it

	list       *requestList // of its handle; nil when it is over
	prev, next *Request     // same handle
}
