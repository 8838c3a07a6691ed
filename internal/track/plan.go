package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// slot is where a call record has a value.
type slot = event.Slot

// plan is what tracking needs to know of one function, worked out once from its roles.
type plan struct {
	fn    *mpiapi.Func
	act   action
	mode  match.Mode // of the send part
	fixed int
	agree *collargs.Plan // of a collective

	comm, win, file                       slot
	count, typ, dest, tag                 slot // the sending side; also what a collective sends
	recvCount, recvType, source, recvTag  slot
	partitions                            slot
	root                                  slot
	request, requestBefore, requestAfter  slot // address, handle at entry, handle after
	flag, index, outCount, message, level slot
	messageAfter                          slot
	newComm, newType, newWin, newFile     slot
	oldHandle                             slot // what a free function frees
	requests, status, indices             int  // parameters, -1 if none
	collective                            bool // takes a place in the order of its communicator, window or file
	blocks                                bool // a collective that may wait for the others before it returns
	doubtful, shared                      bool // see Replay.Doubt
	gathers                               bool // or of those who make a communicator of a group
	makesComm, makesHandle, freesObject   bool
	operates                              bool // it begins an operation on buffers that is no message
	runs                                  bool // functions that the program has set for attributes may run inside
	buffered                              bool // it begins a send of the buffered mode
	completes                             bool // it completes requests, or says whether they are complete
	sends, receives                       endpoint

	types       []typeArg    // datatypes that it is given
	given       []slot       // datatypes that it returns
	constructor *constructor // if it makes a datatype
	objects     *objectPlan  // what else it makes and frees, nil if nothing
}

// action is what a call does: a column of the API table.
type action = mpiapi.Act

const (
	nothing          = mpiapi.NoAct
	send             = mpiapi.ActSend
	recv             = mpiapi.ActRecv
	sendrecv         = mpiapi.ActSendrecv
	isend            = mpiapi.ActIsend
	irecv            = mpiapi.ActIrecv
	isendrecv        = mpiapi.ActIsendrecv
	sendInit         = mpiapi.ActSendInit
	recvInit         = mpiapi.ActRecvInit
	probe            = mpiapi.ActProbe
	mprobe           = mpiapi.ActMprobe
	mrecv            = mpiapi.ActMrecv
	imrecv           = mpiapi.ActImrecv
	wait             = mpiapi.ActWait
	waitall          = mpiapi.ActWaitall
	waitany          = mpiapi.ActWaitany
	waitsome         = mpiapi.ActWaitsome
	test             = mpiapi.ActTest
	testall          = mpiapi.ActTestall
	testany          = mpiapi.ActTestany
	testsome         = mpiapi.ActTestsome
	requestStatus    = mpiapi.ActRequestStatus
	start            = mpiapi.ActStart
	startall         = mpiapi.ActStartall
	requestFree      = mpiapi.ActRequestFree
	cancel           = mpiapi.ActCancel
	parrived         = mpiapi.ActParrived
	grequestComplete = mpiapi.ActGrequestComplete
	otherRequest     = mpiapi.ActOtherRequest
	psendInit        = mpiapi.ActPsendInit
	precvInit        = mpiapi.ActPrecvInit
	pready           = mpiapi.ActPready
	collective       = mpiapi.ActCollective
	icollective      = mpiapi.ActIcollective
	commFree         = mpiapi.ActCommFree
	winFree          = mpiapi.ActWinFree
	fileClose        = mpiapi.ActFileClose
	typeNew          = mpiapi.ActTypeNew
	typeCommit       = mpiapi.ActTypeCommit
	typeFree         = mpiapi.ActTypeFree
	typeGiven        = mpiapi.ActTypeGiven
	typeContents     = mpiapi.ActTypeContents
	setName          = mpiapi.ActSetName
	setFileHandler   = mpiapi.ActSetFileHandler
	attribute        = mpiapi.ActAttribute
	changeInfo       = mpiapi.ActChangeInfo
	opNew            = mpiapi.ActOpNew
	opFree           = mpiapi.ActOpFree
	groupNew         = mpiapi.ActGroupNew
	groupFree        = mpiapi.ActGroupFree
	initMPI          = mpiapi.ActInit
	finalize         = mpiapi.ActFinalize
	endSession       = mpiapi.ActEndSession
	abort            = mpiapi.ActAbort
)

// makePlan works out a function's plan from the roles of its parameters and from its columns.
func makePlan(f *mpiapi.Func) plan {
	p := plan{
		fn: f, act: f.Act, mode: f.Mode, fixed: f.Fixed, collective: InOrder(f), gathers: f.ByGroup,
		requests: f.Arg(mpiapi.Requests), status: f.Arg(mpiapi.TheStatus), indices: f.Arg(mpiapi.Indices),
	}
	p.placeValues()
	p.buffered = (p.act == send || p.act == isend) && p.mode == match.Buffered
	p.completes = f.Completes() != mpiapi.CompletesNone || p.act == requestStatus
	p.planTypes()
	p.objects = planObjects(f)
	p.planOperation()
	if p.collective {
		p.agree = collargs.For(f)
	}
	p.blocks = f.Class == mpiapi.Collective && f.Act != commFree && f.Split != mpiapi.SplitBegin
	p.shared = f.Timing == mpiapi.TimingForever
	p.doubtful = f.Timing != mpiapi.NoTiming
	p.makesComm = p.newComm.At != 0
	p.makesHandle = p.makesComm || p.newWin.At != 0 || p.newFile.At != 0
	p.freesObject = p.objects != nil && len(p.objects.frees) > 0 || p.act == mrecv || p.act == imrecv
	p.planEndpoints()
	return p
}

// planOperation works out whether a call begins an operation on buffers that is no message, and whether functions of the
// program run inside the call.
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
	for _, v := range [...]struct {
		role mpiapi.Role
		to   *slot
	}{
		{mpiapi.TheComm, &p.comm},
		{mpiapi.TheWin, &p.win},
		{mpiapi.TheFile, &p.file},
		{mpiapi.Root, &p.root},
		{mpiapi.SendCount, &p.count},
		{mpiapi.SendType, &p.typ},
		{mpiapi.Dest, &p.dest},
		{mpiapi.SendTag, &p.tag},
		{mpiapi.RecvCount, &p.recvCount},
		{mpiapi.RecvType, &p.recvType},
		{mpiapi.Source, &p.source},
		{mpiapi.RecvTag, &p.recvTag},
		{mpiapi.Partitions, &p.partitions},
	} {
		*v.to = event.ValueSlot(p.fn, p.fn.Arg(v.role))
	}
	for _, v := range [...]struct {
		role mpiapi.Role
		to   *slot
	}{
		{mpiapi.Flag, &p.flag},
		{mpiapi.Index, &p.index},
		{mpiapi.OutCount, &p.outCount},
		{mpiapi.TheMessage, &p.messageAfter},
		{mpiapi.NewComm, &p.newComm},
		{mpiapi.NewType, &p.newType},
	} {
		*v.to = event.AfterSlot(p.fn, p.fn.Arg(v.role))
	}
	p.message = event.BeforeSlot(p.fn, p.fn.Arg(mpiapi.TheMessage))
	p.placeRequests()
	p.placeObjects()
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
	switch p.act {
	case opFree, groupFree, typeFree, typeCommit:
		p.oldHandle = event.BeforeSlot(f, 0)
	}
	for i := range f.Params { // the level asked for has the same role
		if f.Params[i].Role == mpiapi.ThreadLevel && f.Params[i].Layout.After != 0 {
			p.level = event.AfterSlot(f, i)
		}
	}
}

// address returns where the address is that a function is given in the parameter with a role.
func (p *plan) address(r mpiapi.Role) slot {
	return event.AddressSlot(p.fn, p.fn.Arg(r))
}
