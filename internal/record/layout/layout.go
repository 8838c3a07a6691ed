// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.

package layout

import "sync/atomic"

// Constants of the header.
const (
	// of the structs in shared memory
	Version = 8
	// version of the records, also in files: struct mv_record and everything that may follow it
	Records = 6
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
	// "MPVCDBG1"
	MagicDebug = 0x314742444356504d
	// "MPVCTLD1"
	MagicTold     = 0x31444c544356504d
	Findings      = 4
	Unjudged      = 0xffffffffffffffff
	SumAll        = 0xffffffff
	SumBlocks     = 64
	SumBlock      = 4096
	LayoutProbes  = 64
	Kinds         = 192
	ObjectRuns    = 30
	Now           = 256
	RequestWays   = 8
	RequestRecord = 128
	KeptPCs       = 6
	ToldSize      = 0x10000
)

// The values of enum mv_process_state.
const (
	// no end seen yet; if the pid does not exist any more, the process was killed by SIGKILL or left by a raw system
	// call
	StateStarted = 0
	// exit(), return from main, or _exit(): `code` is the exit status
	StateExited = 1
	// a fatal signal is about to kill the process: `code` is its number
	StateSignaled = 2
)

// The values of enum mv_refused.
const (
	GoOn   = 0 // the call may enter MPI
	OnComm = 1 // the call returns an error instead, raised on a communicator
	OnWin  = 2
	OnFile = 3
)

// The values of enum mv_flags.
const (
	// the last 16 bytes of the record are the times (TSC ticks) of entering and leaving the call; set once a second
	// thread of the process has called MPI
	Timed = 1
	// the record has no times, but the call was left after a second thread had called MPI; at most one call of a ring
	Late = 2
)

// The values of enum mv_section_kind.
const (
	SecEnd  = 0 // not a section: the end of the list
	SecIn32 = 1 // array of int at entry
	// array of handles, MPI_Aint or MPI_Count at entry (handles zero-extended to 64 bits)
	SecIn64   = 2
	SecOut32  = 3 // array of int after the call
	SecOut64  = 4 // array of handles, MPI_Aint or MPI_Count after the call
	SecStatus = 5 // struct mv_status after the call
	SecString = 6 // characters at entry, without the terminating zero
	// the array of `count` elements was too long and lies in MV_DATA records: before this record (IN), or after it
	// once the call is done (OUT)
	SecCut = 7
)

// The values of enum mv_info. Kinds of records that are not calls. The payload follows struct mv_record.
const (
	Info = 0xff00
	// struct mv_site: a call stack; its number is in mv_record.site
	InfoSite   = 0xff00
	InfoModule = 0xff01 // struct mv_module: a loaded file
	InfoNames  = 0xff02 // list of struct mv_name: predefined handles and constants
	// struct mv_comm: a communicator that the call recorded before has made; published before that call's `done`
	InfoComm = 0xff03
	// struct mv_error: text of the error that the call recorded before returned, or that is about to end the process
	InfoError = 0xff04
	InfoMPI   = 0xff05 // struct mv_mpi: at the end of MPI_Init
	// struct mv_data: a part of an array that was too long for its call record
	InfoData = 0xff06
	// struct mv_sums: sums of what the call recorded before sends or has received; published before that call's `done`
	InfoSums = 0xff07
	// struct mv_neighbours: the neighbours in the communicator of the MV_COMM record before it
	InfoNeighbours = 0xff08
	// struct mv_freed: an object that was freed inside the call recorded before
	InfoFreed = 0xff09
	// struct mv_changed: data of an operation, which the call recorded before completes, have changed; published
	// before that call's `done`
	InfoChanged = 0xff0a
	// struct mv_unreachable: memory that the call recorded before hands to MPI cannot be accessed; published before
	// that call's `done`
	InfoUnreachable = 0xff0b
	// struct mv_code: the code of a Python function; its number is in mv_record.site
	InfoCode = 0xff0c
	// struct mv_changed: data of an operation that is not complete have changed; before the record of MPI_Finalize
	InfoUnfinished = 0xff0d
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
	// the handler is MPI_ERRORS_ARE_FATAL: the call will not return
	ErrorFatal = 1
	// strict mode: the error is raised by mpivet, and the call did not enter MPI
	ErrorRefused = 2
	// MPI is about to call the error handler: the call returns only if the handler does
	ErrorRaised = 4
)

// The values of enum mv_sums_flags.
const (
	// the data that the call has received; else the data that it sends
	SumsReceived = 1
	SumsFailed   = 2 // the call has returned an error
	// the operation is made by the call recorded before; if it is persistent, nothing is sent yet
	SumsMade = 4
	SumsOver = 8 // no more records of the operation follow
	// the sums are those of consecutive blocks of one message, see MV_SUM_BLOCKS
	SumsBlocks = 16
	// another operation also uses the message's data: no conclusion may be drawn from the sums
	SumsVoid = 32
)

// The values of enum mv_sums_wanted. What sums of data are used for.
const (
	SumsNone = 0
	// data that nonblocking operations send must not change: only changes are recorded
	SumsKept = 1
	// also, data that messages and collectives move must arrive unchanged: sums are recorded
	SumsAll = 2
)

// The values of enum mv_collective. Kinds of collectives. The numbers are stable. Blocking, nonblocking and
// persistent forms do not match each other, so each form has its own number; of persistent ones, both _init and
// MPI_Start. MPI_Bcast and MPI_Bcast_c are one kind.
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

// The values of enum mv_made. How an object was made, in addition to the values of enum mv_collective.
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
	// the object's identity on other ranks is not known: no other object has the same id
	ObjectAlone = 1
)

// The values of enum mv_request_flags.
const (
	RequestPersistent = 1
	RequestActive     = 2 // started and not complete
)

// Control is struct mv_control. Written by the analyzer before the first process starts. Read-only from then on,
// except for the fields with a comment that says when they change.
type Control struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32
	// mpiapi.Hash(): the library refuses a session with another table
	TableHash uint64
	// wanted size of a ring's data in bytes, a power of two; the library halves it if there is not enough space
	RingSize uint64
	// 1: record whole call stacks, 0: only the return address of the MPI call
	Stacks uint32
	// the analyzer sets it to 1 to end recording; the ranks then go on unrecorded
	Stop atomic.Uint32
	// processes and threads that got no ring, as there was no space (atomic add, by ranks)
	Unrecorded atomic.Uint32
	// rings that are smaller than ring_size, as there was not enough space (atomic add, by ranks)
	Shrunk atomic.Uint32
	// another session directory, on a disk, used when this one is full
	Fallback [256]byte
	// 1: collective calls are held until they are judged; the analyzer sets it to 0 when it stops judging
	Strict atomic.Uint32
	// futex: number of calls held so far (atomic add, by ranks)
	Asked  atomic.Uint32
	Asleep atomic.Uint32 // 1 while the analyzer sleeps on asked
	// number of collectives refused so far, written by the analyzer
	Refusals atomic.Uint32
	Sums     uint32 // enum mv_sums_wanted
	// process number of the analyzer, in the PID namespace below
	Analyzer uint32
	// CLOCK_MONOTONIC ns of the analyzer's last tick; there are ten ticks in a second; before the first tick: of the
	// start of the session
	Beat atomic.Uint64
	// of data longer than this, sum up only samples of this many bytes in all; 0: sum up all data
	SumLimit uint64
	// inode number of the PID namespace of `analyzer`; 0 if it is not known
	Namespace uint64
	// 1: a rank that has succeeded waits at its exit for the verdict in its struct mv_process
	Verdicts uint32
	// 1: each recorded call waits until `passed` of its ring lets it enter MPI, and until `passed` lets it return; the
	// analyzer sets it to 0 when it stops reading
	Breaks atomic.Uint32
	// path of the library for debuggers, ended by a zero; empty: there is none
	Debugger [512]byte
	// the analyzer adds 2 for each finding that it has put into a ring. So it is even
	Found atomic.Uint32
	// processes whose program contains another version of the library (atomic add, by ranks)
	Outdated atomic.Uint32
}

// SizeofControl is the size of a Control, and the others are the offsets of its fields, in bytes.
const (
	SizeofControl       = 880
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
	ControlBreaksAt     = 356
	ControlDebuggerAt   = 360
	ControlFoundAt      = 872
	ControlOutdatedAt   = 876
)

// Map is struct mv_map. A mapping of a file into memory.
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

// Process is struct mv_process. One page per process. The process writes it. The analyzer reads it after `state`
// (release) and after the end of the process.
type Process struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32
	PID        uint32
	PPID       uint32
	// from the launcher's environment (PMI_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, SLURM_PROCID), or -1
	Rank        int32
	WorldSize   int32         // from there, too, or -1
	State       atomic.Uint32 // enum mv_process_state
	Code        int32
	Initialized uint32 // MPI_Init or MPI_Init_thread has returned
	Finalized   uint32 // MPI_Finalize was entered
	Aborted     uint32 // MPI_Abort was entered
	// the exit or signal came while this thread was inside an MPI call of the program
	InMPI uint32
	// 0: exit() or return from main; 1: _exit(), _Exit() or quick_exit()
	ExitKind  uint32
	EndTID    uint32 // the thread that exited or got the signal
	EndTime   uint64 // CLOCK_MONOTONIC ns of the exit or the signal
	FaultAddr uint64 // si_addr for SIGSEGV, SIGBUS, SIGFPE, SIGILL
	SenderPID int32  // si_pid if the signal was sent by kill(), else 0
	// length of the stack at the end, innermost frame first; after a signal it begins at the faulting pc
	NPCs      uint32
	PCs       [64]uint64
	StartTime uint64    // CLOCK_MONOTONIC ns
	Exe       [256]byte // /proc/self/exe
	// executable mappings for pcs[], at a signal or at an exit with a stack
	NMaps uint32
	// written by the analyzer: 1 once the process's struct mv_layouts exists
	Layouts uint32
	// 1 while the process waits in its exit for `verdict`
	Leaving atomic.Uint32
	// written by the analyzer: 0: not yet known; else 256 + the exit status to end with
	Verdict uint32
	Maps    [8]Map // only of modules that contain a pc of pcs[]
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

// Finding is struct mv_finding. A finding, as text that ends with a zero.
type Finding struct {
	Check [96]byte
	Text  [736]byte
}

// SizeofFinding is the size of a Finding, and the others are the offsets of its fields, in bytes.
const (
	SizeofFinding  = 832
	FindingCheckAt = 0
	FindingTextAt  = 96
)

// Ring is struct mv_ring. The first page of a ring's file. The data follow at header_size. Both sides map the data
// twice, back to back, so that a record never wraps. A position is a number of bytes since the beginning, and only
// grows. A record lies at its position modulo size.
type Ring struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // 4096
	Size       uint64 // of the data, a power of two
	PID        uint32
	TID        uint32
	// 0 for the first thread of the process that calls MPI, 1 for the next, …
	Thread     uint32
	MainThread uint32   // 1 if tid == pid
	Process    [32]byte // name of the process's file, "p<pid>.<k>"
	_          [4]byte
	_          [52]byte
	// Written by the thread. It stores head after the record's bytes, and done after the results, both by release.
	Head atomic.Uint64 // end of the last record
	// number of calls that have returned, of all call records in this ring
	Done atomic.Uint64
	// number of calls that were not recorded, as they neither communicate nor create an object
	Queries atomic.Uint64
	Stalls  atomic.Uint64 // how many times the thread waited for room
	StallNS atomic.Uint64 // ns that it waited
	Holding atomic.Uint32 // 1 while the thread sleeps on `judged`
	_       uint32
	Call    atomic.Uint64 // position of the last call record
	// number of that call, from 1; the thread is in that call if this is more than `done`
	Calls atomic.Uint64
	// time (TSC ticks) of leaving the call with MV_LATE, 0 before; stored before `done`
	Late atomic.Uint64
	// number of tests and probes that found nothing and have no record. Each has the arguments, the results, the
	// return address and the frame of one that has a record. Between the two, the thread called only tests and probes
	// that found nothing. One that is under way may have no record yet
	Repeats atomic.Uint64
	_       [48]byte
	// Written by the analyzer. It stores tail, by release, when the records before tail may be overwritten.
	Tail atomic.Uint64
	// Strict mode: the verdict on the call that the thread holds. `judged` is stored last, by release. Its low half is
	// a futex.
	// number of the call, from 1, counted like `done`; MV_UNJUDGED: no further call of this thread is judged
	Judged atomic.Uint64
	// handle of the object whose error handler is called; 0: MPI_FILE_NULL, or MPI_COMM_WORLD
	RefusedOn uint64
	Refused   uint32 // enum mv_refused
	// check that refuses the call, and first line of its finding, ended by a zero
	Why [244]byte
	// Since when the thread has not moved, for observers from outside such as mpivet ps. At least from `since`
	// (CLOCK_MONOTONIC ns) on, calls + repeats was seen_calls, and done + repeats was seen_done. To change them, the
	// analyzer first sets `since` to 0, and sets it again last, by release.
	Since     atomic.Uint64
	SeenCalls atomic.Uint64
	SeenDone  atomic.Uint64
	// With `breaks`: the call that may go on. 2 n: call n, counted like `done`, may enter MPI. 2 n + 1: it may return.
	// The low half is a futex. MV_UNJUDGED: no further call of this thread waits.
	Passed atomic.Uint64
	// Findings for the thread's debugger. Finding k, from 0, is in findings[k % MV_FINDINGS]. The analyzer stores
	// `found` after it, by release.
	Found    atomic.Uint64 // number of findings so far
	Findings [Findings]Finding
	_        [8]byte
}

// SizeofRing is the size of a Ring, and the others are the offsets of its fields, in bytes.
const (
	SizeofRing       = 3904
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
	RingSinceAt      = 528
	RingSeenCallsAt  = 536
	RingSeenDoneAt   = 544
	RingPassedAt     = 552
	RingFoundAt      = 560
	RingFindingsAt   = 568
)

// Record is struct mv_record. The header of every record. A record starts on a 64-byte boundary.
type Record struct {
	// below MV_INFO: a call; this is the function's number in the API table. Else enum mv_info
	Kind  uint16
	Lines uint16 // length of the record in units of 64 bytes
	// call site: number of an MV_SITE record of this ring; 0: unknown
	Site uint32
	// return value of the call, valid once it is done; -1: the call was left by longjmp or an exception
	RC    int32
	Flags uint16 // enum mv_flags
	// length of the fixed part in bytes, including this header; sections follow, 8-byte aligned
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
	Count uint32 // number of elements
}

// SizeofSection is the size of a Section, and the others are the offsets of its fields, in bytes.
const (
	SizeofSection  = 8
	SectionKindAt  = 0
	SectionParamAt = 2
	SectionCountAt = 4
)

// Status is struct mv_status. A status. After a failed call it is all zero, unless `error` is set. There are two
// cases: an element of the statuses of a call that returned MPI_ERR_IN_STATUS; and, if `error` is what the call
// returned, the status of a receive whose message was too long.
type Status struct {
	Source    int32
	Tag       int32
	Error     int32
	Cancelled int32
	Bytes     int64 // received size, -1: unknown
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
	// return addresses, innermost first (that of the MPI call); then the Python functions that the thread is in,
	// innermost first
	Python uint32
}

// SizeofSite is the size of a Site, and the others are the offsets of its fields, in bytes.
const (
	SizeofSite   = 8
	SiteNPCsAt   = 0
	SitePythonAt = 4
)

// Frame is struct mv_frame. A call of a Python function.
type Frame struct {
	// number of an MV_CODE record of this ring, before the MV_SITE record
	Code uint32
	// 1: a C function has called it, so that a C frame of the interpreter belongs to it. The frames inside of it, up
	// to the next one with 1, were called by it and by each other without C
	Entry uint32
	// offset of the instruction in the code, in bytes; negative: it has not begun
	At int64
}

// SizeofFrame is the size of a Frame, and the others are the offsets of its fields, in bytes.
const (
	SizeofFrame  = 16
	FrameCodeAt  = 0
	FrameEntryAt = 4
	FrameAtAt    = 8
)

// Code is struct mv_code. The code of a Python function. A number is never used again for another code.
type Code struct {
	FirstLine int32
	Version   uint16 // of CPython: 0x030b is 3.11
	NameWidth uint8
	FileWidth uint8 // bytes of a character
	NameLen   uint32
	FileLen   uint32
	LinesLen  uint32 // bytes
	_         uint32
}

// SizeofCode is the size of a Code, and the others are the offsets of its fields, in bytes.
const (
	SizeofCode      = 24
	CodeFirstLineAt = 0
	CodeVersionAt   = 4
	CodeNameWidthAt = 6
	CodeFileWidthAt = 7
	CodeNameLenAt   = 8
	CodeFileLenAt   = 12
	CodeLinesLenAt  = 16
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
	More    uint16 // 1: another struct mv_name follows
	Size    int32  // of a datatype: MPI_Type_size; else 0
	Value   uint64 // handle, zero-extended, or constant, sign-extended
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

// Run is struct mv_run. `count` world ranks: start, start+stride, …; start -1: processes of another
// MPI_COMM_WORLD
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
	Runs       uint32 // number of runs of the local group
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

// Neighbours is struct mv_neighbours. The neighbours of the process in a distributed graph, in the order of MPI's
// neighbourhood collectives.
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

// Freed is struct mv_freed. Calls inside a call are not recorded. MPI makes such calls itself, or it calls a
// function of the program that makes them, for example to delete an attribute. This record says that such a call
// has freed an object, and who called it.
type Freed struct {
	Handle uint64
	// the function that freed it: its number in the API table
	Function uint32
	_        uint32
	Caller   uint64 // return address of the call
	Real     uint64 // address of MPI's function
	Wrapper  uint64 // address of code of this library
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
	// provided level, MPI_THREAD_SINGLE … as numbered by this MPI; -1: unknown (initialized by MPI_Session_init)
	ThreadLevel int32
	TagUB       int32
	Version     int32
	Subversion  int32 // MPI_Get_version
	LibraryLen  uint32
	// threads of the process when MPI_Init returned: its own and those of MPI; 0: unknown
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
	First uint32 // index of the first element in this record
	Count uint32 // number of elements in this record
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
	// rank of the destination or source in the group that the call communicates with; MV_SUM_ALL: all processes
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

// Sums is struct mv_sums. Sums of the data that a message or a collective moves, in serialised order. There is one
// record when the operation begins, for the data that it sends, and one when it is complete. A part is missing if
// its data cannot be found, or if it is empty. MPI_Init publishes a record without parts if sums are wanted at all.
type Sums struct {
	Flags uint32 // enum mv_sums_flags
	Count uint32
	// 0: the operation of the call itself; else a nonblocking or persistent operation: mv_operation_number of the call
	// that made it
	Operation uint64
	// of a persistent operation: number of the start, from 1
	Round uint64
}

// SizeofSums is the size of a Sums, and the others are the offsets of its fields, in bytes.
const (
	SizeofSums      = 24
	SumsFlagsAt     = 0
	SumsCountAt     = 4
	SumsOperationAt = 8
	SumsRoundAt     = 16
)

// Changed is struct mv_changed. Data that an operation reads have changed after its beginning and before its
// completion.
type Changed struct {
	Operation uint64 // as in struct mv_sums
	Peer      uint32 // destination of the part, as in struct mv_sum
	// 1: the range is from the first byte that differs to the last one; 0: some bytes in the range differ
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

// Unreachable is struct mv_unreachable. The first byte of a buffer that the process cannot access.
type Unreachable struct {
	Address uint64
	At      uint64 // position of the byte in the serialised data
	Written uint32 // 1: MPI is to write there; 0: MPI is to read there
	// 1: there is memory, but it does not allow that access
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
// A table of handles leads to programs (for the meaning of their words see internal/mpi/datatype/program.go). A
// program never changes while the process lives. The slot of a handle is one of MV_LAYOUT_PROBES consecutive slots,
// in cyclic order. The first has the number handle * 0x9e3779b97f4a7c15 >> (64 - slot_bits). Slots are never
// emptied. When a datatype is freed, `at` becomes 0, and the slot may get another handle later. So a reader loads
// handle, then at (acquire), and then handle again.
//
// As soon as the program has freed a datatype, another datatype may get its handle. The analyzer learns this only
// later. So the table is valid only if `freed` (acquire) is the number of MPI_Type_free calls that the process has
// entered.
type Layouts struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // 64; the slots follow
	// of the file; pages that were never written take no memory
	Size     uint64
	SlotBits uint32 // there are 1 << slot_bits slots
	_        uint32
	// number of the process's MPI_Type_free calls that the table reflects (release)
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
	Handle atomic.Uint64 // 0: never used; stored by release
	// offset in the file of the program: its length in words, and then the words; 0: none; stored by release
	At atomic.Uint64
}

// SizeofLayoutSlot is the size of a LayoutSlot, and the others are the offsets of its fields, in bytes.
const (
	SizeofLayoutSlot   = 16
	LayoutSlotHandleAt = 0
	LayoutSlotAtAt     = 8
)

// Objects is struct mv_objects. The collective calls of a process, for observers from outside: debuggers and mpivet
// ps. Written by the process alone, without an analyzer. docs/collective-state.md says how to read it.
//
// An object is a communicator, window or file. A call of a collective costs two increments: `entered` before it
// enters MPI, and `left` when it has returned. If they differ, the process is inside the call. A nonblocking or
// persistent operation that was started has left its call. Whether the operation is complete is not recorded.
//
// The first file of a process is made when MPI is initialized, and another one whenever there is no more room.
// Object 0 of the first file is not an object. It counts the calls on all objects that are not known or found no
// room.
type Objects struct {
	Magic      uint64
	Version    uint32
	HeaderSize uint32 // the objects follow
	ObjectSize uint32 // sizeof(struct mv_object)
	Count      uint32 // number of objects in this file
	Kinds      uint32 // MV_KINDS
	// number of objects that found no room (in the first file)
	Homeless uint32
	// in the first file: offset of a list of struct mv_name as in MV_NAMES records
	NamesAt   uint32
	NamesRoom uint32
	NamesUsed uint32 // bytes written (stored by release)
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
	// 0: the entry is empty; else different for each object that was here. Stored last, by release
	Serial uint64
	Handle uint64
	// the same on all members; an object of another MPI_COMM_WORLD may have it, too
	ID     uint64
	Parent uint64 // id of the object that it was made from; 0: none
	// its number among the objects of its kind that were made from the parent, from 1; 0: unknown
	Number uint64
	Kind   uint32 // enum mv_object_kind
	Made   uint32 // enum mv_collective or enum mv_made
	Flags  uint32 // enum mv_object_flags
	Rank   int32
	Size   int32 // in the (local) group
	// inter-communicator: size of the remote group, else 0
	RemoteSize int32
	// number of runs of the local group, as in struct mv_comm
	Runs       uint32
	RemoteRuns uint32
	Run        [ObjectRuns]Run // the runs may cover the first members only
	// by MPI_Comm_set_name or MPI_Win_set_name, ended by a zero
	Name [128]byte
	// in the tables for debuggers: distance to the same object in the file
	Twin  int64
	_     [456]byte
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
	ObjectTwinAt       = 560
	ObjectCountAt      = 1024
)

// Debug is struct mv_debug. What debuggers read: the tables of a process, in its own memory.
// docs/debugger-tables.md says how to read them. They are private memory, so they are part of core files. The
// process writes them itself, without an analyzer. At every instant they can be read: an entry is complete before
// it can be found. Pointers are addresses in the process.
//
// The tables consist of copies of call records. So their readers need the layout of records, which follows from the
// API table with that hash (mpiapi.Func.Layout).
//
// The library exports a variable of this type, mpivet_debug.
type Debug struct {
	// MV_MAGIC_DEBUG once the process is recorded, stored last; 0 before
	Magic      atomic.Uint64
	Version    uint32 // MV_VERSION
	HeaderSize uint32 // sizeof(struct mv_debug)
	TableHash  uint64 // mpiapi.Hash()
	// address of a struct mv_debug_thread, the first of a list; 0: none
	Threads atomic.Uint64
	// address of a list of struct mv_name as in MV_NAMES records
	Names     atomic.Uint64
	NamesUsed atomic.Uint64 // bytes of the list
	// address of 1 << kept_bits atomic addresses of struct mv_kept, by handle * 0x9e3779b97f4a7c15 >> (64 -
	// kept_bits); each begins a list
	Kept     uint64
	KeptBits uint32
	// bytes of a handle in the program: 4 (MPICH) or 8 (Open MPI)
	HandleSize uint32
	Forgotten  atomic.Uint64 // number of objects that found no room
	// addresses of tables of struct mv_object; 0: none. The process counts the collective calls there as well as in
	// the files of its struct mv_objects
	Objects [8]atomic.Uint64
	// number of objects in the table; stored after the address. Object 0 of the first table is the one that counts
	// calls on all unknown objects
	ObjectCount [8]atomic.Uint32
	Told        atomic.Uint64 // address of the struct mv_told; 0: none
	ToldSize    uint64        // of the mapping
	// address of mv_control.beat in the process: the present time; shared memory, not in core files
	Beat    atomic.Uint64
	Rank    int32
	Size    int32     // in MPI_COMM_WORLD, -1: unknown
	Program [256]byte // path of the mpivet executable, ended by a zero
}

// SizeofDebug is the size of a Debug, and the others are the offsets of its fields, in bytes.
const (
	SizeofDebug        = 456
	DebugMagicAt       = 0
	DebugVersionAt     = 8
	DebugHeaderSizeAt  = 12
	DebugTableHashAt   = 16
	DebugThreadsAt     = 24
	DebugNamesAt       = 32
	DebugNamesUsedAt   = 40
	DebugKeptAt        = 48
	DebugKeptBitsAt    = 56
	DebugHandleSizeAt  = 60
	DebugForgottenAt   = 64
	DebugObjectsAt     = 72
	DebugObjectCountAt = 136
	DebugToldAt        = 168
	DebugToldSizeAt    = 176
	DebugBeatAt        = 184
	DebugRankAt        = 192
	DebugSizeAt        = 196
	DebugProgramAt     = 200
)

// DebugThread is struct mv_debug_thread. The calls of a thread.
type DebugThread struct {
	Next uint64 // address of the next thread's
	// address of the thread's struct mv_ring, in shared memory
	Ring uint64
	// not zero if the thread is in a recorded call, which is the one of `now`. Stored after `now`
	Record atomic.Uint64
	Call   atomic.Uint64 // number of the call in `now`, from 1
	// mv_control.beat when the call was entered: CLOCK_MONOTONIC ns, in steps of 0.1 s
	Beat uint64
	// address of a struct mv_open_requests; 0: the thread has made none
	Requests atomic.Uint64
	TID      uint32 // 0: the thread has ended
	Thread   uint32 // as in struct mv_ring
	// not zero: the call repeats a test or probe. Then its record is not in `now`, but at `record`, which is private
	// memory in this case
	Polling atomic.Uint32
	// of the record; only its first MV_NOW bytes are in `now`
	NowLength uint32
	// the first bytes of the record of the last recorded call
	Now [Now]uint8
}

// SizeofDebugThread is the size of a DebugThread, and the others are the offsets of its fields, in bytes.
const (
	SizeofDebugThread      = 320
	DebugThreadNextAt      = 0
	DebugThreadRingAt      = 8
	DebugThreadRecordAt    = 16
	DebugThreadCallAt      = 24
	DebugThreadBeatAt      = 32
	DebugThreadRequestsAt  = 40
	DebugThreadTIDAt       = 48
	DebugThreadThreadAt    = 52
	DebugThreadPollingAt   = 56
	DebugThreadNowLengthAt = 60
	DebugThreadNowAt       = 64
)

// OpenRequests is struct mv_open_requests. Requests that a thread has made and that are not complete. A request is
// in bucket handle * 0x9e3779b97f4a7c15 >> (64 - bits). There are 1 << bits buckets, of MV_REQUEST_WAYS entries
// each.
type OpenRequests struct {
	Bits uint32
	_    uint32
	// number of requests that found no room in their bucket
	Unlisted atomic.Uint64
	// address of the atomic handles of all entries, zero-extended; 0: the entry is empty; stored last
	Keys uint64
	// address of the struct mv_open_request of all entries
	Entries uint64
}

// SizeofOpenRequests is the size of a OpenRequests, and the others are the offsets of its fields, in bytes.
const (
	SizeofOpenRequests     = 32
	OpenRequestsBitsAt     = 0
	OpenRequestsUnlistedAt = 8
	OpenRequestsKeysAt     = 16
	OpenRequestsEntriesAt  = 24
)

// OpenRequest is struct mv_open_request.
type OpenRequest struct {
	Number uint64        // mv_operation_number of the call that made it
	Beat   uint64        // mv_control.beat when it was made or last started
	Flags  atomic.Uint32 // enum mv_request_flags
	// of the record; only its first MV_REQUEST_RECORD bytes are here
	Length uint32
	Site   uint64 // return address of the call that made it
	// the first bytes of the record of the call that made it
	Record [RequestRecord]uint8
}

// SizeofOpenRequest is the size of a OpenRequest, and the others are the offsets of its fields, in bytes.
const (
	SizeofOpenRequest   = 160
	OpenRequestNumberAt = 0
	OpenRequestBeatAt   = 8
	OpenRequestFlagsAt  = 16
	OpenRequestLengthAt = 20
	OpenRequestSiteAt   = 24
	OpenRequestRecordAt = 32
)

// Kept is struct mv_kept. What a handle stands for: the call that made the object. An object that was freed stays
// in its list as long as another object refers to it, and for some time after that. The newest object with a handle
// comes first.
type Kept struct {
	Next   atomic.Uint64 // address of the next one in the list; 0: the end
	Handle uint64        // zero-extended
	// from 1, in the order in which the process has made its objects
	Serial uint64
	// 0, or the number of objects made before it was freed, plus 1
	Freed atomic.Uint64
	Beat  uint64 // mv_control.beat when it was made
	Kind  uint32 // enum mv_name_kind
	// of the record, which follows the references. All of it is here
	Length uint32
	// length of the MV_DATA records, with their headers, that follow it: arrays that were too long for the call record
	Extra uint32
	// number of struct mv_reference that follow this struct
	References uint32
	// address of a struct mv_note, the newest; 0: there is none
	Notes atomic.Uint64
	// return addresses of the call that made it, innermost first; 0: no more
	PCs [KeptPCs]uint64
}

// SizeofKept is the size of a Kept, and the others are the offsets of its fields, in bytes.
const (
	SizeofKept       = 112
	KeptNextAt       = 0
	KeptHandleAt     = 8
	KeptSerialAt     = 16
	KeptFreedAt      = 24
	KeptBeatAt       = 32
	KeptKindAt       = 40
	KeptLengthAt     = 44
	KeptExtraAt      = 48
	KeptReferencesAt = 52
	KeptNotesAt      = 56
	KeptPCsAt        = 64
)

// Note is struct mv_note. A later call that has changed the object: it has named a datatype, or set or deleted a
// key of an info object. The call's record follows.
type Note struct {
	Next   uint64 // address of the one before; 0: the end
	Length uint32 // of the record
	_      uint32
}

// SizeofNote is the size of a Note, and the others are the offsets of its fields, in bytes.
const (
	SizeofNote   = 16
	NoteNextAt   = 0
	NoteLengthAt = 8
)

// Reference is struct mv_reference. An object that the call got as an argument, for example the old datatypes of a
// new one, in the order of the parameters and of the elements of arrays. Predefined and unknown objects have the
// address 0.
type Reference struct {
	Handle uint64
	Kept   uint64 // address of its struct mv_kept
}

// SizeofReference is the size of a Reference, and the others are the offsets of its fields, in bytes.
const (
	SizeofReference   = 16
	ReferenceHandleAt = 0
	ReferenceKeptAt   = 8
)

// Told is struct mv_told. What the analyzer tells a process, for its debuggers. The process makes it, and the
// analyzer writes it.
type Told struct {
	Magic   uint64
	Version uint32
	// struct mv_unexpected[unexpected] and the text follow at the offsets below
	HeaderSize   uint32
	Size         uint64        // of the file
	Sequence     atomic.Uint64 // odd while the analyzer writes
	Time         uint64        // CLOCK_MONOTONIC ns of the last writing; 0: never
	UnexpectedAt uint32
	// messages that were sent to the process and for which it has posted no receive
	Unexpected     uint32
	UnexpectedMore uint32 // number of further ones, for which there is no room
	TextAt         uint32
	// JSON: what the threads wait for, and findings that concern the process
	TextLength uint32
	_          uint32
}

// SizeofTold is the size of a Told, and the others are the offsets of its fields, in bytes.
const (
	SizeofTold           = 64
	ToldMagicAt          = 0
	ToldVersionAt        = 8
	ToldHeaderSizeAt     = 12
	ToldSizeAt           = 16
	ToldSequenceAt       = 24
	ToldTimeAt           = 32
	ToldUnexpectedAtAt   = 40
	ToldUnexpectedAt     = 44
	ToldUnexpectedMoreAt = 48
	ToldTextAtAt         = 52
	ToldTextLengthAt     = 56
)

// Unexpected is struct mv_unexpected.
type Unexpected struct {
	// handle of the communicator in the receiving process
	Comm uint64
	// rank of the sender in the communicator's group, for the receiver
	Source   int32
	Tag      int32
	World    int32  // world rank of the sender, -1: unknown
	Function uint32 // of the call that sends it, in the API table
	Bytes    int64
	// CLOCK_MONOTONIC ns at which the analyzer learned of it
	Beat uint64
}

// SizeofUnexpected is the size of a Unexpected, and the others are the offsets of its fields, in bytes.
const (
	SizeofUnexpected     = 40
	UnexpectedCommAt     = 0
	UnexpectedSourceAt   = 8
	UnexpectedTagAt      = 12
	UnexpectedWorldAt    = 16
	UnexpectedFunctionAt = 20
	UnexpectedBytesAt    = 24
	UnexpectedBeatAt     = 32
)
