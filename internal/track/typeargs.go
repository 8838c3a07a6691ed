package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// typeArg is a parameter of a function that is a datatype, or an array of them.
type typeArg struct {
	param int
	at    slot // of a single datatype
}

// planTypes finds the parameters of a function that are datatypes, given or returned.
func (p *plan) planTypes() {
	f := p.fn
	p.constructor = newConstructor(f)
	if p.act == mpiapi.ActTypeCommit || p.act == mpiapi.ActTypeFree {
		return // changeType looks its datatype up
	}
	for i := range f.Params {
		q := &f.Params[i]
		switch {
		case q.Kind != mpiapi.Datatype || !q.Record:
		case q.Dir == mpiapi.In:
			p.types = append(p.types, typeArg{i, event.ValueSlot(f, i)})
		case q.Layout.After != 0 && q.Role != mpiapi.NewType:
			p.given = append(p.given, event.AfterSlot(f, i))
		}
	}
}

// publishOddTypes publishes the datatypes of a call that are not ready for communication. Most handles were ready a
// moment ago, and are still ready.
func (ts *types) publishOddTypes(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	for i := range p.types {
		a := &p.types[i]
		if a.at.At != 0 {
			if h := a.at.Handle(rec); th.Process.readyType(h) == nil {
				ts.publishOddType(th, c, a.param, -1, h)
			}
			continue
		}
		list, _ := c.In(a.param)
		for k := range list.Len() {
			if h := list.Handle(k); th.Process.readyType(h) == nil {
				ts.publishOddType(th, c, a.param, k, h)
			}
		}
	}
}

func (ts *types) publishOddType(th *Thread, c *event.Call, param, index int, handle uint64) {
	d := th.Process.Type(handle)
	if d == nil || d.Standing == match.UncommittedType {
		ts.Events.OddDatatype.Publish(OddDatatype{th, c, param, index, handle, d})
	}
}
