package track

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// action says how tracking follows a call, by the effect of the call. A nil function has no effect.
type action struct {
	// enter: a thread has called the function, and MPI has not taken over yet.
	enter func(t *Tracker, th *Thread, p *plan, c *event.Call)
	// leave: the call has returned rc.
	leave func(t *Tracker, th *Thread, p *plan, c *event.Call, rc int32)
	// succeed: the call has returned MPI_SUCCESS. It comes after leave.
	succeed func(t *Tracker, th *Thread, p *plan, c *event.Call)
}

// actions are the actions of all calls, by the column act of the API table. Acts that are missing here have no effect.
var actions = [...]action{
	mpiapi.ActSend:      {enter: enterSend, leave: leaveSend},
	mpiapi.ActRecv:      {enter: enterRecv, leave: leaveRecv},
	mpiapi.ActSendrecv:  {enter: enterSendrecv, leave: leaveSendrecv},
	mpiapi.ActIsend:     {enter: enterSend, leave: leaveImmediate},
	mpiapi.ActIrecv:     {enter: enterRecv, leave: leaveImmediate},
	mpiapi.ActIsendrecv: {enter: enterSendrecv, leave: leaveImmediate},
	mpiapi.ActProbe:     {enter: enterProbe, succeed: succeedProbe},
	mpiapi.ActMprobe:    {enter: enterProbe, succeed: succeedMprobe},
	mpiapi.ActMrecv:     {leave: leaveMrecv},
	mpiapi.ActImrecv:    {leave: leaveImrecv},

	mpiapi.ActSendInit:      {succeed: succeedInit},
	mpiapi.ActRecvInit:      {succeed: succeedInit},
	mpiapi.ActPsendInit:     {succeed: succeedPartitionedInit},
	mpiapi.ActPrecvInit:     {succeed: succeedPartitionedInit},
	mpiapi.ActOtherRequest:  {succeed: succeedOtherRequest},
	mpiapi.ActIcollective:   {succeed: succeedIcollective},
	mpiapi.ActStart:         {enter: enterStart, leave: leaveStart},
	mpiapi.ActStartall:      {enter: enterStart, leave: leaveStart},
	mpiapi.ActPready:        {enter: enterPready},
	mpiapi.ActParrived:      {succeed: succeedParrived},
	mpiapi.ActCancel:        {enter: enterCancel, succeed: succeedCancel},
	mpiapi.ActRequestFree:   {leave: leaveRequestFree},
	mpiapi.ActWait:          {leave: leaveWait},
	mpiapi.ActWaitall:       {leave: leaveWait},
	mpiapi.ActWaitany:       {leave: leaveWait},
	mpiapi.ActWaitsome:      {leave: leaveWait},
	mpiapi.ActTest:          {leave: leaveWait},
	mpiapi.ActTestall:       {leave: leaveWait},
	mpiapi.ActTestany:       {leave: leaveWait},
	mpiapi.ActTestsome:      {leave: leaveWait},
	mpiapi.ActRequestStatus: {leave: leaveWait},

	mpiapi.ActRequestStatusAll:  {leave: leaveWait},
	mpiapi.ActRequestStatusAny:  {leave: leaveWait},
	mpiapi.ActRequestStatusSome: {leave: leaveWait},
	mpiapi.ActBufferIflush:      {succeed: succeedOtherRequest},

	mpiapi.ActCommFree:     {succeed: succeedCommFree},
	mpiapi.ActWinFree:      {succeed: succeedWinFree},
	mpiapi.ActFileClose:    {succeed: succeedFileClose},
	mpiapi.ActTypeNew:      {enter: enterTypeNew, succeed: succeedTypeNew},
	mpiapi.ActTypeCommit:   {succeed: succeedTypeCommit},
	mpiapi.ActTypeFree:     {leave: leaveTypeFree},
	mpiapi.ActTypeGiven:    {succeed: succeedTypeGiven},
	mpiapi.ActTypeContents: {succeed: succeedTypeContents},
	mpiapi.ActOpNew:        {succeed: succeedOpNew},
	mpiapi.ActOpFree:       {succeed: succeedOpFree},
	mpiapi.ActGroupNew:     {succeed: succeedGroupNew},
	mpiapi.ActGroupFree:    {succeed: succeedGroupFree},
	mpiapi.ActChangeInfo:   {succeed: succeedChangeInfo},
	mpiapi.ActSetName:      {succeed: succeedSetName},
	mpiapi.ActAttribute:    {succeed: succeedAttribute},

	mpiapi.ActInit:           {leave: leaveInit},
	mpiapi.ActFinalize:       {enter: enterFinalize, succeed: succeedFinalize},
	mpiapi.ActEndSession:     {succeed: succeedEndSession},
	mpiapi.ActAbort:          {enter: enterAbort},
	mpiapi.ActSetFileHandler: {succeed: succeedSetFileHandler},
}

func succeedCommFree(t *Tracker, th *Thread, p *plan, c *event.Call) {
	t.leaveCommFree(th, p.comm.Handle(c.Raw()))
}

func succeedWinFree(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	if h := p.win.Handle(c.Raw()); th.Process.wins[h] == th.view {
		delete(th.Process.wins, h)
	}
}

func succeedFileClose(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	if h := p.file.Handle(c.Raw()); th.Process.files[h] == th.view {
		delete(th.Process.files, h)
	}
}

func enterTypeNew(t *Tracker, th *Thread, p *plan, c *event.Call) { t.construct(th, p, c) }

func succeedTypeNew(t *Tracker, th *Thread, p *plan, c *event.Call) { t.newType(th, p, c.Raw()) }

func succeedTypeCommit(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	th.Process.commitType(p.oldHandle.Handle(c.Raw()), th, c.Raw())
}

func leaveTypeFree(_ *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	pr, h := th.Process, p.oldHandle.Handle(c.Raw())
	if rc == 0 && !th.renewed(mpiapi.Datatype, h) {
		pr.freeType(h, th, c.Raw())
	}
	if pr.watcher != nil {
		pr.watcher.FreeReturned(pr)
	}
}

func succeedTypeGiven(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	for _, s := range p.given {
		th.Process.givenType(s.Handle(c.Raw()), nil)
	}
}

func succeedTypeContents(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	outer := th.Process.types[c.Handle(0)]
	list, _ := c.Out(p.fn.Arg(mpiapi.NewType))
	if outer == nil || outer.Permanent {
		return
	}
	// The program may have made room for more elements than needed. The rest is undefined.
	for i := range min(list.Len(), len(outer.Olds)) {
		th.Process.givenType(list.Handle(i), outer.Olds[i])
	}
}

func succeedOpNew(_ *Tracker, th *Thread, _ *plan, c *event.Call) { th.Process.newOp(th, c) }

func succeedOpFree(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	if h := p.oldHandle.Handle(c.Raw()); !th.renewed(mpiapi.Op, h) {
		th.Process.freeOp(h)
	}
}

func succeedGroupNew(t *Tracker, th *Thread, _ *plan, c *event.Call) { t.newGroup(th.Process, c) }

func succeedGroupFree(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	th.Process.freeGroup(p.oldHandle.Handle(c.Raw()))
}

func succeedChangeInfo(_ *Tracker, th *Thread, _ *plan, c *event.Call) { th.Process.changeInfo(th, c) }

func succeedSetName(_ *Tracker, th *Thread, p *plan, c *event.Call) { th.Process.setName(p, c) }

func succeedAttribute(_ *Tracker, th *Thread, _ *plan, c *event.Call) {
	th.Process.followAttribute(th.Process.names, c)
}

func leaveInit(_ *Tracker, th *Thread, p *plan, c *event.Call, rc int32) {
	pr := th.Process
	if rc == 0 {
		pr.Initialized = true
		pr.changePhase(th, p, c.Raw())
	}
	if p.level.Exists() {
		pr.Multiple = pr.names.isConst("MPI_THREAD_MULTIPLE", p.level.Int(c.Raw()))
	}
}

func enterFinalize(t *Tracker, th *Thread, _ *plan, c *event.Call) {
	th.Process.Finalizing, th.Process.Finalizes = true, true
	t.Events.FinalizeEntered.Publish(FinalizeEntered{th.Process, th.call(c.Raw())})
}

func succeedFinalize(t *Tracker, th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	if !pr.Finalized {
		pr.Finalized = true
		pr.changePhase(th, p, c.Raw())
		t.Events.FinalizeLeft.Publish(pr)
	}
}

func succeedEndSession(_ *Tracker, th *Thread, p *plan, c *event.Call) {
	th.Process.changePhase(th, p, c.Raw())
}

func enterAbort(t *Tracker, th *Thread, _ *plan, _ *event.Call) {
	th.Process.Aborting, t.Aborting = true, true
}

func succeedSetFileHandler(_ *Tracker, th *Thread, _ *plan, _ *event.Call) {
	th.Process.FileHandler = true
}
