package track

import (
	"strings"

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
	mode  uint8 // of the send part, match.Mode
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

// action is how a call changes the state.
type action uint8

const (
	nothing action = iota
	send
	recv
	sendrecv
	isend
	irecv
	isendrecv
	sendInit
	recvInit
	probe
	mprobe
	mrecv
	imrecv
	wait
	waitall
	waitany
	waitsome
	test
	testall
	testany
	testsome
	requestStatus
	start
	startall
	requestFree
	cancel
	parrived
	grequestComplete
	otherRequest // returns a request of another kind
	psendInit
	precvInit
	pready
	collective
	icollective
	commFree
	winFree
	fileClose
	typeNew
	typeCommit
	typeFree
	typeGiven
	typeContents
	setName
	setFileHandler
	attribute
	changeInfo
	opNew
	opFree
	groupNew
	groupFree
	initMPI
	finalize
	endSession
	abort
)

var byName = map[string]action{
	"MPI_Probe": probe, "MPI_Iprobe": probe, "MPI_Mprobe": mprobe, "MPI_Improbe": mprobe,
	"MPI_Mrecv": mrecv, "MPI_Imrecv": imrecv,
	"MPI_Wait": wait, "MPI_Waitall": waitall, "MPI_Waitany": waitany, "MPI_Waitsome": waitsome,
	"MPI_Test": test, "MPI_Testall": testall, "MPI_Testany": testany, "MPI_Testsome": testsome,
	"MPI_Request_get_status": requestStatus, "MPI_Start": start, "MPI_Startall": startall,
	"MPI_Request_free": requestFree, "MPI_Cancel": cancel,
	"MPI_Parrived":          parrived,
	"MPI_Grequest_complete": grequestComplete,
	"MPI_Comm_free":         commFree, "MPI_Comm_disconnect": commFree, "MPI_Win_free": winFree, "MPI_File_close": fileClose,
	"MPI_Type_commit": typeCommit, "MPI_Type_free": typeFree, "MPI_Type_get_contents": typeContents,
	"MPI_File_get_view":      typeGiven,
	"MPI_Comm_create_keyval": attribute, "MPI_Type_create_keyval": attribute, "MPI_Win_create_keyval": attribute,
	"MPI_Keyval_create": attribute, "MPI_Comm_set_attr": attribute, "MPI_Type_set_attr": attribute,
	"MPI_Win_set_attr": attribute, "MPI_Attr_put": attribute,
	"MPI_Comm_set_name": setName, "MPI_Type_set_name": setName, "MPI_Win_set_name": setName,
	"MPI_Info_create": changeInfo, "MPI_Info_dup": changeInfo, "MPI_Info_set": changeInfo, "MPI_Info_delete": changeInfo,
	"MPI_Info_free":           changeInfo,
	"MPI_File_set_errhandler": setFileHandler, "MPI_Op_create": opNew, "MPI_Op_free": opFree,
	"MPI_Group_free": groupFree,
	"MPI_Init":       initMPI, "MPI_Init_thread": initMPI, "MPI_Session_init": initMPI,
	"MPI_Finalize": finalize, "MPI_Session_finalize": endSession, "MPI_Abort": abort,
	"MPI_Psend_init": psendInit, "MPI_Precv_init": precvInit,
	"MPI_Pready": pready, "MPI_Pready_range": pready, "MPI_Pready_list": pready,
}

var byClass = map[mpiapi.Class]action{
	mpiapi.Send: send, mpiapi.Recv: recv, mpiapi.SendRecv: sendrecv, mpiapi.Isend: isend, mpiapi.Irecv: irecv,
	mpiapi.Isendrecv: isendrecv, mpiapi.SendInit: sendInit, mpiapi.RecvInit: recvInit,
	mpiapi.Collective: collective, mpiapi.Icollective: icollective, mpiapi.CollectiveInit: icollective,
}

// sendModes maps what follows "MPI_" or "MPI_I" to the mode of a send.
var sendModes = map[byte]uint8{'B': 1, 'b': 1, 'S': 0, 's': 0, 'R': 3, 'r': 3}

func sendMode(name string) uint8 {
	switch name {
	case "MPI_Ssend", "MPI_Issend", "MPI_Ssend_init", "MPI_Ssend_c", "MPI_Issend_c", "MPI_Ssend_init_c":
		return 2
	}
	letter := name[4]
	if letter == 'I' {
		letter = name[5]
	}
	return sendModes[letter]
}

func makePlan(f *mpiapi.Func) plan {
	p := plan{fn: f, fixed: f.Fixed, requests: -1, status: -1, indices: -1, collective: InOrder(f)}
	value := func(r mpiapi.Role) slot { return event.ValueSlot(f, f.Arg(r)) }
	before := func(i int) slot { return event.BeforeSlot(f, i) }
	after := func(i int) slot { return event.AfterSlot(f, i) }
	p.comm, p.win, p.file = value(mpiapi.TheComm), value(mpiapi.TheWin), value(mpiapi.TheFile)
	p.count, p.typ = value(mpiapi.SendCount), value(mpiapi.SendType)
	p.recvCount, p.recvType = value(mpiapi.RecvCount), value(mpiapi.RecvType)
	p.dest, p.tag = value(mpiapi.Dest), value(mpiapi.SendTag)
	p.source, p.recvTag = value(mpiapi.Source), value(mpiapi.RecvTag)
	p.root = value(mpiapi.Root)
	p.partitions = value(mpiapi.Partitions)
	if i := f.Arg(mpiapi.TheRequest); i >= 0 {
		if f.Params[i].Pointer {
			p.request = slot{At: f.Params[i].Layout.At, Wide: true}
			p.requestBefore, p.requestAfter = before(i), after(i)
		} else {
			p.requestBefore = slot{At: f.Params[i].Layout.At, Wide: f.Params[i].Layout.Wide}
		}
	}
	p.flag = after(f.Arg(mpiapi.Flag))
	p.index = after(f.Arg(mpiapi.Index))
	p.outCount = after(f.Arg(mpiapi.OutCount))
	for i := range f.Params { // the level asked for has the same role
		if f.Params[i].Role == mpiapi.ThreadLevel && f.Params[i].Layout.After != 0 {
			p.level = after(i)
		}
	}
	p.requests, p.status, p.indices = f.Arg(mpiapi.Requests), f.Arg(mpiapi.TheStatus), f.Arg(mpiapi.Indices)
	if p.requests >= 0 {
		p.request = slot{At: f.Params[p.requests].Layout.At, Wide: true}
	}
	if i := f.Arg(mpiapi.TheMessage); i >= 0 {
		p.message, p.messageAfter = before(i), after(i)
	}
	p.newComm, p.newType = after(f.Arg(mpiapi.NewComm)), after(f.Arg(mpiapi.NewType))
	if i := f.Arg(mpiapi.TheComm); i >= 0 && f.Params[i].Pointer {
		p.comm = before(i)
	}
	if i := f.Arg(mpiapi.TheWin); i >= 0 && f.Params[i].Pointer {
		p.win, p.newWin = before(i), after(i)
	}
	if i := f.Arg(mpiapi.TheFile); i >= 0 && f.Params[i].Pointer {
		p.file, p.newFile = before(i), after(i)
	}
	name := f.Name
	if n := len(name); n > 2 && name[n-2:] == "_c" {
		name = name[:n-2]
	}
	act, ok := byName[name]
	if !ok {
		act = byClass[f.Class]
	}
	switch {
	case act == sendInit || act == send || act == isend || act == sendrecv || act == isendrecv:
		if act != sendrecv && act != isendrecv {
			p.mode = sendMode(name)
		}
	case act == opFree || act == groupFree:
		p.oldHandle = before(0)
	case act == typeFree || act == typeCommit:
		p.oldHandle = before(0)
	case act == nothing && p.newType.At != 0:
		act = typeNew
	case act == nothing && f.Arg(mpiapi.NewGroup) >= 0:
		act = groupNew
	case act == nothing && p.requestAfter.At != 0 && f.Class != mpiapi.RequestOp:
		act = otherRequest
	case name == "MPI_Grequest_start" || name == "MPIX_Grequest_start" || name == "MPIX_Grequest_class_allocate":
		act = otherRequest
	}
	p.act = act
	p.gathers = gatherers[name]
	p.buffered = (act == send || act == isend) && match.Mode(p.mode) == match.Buffered
	p.completes = wait <= act && act <= requestStatus
	p.planTypes()
	p.objects = planObjects(f)
	p.planOperation()
	if p.collective {
		p.agree = collargs.For(f)
	}
	p.blocks = f.Class == mpiapi.Collective && act != commFree && !strings.HasSuffix(name, "_begin")
	p.shared = name == "MPI_Win_allocate_shared" || name == "MPI_Win_shared_query"
	p.doubtful = p.shared || name == "MPI_Win_lock" || name == "MPI_Win_lock_all" || name == "MPI_Win_test"
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

// address returns where the address is that a function is given in the parameter with a role.
func (p *plan) address(r mpiapi.Role) slot {
	return event.AddressSlot(p.fn, p.fn.Arg(r))
}
