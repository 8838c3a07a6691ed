// Package track follows what each process has: its communicators, requests, datatypes and names, and the call that each
// of its threads is in. It turns calls into the operations that package match puts together across processes.
package track

import (
	"math"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Thread is a thread that calls MPI.
type Thread struct {
	*ring.Thread
	Process *Process
	Calls   uint64 // that have records
	Open    Open
	Last    match.Call // the last call that was seen, complete or not
	Failure *Failure   // what the call under way, or just complete, reported
	freeing uint64     // how many objects the process had made when the thread entered a call that frees
	taken   *match.Op  // the receive of the message that the call under way consumes
	raised  bool       // an error handler has got Failure, and has not returned

	ops  [2]*match.Op // of the call under way
	pos  uint64       // its place in the order of collectives
	view *View        // its communicator, window or file
	comm []event.Comm // made by the call under way

	// Held is memory that MPI holds because of the call under way. A request that the call returns takes it over. Only package
	// analysis/buffers uses it.
	Held        memory.Held
	constructed *datatype.Type // by the constructor of datatypes under way
	// Explained says which check has reported what is wrong with the call under way.
	Explained Explanation
	resting   bool // in Tracker.resting, or handed out from there
	orderly   bool // none of its calls is worth an OddTime
	// tellReturn: its next return from a call is an event, see TellReturn.
	tellReturn bool
	started    []*Request // by the MPI_Start or MPI_Startall under way
	polls      uint64     // tests and probes that found nothing
	repeats    uint64     // such as have no records
	turns      turns
	polling    *polling // nil if there were none

	decoder event.Decoder
}

// Open is the call that a thread is in, as of the records read so far.
type Open struct {
	Func  *mpiapi.Func // nil if it is in none
	Call  event.Call   // a copy
	Since int          // the tick at which it was entered; in strict mode, at which it was let into MPI
	// Refused: in strict mode, it is not let into MPI, and about to return.
	Refused bool

	room []byte
}

// Failure is an error that a call returned, or is about to die of.
type Failure struct {
	Code, Class int32
	Text        string
	Fatal       bool // MPI_ERRORS_ARE_FATAL: the call will not return
	// Comm and Position are the place of a failed collective, Comm nil if the call is none.
	Comm     *match.Comm
	Position uint64
	Refused  bool // the error is mpivet's, in strict mode: the call did not enter MPI
}

// View is a communicator, window or file as one process sees it.
type View struct {
	*match.Comm
	Handle uint64
	Me     int32 // the process's member number
	Base   int32 // member number of rank 0 as a peer
	Peers  int32 // number of ranks that can be peers
	Name   string
	Made   match.Call // the call that made it, empty if predefined

	again    *[repeats]repeat // the last collectives, by call site; nil if there were few
	topology *topology        // nil if it has none, or an unknown one
	splits   *splits          // nil if it is no file, or has had no collective yet
}

// RequestKind says what a request stands for.
type RequestKind uint8

// The kinds of requests.
const (
	OtherRequest RequestKind = iota // I/O, one-sided, generalized, partitioned
	SendRequest
	RecvRequest
	BothRequest // MPI_Isendrecv
	CollectiveRequest
)

// Request is a request that the program has not completed or freed.
type Request struct {
	Handle     uint64
	Var        uint64 // address of the variable that received it
	Kind       RequestKind
	Persistent bool
	Active     bool
	Cancelled  bool         // by MPI_Cancel, since it became active: it may take part all the same
	Known      bool         // its operation is complete, as MPI_Request_get_status or MPI_Parrived has said
	Started    bool         // a persistent one, at least once
	Refused    bool         // MPI would not free it, and that it can't be freed was told
	Ops        [2]*match.Op // while active; nil for MPI_PROC_NULL
	View       *View        // collective
	Pos        uint64
	// Of a persistent collective, and of one side of a partitioned message.
	Rounds      *Rounds
	Partitioned *Partitioned
	Made        match.Call // the call that made it
	Number      uint64     // of the request among the process's, in the order of their making
	Operation   uint64     // event.Operation of Made

	// Overwritten is the call that returned another request into the variable while this one was not over, nil if there
	// is none. A copy of the handle may be left.
	Overwritten *match.Call

	Held memory.Held // by its operation. Only package analysis/buffers uses it
	Sums uint64      // the number of its operation. Only package analysis/checksum uses it

	list       *requestList // of its handle; nil when it is over
	prev, next *Request     // same handle
}

// Limits are numbers of objects that a process has at once which are worth a notice, as are twice as many, and so on; 0: none is.
type Limits struct {
	Requests, Datatypes, Comms int
	Others                     int // of each other kind
}

// DefaultLimits are those that Intel's checker had (CHECK-MAX-REQUESTS, CHECK-MAX-DATATYPES), as far as it had any.
var DefaultLimits = Limits{Requests: 100, Datatypes: 1000, Comms: 100, Others: 100}

// Of returns the limit of a kind of objects, a number never reached if there is none.
func (l *Limits) Of(k mpiapi.Kind) int {
	n := l.Others
	switch k {
	case mpiapi.Request:
		n = l.Requests
	case mpiapi.Datatype:
		n = l.Datatypes
	case mpiapi.Comm:
		n = l.Comms
	}
	if n <= 0 {
		return math.MaxInt
	}
	return n
}

// TypeWatcher is told which handles are committed datatypes.
type TypeWatcher interface {
	// Committed: handle is a datatype that may be used, from now on.
	Committed(p *Process, handle uint64, t *datatype.Type)
	// Gone: handle is no datatype any more, or will be another one.
	Gone(p *Process, handle uint64)
	// FreeReturned: a call of MPI_Type_free has returned, successfully or not, and what follows from it was told.
	FreeReturned(p *Process)
}

// Tracker follows all processes.
type Tracker struct {
	// Types, if it is set before the first process, is told what becomes of datatypes.
	Types TypeWatcher
	// Limits are set before the first process: DefaultLimits if they are not.
	Limits Limits
	// Replay, if it is set before the first process, is told what each thread does and waits for.
	Replay Replay

	Events    Events
	Processes []*Process
	Threads   []*Thread
	Worlds    []*match.World
	Comms     *match.Registry
	Match     *match.Matcher
	Now       int  // ticks that have passed
	Ended     int  // processes that have ended
	Killed    int  // of these, such as were killed inside the MPI program, or ended by MPI
	Aborting  bool // MPI_Abort was entered by some process

	resting []*Thread // see Resting
	plans   []plan
	quick   []quick // by number, like plans
	// subscribed: the first batch has come, so all have subscribed to what they want.
	subscribed bool
	free       *Request
	shared     map[datatypeKey]*match.Datatype
	unnamed    *names                 // of processes that have told none: all others go on from them
	texts      map[string]string      // that many processes tell
	files      map[string]*mappedFile // by path, the last one
	mappings   int                    // in the process whose mapping was told last
	trees      trees
	ByRank     map[rankKey]*Process
	damaged    int // records of communicators and the like that made no sense
	scratch    match.Call
	entry      match.Entry
	kept       match.Kept
	member     collargs.Member
	memo       collargs.Memo
	leaders    map[leaders][]*leader
	groups     map[groupKey]group.Group // that operations have made

	strangers map[stranger]bool // whose gatherings are not known

	persistent map[place]*Rounds
	halves     map[channel][]*Partitioned // that have no partner
}

type datatypeKey struct {
	dialect datatype.Dialect
	name    string
	size    int64
}

type rankKey struct {
	world *match.World
	rank  int
}

// New returns a tracker that hands operations to m.
func New(m *match.Matcher) *Tracker {
	t := &Tracker{
		Limits: DefaultLimits,
		Comms:  match.NewRegistry(), Match: m,
		shared: make(map[datatypeKey]*match.Datatype), trees: newTrees(),
		ByRank: make(map[rankKey]*Process), leaders: make(map[leaders][]*leader),
		groups:    make(map[groupKey]group.Group),
		strangers: make(map[stranger]bool), persistent: make(map[place]*Rounds), halves: make(map[channel][]*Partitioned),
		unnamed: noNames(), texts: make(map[string]string), files: make(map[string]*mappedFile),
	}
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(t.plans) {
			t.plans = append(t.plans, plan{fixed: 1 << 30}) // a number of no function
		}
		t.plans[f.ID] = makePlan(f)
		for len(t.quick) < len(t.plans) {
			t.quick = append(t.quick, quick{})
		}
		t.quick[f.ID] = makeQuick(&t.plans[f.ID])
	}
	return t
}

// Proc enters a process.
func (t *Tracker) Proc(p *ring.Proc) {
	t.Processes = append(t.Processes, &Process{
		Proc: p, Rank: p.Rank,
		library:      library{names: t.unnamed, constants: t.unnamed.constants, maxTag: math.MaxInt32},
		commTable:    commTable{views: make(map[uint64]*View), registry: t.Comms, selfRank: -1},
		typeTable:    typeTable{watcher: t.Types, derived: derivedTypes{notice: t.Limits.Of(mpiapi.Datatype)}},
		requestTable: requestTable{notice: t.Limits.Of(mpiapi.Request)},
	})
}

// Thread enters a thread of a process that is known.
func (t *Tracker) Thread(th *ring.Thread) {
	p := t.Processes[th.Proc]
	n := &Thread{Thread: th, Process: p}
	p.Threads = append(p.Threads, n)
	p.several = len(p.Threads) > 1
	p.arrange()
	t.Threads = append(t.Threads, n)
	if t.Replay != nil {
		t.Replay.Start(n)
	}
}

// End notes that a process has ended.
func (t *Tracker) End(id ring.ProcID, e *ring.ProcEnd) {
	p := t.Processes[id]
	if e.Kind == ring.Lost {
		p.Lost = true
		t.Distrust(p)
		return
	}
	p.Ended = e
	p.Finalizing = p.Finalizing || e.Finalized // its last session
	t.Ended++
	if early := p.Initialized && !p.Finalizing; e.Kind == ring.Signaled || early && (e.Kind == ring.Vanished || e.Kind == ring.Exited && e.InMPI) {
		t.Killed++
	}
	if e.Kind == ring.Signaled {
		t.Events.ProcessDied.Publish(p)
	}
	t.endedByHandler(p)
	t.Events.ProcessEnded.Publish(p)
}

// Distrust keeps what p does not do from being held against anybody: not all that it does is known. With nil it
// concerns every process.
func (t *Tracker) Distrust(p *Process) {
	for _, w := range t.Worlds {
		w.Unsure = w.Unsure || p == nil || p.World == w
	}
}

// Tick lets a tenth of a second pass.
func (t *Tracker) Tick() {
	t.Now++
	t.Events.Tick.Publish(struct{}{})
}

// Finish tells that the run is over.
func (t *Tracker) Finish() { t.Events.RunOver.Publish(struct{}{}) }

// Waited returns for how many ticks a thread has been in the call that it is in.
func (t *Tracker) Waited(th *Thread) int { return t.Now - th.Open.Since }

// Done reports whether a thread's process has left MPI_Finalize, so that the thread will call nothing any more that others
// could wait for.
func (t *Tracker) Done(th *Thread) bool { return th.Process.Finalized && th.Open.Func == nil }

// rest notes that the last batch of a thread left it in a call, or that it is done.
func (t *Tracker) rest(th *Thread) {
	if !th.resting && (th.Open.Func != nil || th.Process.Finalized) {
		th.resting = true
		t.resting = append(t.resting, th)
	}
}

// Resting appends to list the threads that have been seen in a call, or to be done, since it was asked last, but for
// those that it has returned before and that have not Rested since.
func (t *Tracker) Resting(list []*Thread) []*Thread {
	list = append(list, t.resting...)
	clear(t.resting)
	t.resting = t.resting[:0]
	return list
}

// Rested lets Resting return a thread again.
func (th *Thread) Rested() { th.resting = false }

// Calls returns how many calls have been recorded, with the polls that were counted only.
func (t *Tracker) Calls() uint64 {
	var n uint64
	for _, th := range t.Threads {
		n += th.Calls + th.repeats
	}
	return n
}

// Damaged returns how many records made no sense and were left out.
func (t *Tracker) Damaged() int {
	n := t.damaged
	for _, th := range t.Threads {
		bad, _ := th.decoder.Err()
		n += bad
	}
	return n
}

// ProcessOf returns the process of the given rank in a world, nil if it is not seen.
func (t *Tracker) ProcessOf(w *match.World, rank int) *Process {
	return t.ByRank[rankKey{w, rank}]
}

// place puts a process into a world when MPI_Init has told its rank: one of the same size that has room for it. Several
// exist when a program starts others that are worlds of their own.
func (t *Tracker) place(p *Process, rank, size int) {
	p.Rank = rank
	for _, w := range t.Worlds {
		if w.Size == size && t.ByRank[rankKey{w, rank}] == nil {
			p.World = w
			t.ByRank[rankKey{w, rank}] = p
			return
		}
	}
	w := &match.World{Size: size}
	t.Worlds = append(t.Worlds, w)
	p.World = w
	t.ByRank[rankKey{w, rank}] = p
}

// Requests calls f for every request of the process, in no order.
func (rt *requestTable) Requests(f func(*Request)) {
	for _, l := range rt.lists {
		for r := l.oldest; r != nil; r = r.next {
			f(r)
		}
	}
}

// View returns what the process's communicator handle stands for, nil if that is unknown.
func (ct *commTable) View(handle uint64) *View {
	if v := ct.lastView; v != nil && v.Handle == handle {
		return v
	}
	v := ct.views[handle]
	if v == nil && ct.selfRank >= 0 && ct.self == handle {
		v = ct.makeSelf()
	}
	if v != nil {
		ct.lastView = v
	}
	return v
}

// ThreadByID returns a thread.
func (t *Tracker) ThreadByID(id ring.ThreadID) *Thread { return t.Threads[id] }
