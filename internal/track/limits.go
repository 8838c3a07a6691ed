package track

import (
	"math"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Limits are numbers of objects that a process has at once which are worth a notice, as are twice as many, and so on;
// 0: none is.
type Limits struct {
	Requests, Datatypes, Comms int
	Others                     int // of each other kind
}

// DefaultLimits are those that Intel's checker had (CHECK-MAX-REQUESTS, CHECK-MAX-DATATYPES), as far as it had any.
var DefaultLimits = Limits{Requests: 100, Datatypes: 1000, Comms: 100, Others: 100}

// Of returns the limit of a kind of objects, a number never reached if there is none.
func (l *Limits) Of(k mpiapi.Kind) int {
	n := l.Others
	switch k {
	case mpiapi.Request:
		n = l.Requests
	case mpiapi.Datatype:
		n = l.Datatypes
	case mpiapi.Comm:
		n = l.Comms
	}
	if n <= 0 {
		return math.MaxInt
	}
	return n
}
