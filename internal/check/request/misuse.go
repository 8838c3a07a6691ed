package request

import (
	"github.com/mpivet/mpivet/internal/match"
)

// problem is what is wrong with a call that is given a request.
type problem struct {
	what  misuse
	made  match.Call // the call that made the request, empty if that is not known
	index int        // of the request in an array, -1 if it is in none
}

// misuse says what is wrong with the use of a request.
type misuse uint8

const (
	fine                 misuse = iota
	activeStart                 // started while it is active
	transientStart              // started, but not persistent
	nullRequest                 // MPI_REQUEST_NULL where a request is needed
	overRequest                 // complete or freed before: the handle is a copy
	repeatedRequest             // more than once in an array, and gone after the first
	unknownRequest              // no call returned it
	inactiveCancel              // cancelled while nothing is under way
	irrevocable                 // freed or cancelled, though its operation can be neither
	inactiveReady               // a partition is ready of a message that is not started
	noPartitionedSend           // a partition is ready of another operation
	noPartitionedReceive        // a partition of another operation is asked for
	notGeneralized              // completed, though it is MPI that completes it
)

const notHere = "Call it only for requests of the kind that it is made for."

// wrongs says what is wrong with a request, and what to do about it.
var wrongs = map[misuse]struct{ what, advice string }{
	activeStart: {
		"that is active already: what was started before is not complete",
		"Complete a persistent request with MPI_Wait, MPI_Test or one of their relatives before it is started again.",
	},
	transientStart: {
		"that is not persistent: its operation began when it was made, and cannot be started again",
		"Make the request with MPI_Send_init, MPI_Recv_init or the like, or begin the operation anew.",
	},
	nullRequest: {
		"that is MPI_REQUEST_NULL: there is none",
		"Call it before the request is completed or freed, which sets its variable to MPI_REQUEST_NULL, or not at all.",
	},
	overRequest: {
		"that is complete or freed: the variable has a copy of its handle.\nA handle that is over may stand for another request by now, and that one is then completed by mistake",
		"Do not use copies of a handle when one of them has been completed or freed; set them to MPI_REQUEST_NULL.",
	},
	repeatedRequest: {
		"that stands there more than once",
		"Let every request be in the array once. Unused elements may be MPI_REQUEST_NULL in an array that is waited for.",
	},
	unknownRequest: {
		"that is no request: no MPI call has returned such a handle",
		"Initialize variables for requests with MPI_REQUEST_NULL, and look whether something writes over this one.",
	},
	inactiveCancel: {
		"that is inactive: there is nothing under way to be cancelled",
		"Cancel a persistent request only between MPI_Start and its completion.",
	},
	irrevocable: {
		"that can be neither freed nor cancelled: the standard forbids both for collectives and for one-sided operations that are under way",
		"Complete the request with MPI_Wait, MPI_Test or one of their relatives.",
	},
	inactiveReady: {
		"that is inactive: no partition can be ready of a message that is not started",
		"Call MPI_Start before MPI_Pready.",
	},
	noPartitionedSend:    {"that is no partitioned send", notHere},
	noPartitionedReceive: {"that is no partitioned receive", notHere},
	notGeneralized:       {"that is no generalized request", notHere},
}
