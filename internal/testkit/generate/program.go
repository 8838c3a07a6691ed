// Package generate generates random MPI programs that are correct by construction, and executes them with its own MPI.
// That MPI makes random choices wherever the standard allows it. The package also plants bugs in the programs. The
// records of such runs, and the same programs printed as C, test the analysis: a correct program must give no finding,
// and a planted bug must give its own finding.
//
// A program is correct under the strictest semantics that the standard allows: standard sends may wait for their
// receives, collectives may synchronise, and nothing depends on timing. It is a sequence of actions. A blocking call of
// an action depends only on calls of earlier actions, and on calls of the same action, of which there is at most one
// for each rank. So the first incomplete action can always go on.
package generate

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Program is an MPI program: the calls of each rank.
type Program struct {
	Seed  uint64
	Ranks [][]*Call
	// Comms are the communicators by number. The first two are MPI_COMM_WORLD and MPI_COMM_SELF.
	Comms []Comm
	// Variables is the maximum number of variables of each kind at a rank.
	Variables map[mpiapi.Kind]int
	Memory    int // bytes of buffers that a rank has
	Moved     int // maximum number of requests that are moved at once
}

// Comm is a communicator: the ranks in MPI_COMM_WORLD of its group, and of the remote group of an inter-communicator,
// as seen from the first of them.
type Comm struct{ Local, Remote []int }

// Call is a call of a rank, perhaps repeated.
type Call struct {
	Func string
	// Args are the arguments, by the names of the parameters. Results and insignificant arguments are left out.
	Args Args
	// Flag: the call is repeated until its flag is true. Total: the call is repeated until so many requests are
	// complete.
	Flag  bool
	Total int
	// IfCancelled: the call is made only if the last status says that its operation was cancelled.
	IfCancelled bool
	// Move lists request variables. Before the call, their values are moved to another array, in this order. The call
	// gets that array.
	Move []int

	// Message is the number, from 1, of the message that the call sends, receives or makes a request for. Collective is
	// the number of the collective operation that it takes part in. 0: none.
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
	// Variable is a variable of a handle; or its address, if the parameter is a pointer.
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
	// Field is a field of the status of the last call with a status: MPI_SOURCE or MPI_TAG.
	Field string
	// UserFunction is the function of a reduction operation of the program.
	UserFunction struct{}
)

// Basic datatypes, and their sizes in bytes.
var basics = []string{
	"MPI_INT", "MPI_DOUBLE", "MPI_CHAR", "MPI_FLOAT", "MPI_SHORT", "MPI_LONG",
	"MPI_BYTE", "MPI_UNSIGNED",
}

var sizes = map[Word]int{
	"MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_FLOAT": 4, "MPI_SHORT": 2, "MPI_LONG": 8,
	"MPI_BYTE": 1, "MPI_UNSIGNED": 4,
}

// with returns a copy of the arguments with one change.
func (a Args) with(name string, v Value) Args {
	b := make(Args, len(a)+1)
	for k, w := range a {
		b[k] = w
	}
	b[name] = v
	return b
}
