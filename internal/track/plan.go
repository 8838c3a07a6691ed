package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// slot is the place of a value in a call record.
type slot = event.Slot

// plan is what tracking needs to know about one function. It is computed once, from the roles of its parameters and
// from its columns.
type plan struct {
	fn  *mpiapi.Func
	act mpiapi.Act
	action
	traits
	mode  match.Mode     // of the send part
	agree *collargs.Plan // of a collective

	sends, receives endpoint // of messages, and of the data of collectives
	partitions      slot
	requestSlots
	objectSlots

	types       []typeArg    // datatypes that the function reads
	given       []slot       // datatypes that it returns
	constructor *constructor // if it makes a datatype
	objects     *objectPlan  // the other objects that it makes and frees, nil if there are none
}

// traits are the properties of a function that tracking needs at every call.
type traits struct {
	collective  bool // it takes a place in the order of its communicator, window or file
	gathers     bool // or in that of the processes that make a communicator from a group
	blocks      bool // it is a collective that may wait for the others before it returns
	repeatable  bool // it is a collective that the fast path may recognise: see repeat
	doubtful    bool // see Replay.Doubt
	shared      bool // see there, too
	makesComm   bool
	makesHandle bool
	freesObject bool
	operates    bool // it begins an operation on buffers that is not a message
	runs        bool // functions that the program has set for attributes may run inside it
	buffered    bool // it begins a send in buffered mode
	completes   bool // it completes requests, or reports whether they are complete
}

// requestSlots has the places of a function's requests and of the results about them.
type requestSlots struct {
	request                     slot // address
	requestBefore, requestAfter slot // handle
	flag, index, outCount       slot
	found                       slot // of a test or probe: 0 if it has found nothing
	requests, status, indices   int  // parameters, -1 if none
}

// objectSlots has the places of the objects that a function works on, makes and frees.
type objectSlots struct {
	comm, win, file                   slot
	newComm, newType, newWin, newFile slot
	message, messageAfter             slot
	oldHandle                         slot // the handle that a function frees
	level                             slot // of thread support
}

// makePlans returns the plans of all functions, by number.
func makePlans() []plan {
	var plans []plan
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(plans) {
			plans = append(plans, plan{})
		}
		plans[f.ID] = makePlan(f)
	}
	return plans
}

func makePlan(f *mpiapi.Func) plan {
	p := plan{fn: f, act: f.Act, action: actions[f.Act], mode: f.Mode}
	p.requests, p.status, p.indices = f.Arg(mpiapi.Requests), f.Arg(mpiapi.TheStatus), f.Arg(mpiapi.Indices)
	p.placeValues()
	p.placeRequests()
	p.placeObjects()
	p.planTypes()
	p.objects = planObjects(f)
	p.planTraits()
	p.planOperation()
	if p.collective {
		p.agree = collargs.For(f)
	}
	p.found = p.foundSlot()
	p.repeatable = p.repeats()
	return p
}

// planTraits determines the traits that follow from the columns of the function, and from the objects that it makes and
// frees.
func (p *plan) planTraits() {
	f := p.fn
	p.collective, p.gathers = InOrder(f), f.ByGroup
	p.blocks = f.Class == mpiapi.Collective && f.Act != mpiapi.ActCommFree && f.Split != mpiapi.SplitBegin
	p.shared, p.doubtful = f.Timing == mpiapi.TimingForever, f.Timing != mpiapi.NoTiming
	p.makesComm = p.newComm.Exists()
	p.makesHandle = p.makesComm || p.newWin.Exists() || p.newFile.Exists()
	consumes := f.Act == mpiapi.ActMrecv || f.Act == mpiapi.ActImrecv
	p.freesObject = consumes || p.objects != nil && len(p.objects.frees) > 0
	p.buffered = (f.Act == mpiapi.ActSend || f.Act == mpiapi.ActIsend) && p.mode == match.Buffered
	p.completes = f.Completes() != mpiapi.CompletesNone || f.ReportsStatus()
}

// planOperation determines whether a call begins an operation on buffers that is not a message, and whether functions
// of the program run inside the call.
func (p *plan) planOperation() {
	f := p.fn
	for i := range f.Params {
		p.runs = p.runs || f.Params[i].Frees() || f.Params[i].Kind == mpiapi.Keyval
	}
	switch {
	case f.Class == mpiapi.IO, f.Class == mpiapi.Collective, f.Class == mpiapi.Icollective,
		f.Base == mpiapi.IDReduceLocal:
		p.operates = f.Arg(mpiapi.SendBuf) >= 0 || f.Arg(mpiapi.RecvBuf) >= 0
	}
}

// placeValues finds the places of the values that tracking reads from records.
func (p *plan) placeValues() {
	f := p.fn
	at := func(r mpiapi.Role) slot { return event.ValueSlot(f, f.Arg(r)) }
	after := func(r mpiapi.Role) slot { return event.AfterSlot(f, f.Arg(r)) }
	p.comm, p.win, p.file = at(mpiapi.TheComm), at(mpiapi.TheWin), at(mpiapi.TheFile)
	p.partitions = at(mpiapi.Partitions)
	p.flag, p.index, p.outCount = after(mpiapi.Flag), after(mpiapi.Index), after(mpiapi.OutCount)
	p.newComm, p.newType = after(mpiapi.NewComm), after(mpiapi.NewType)
	p.message, p.messageAfter = event.BeforeSlot(f, f.Arg(mpiapi.TheMessage)), after(mpiapi.TheMessage)
	p.sends = endpoint{
		buffer: p.address(mpiapi.SendBuf), count: at(mpiapi.SendCount), typ: at(mpiapi.SendType),
		peer: at(mpiapi.Dest), tag: at(mpiapi.SendTag),
	}
	p.receives = endpoint{
		buffer: p.address(mpiapi.RecvBuf), count: at(mpiapi.RecvCount), typ: at(mpiapi.RecvType),
		peer: at(mpiapi.Source), tag: at(mpiapi.RecvTag),
	}
	if !p.receives.buffer.Exists() { // MPI_Sendrecv_replace has one buffer for both
		p.receives.buffer, p.receives.count, p.receives.typ = p.sends.buffer, p.sends.count, p.sends.typ
	}
}

// placeRequests finds the places of requests: the address of one or of several, and the handle of one.
func (p *plan) placeRequests() {
	f := p.fn
	switch i := f.Arg(mpiapi.TheRequest); {
	case i < 0:
		p.request = event.AddressSlot(f, p.requests)
	case f.Params[i].Pointer:
		p.request = event.AddressSlot(f, i)
		p.requestBefore, p.requestAfter = event.BeforeSlot(f, i), event.AfterSlot(f, i)
	default:
		p.requestBefore = event.ValueSlot(f, i)
	}
}

// placeObjects finds the places of the objects that a call makes or frees, and of the thread level that it returns.
func (p *plan) placeObjects() {
	f := p.fn
	for _, o := range [...]struct {
		role      mpiapi.Role
		old, made *slot
	}{{mpiapi.TheComm, &p.comm, nil}, {mpiapi.TheWin, &p.win, &p.newWin}, {mpiapi.TheFile, &p.file, &p.newFile}} {
		i := f.Arg(o.role)
		if i < 0 || !f.Params[i].Pointer {
			continue
		}
		*o.old = event.BeforeSlot(f, i)
		if o.made != nil {
			*o.made = event.AfterSlot(f, i)
		}
	}
	switch f.Act {
	case mpiapi.ActOpFree, mpiapi.ActGroupFree, mpiapi.ActTypeFree, mpiapi.ActTypeCommit:
		p.oldHandle = event.BeforeSlot(f, 0)
	}
	for i := range f.Params { // the requested level has the same role
		if f.Params[i].Role == mpiapi.ThreadLevel && f.Params[i].Layout.After != 0 {
			p.level = event.AfterSlot(f, i)
		}
	}
}

// address returns the place of the address in the parameter with a role.
func (p *plan) address(r mpiapi.Role) slot {
	return event.AddressSlot(p.fn, p.fn.Arg(r))
}

// foundSlot returns the place of the result of a test or probe that does not wait: its flag, or the number of
// completions. Other functions have none.
func (p *plan) foundSlot() slot {
	switch p.fn.Act {
	case mpiapi.ActTest, mpiapi.ActTestall, mpiapi.ActTestany, mpiapi.ActRequestStatus, mpiapi.ActRequestStatusAll,
		mpiapi.ActRequestStatusAny, mpiapi.ActProbe, mpiapi.ActMprobe:
		if !p.flag.Wide {
			return p.flag
		}
	case mpiapi.ActTestsome, mpiapi.ActRequestStatusSome:
		return p.outCount
	}
	return slot{}
}
