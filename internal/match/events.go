package match

import (
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/stream"
)

// Events are the events of a Matcher. An event is valid until the subscriber returns.
type Events struct {
	MessageMatched stream.Topic[MessageMatched]
	Misfit         stream.Topic[Misfit]
	// CollectiveMatched: all members have entered a collective. The events of one communicator come in the order of its
	// collectives.
	CollectiveMatched stream.Topic[*Collective]
	// CollectiveMismatched comes before CollectiveMatched if the members do not agree: Collective.Agreed returns false.
	CollectiveMismatched stream.Topic[*Collective]
	Disagreed            stream.Topic[Disagreed]
	// DataDamaged: the received data of a message differ from the sent data, according to their checksums. The event
	// may be kept.
	DataDamaged stream.Topic[*Exchange]
}

// MessageMatched says that a send and its receive have been matched.
type MessageMatched struct{ Send, Recv *Op }

// Misfit is a message that does not fit its receive. Comparison gives the reason.
type Misfit struct {
	Send, Recv *Op
	Comparison datatype.Comparison
}

// Disagreed says that a member has entered the collective at a position in a different way than the first member.
type Disagreed struct {
	Comm     *Comm
	Position uint64
}

// message publishes the events of a send and its receive.
func (e *Events) message(s, r *Op) {
	if e.MessageMatched.Wanted() {
		e.MessageMatched.Publish(MessageMatched{s, r})
	}
	if s.Type == r.Type && s.Count <= r.Count || !e.Misfit.Wanted() {
		return // this is nearly always the case
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
