// Package generate makes up random MPI programs that are correct by construction, executes them by an MPI of its own that
// makes random use of all that the standard leaves open, and plants bugs in them. The records of such runs, and the same
// programs printed as C, put the analysis to the test: a correct program must give no finding, a planted bug must give its
// own.
//
// A program is correct under the strictest semantics that the standard allows: standard sends may wait for their receives,
// collectives may synchronise, and nothing depends on timing. It is made of actions one after the other. A blocking call of
// an action depends on nothing but calls of the same action, which are at most one for each rank, or of those before: the
// first action that is not over can always go on.
package generate

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Program is an MPI program: what each of its ranks calls.
type Program struct {
	Seed  uint64
	Ranks [][]*Call
	// Comms are the communicators by number. The first two are MPI_COMM_WORLD and MPI_COMM_SELF.
	Comms []Comm
	// Variables is the number of variables of each kind that a rank has at most.
	Variables map[mpiapi.Kind]int
	Memory    int // bytes of buffers that a rank has
	Moved     int // requests that are moved at once, at most
}

// Comm is a communicator: the ranks in MPI_COMM_WORLD of its group, and of the remote group of an inter-communicator, as
// seen from the first of them.
type Comm struct{ Local, Remote []int }

// Call is a call that a rank makes, perhaps several times.
type Call struct {
	Func string
	// Args are what is passed, by the names of the parameters. Results are not mentioned, nor is what is not significant.
	Args Args
	// Flag: it is repeated until it says that it succeeded. Total: until so many requests have been completed.
	Flag  bool
	Total int
	// IfCancelled: only where the last status says that its operation was cancelled.
	IfCancelled bool
	// Move lists request variables whose values are moved to an array of their own before the call, in this order; it is
	// the array that the call gets.
	Move []int

	// Message numbers the message that the call sends, receives or makes a request for, from 1; Collective the collective
	// operation that it takes part in. 0 is none.
	Message, Collective int
}

// Args are arguments by the name of the parameter.
type Args map[string]Value

// Value is an argument.
type Value interface{ source() string }

// The kinds of arguments.
type (
	// Number is a number.
	Number int
	// Word is a named constant or predefined handle: MPI_ANY_TAG.
	Word string
	// Variable is a variable of a handle; its address, where the parameter is a pointer.
	Variable struct {
		Kind  mpiapi.Kind
		Index int
	}
	// Requests are N variables of requests from number From on.
	Requests struct{ From, N int }
	// Moved are the requests that the call has moved.
	Moved struct{}
	// Numbers is an array of numbers.
	Numbers []int
	// Types is an array of datatypes.
	Types []Value
	// Memory is an address, in bytes from the start of the rank's memory.
	Memory int
	// Text is a string.
	Text string
	// Field is a field of the status of the last call that was asked for it: MPI_SOURCE or MPI_TAG.
	Field string
	// UserFunction is the function of a reduction operation of the program.
	UserFunction struct{}
)

// Basic datatypes, and their sizes in bytes.
var basics = []string{"MPI_INT", "MPI_DOUBLE", "MPI_CHAR", "MPI_FLOAT", "MPI_SHORT", "MPI_LONG", "MPI_BYTE", "MPI_UNSIGNED"}

var sizes = map[Word]int{
	"MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_FLOAT": 4, "MPI_SHORT": 2, "MPI_LONG": 8, "MPI_BYTE": 1, "MPI_UNSIGNED": 4,
}

// with returns a copy of the arguments with one changed.
func (a Args) with(name string, v Value) Args {
	b := make(Args, len(a)+1)
	for k, w := range a {
		b[k] = w
	}
	b[name] = v
	return b
}
