package track

import (
	"math"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Limits are numbers of objects in a process. A notice is due when a process has that many at once, and again at each
// doubling. 0: no notice.
type Limits struct {
	Requests, Datatypes, Comms int
	Others                     int // of each other kind
}

// DefaultLimits are the defaults of Intel's checker (CHECK-MAX-REQUESTS, CHECK-MAX-DATATYPES), as far as it had any.
var DefaultLimits = Limits{Requests: 100, Datatypes: 1000, Comms: 100, Others: 100}

// Of returns the limit of a kind of objects. If it has none, Of returns a number that is never reached.
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
