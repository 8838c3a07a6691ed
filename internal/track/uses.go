package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// DatatypeUse is a datatype that a call must not have been given.
type DatatypeUse struct {
	Param    int // of the function
	Index    int // in an array, else -1
	Handle   uint64
	Datatype *match.Datatype // where it is MPI_DATATYPE_NULL: what was freed by way of this variable, nil if unknown
	Wrong    Misuse
}

// Misuse says what is wrong with the use of a datatype.
type Misuse uint8

// The misuses.
const (
	NotCommitted    Misuse = iota
	AfterFree              // used or freed after it was freed
	NullType               // MPI_DATATYPE_NULL
	CommittedTwice         // committed a second time, which does nothing
	PermanentCommit        // a predefined type is committed, which does nothing
	PermanentFree          // a predefined type is freed
)

// typeUse is a datatype among the arguments of a function, and where what makes it significant is.
type typeUse struct {
	param         int
	at            slot // of a single datatype
	communication bool // it has to be committed
	count         int  // the parameter that says how many elements there are of it, -1 if none does
	peer          slot // the process that it goes to or comes from
	noOp          slot
}

// planTypes works out which datatypes a function is given and returns.
func (p *plan) planTypes() {
	f := p.fn
	p.constructor = newConstructor(f)
	if p.act == typeCommit || p.act == typeFree {
		p.uses = []typeUse{{at: p.oldHandle, count: -1}}
		return
	}
	value := func(i int) slot { return event.ValueSlot(f, i) }
	for i := range f.Params {
		q := &f.Params[i]
		if q.Kind != mpiapi.Datatype || !q.Record {
			continue
		}
		if q.Dir != mpiapi.In {
			if q.Layout.After != 0 && q.Role != mpiapi.NewType {
				p.given = append(p.given, slot{At: q.Layout.After, Wide: q.Layout.WideValue})
			}
			continue
		}
		u := typeUse{param: i, at: value(i), count: -1}
		switch q.Role {
		case mpiapi.SendType:
			u.communication, u.count, u.peer = true, f.Arg(mpiapi.SendCount), value(f.Arg(mpiapi.Dest))
			if u.count < 0 { // MPI_Reduce_scatter
				u.count = f.Arg(mpiapi.RecvCount)
			}
			if f.Arg(mpiapi.RecvType) >= 0 && f.Arg(mpiapi.TargetType) >= 0 { // MPI_Get_accumulate
				u.noOp = value(f.Arg(mpiapi.ReduceOp))
			}
		case mpiapi.RecvType:
			u.communication, u.count, u.peer = true, f.Arg(mpiapi.RecvCount), value(f.Arg(mpiapi.Source))
		case mpiapi.TargetType:
			u.communication, u.count = true, f.Arg(mpiapi.TargetCount)
		case mpiapi.OldType:
			if q.Pointer { // an empty block of a struct
				u.count = 1
			}
		}
		if f.Class == mpiapi.RMA {
			u.peer = value(f.Arg(mpiapi.TargetRank))
		}
		p.uses = append(p.uses, u)
	}
	for i := range p.uses {
		switch f.Base {
		case mpiapi.IDReduceLocal: // no communication
			p.uses[i].communication = false
		case mpiapi.IDFileSetView: // section 14.3
			p.uses[i].communication = true
		}
	}
}

// useTypes looks at the datatypes that a call is given, and tells which it must not be given.
func (t *Tracker) useTypes(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	for i := range p.uses {
		u := &p.uses[i]
		if u.at.At != 0 {
			// What was found ready a moment ago is so now.
			if h := u.at.Handle(rec); p.oldHandle.At != 0 || th.Process.readyType(h) == nil {
				t.useType(th, p, c, u, -1, h)
			}
			continue
		}
		list, _ := c.In(u.param)
		for k := range list.Len() {
			if h := list.Handle(k); th.Process.readyType(h) == nil {
				t.useType(th, p, c, u, k, h)
			}
		}
	}
}

func (t *Tracker) useType(th *Thread, p *plan, c *event.Call, u *typeUse, index int, handle uint64) {
	pr := th.Process
	w := DatatypeUse{Param: u.param, Index: index, Handle: handle, Datatype: pr.Type(handle)}
	switch ty := w.Datatype; {
	case ty != nil && p.act == typeCommit:
		switch {
		case ty.Permanent:
			w.Wrong = PermanentCommit
		case ty.Standing == match.CommittedType:
			w.Wrong = CommittedTwice
		default:
			return
		}
	case ty != nil && p.act == typeFree:
		if !ty.Permanent {
			return
		}
		w.Wrong = PermanentFree
	case ty != nil:
		if !u.communication || ty.Standing != match.UncommittedType {
			return
		}
		w.Wrong = NotCommitted
	case handle == pr.typeNull:
		if u.empty(pr, c, index) {
			return
		}
		w.Wrong = NullType
		if p.oldHandle.At != 0 {
			w.Datatype = pr.freedFrom(c.Addr(0))
		}
	default:
		w.Datatype, w.Wrong = pr.freedType(handle), AfterFree
		if w.Datatype == nil {
			return // never seen: it may be any
		}
	}
	if !t.significant(pr, p, c, u) {
		return
	}
	if w.Wrong != CommittedTwice && w.Wrong != PermanentCommit {
		th.Explained = ByDatatype
	}
	told := w // only this one is for others to see, and so not on the stack
	t.Events.WrongDatatype.Publish(WrongDatatype{th, th.call(c.Raw()), &told})
}

// empty reports whether nothing is said to be of the datatype, so that MPI_DATATYPE_NULL does no harm: there are no
// elements, or there is nobody to exchange them with.
func (u *typeUse) empty(pr *Process, c *event.Call, index int) bool {
	if u.peer.At != 0 && int32(u.peer.Int(c.Raw())) == pr.procNull {
		return true
	}
	if u.count < 0 {
		return false
	}
	if !c.Func.Params[u.count].Pointer {
		return c.Int(u.count) == 0
	}
	list, _ := c.In(u.count)
	if index >= 0 { // as many datatypes
		return index >= list.Len() || list.At(index) == 0
	}
	for i := range list.Len() {
		if list.At(i) != 0 {
			return false
		}
	}
	return true
}

// significant reports whether a datatype means anything to the call in this process.
func (t *Tracker) significant(pr *Process, p *plan, c *event.Call, u *typeUse) bool {
	rec := c.Raw()
	if u.noOp.At != 0 && pr.NameHandle(mpiapi.Op, u.noOp.Handle(rec)) == "MPI_NO_OP" {
		return false
	}
	return pr.Significant(c, u.param)
}
