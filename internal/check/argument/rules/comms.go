package rules

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// commKind is a kind of communicator (column comm of the API table).
type commKind = mpiapi.CommKind

const (
	anyComm     = mpiapi.AnyComm
	intra       = mpiapi.IntraComm
	inter       = mpiapi.InterComm
	cartesian   = mpiapi.CartComm
	graph       = mpiapi.GraphComm
	distributed = mpiapi.DistGraphComm
	neighbourly = mpiapi.TopologicalComm
)

// commRule finds communicators of the wrong kind: inter-communicators, or communicators without a topology.
func (f function) commRule() rule {
	i := f.Arg(mpiapi.TheComm)
	need := f.CommKind
	if i < 0 || need == anyComm {
		return nil
	}
	at := f.value(i)
	return func(c *call) bool {
		v := c.process.View(at.Handle(c.rec))
		switch {
		case v == nil:
			return true
		case need == inter:
			return v.Split != 0 || c.reject(i, "is not an inter-communicator")
		case v.Split != 0:
			return c.reject(i, "is an inter-communicator, which the function does not work on")
		case need == intra:
			return true
		}
		have, known := topologyOf(v)
		return !known || have == need || need == neighbourly && have != intra || c.reject(i, lacks[need])
	}
}

// lacks says what is wrong with a communicator that is not of the kind.
var lacks = map[commKind]string{
	cartesian:   "has no Cartesian topology",
	graph:       "has no graph topology",
	distributed: "has no distributed graph topology",
	neighbourly: "has no topology, so it has no neighbours",
}

// topologyOf returns the topology of an intra-communicator, intra if it has none. The result is false if the topology
// is unknown.
func topologyOf(v *track.View) (commKind, bool) {
	if len(v.Made.Raw) == 0 {
		return intra, v.Name == "MPI_COMM_WORLD" || v.Name == "MPI_COMM_SELF"
	}
	kind := mpiapi.ByID(v.Made.Func()).NewComm
	return kind, kind != anyComm // copies have what the original has
}
