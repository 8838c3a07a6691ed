package match

import (
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/stream"
)

// Events are what a Matcher tells of. An event is valid until the subscriber returns.
type Events struct {
	MessageMatched stream.Topic[MessageMatched]
	Misfit         stream.Topic[Misfit]
	// CollectiveMatched: all members have entered a collective. It comes in their order on a communicator.
	CollectiveMatched stream.Topic[*Collective]
	// CollectiveMismatched comes before CollectiveMatched where the members do not agree: Collective.Agreed returns
	// false.
	CollectiveMismatched stream.Topic[*Collective]
	Disagreed            stream.Topic[Disagreed]
	// DataDamaged: the data of a message, by their sums, are not what was sent. The event may be kept.
	DataDamaged stream.Topic[*Exchange]
}

// MessageMatched says that a send and its receive were found.
type MessageMatched struct{ Send, Recv *Op }

// Misfit is a message that may not be received as its receive says: Comparison tells why.
type Misfit struct {
	Send, Recv *Op
	Comparison datatype.Comparison
}

// Disagreed says that a member has entered the collective at a position in another way than the first member did.
type Disagreed struct {
	Comm     *Comm
	Position uint64
}

// message tells of a send and its receive.
func (e *Events) message(s, r *Op) {
	if e.MessageMatched.Wanted() {
		e.MessageMatched.Publish(MessageMatched{s, r})
	}
	if s.Type == r.Type && s.Count <= r.Count || !e.Misfit.Wanted() {
		return // nearly always
	}
	if c := Compare(s, r); c.Verdict != datatype.Matches {
		e.Misfit.Publish(Misfit{s, r, c})
	}
}

func (e *Events) disagreed(c *Comm, position uint64) {
	if e.Disagreed.Wanted() {
		e.Disagreed.Publish(Disagreed{c, position})
	}
}
