// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.

package layout

import "sync/atomic"

// Constants of the header.
const (
	Version = 6
	// records begin at multiples of this, and their lengths are multiples of it
	Line = 64
	// "MPVECTL1"
	MagicControl = 0x314c54434556504d
	// "MPVPROC1"
	MagicProcess = 0x31434f525056504d
	// "MPVRING1"
	MagicRing = 0x31474e495256504d
	// "MPVLAYT1"
	MagicLayouts = 0x315459414c56504d
	// "MPVCOBJ1"
	MagicObjects = 0x314a424f4356504d
	Unjudged     = 0xffffffffffffffff
	SumAll       = 0xffffffff
	SumBlocks    = 64
	SumBlock     = 4096
	LayoutProbes = 64
	Kinds        = 192
	ObjectRuns   = 30
)

// The values of enum mv_process_state.
const (
	// no end seen yet; if the pid is gone, it was killed by SIGKILL or left by a raw system call
	StateStarted = 0
	// exit(), return from main, or _exit(): `code` is the exit status
	StateExited = 1
	// a fatal signal is about to kill the process: `code` is its number
	StateSignaled = 2
)

// The values of enum mv_refused.
const (
	GoOn   = 0 // the call may enter MPI
	OnComm = 1 // it returns an error instead, raised on a communicator …
	OnWin  = 2
	OnFile = 3
)

// The values of enum mv_flags.
const (
	// the last 16 bytes of the record are the times (TSC ticks) of entering and leaving the call; present once a
	// second thread of the process has called MPI
	Timed = 1
	// has no times, but was left when a second thread had called MPI: one call of a ring at most
	Late = 2
)

// The values of enum mv_section_kind.
const (
	SecEnd  = 0 // no section: the list is over
	SecIn32 = 1 // array of int at entry
	// array of handles, MPI_Aint or MPI_Count at entry (handles zero-extended to 64 bits)
	SecIn64   = 2
	SecOut32  = 3 // array of int after the call
	SecOut64  = 4 // array of handles etc. after the call
	SecStatus = 5 // struct mv_status after the call
	SecString = 6 // characters at entry, no terminating zero
	// the array of `count` elements is not here: it was too long; it precedes the record (IN), or follows it once it
	// is done (OUT), in MV_DATA records
	SecCut = 7
)

// The values of enum mv_info. Records that are no calls. Their payload begins behind struct mv_record.
const (
	Info       = 0xff00
	InfoSite   = 0xff00 // struct mv_site: a call stack, number in mv_record.site
	InfoModule = 0xff01 // struct mv_module: a loaded file
	InfoNames  = 0xff02 // list of struct mv_name: predefined handles and constants
	// struct mv_comm: a communicator that the call just recorded has made; precedes that call's done
	InfoComm = 0xff03
	// struct mv_error: text of the error that the call just recorded returned, or is about to die of
	InfoError = 0xff04
	InfoMPI   = 0xff05 // struct mv_mpi: at the end of MPI_Init
	// struct mv_data: a part of an array that was cut off a call record
	InfoData = 0xff06
	// struct mv_sums: of what the call just recorded sends or has received; precedes that call's done
	InfoSums = 0xff07
	// struct mv_neighbours: those in the communicator that the MV_COMM record before tells of
	InfoNeighbours = 0xff08
	// struct mv_freed: what was freed inside of the call just recorded
	InfoFreed = 0xff09
	// struct mv_changed: what the call just recorded completes has had its data changed; precedes that call's done
	InfoChanged = 0xff0a
	// struct mv_unreachable: memory that the call just recorded hands to MPI can't be accessed; precedes its done
	InfoUnreachable = 0xff0b
)

// The values of enum mv_name_kind.
const (
	NameConst      = 0
	NameComm       = 1
	NameGroup      = 2
	NameDatatype   = 3
	NameOp         = 4
	NameRequest    = 5
	NameWin        = 6
	NameFile       = 7
	NameInfo       = 8
	NameErrhandler = 9
	NameMessage    = 10
	NameSession    = 11
)

// The values of enum mv_error_flags.
const (
	// the handler is MPI_ERRORS_ARE_FATAL, the call will not return
	ErrorFatal = 1
	// strict mode: the error is mpivet's, and the call did not enter MPI
	ErrorRefused = 2
	// MPI is about to hand the error to its handler: the call will return only if that does
	ErrorRaised = 4
)

// The values of enum mv_sums_flags.
const (
	SumsReceived = 1 // what the call has received; else what it sends
	SumsFailed   = 2 // the call has returned an error
	// the operation is that of the call just recorded; if that makes a persistent one, nothing is sent yet
	SumsMade = 4
	SumsOver = 8 // nothing more will come of the operation
	// the sums are those of consecutive blocks of one message, which MV_SUM_BLOCKS tells of
	SumsBlocks = 16
	// the message's data are also used by another operation: nothing follows from its sums
	SumsVoid = 32
)

// The values of enum mv_sums_wanted. What sums of data are made for.
const (
	SumsNone = 0
	// what nonblocking operations send must stay as it is: only changes are recorded
	SumsKept = 1
	// and what messages and collectives move must arrive: sums are recorded
	SumsAll = 2
)

// The values of enum mv_collective. Kinds of collectives. The numbers are stable. Blocking, nonblocking and
// persistent forms (_init, and what MPI_Start does to it) do not match each other, so they count by themselves;
// MPI_Bcast and MPI_Bcast_c are one.
const (
	CollBarrier                   = 0
	CollBcast                     = 1
	CollGather                    = 2
	CollGatherv                   = 3
	CollScatter                   = 4
	CollScatterv                  = 5
	CollAllgather                 = 6
	CollAllgatherv                = 7
	CollAlltoall                  = 8
	CollAlltoallv                 = 9
	CollAlltoallw                 = 10
	CollReduce                    = 11
	CollAllreduce                 = 12
	CollReduceScatter             = 13
	CollReduceScatterBlock        = 14
	CollScan                      = 15
	CollExscan                    = 16
	CollNeighborAllgather         = 17
	CollNeighborAllgatherv        = 18
	CollNeighborAlltoall          = 19
	CollNeighborAlltoallv         = 20
	CollNeighborAlltoallw         = 21
	CollIbarrier                  = 22
	CollIbcast                    = 23
	CollIgather                   = 24
	CollIgatherv                  = 25
	CollIscatter                  = 26
	CollIscatterv                 = 27
	CollIallgather                = 28
	CollIallgatherv               = 29
	CollIalltoall                 = 30
	CollIalltoallv                = 31
	CollIalltoallw                = 32
	CollIreduce                   = 33
	CollIallreduce                = 34
	CollIreduceScatter            = 35
	CollIreduceScatterBlock       = 36
	CollIscan                     = 37
	CollIexscan                   = 38
	CollIneighborAllgather        = 39
	CollIneighborAllgatherv       = 40
	CollIneighborAlltoall         = 41
	CollIneighborAlltoallv        = 42
	CollIneighborAlltoallw        = 43
	CollBarrierInit               = 44
	CollBcastInit                 = 45
	CollGatherInit                = 46
	CollGathervInit               = 47
	CollScatterInit               = 48
	CollScattervInit              = 49
	CollAllgatherInit             = 50
	CollAllgathervInit            = 51
	CollAlltoallInit              = 52
	CollAlltoallvInit             = 53
	CollAlltoallwInit             = 54
	CollReduceInit                = 55
	CollAllreduceInit             = 56
	CollReduceScatterInit         = 57
	CollReduceScatterBlockInit    = 58
	CollScanInit                  = 59
	CollExscanInit                = 60
	CollNeighborAllgatherInit     = 61
	CollNeighborAllgathervInit    = 62
	CollNeighborAlltoallInit      = 63
	CollNeighborAlltoallvInit     = 64
	CollNeighborAlltoallwInit     = 65
	CollBarrierStart              = 66
	CollBcastStart                = 67
	CollGatherStart               = 68
	CollGathervStart              = 69
	CollScatterStart              = 70
	CollScattervStart             = 71
	CollAllgatherStart            = 72
	CollAllgathervStart           = 73
	CollAlltoallStart             = 74
	CollAlltoallvStart            = 75
	CollAlltoallwStart            = 76
	CollReduceStart               = 77
	CollAllreduceStart            = 78
	CollReduceScatterStart        = 79
	CollReduceScatterBlockStart   = 80
	CollScanStart                 = 81
	CollExscanStart               = 82
	CollNeighborAllgatherStart    = 83
	CollNeighborAllgathervStart   = 84
	CollNeighborAlltoallStart     = 85
	CollNeighborAlltoallvStart    = 86
	CollNeighborAlltoallwStart    = 87
	CollCommDup                   = 88
	CollCommDupWithInfo           = 89
	CollCommIdup                  = 90
	CollCommIdupWithInfo          = 91
	CollCommCreate                = 92
	CollCommSplit                 = 93
	CollCommSplitType             = 94
	CollIntercommMerge            = 95
	CollCartCreate                = 96
	CollGraphCreate               = 97
	CollCartSub                   = 98
	CollDistGraphCreate           = 99
	CollDistGraphCreateAdjacent   = 100
	CollCommSpawn                 = 101
	CollCommSpawnMultiple         = 102
	CollCommAccept                = 103
	CollCommConnect               = 104
	CollCommCreateGroup           = 105
	CollCommCreateFromGroup       = 106
	CollIntercommCreate           = 107
	CollIntercommCreateFromGroups = 108
	CollCommFree                  = 109
	CollCommDisconnect            = 110
	CollCommSetInfo               = 111
	CollCartMap                   = 112
	CollGraphMap                  = 113
	CollFinalize                  = 114
	CollWinCreate                 = 115
	CollWinAllocate               = 116
	CollWinAllocateShared         = 117
	CollWinCreateDynamic          = 118
	CollWinFence                  = 119
	CollWinFree                   = 120
	CollWinSetInfo                = 121
	CollFileOpen                  = 122
	CollFileClose                 = 123
	CollFileSetSize               = 124
	CollFilePreallocate           = 125
	CollFileSetInfo               = 126
	CollFileSetView               = 127
	CollFileSetAtomicity          = 128
	CollFileSync                  = 129
	CollFileSeekShared            = 130
	CollFileReadAtAll             = 131
	CollFileWriteAtAll            = 132
	CollFileReadAll               = 133
	CollFileWriteAll              = 134
	CollFileReadOrdered           = 135
	CollFileWriteOrdered          = 136
	CollFileIreadAtAll            = 137
	CollFileIwriteAtAll           = 138
	CollFileIreadAll              = 139
	CollFileIwriteAll             = 140
	CollFileReadAtAllBegin        = 141
	CollFileReadAtAllEnd          = 142
	CollFileReadAllBegin          = 143
	CollFileReadAllEnd            = 144
	CollFileReadOrderedBegin      = 145
	CollFileReadOrderedEnd        = 146
	CollFileWriteAtAllBegin       = 147
	CollFileWriteAtAllEnd         = 148
	CollFileWriteAllBegin         = 149
	CollFileWriteAllEnd           = 150
	CollFileWriteOrderedBegin     = 151
	CollFileWriteOrderedEnd       = 152
	CollCommShrink                = 153
	CollCommAgree                 = 154
)

// The values of enum mv_made. How an object came to be, besides enum mv_collective.
const (
	MadeWorld  = 256 // MPI_COMM_WORLD
	MadeSelf   = 257 // MPI_COMM_SELF
	MadeParent = 258 // by MPI_Comm_get_parent
	MadeElse   = 259 // by a call that is not collective, or unknown
)

// The values of enum mv_object_kind.
const (
	ObjectComm = 1
	ObjectWin  = 2
	ObjectFile = 3
)

// The values of enum mv_object_flags.
const (
	ObjectAlone = 1 // what it is on other ranks is not known: id is nobody else's
)

// Control is struct mv_control. Written by the analyzer before the first process starts, then read-only but for
// what is said to change.
type Control struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32
	// mpiapi.Hash(): the library refuses a session of another table
	TableHash uint64
	// wanted bytes of a ring's data, a power of two; the library halves it where there is no room
	RingSize uint64
	// 1: record whole call stacks, 0: only the return address of the MPI call
	Stacks uint32
	// set to 1 by the analyzer to end recording: ranks run on unrecorded
	Stop atomic.Uint32
	// processes and threads that found no room for a ring (atomic add, by ranks)
	Unrecorded atomic.Uint32
	// rings made smaller than ring_size for want of room (atomic add, by ranks)
	Shrunk atomic.Uint32
	// another session directory, on a disk, for when this one is full
	Fallback [256]byte
	// 1: collective calls are held until they are judged; set to 0 by the analyzer when it gives that up
	Strict atomic.Uint32
	// futex: number of calls held so far (atomic add, by ranks)
	Asked    atomic.Uint32
	Asleep   atomic.Uint32 // 1 while the analyzer sleeps on asked
	Refusals atomic.Uint32 // collectives refused so far, by the analyzer
	Sums     uint32        // enum mv_sums_wanted
	Analyzer uint32        // process number of the analyzer,
	// CLOCK_MONOTONIC ns of the analyzer's last tick: it makes ten in a second
	Beat atomic.Uint64
	// sum up only samples, so many bytes in all, of data longer than this; 0: all
	SumLimit uint64
	// in the PID namespace with this inode number; 0 if that is not known
	Namespace uint64
	// 1: ranks that have succeeded wait at their exit for struct mv_process's verdict
	Verdicts uint32
	_        uint32
}

// SizeofControl is the size of a Control, and the others are the offsets of its fields, in bytes.
const (
	SizeofControl       = 360
	ControlMagicAt      = 0
	ControlVersionAt    = 8
	ControlHeaderSizeAt = 12
	ControlTableHashAt  = 16
	ControlRingSizeAt   = 24
	ControlStacksAt     = 32
	ControlStopAt       = 36
	ControlUnrecordedAt = 40
	ControlShrunkAt     = 44
	ControlFallbackAt   = 48
	ControlStrictAt     = 304
	ControlAskedAt      = 308
	ControlAsleepAt     = 312
	ControlRefusalsAt   = 316
	ControlSumsAt       = 320
	ControlAnalyzerAt   = 324
	ControlBeatAt       = 328
	ControlSumLimitAt   = 336
	ControlNamespaceAt  = 344
	ControlVerdictsAt   = 352
)

// Map is struct mv_map. A mapping of a file.
type Map struct {
	Start  uint64
	End    uint64
	Offset uint64
	Path   [232]byte
}

// SizeofMap is the size of a Map, and the others are the offsets of its fields, in bytes.
const (
	SizeofMap   = 256
	MapStartAt  = 0
	MapEndAt    = 8
	MapOffsetAt = 16
	MapPathAt   = 24
)

// Process is struct mv_process. One page per process. Written by the process, read by the analyzer after `state`
// (release) and the process's end.
type Process struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32
	PID        uint32
	PPID       uint32
	// what the launcher's environment says (PMI_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, SLURM_PROCID), or -1
	Rank        int32
	WorldSize   int32         // likewise, or -1
	State       atomic.Uint32 // enum mv_process_state
	Code        int32
	Initialized uint32 // MPI_Init(_thread) returned
	Finalized   uint32 // MPI_Finalize was entered
	Aborted     uint32 // MPI_Abort was entered
	// the exit or signal came while this thread was inside an MPI call of the program
	InMPI uint32
	// 0 exit() or return from main, 1 _exit()/_Exit()/quick_exit()
	ExitKind  uint32
	EndTID    uint32 // thread that exited or got the signal
	EndTime   uint64 // CLOCK_MONOTONIC ns of the exit or the signal
	FaultAddr uint64 // si_addr for SIGSEGV, SIGBUS, SIGFPE, SIGILL
	SenderPID int32  // si_pid when the signal was sent by kill(), else 0
	// the stack of the end, innermost first; a signal's begins at the faulting pc
	NPCs      uint32
	PCs       [64]uint64
	StartTime uint64    // CLOCK_MONOTONIC ns
	Exe       [256]byte // /proc/self/exe
	// executable mappings at the end when it is a signal or an exit with a stack, for pcs[]
	NMaps uint32
	// written by the analyzer: 1 once the process's struct mv_layouts is there
	Layouts uint32
	Leaving atomic.Uint32 // 1 while the process waits in its exit for:
	// written by the analyzer: 0 not yet known, else 256 + the exit status to end with
	Verdict uint32
	Maps    [8]Map // only of modules that pcs[] needs
}

// SizeofProcess is the size of a Process, and the others are the offsets of its fields, in bytes.
const (
	SizeofProcess        = 2928
	ProcessMagicAt       = 0
	ProcessVersionAt     = 8
	ProcessHeaderSizeAt  = 12
	ProcessPIDAt         = 16
	ProcessPPIDAt        = 20
	ProcessRankAt        = 24
	ProcessWorldSizeAt   = 28
	ProcessStateAt       = 32
	ProcessCodeAt        = 36
	ProcessInitializedAt = 40
	ProcessFinalizedAt   = 44
	ProcessAbortedAt     = 48
	ProcessInMPIAt       = 52
	ProcessExitKindAt    = 56
	ProcessEndTIDAt      = 60
	ProcessEndTimeAt     = 64
	ProcessFaultAddrAt   = 72
	ProcessSenderPIDAt   = 80
	ProcessNPCsAt        = 84
	ProcessPCsAt         = 88
	ProcessStartTimeAt   = 600
	ProcessExeAt         = 608
	ProcessNMapsAt       = 864
	ProcessLayoutsAt     = 868
	ProcessLeavingAt     = 872
	ProcessVerdictAt     = 876
	ProcessMapsAt        = 880
)

// Ring is struct mv_ring. The first page of a ring's file; the data follow at header_size. The data are mapped
// twice, back to back, by both sides, so that a record never wraps. Positions are bytes since the beginning, ever
// growing; a record lies at position modulo size.
type Ring struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // 4096
	Size       uint64 // of the data, a power of two
	PID        uint32
	TID        uint32
	// 0 for the first thread of the process that calls MPI
	Thread     uint32
	MainThread uint32   // tid == pid
	Process    [32]byte // name of the process's file, "p<pid>.<k>"
	_          [4]byte
	_          [52]byte
	// Written by the thread. head: release after the record's bytes. done: release after the results.
	Head atomic.Uint64 // end of the last record
	// number of calls that have returned, of all call records in this ring
	Done atomic.Uint64
	// calls that were not recorded, as they neither communicate nor create
	Queries atomic.Uint64
	Stalls  atomic.Uint64 // times that the thread waited for room
	StallNS atomic.Uint64
	Holding atomic.Uint32 // 1 while the thread sleeps on judged
	_       uint32
	Call    atomic.Uint64 // position of the last call record,
	// and its number, from 1: the thread is in that call if this is more than done
	Calls atomic.Uint64
	// time (TSC ticks) of leaving the call with MV_LATE, 0 before; precedes done
	Late atomic.Uint64
	// tests and probes that found nothing and have no record, as they have the arguments and results of one that has,
	// and the same return address and frame: between the two, the thread called nothing but tests and probes in vain.
	// One that is under way may have no record yet
	Repeats atomic.Uint64
	_       [48]byte
	// Written by the analyzer. tail: release when records up to it may be overwritten.
	Tail atomic.Uint64
	// Strict mode: the verdict on the call that the thread holds. judged (a futex: its low half) comes last, by
	// release.
	// number of the call, from 1, counted like done; MV_UNJUDGED: this thread's calls are not judged any more
	Judged atomic.Uint64
	// handle of the object whose error handler is to be told; 0: MPI_FILE_NULL, or MPI_COMM_WORLD
	RefusedOn uint64
	Refused   uint32    // enum mv_refused
	Why       [100]byte // the check that refuses it, ended by a zero
	// Since when the thread has not moved, for who looks from outside: calls and done, with repeats added to each,
	// were seen_calls and seen_done at least from `since` (CLOCK_MONOTONIC ns) on. To change them, since is set to 0
	// first, and set last, by release.
	Since     atomic.Uint64
	SeenCalls atomic.Uint64
	SeenDone  atomic.Uint64
	_         [40]byte
}

// SizeofRing is the size of a Ring, and the others are the offsets of its fields, in bytes.
const (
	SizeofRing       = 448
	RingMagicAt      = 0
	RingVersionAt    = 8
	RingHeaderSizeAt = 12
	RingSizeAt       = 16
	RingPIDAt        = 24
	RingTIDAt        = 28
	RingThreadAt     = 32
	RingMainThreadAt = 36
	RingProcessAt    = 40
	RingHeadAt       = 128
	RingDoneAt       = 136
	RingQueriesAt    = 144
	RingStallsAt     = 152
	RingStallNSAt    = 160
	RingHoldingAt    = 168
	RingCallAt       = 176
	RingCallsAt      = 184
	RingLateAt       = 192
	RingRepeatsAt    = 200
	RingTailAt       = 256
	RingJudgedAt     = 264
	RingRefusedOnAt  = 272
	RingRefusedAt    = 280
	RingWhyAt        = 284
	RingSinceAt      = 384
	RingSeenCallsAt  = 392
	RingSeenDoneAt   = 400
)

// Record is struct mv_record. Every record starts on a 64-byte boundary with this.
type Record struct {
	// below MV_INFO: a call, the function's number in the API table; else enum mv_info
	Kind  uint16
	Lines uint16 // length in units of 64 bytes
	// call site: number of an MV_SITE record of this ring (0 = unknown)
	Site uint32
	// what the call returned; valid once it is done; -1: left by longjmp or an exception
	RC    int32
	Flags uint16 // MV_TIMED …
	// length of the fixed part in bytes, this header included; sections follow, 8-byte aligned
	Used uint16
}

// SizeofRecord is the size of a Record, and the others are the offsets of its fields, in bytes.
const (
	SizeofRecord  = 16
	RecordKindAt  = 0
	RecordLinesAt = 2
	RecordSiteAt  = 4
	RecordRCAt    = 8
	RecordFlagsAt = 12
	RecordUsedAt  = 14
)

// Times is struct mv_times. The end of a record with MV_TIMED.
type Times struct {
	Enter uint64
	Leave uint64 // TSC ticks
}

// SizeofTimes is the size of a Times, and the others are the offsets of its fields, in bytes.
const (
	SizeofTimes  = 16
	TimesEnterAt = 0
	TimesLeaveAt = 8
)

// Section is struct mv_section. A variable part of a call record.
type Section struct {
	Kind  uint16 // enum mv_section_kind
	Param uint16
	Count uint32 // elements
}

// SizeofSection is the size of a Section, and the others are the offsets of its fields, in bytes.
const (
	SizeofSection  = 8
	SectionKindAt  = 0
	SectionParamAt = 2
	SectionCountAt = 4
)

// Status is struct mv_status. All zero if the call failed, unless `error` is set: then it is one of
// MPI_ERR_IN_STATUS, or, with what the call returned for its error, that of a receive whose message was too long.
type Status struct {
	Source    int32
	Tag       int32
	Error     int32
	Cancelled int32
	Bytes     int64 // received size, -1 unknown
}

// SizeofStatus is the size of a Status, and the others are the offsets of its fields, in bytes.
const (
	SizeofStatus      = 24
	StatusSourceAt    = 0
	StatusTagAt       = 4
	StatusErrorAt     = 8
	StatusCancelledAt = 12
	StatusBytesAt     = 16
)

// Site is struct mv_site.
type Site struct {
	NPCs uint32
	_    uint32 // return addresses, innermost (the MPI call's) first
}

// SizeofSite is the size of a Site, and the others are the offsets of its fields, in bytes.
const (
	SizeofSite = 8
	SiteNPCsAt = 0
)

// Module is struct mv_module.
type Module struct {
	Base       uint64 // load address: pc - base is the ELF virtual address
	Start      uint64
	End        uint64 // of the mapped segments
	BuildIDLen uint16
	PathLen    uint16
	_          uint32
}

// SizeofModule is the size of a Module, and the others are the offsets of its fields, in bytes.
const (
	SizeofModule       = 32
	ModuleBaseAt       = 0
	ModuleStartAt      = 8
	ModuleEndAt        = 16
	ModuleBuildIDLenAt = 24
	ModulePathLenAt    = 26
)

// Name is struct mv_name.
type Name struct {
	Kind    uint8 // enum mv_name_kind
	NameLen uint8
	More    uint16 // 1: another one follows
	Size    int32  // datatype: MPI_Type_size; else 0
	Value   uint64 // handle zero-extended, or constant sign-extended
}

// SizeofName is the size of a Name, and the others are the offsets of its fields, in bytes.
const (
	SizeofName    = 16
	NameKindAt    = 0
	NameNameLenAt = 1
	NameMoreAt    = 2
	NameSizeAt    = 4
	NameValueAt   = 8
)

// Run is struct mv_run. count world ranks: start, start+stride, … ; start -1: processes of another MPI_COMM_WORLD
type Run struct {
	Start  int32
	Stride int32
	Count  int32
}

// SizeofRun is the size of a Run, and the others are the offsets of its fields, in bytes.
const (
	SizeofRun   = 12
	RunStartAt  = 0
	RunStrideAt = 4
	RunCountAt  = 8
)

// Comm is struct mv_comm.
type Comm struct {
	Handle uint64
	Rank   int32
	Size   int32 // in the (local) group
	// inter-communicator: size of the remote group, else 0
	RemoteSize int32
	Runs       uint32 // of the local group
	RemoteRuns uint32
	IsInter    uint32
}

// SizeofComm is the size of a Comm, and the others are the offsets of its fields, in bytes.
const (
	SizeofComm       = 32
	CommHandleAt     = 0
	CommRankAt       = 8
	CommSizeAt       = 12
	CommRemoteSizeAt = 16
	CommRunsAt       = 20
	CommRemoteRunsAt = 24
	CommIsInterAt    = 28
)

// Neighbours is struct mv_neighbours. The neighbours of the process in a distributed graph, in the order of
// neighbourhood collectives, which is MPI's own.
type Neighbours struct {
	In  uint32
	Out uint32
}

// SizeofNeighbours is the size of a Neighbours, and the others are the offsets of its fields, in bytes.
const (
	SizeofNeighbours = 8
	NeighboursInAt   = 0
	NeighboursOutAt  = 4
)

// Freed is struct mv_freed. Calls inside of a call are not recorded, be they MPI's or those of functions of the
// program that MPI calls, to delete an attribute, say. What is freed by one is told by this, and where it came
// from.
type Freed struct {
	Handle   uint64
	Function uint32 // that freed it: its number in the API table
	_        uint32
	Caller   uint64 // where it returns to
	Real     uint64 // MPI's function
	Wrapper  uint64 // code of this library
}

// SizeofFreed is the size of a Freed, and the others are the offsets of its fields, in bytes.
const (
	SizeofFreed     = 40
	FreedHandleAt   = 0
	FreedFunctionAt = 8
	FreedCallerAt   = 16
	FreedRealAt     = 24
	FreedWrapperAt  = 32
)

// Error is struct mv_error.
type Error struct {
	Code    int32
	Class   int32
	TextLen uint32
	Flags   uint32 // enum mv_error_flags
}

// SizeofError is the size of a Error, and the others are the offsets of its fields, in bytes.
const (
	SizeofError    = 16
	ErrorCodeAt    = 0
	ErrorClassAt   = 4
	ErrorTextLenAt = 8
	ErrorFlagsAt   = 12
)

// MPI is struct mv_mpi.
type MPI struct {
	Rank int32
	Size int32 // in MPI_COMM_WORLD
	// provided, MPI_THREAD_SINGLE … as the MPI's constant; -1: by MPI_Session_init, unknown
	ThreadLevel int32
	TagUB       int32
	Version     int32
	Subversion  int32 // MPI_Get_version
	LibraryLen  uint32
	// of the process when MPI_Init returned: its own and those of MPI; 0 unknown
	Threads uint32
}

// SizeofMPI is the size of a MPI, and the others are the offsets of its fields, in bytes.
const (
	SizeofMPI        = 32
	MPIRankAt        = 0
	MPISizeAt        = 4
	MPIThreadLevelAt = 8
	MPITagUBAt       = 12
	MPIVersionAt     = 16
	MPISubversionAt  = 20
	MPILibraryLenAt  = 24
	MPIThreadsAt     = 28
)

// Data is struct mv_data.
type Data struct {
	Kind  uint16 // MV_IN32 … MV_STATUS
	Param uint16
	First uint32 // index of the first element here
	Count uint32 // elements here
	_     uint32
}

// SizeofData is the size of a Data, and the others are the offsets of its fields, in bytes.
const (
	SizeofData  = 16
	DataKindAt  = 0
	DataParamAt = 2
	DataFirstAt = 4
	DataCountAt = 8
)

// Sum is struct mv_sum.
type Sum struct {
	// rank of who it goes to or comes from, in the group that the call communicates with; MV_SUM_ALL: to all
	Peer  uint32
	_     uint32
	Bytes uint64
	Sum   uint64
}

// SizeofSum is the size of a Sum, and the others are the offsets of its fields, in bytes.
const (
	SizeofSum  = 24
	SumPeerAt  = 0
	SumBytesAt = 8
	SumSumAt   = 16
)

// Sums is struct mv_sums. Sums of the data that a message or a collective moves, in their serialised order: one
// record when the operation begins, of what it sends, and one when it is complete. A part whose data can't be
// found, or that is empty, is not there. MPI_Init publishes one without parts if sums are wanted at all.
type Sums struct {
	Flags uint32 // enum mv_sums_flags
	Count uint32
	// 0: the call's own; else a nonblocking or persistent one: mv_operation_number of the call that made it
	Operation uint64
	Round     uint64 // of a persistent one: which start, from 1
}

// SizeofSums is the size of a Sums, and the others are the offsets of its fields, in bytes.
const (
	SizeofSums      = 24
	SumsFlagsAt     = 0
	SumsCountAt     = 4
	SumsOperationAt = 8
	SumsRoundAt     = 16
)

// Changed is struct mv_changed. Data that an operation reads are not the same when it is complete as when it began.
type Changed struct {
	Operation uint64 // as in struct mv_sums
	Peer      uint32 // whom the part goes to, as in struct mv_sum
	// 1: the range is that from the first byte that differs to the last one; 0: it has one that does
	Exact  uint32
	Bytes  uint64 // of the part
	At     uint64
	Length uint64 // the range, in the serialised data of the part
}

// SizeofChanged is the size of a Changed, and the others are the offsets of its fields, in bytes.
const (
	SizeofChanged      = 40
	ChangedOperationAt = 0
	ChangedPeerAt      = 8
	ChangedExactAt     = 12
	ChangedBytesAt     = 16
	ChangedAtAt        = 24
	ChangedLengthAt    = 32
)

// Unreachable is struct mv_unreachable. The first byte of a buffer that the process can't access.
type Unreachable struct {
	Address uint64
	At      uint64 // of the byte in the serialised data
	Written uint32 // 1: MPI is to write there, 0: to read
	// 1: there is memory, but none that can be so accessed
	Mapped uint32
}

// SizeofUnreachable is the size of a Unreachable, and the others are the offsets of its fields, in bytes.
const (
	SizeofUnreachable    = 24
	UnreachableAddressAt = 0
	UnreachableAtAt      = 8
	UnreachableWrittenAt = 16
	UnreachableMappedAt  = 20
)

// Layouts is struct mv_layouts. Where the data of the process's committed datatypes lie. Written by the analyzer,
// read by the process.
//
// A table of handles leads to programs (internal/mpi/datatype/program.go says what their words mean), which stay as
// they are for as long as the process lives. A handle's slot is one of the MV_LAYOUT_PROBES that follow,
// cyclically, from number handle * 0x9e3779b97f4a7c15 >> (64 - slot_bits) on. Slots are never emptied: when a
// datatype is freed, `at` becomes 0, and the slot may be given to another handle later. So a reader loads handle,
// at (acquire) and handle again.
//
// A handle may be another datatype's as soon as the program has freed it, and the analyzer knows of that only
// later. So nothing in the table is to be believed unless `freed` (acquire) is the number of MPI_Type_free calls
// that the process has entered.
type Layouts struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // 64; the slots follow
	// of the file; what nobody has written takes no memory
	Size     uint64
	SlotBits uint32 // there are 1 << slot_bits slots
	_        uint32
	// MPI_Type_free calls of the process that are reflected by the table (release)
	Freed atomic.Uint64
	_     [24]byte
}

// SizeofLayouts is the size of a Layouts, and the others are the offsets of its fields, in bytes.
const (
	SizeofLayouts       = 64
	LayoutsMagicAt      = 0
	LayoutsVersionAt    = 8
	LayoutsHeaderSizeAt = 12
	LayoutsSizeAt       = 16
	LayoutsSlotBitsAt   = 24
	LayoutsFreedAt      = 32
)

// LayoutSlot is struct mv_layout_slot.
type LayoutSlot struct {
	Handle atomic.Uint64 // 0: never used; release
	// offset in the file of the program's length in words, which the words follow; 0: none; release
	At atomic.Uint64
}

// SizeofLayoutSlot is the size of a LayoutSlot, and the others are the offsets of its fields, in bytes.
const (
	SizeofLayoutSlot   = 16
	LayoutSlotHandleAt = 0
	LayoutSlotAtAt     = 8
)

// Objects is struct mv_objects. What a process has called collectively, for who looks from outside: by debuggers
// and by mpivet ps. Written by the process alone; it needs no analyzer. docs/collective-state.md tells how to read
// it.
//
// An object is a communicator, window or file. A call of a collective costs two increments: `entered` before it
// enters MPI, `left` when it has returned (so it is still inside if they differ). A nonblocking or persistent
// operation that has been started has left its call; whether it is complete is not told.
//
// The first file of a process comes when MPI is initialized, the next ones when there is no more room. Object 0 of
// the first file is none: it counts for all objects that are not known, or found no room.
type Objects struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // the objects follow
	ObjectSize uint32 // sizeof(struct mv_object)
	Count      uint32 // of objects in this file
	Kinds      uint32 // MV_KINDS
	Homeless   uint32 // objects that found no room (in the first file)
	// in the first file: a list of struct mv_name as in MV_NAMES records,
	NamesAt   uint32
	NamesRoom uint32
	NamesUsed uint32 // bytes written (release)
	_         uint32
}

// SizeofObjects is the size of a Objects, and the others are the offsets of its fields, in bytes.
const (
	SizeofObjects       = 48
	ObjectsMagicAt      = 0
	ObjectsVersionAt    = 8
	ObjectsHeaderSizeAt = 12
	ObjectsObjectSizeAt = 16
	ObjectsCountAt      = 20
	ObjectsKindsAt      = 24
	ObjectsHomelessAt   = 28
	ObjectsNamesAtAt    = 32
	ObjectsNamesRoomAt  = 36
	ObjectsNamesUsedAt  = 40
)

// Count is struct mv_count.
type Count struct {
	Entered uint64
	Left    uint64
}

// SizeofCount is the size of a Count, and the others are the offsets of its fields, in bytes.
const (
	SizeofCount    = 16
	CountEnteredAt = 0
	CountLeftAt    = 8
)

// Object is struct mv_object.
type Object struct {
	// 0: nothing is here; else different for each object that was here. Set last, by release
	Serial uint64
	Handle uint64
	// the same on all members; may be that of another MPI_COMM_WORLD's as well
	ID     uint64
	Parent uint64 // id of what it was made of, 0 if of nothing
	// how many of its like were made of the parent before, from 1
	Number uint64
	Kind   uint32 // enum mv_object_kind
	Made   uint32 // enum mv_collective or enum mv_made
	Flags  uint32 // enum mv_object_flags
	Rank   int32
	Size   int32 // in the (local) group
	// inter-communicator: size of the remote group, else 0
	RemoteSize int32
	Runs       uint32 // of the local group, as in struct mv_comm
	RemoteRuns uint32
	Run        [ObjectRuns]Run // they may cover the first members only
	// by MPI_Comm_set_name or MPI_Win_set_name, ended by a zero
	Name  [128]byte
	_     [464]byte
	Count [Kinds]Count
}

// SizeofObject is the size of a Object, and the others are the offsets of its fields, in bytes.
const (
	SizeofObject       = 4096
	ObjectSerialAt     = 0
	ObjectHandleAt     = 8
	ObjectIDAt         = 16
	ObjectParentAt     = 24
	ObjectNumberAt     = 32
	ObjectKindAt       = 40
	ObjectMadeAt       = 44
	ObjectFlagsAt      = 48
	ObjectRankAt       = 52
	ObjectSizeAt       = 56
	ObjectRemoteSizeAt = 60
	ObjectRunsAt       = 64
	ObjectRemoteRunsAt = 68
	ObjectRunAt        = 72
	ObjectNameAt       = 432
	ObjectCountAt      = 1024
)
