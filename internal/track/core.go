package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
)

// core is the state that all parts of a tracker use.
type core struct {
	// Limits are set before the first process; the default is DefaultLimits.
	Limits Limits
	// Replay gets the actions and waits of each thread. It may be nil, and must be set before the first process.
	Replay Replay

	Events Events
	Match  *match.Matcher
	Now    int // ticks that have passed

	plans []plan // by the number of the function
}

// operationBegan publishes that a call has begun an operation.
func (k *core) operationBegan(th *Thread, c *event.Call) {
	if e := &k.Events.OperationBegan; e.Wanted() {
		e.Publish(Call{th, c})
	}
}
