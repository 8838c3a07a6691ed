package request

import (
	"github.com/mpivet/mpivet/internal/match"
)

// problem is what is wrong with a call that gets a request.
type problem struct {
	what  misuse
	made  match.Call // the call that made the request; empty if unknown
	index int        // of the request in an array, -1 if there is no array
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
	irrevocable                 // freed or cancelled, but its operation allows neither
	inactiveReady               // a partition is marked ready, but the message is not started
	noPartitionedSend           // a partition is marked ready, but the request is not a partitioned send
	noPartitionedReceive        // a partition is tested, but the request is not a partitioned receive
	notGeneralized              // completed by the program, but MPI completes it
)

const notHere = "Call this function only for requests of its own kind."

// wrongs says what is wrong with a request, why, and what to do.
var wrongs = map[misuse]struct{ what, why, advice string }{
	activeStart: {
		"that is active already",
		"The operation that was started before is not complete (MPI standard, section 3.9).",
		"Complete a persistent request with MPI_Wait or MPI_Test before starting it again.",
	},
	transientStart: {
		"that is not persistent",
		"Only persistent requests can be started (MPI standard, section 3.9). This operation began when its request " +
			"was made.",
		"Make the request with MPI_Send_init, MPI_Recv_init or the like. Or call the nonblocking function again.",
	},
	nullRequest: {
		"that is MPI_REQUEST_NULL",
		"The call needs a request. The call that completes or frees a request sets its variable to MPI_REQUEST_NULL.",
		"Make this call before the request is completed or freed, or not at all.",
	},
	overRequest: {
		"that is already complete or freed: the handle is an old copy",
		"MPI may use the handle for a new request, which this call would then complete or free by mistake.",
		"Do not use a copy of a handle after the request is completed or freed. Set all copies to MPI_REQUEST_NULL.",
	},
	repeatedRequest: {
		"that is in the array more than once",
		"The request is complete, or started, after its first use in the array.",
		"Put each request into the array once. In an array to wait for, unused elements may be MPI_REQUEST_NULL.",
	},
	unknownRequest: {
		"that no MPI call has returned",
		"MPI may return an error, or crash.",
		"Initialize variables for requests with MPI_REQUEST_NULL. Check whether something overwrites this variable.",
	},
	inactiveCancel: {
		"that is inactive",
		"There is no pending operation to cancel (MPI standard, section 3.8.4).",
		"Cancel a persistent request only between MPI_Start and its completion.",
	},
	irrevocable: {
		"that can be neither freed nor cancelled",
		"The standard forbids both for pending collectives and one-sided operations (MPI standard, sections 6.12 and " +
			"12.3.5).",
		"Complete the request with MPI_Wait or MPI_Test.",
	},
	inactiveReady: {
		"that is inactive",
		"The message is not started, so none of its partitions can be ready (MPI standard, section 4.2).",
		"Call MPI_Start before MPI_Pready.",
	},
	noPartitionedSend:    {"that is not a partitioned send", "It has no partitions to mark ready.", notHere},
	noPartitionedReceive: {"that is not a partitioned receive", "It has no partitions to test.", notHere},
	notGeneralized:       {"that is not a generalized request", "MPI itself completes other requests.", notHere},
}
