package ring

import (
	"math"
	"sync/atomic"
)

// Version and magic numbers of preload/record.h. This file mirrors that header; TestLayout compares the two.
const (
	Version = 6

	magicControl = 0x314c54434556504d // "MPVECTL1"
	magicProcess = 0x31434f525056504d // "MPVPROC1"
	magicRing    = 0x31474e495256504d // "MPVRING1"
	magicLayouts = 0x315459414c56504d // "MPVLAYT1"
	magicObjects = 0x314a424f4356504d // "MPVCOBJ1"
)

// States of mvProcess.state.
const (
	stateStarted = iota
	stateExited
	stateSignaled
)

// Line is the unit of record lengths and positions in bytes.
const Line = 64

// Offsets within the header of a record (struct mv_record), and its length. A record's payload begins at HeaderSize.
const (
	OffKind    = 0  // uint16: a call's mpiapi.FuncID, or one of the Info… kinds
	OffLines   = 2  // uint16: length in lines
	OffSite    = 4  // uint32: number of the call site, 0 if unknown
	OffRC      = 8  // int32: what the call returned
	OffFlags   = 12 // uint16: Timed …
	OffUsed    = 14 // uint16: length of the fixed part in bytes, the header included
	HeaderSize = 16
)

// Timed is the record flag that says that the last TimesSize bytes of the record are the times (in ticks of the
// processor's time stamp counter, uint64 each) of entering and of leaving the call.
const (
	Timed     = 1
	TimesSize = 16
)

// Late is the record flag of a call without times that was left when a second thread of the process had called MPI: when,
// says mvRing.late.
const Late = 2

// The kinds of sections of a call record (enum mv_section_kind). A section begins with its kind (uint16), the index of
// its parameter (uint16) and the number of its elements (uint32); elements follow, padded to 8 bytes together.
const (
	SecEnd    = 0
	SecIn32   = 1 // int at entry
	SecIn64   = 2 // handles, MPI_Aint, MPI_Count at entry
	SecOut32  = 3 // int after the call
	SecOut64  = 4 // handles etc. after the call
	SecStatus = 5 // struct mv_status after the call
	SecString = 6 // characters at entry
	SecCut    = 7 // elements are in InfoData records before (at entry) or behind (after the call) the record

	SectionSize = 8
	StatusSize  = 24
)

// The flags of an InfoSums record, and the peer that stands for all.
const (
	SumsReceived = 1 // of what the call has received; else of what it sends
	SumsFailed   = 2 // the call has returned an error
	SumsMade     = 4 // of the operation that the call has made
	SumsOver     = 8 // nothing more will come of the operation

	SumsBlocks = 16 // of consecutive blocks of one message
	SumsVoid   = 32 // nothing follows from the sums of the message

	SumAll  = 0xffffffff
	SumSize = 24

	SumBlocks = 64   // of a message at most,
	SumBlock  = 4096 // and what their length is a multiple of
)

// The lengths of what InfoChanged and InfoUnreachable records hold.
const (
	ChangedSize     = 40
	UnreachableSize = 24
)

// The kinds of records that are no calls (enum mv_info).
const (
	InfoSite   = 0xff00 // a call stack
	InfoModule = 0xff01 // a loaded file
	InfoNames  = 0xff02 // predefined handles and constants
	InfoComm   = 0xff03 // a communicator that the call before it has made
	InfoError  = 0xff04 // text of the error that the call before it returns
	InfoMPI    = 0xff05 // facts about MPI, at the end of MPI_Init
	InfoData   = 0xff06 // part of an array that was cut off a call record
	InfoSums   = 0xff07 // sums of the data that the call before it sends or has received

	InfoNeighbours = 0xff08 // of the process in the communicator that the InfoComm record before tells of

	InfoFreed = 0xff09 // what was freed inside of the call before it

	InfoChanged     = 0xff0a // data that changed while the operation read them that the call before it completes
	InfoUnreachable = 0xff0b // memory that the call before it hands to MPI and that can't be accessed

	FirstInfo = InfoSite // lowest kind that is no call
)

// The flags of an InfoError record (enum mv_error_flags).
const (
	ErrorFatal   = 1 // the handler is MPI_ERRORS_ARE_FATAL: the call will not return
	ErrorRefused = 2 // the error is mpivet's, in strict mode: the call did not enter MPI
	ErrorRaised  = 4 // MPI is about to hand the error to its handler: the call will return only if that does
)

// mvControl is struct mv_control: written by the analyzer before the first process starts, then read-only except for
// stop, strict, asleep, refusals and beat (written by the analyzer) and unrecorded, shrunk and asked (added to by ranks).
type mvControl struct {
	magic      uint64
	version    uint32
	headerSize uint32
	tableHash  uint64
	ringSize   uint64
	stacks     uint32
	stop       atomic.Uint32
	unrecorded atomic.Uint32
	shrunk     atomic.Uint32
	fallback   [256]byte
	strict     atomic.Uint32
	asked      atomic.Uint32
	asleep     atomic.Uint32
	refusals   atomic.Uint32
	sums       uint32
	analyzer   uint32
	beat       atomic.Uint64
	sumLimit   uint64
	namespace  uint64
	verdicts   uint32
	_          uint32
}

// mvProcess is struct mv_process: written by the process. Its end is valid once state (released last by the process)
// says so. The analyzer writes layouts.
type mvProcess struct {
	magic       uint64
	version     uint32
	headerSize  uint32
	pid         uint32
	ppid        uint32
	rank        int32
	worldSize   int32
	state       atomic.Uint32
	code        int32
	initialized uint32
	finalized   uint32
	aborted     uint32
	inMPI       uint32
	exitKind    uint32
	endTID      uint32
	endTime     uint64
	faultAddr   uint64
	senderPID   int32
	npcs        uint32
	pcs         [64]uint64
	startTime   uint64
	exe         [256]byte
	nmaps       uint32
	layouts     uint32
	leaving     atomic.Uint32
	verdict     uint32
	maps        [8]mvMap
}

type mvMap struct {
	start, end, offset uint64
	path               [232]byte
}

// mvRing is struct mv_ring, the head of a ring's file. The thread writes head (release after the bytes of a record),
// done (release after the results of a call) and the counters behind it; the analyzer writes tail (release when the
// records before it may be overwritten) and what follows it (judged last, by release). The rest does not change once the file is visible.
type mvRing struct {
	magic      uint64
	version    uint32
	headerSize uint32
	size       uint64
	pid        uint32
	tid        uint32
	thread     uint32
	mainThread uint32
	process    [32]byte
	_          [56]byte
	head       atomic.Uint64
	done       atomic.Uint64
	queries    atomic.Uint64
	stalls     atomic.Uint64
	stallNS    atomic.Uint64
	holding    atomic.Uint32
	_          uint32
	call       atomic.Uint64
	calls      atomic.Uint64
	late       atomic.Uint64
	repeats    atomic.Uint64
	_          [48]byte
	tail       atomic.Uint64
	judged     atomic.Uint64
	refusedOn  uint64
	refused    uint32
	why        [100]byte
	since      atomic.Uint64
	seenCalls  atomic.Uint64
	seenDone   atomic.Uint64
	_          [40]byte
}

// unjudged is what mvRing.judged says where calls are not judged any more.
const unjudged = math.MaxUint64

// mvLayouts is struct mv_layouts, the head of the file of a process's layouts, which the analyzer writes.
type mvLayouts struct {
	magic      uint64
	version    uint32
	headerSize uint32
	size       uint64
	slotBits   uint32
	_          uint32
	freed      atomic.Uint64
	_          [24]byte
}

// layoutProbes is how many slots a handle may be in.
const layoutProbes = 64

// mvLayoutSlot is struct mv_layout_slot.
type mvLayoutSlot struct{ handle, at atomic.Uint64 }

// mvObjects is struct mv_objects, the head of a file of communicators, windows and files, which the process writes.
type mvObjects struct {
	magic      uint64
	version    uint32
	headerSize uint32
	objectSize uint32
	count      uint32
	kinds      uint32
	homeless   uint32
	namesAt    uint32
	namesRoom  uint32
	namesUsed  uint32
	_          uint32
}

// Kinds is how many kinds of collectives have counters (MV_KINDS), objectRuns how many runs of ranks an object has room for.
const (
	Kinds      = 192
	objectRuns = 30
	runSize    = 12
)

// mvObject is struct mv_object.
type mvObject struct {
	serial     uint64
	handle     uint64
	id         uint64
	parent     uint64
	number     uint64
	kind       uint32
	made       uint32
	flags      uint32
	rank       int32
	size       int32
	remoteSize int32
	runs       uint32
	remoteRuns uint32
	run        [objectRuns][3]int32
	name       [128]byte
	_          [464]byte
	count      [Kinds]mvCount
}

type mvCount struct{ entered, left uint64 }
