/*
 * The contract between the preload library and the analyzer: what lies in shared memory, byte for byte.
 * This header is the only definition. Go's view of it, internal/record/layout, is generated from it: after a change, run
 * go generate ./internal/record/layout. Everything is little endian and naturally aligned.
 *
 * Comments tell the generator what C cannot say:
 *   Go: Info       at the beginning of an enum: its values have names in Go that begin so, without MV_
 *   payload        at the beginning of a struct: it lies in records, where it is decoded
 *   tail: n: t[c]  in such a struct: n, an array of t, follows it; the field c has the number of its elements
 *   atomic         behind a field: one side writes it while the other may read it
 *
 * A session is a directory (mode 0700). It holds
 *   control        one struct mv_control, made by the analyzer, mapped by every process
 *   p<pid>.<k>     one struct mv_process, made by the library's constructor (k counts exec() by the same pid)
 *   t<pid>.<k>.<i> one ring, of the i-th thread of that process to call MPI
 *   l<pid>.<k>     one struct mv_layouts, made by the analyzer if somebody wants to know the layouts of datatypes
 *   s<pid>.<k>.<i> the i-th struct mv_objects of that process: its communicators, windows and files, and its names
 *   about          what the run is, as JSON, by the analyzer
 * The files of a process appear by rename() from a name that starts with '.', so that a file that is visible
 * is also complete.
 */
#ifndef MPIVET_RECORD_H
#define MPIVET_RECORD_H

#include <stdint.h>

#define MV_VERSION 6
#define MV_LINE 64 /* records begin at multiples of this, and their lengths are multiples of it */
#define MV_MAGIC_CONTROL 0x314c54434556504dULL /* "MPVECTL1" */
#define MV_MAGIC_PROCESS 0x31434f525056504dULL /* "MPVPROC1" */
#define MV_MAGIC_RING 0x31474e495256504dULL    /* "MPVRING1" */
#define MV_MAGIC_LAYOUTS 0x315459414c56504dULL /* "MPVLAYT1" */
#define MV_MAGIC_OBJECTS 0x314a424f4356504dULL /* "MPVCOBJ1" */

/* Written by the analyzer before the first process starts, then read-only but for what is said to change. */
struct mv_control {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t table_hash;  /* mpiapi.Hash(): the library refuses a session of another table */
    uint64_t ring_size;   /* wanted bytes of a ring's data, a power of two; the library halves it where there is no room */
    uint32_t stacks;      /* 1: record whole call stacks, 0: only the return address of the MPI call */
    uint32_t stop;        /* atomic: set to 1 by the analyzer to end recording: ranks run on unrecorded */
    uint32_t unrecorded;  /* atomic: processes and threads that found no room for a ring (atomic add, by ranks) */
    uint32_t shrunk;      /* atomic: rings made smaller than ring_size for want of room (atomic add, by ranks) */
    char fallback[256];   /* another session directory, on a disk, for when this one is full */
    uint32_t strict;      /* atomic: 1: collective calls are held until they are judged; set to 0 by the analyzer when it gives that up */
    uint32_t asked;       /* atomic: futex: number of calls held so far (atomic add, by ranks) */
    uint32_t asleep;      /* atomic: 1 while the analyzer sleeps on asked */
    uint32_t refusals;    /* atomic: collectives refused so far, by the analyzer */
    uint32_t sums;        /* enum mv_sums_wanted */
    uint32_t analyzer;    /* process number of the analyzer, */
    uint64_t beat;        /* atomic: CLOCK_MONOTONIC ns of the analyzer's last tick: it makes ten in a second */
    uint64_t sum_limit;   /* sum up only samples, so many bytes in all, of data longer than this; 0: all */
    uint64_t namespace;   /* in the PID namespace with this inode number; 0 if that is not known */
    uint32_t verdicts;    /* 1: ranks that have succeeded wait at their exit for struct mv_process's verdict */
    uint32_t pad;
    /* The analyzer holds flock(LOCK_EX) on this file as long as it lives. A rank that waits for room in its ring and
     * gets LOCK_SH knows that the analyzer died, and writes over its oldest records from then on. A rank that has no file
     * descriptor left looks whether the process is there. */
};

enum mv_process_state { /* Go: State */
    MV_STARTED = 0,  /* no end seen yet; if the pid is gone, it was killed by SIGKILL or left by a raw system call */
    MV_EXITED = 1,   /* exit(), return from main, or _exit(): `code` is the exit status */
    MV_SIGNALED = 2, /* a fatal signal is about to kill the process: `code` is its number */
};

/* A mapping of a file. */
struct mv_map {
    uint64_t start, end, offset;
    char path[232];
};

/* One page per process. Written by the process, read by the analyzer after `state` (release) and the process's end. */
struct mv_process {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint32_t pid;
    uint32_t ppid;
    int32_t rank;         /* what the launcher's environment says (PMI_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, SLURM_PROCID), or -1 */
    int32_t world_size;   /* likewise, or -1 */
    uint32_t state;       /* atomic: enum mv_process_state */
    int32_t code;
    uint32_t initialized; /* MPI_Init(_thread) returned */
    uint32_t finalized;   /* MPI_Finalize was entered */
    uint32_t aborted;     /* MPI_Abort was entered */
    uint32_t in_mpi;      /* the exit or signal came while this thread was inside an MPI call of the program */
    uint32_t exit_kind;   /* 0 exit() or return from main, 1 _exit()/_Exit()/quick_exit() */
    uint32_t end_tid;     /* thread that exited or got the signal */
    uint64_t end_time;    /* CLOCK_MONOTONIC ns of the exit or the signal */
    uint64_t fault_addr;  /* si_addr for SIGSEGV, SIGBUS, SIGFPE, SIGILL */
    int32_t sender_pid;   /* si_pid when the signal was sent by kill(), else 0 */
    uint32_t npcs;        /* the stack of the end, innermost first; a signal's begins at the faulting pc */
    uint64_t pcs[64];
    uint64_t start_time;  /* CLOCK_MONOTONIC ns */
    char exe[256];        /* /proc/self/exe */
    uint32_t nmaps;       /* executable mappings at the end when it is a signal or an exit with a stack, for pcs[] */
    uint32_t layouts;     /* written by the analyzer: 1 once the process's struct mv_layouts is there */
    uint32_t leaving;     /* atomic: 1 while the process waits in its exit for: */
    uint32_t verdict;     /* written by the analyzer: 0 not yet known, else 256 + the exit status to end with */
    struct mv_map maps[8]; /* only of modules that pcs[] needs */
};

/* The first page of a ring's file; the data follow at header_size. The data are mapped twice, back to back, by both
 * sides, so that a record never wraps. Positions are bytes since the beginning, ever growing; a record lies at
 * position modulo size. */
struct mv_ring {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* 4096 */
    uint64_t size;        /* of the data, a power of two */
    uint32_t pid;
    uint32_t tid;
    uint32_t thread;      /* 0 for the first thread of the process that calls MPI */
    uint32_t main_thread; /* tid == pid */
    char process[32];     /* name of the process's file, "p<pid>.<k>" */
    char pad0[4];
    /* Written by the thread. head: release after the record's bytes. done: release after the results. */
    _Alignas(64) uint64_t head; /* atomic: end of the last record */
    uint64_t done;              /* atomic: number of calls that have returned, of all call records in this ring */
    uint64_t queries;           /* atomic: calls that were not recorded, as they neither communicate nor create */
    uint64_t stalls;            /* atomic: times that the thread waited for room */
    uint64_t stall_ns; /* atomic */
    uint32_t holding;           /* atomic: 1 while the thread sleeps on judged */
    uint32_t pad1;
    uint64_t call;              /* atomic: position of the last call record, */
    uint64_t calls;             /* atomic: and its number, from 1: the thread is in that call if this is more than done */
    uint64_t late;              /* atomic: time (TSC ticks) of leaving the call with MV_LATE, 0 before; precedes done */
    uint64_t repeats;           /* atomic: tests and probes that found nothing and have no record, as they have the arguments and results
                                   of one that has, and the same return address and frame: between the two, the thread called
                                   nothing but tests and probes in vain. One that is under way may have no record yet */
    /* Written by the analyzer. tail: release when records up to it may be overwritten. */
    _Alignas(64) uint64_t tail; /* atomic */
    /* Strict mode: the verdict on the call that the thread holds. judged (a futex: its low half) comes last, by release. */
    uint64_t judged;    /* atomic: number of the call, from 1, counted like done; MV_UNJUDGED: this thread's calls are not judged any more */
    uint64_t refused_on; /* handle of the object whose error handler is to be told; 0: MPI_FILE_NULL, or MPI_COMM_WORLD */
    uint32_t refused;   /* enum mv_refused */
    char why[100];      /* the check that refuses it, ended by a zero */
    /* Since when the thread has not moved, for who looks from outside: calls and done, with repeats added to each, were
     * seen_calls and seen_done at least from `since` (CLOCK_MONOTONIC ns) on. To change them, since is set to 0 first, and set
     * last, by release. */
    uint64_t since; /* atomic */
    uint64_t seen_calls; /* atomic */
    uint64_t seen_done; /* atomic */
};

#define MV_UNJUDGED UINT64_MAX

enum mv_refused {
    MV_GO_ON = 0,   /* the call may enter MPI */
    MV_ON_COMM = 1, /* it returns an error instead, raised on a communicator … */
    MV_ON_WIN = 2,
    MV_ON_FILE = 3,
};

/* Every record starts on a 64-byte boundary with this. */
struct mv_record { /* payload */
    uint16_t kind;  /* below MV_INFO: a call, the function's number in the API table; else enum mv_info */
    uint16_t lines; /* length in units of 64 bytes */
    uint32_t site;  /* call site: number of an MV_SITE record of this ring (0 = unknown) */
    int32_t rc;     /* what the call returned; valid once it is done; -1: left by longjmp or an exception */
    uint16_t flags; /* MV_TIMED … */
    uint16_t used;  /* length of the fixed part in bytes, this header included; sections follow, 8-byte aligned */
    /* The fixed part of a call: first the 8-byte slots, then the 4-byte slots, each in the order of the parameters,
     * as mpiapi.Func.Layout says. Then sections up to the end of the record; a section header of zero ends them. */
};

enum mv_flags {
    MV_TIMED = 1, /* the last 16 bytes of the record are the times (TSC ticks) of entering and leaving the call;
                     present once a second thread of the process has called MPI */
    MV_LATE = 2,  /* has no times, but was left when a second thread had called MPI: one call of a ring at most */
};

/* The end of a record with MV_TIMED. */
struct mv_times { /* payload */
    uint64_t enter, leave; /* TSC ticks */
};

/* A variable part of a call record. */
struct mv_section { /* payload */
    uint16_t kind; /* enum mv_section_kind */
    uint16_t param;
    uint32_t count; /* elements */
    /* elements follow, padded to 8 bytes together */
};

enum mv_section_kind { /* Go: Sec */
    MV_END = 0,     /* no section: the list is over */
    MV_IN32 = 1,    /* array of int at entry */
    MV_IN64 = 2,    /* array of handles, MPI_Aint or MPI_Count at entry (handles zero-extended to 64 bits) */
    MV_OUT32 = 3,   /* array of int after the call */
    MV_OUT64 = 4,   /* array of handles etc. after the call */
    MV_STATUS = 5,  /* struct mv_status after the call */
    MV_STRING = 6,  /* characters at entry, no terminating zero */
    MV_CUT = 7,     /* the array of `count` elements is not here: it was too long; it precedes the record (IN), or follows
                       it once it is done (OUT), in MV_DATA records */
};

/* All zero if the call failed, unless `error` is set: then it is one of MPI_ERR_IN_STATUS, or, with what the call returned
 * for its error, that of a receive whose message was too long. */
struct mv_status { /* payload */
    int32_t source, tag, error, cancelled;
    int64_t bytes; /* received size, -1 unknown */
};

/* Records that are no calls. Their payload begins behind struct mv_record. */
enum mv_info { /* Go: Info */
    MV_INFO = 0xff00,
    MV_SITE = 0xff00,   /* struct mv_site: a call stack, number in mv_record.site */
    MV_MODULE = 0xff01, /* struct mv_module: a loaded file */
    MV_NAMES = 0xff02,  /* list of struct mv_name: predefined handles and constants */
    MV_COMM = 0xff03,   /* struct mv_comm: a communicator that the call just recorded has made; precedes that call's done */
    MV_ERROR = 0xff04,  /* struct mv_error: text of the error that the call just recorded returned, or is about to die of */
    MV_MPI = 0xff05,    /* struct mv_mpi: at the end of MPI_Init */
    MV_DATA = 0xff06,   /* struct mv_data: a part of an array that was cut off a call record */
    MV_SUMS = 0xff07,   /* struct mv_sums: of what the call just recorded sends or has received; precedes that call's done */
    MV_NEIGHBOURS = 0xff08, /* struct mv_neighbours: those in the communicator that the MV_COMM record before tells of */
    MV_FREED = 0xff09,       /* struct mv_freed: what was freed inside of the call just recorded */
    MV_CHANGED = 0xff0a,     /* struct mv_changed: what the call just recorded completes has had its data changed; precedes that call's done */
    MV_UNREACHABLE = 0xff0b, /* struct mv_unreachable: memory that the call just recorded hands to MPI can't be accessed; precedes its done */
};

struct mv_site { /* payload */
    uint32_t npcs;
    uint32_t pad;
    uint64_t pcs[]; /* tail: pcs: uint64_t[npcs]; return addresses, innermost (the MPI call's) first */
};

struct mv_module { /* payload */
    uint64_t base;       /* load address: pc - base is the ELF virtual address */
    uint64_t start, end; /* of the mapped segments */
    uint16_t build_id_len, path_len;
    uint32_t pad;
    /* tail: build_id: char[build_id_len], path: char[path_len] */
};

struct mv_name { /* payload */
    uint8_t kind;      /* enum mv_name_kind */
    uint8_t name_len;
    uint16_t more;     /* 1: another one follows */
    int32_t size;      /* datatype: MPI_Type_size; else 0 */
    uint64_t value;    /* handle zero-extended, or constant sign-extended */
    /* tail: name: char[name_len]; padded to 8 bytes */
};

enum mv_name_kind {
    MV_NAME_CONST = 0, MV_NAME_COMM, MV_NAME_GROUP, MV_NAME_DATATYPE, MV_NAME_OP, MV_NAME_REQUEST, MV_NAME_WIN,
    MV_NAME_FILE, MV_NAME_INFO, MV_NAME_ERRHANDLER, MV_NAME_MESSAGE, MV_NAME_SESSION,
};

/* count world ranks: start, start+stride, … ; start -1: processes of another MPI_COMM_WORLD */
struct mv_run { /* payload */
    int32_t start, stride, count;
};

struct mv_comm { /* payload */
    uint64_t handle;
    int32_t rank, size;    /* in the (local) group */
    int32_t remote_size;   /* inter-communicator: size of the remote group, else 0 */
    uint32_t runs;         /* of the local group */
    uint32_t remote_runs;
    uint32_t is_inter;
    /* tail: local: mv_run[runs], remote: mv_run[remote_runs]; world ranks of the local group, in order, then of the remote group.
     * They may cover less than `size` processes, the first ones, if the ring is too small for all. */
};

/* The neighbours of the process in a distributed graph, in the order of neighbourhood collectives, which is MPI's own. */
struct mv_neighbours { /* payload */
    uint32_t in, out;
    /* tail: sources: int32_t[in], destinations: int32_t[out] */
};

/* Calls inside of a call are not recorded, be they MPI's or those of functions of the program that MPI calls, to delete an
 * attribute, say. What is freed by one is told by this, and where it came from. */
struct mv_freed { /* payload */
    uint64_t handle;
    uint32_t function; /* that freed it: its number in the API table */
    uint32_t pad;
    uint64_t caller;  /* where it returns to */
    uint64_t real;    /* MPI's function */
    uint64_t wrapper; /* code of this library */
};

struct mv_error { /* payload */
    int32_t code, class;
    uint32_t text_len;
    uint32_t flags; /* enum mv_error_flags */
    /* tail: text: char[text_len] */
};

enum mv_error_flags { /* Go: Error */
    MV_FATAL = 1,   /* the handler is MPI_ERRORS_ARE_FATAL, the call will not return */
    MV_REFUSED = 2, /* strict mode: the error is mpivet's, and the call did not enter MPI */
    MV_RAISED = 4,  /* MPI is about to hand the error to its handler: the call will return only if that does */
};

struct mv_mpi { /* payload */
    int32_t rank, size;    /* in MPI_COMM_WORLD */
    int32_t thread_level;  /* provided, MPI_THREAD_SINGLE … as the MPI's constant; -1: by MPI_Session_init, unknown */
    int32_t tag_ub;
    int32_t version, subversion; /* MPI_Get_version */
    uint32_t library_len;
    uint32_t threads;     /* of the process when MPI_Init returned: its own and those of MPI; 0 unknown */
    /* tail: library: char[library_len]; MPI_Get_library_version */
};

struct mv_data { /* payload */
    uint16_t kind; /* MV_IN32 … MV_STATUS */
    uint16_t param;
    uint32_t first; /* index of the first element here */
    uint32_t count; /* elements here */
    uint32_t pad;
    /* elements */
};

struct mv_sum { /* payload */
    uint32_t peer; /* rank of who it goes to or comes from, in the group that the call communicates with; MV_SUM_ALL: to all */
    uint32_t pad;
    uint64_t bytes;
    uint64_t sum;
};

#define MV_SUM_ALL 0xffffffffu

/* Sums of the data that a message or a collective moves, in their serialised order: one record when the operation begins, of
 * what it sends, and one when it is complete. A part whose data can't be found, or that is empty, is not there. MPI_Init
 * publishes one without parts if sums are wanted at all. */
struct mv_sums { /* payload */
    uint32_t flags; /* enum mv_sums_flags */
    uint32_t count;
    uint64_t operation; /* 0: the call's own; else a nonblocking or persistent one: mv_operation_number of the call that made it */
    uint64_t round;     /* of a persistent one: which start, from 1 */
    /* tail: parts: mv_sum[count]; in the order of peers */
};

/* Names the operation that a call of a thread makes: the thread's ring and the call's number in it, from 1. */
#define mv_operation_number(ring, call) ((uint64_t)(ring) << 40 | (call))

enum mv_sums_flags {
    MV_SUMS_RECEIVED = 1, /* what the call has received; else what it sends */
    MV_SUMS_FAILED = 2,   /* the call has returned an error */
    MV_SUMS_MADE = 4,     /* the operation is that of the call just recorded; if that makes a persistent one, nothing is sent yet */
    MV_SUMS_OVER = 8,     /* nothing more will come of the operation */
    MV_SUMS_BLOCKS = 16,  /* the sums are those of consecutive blocks of one message, which MV_SUM_BLOCKS tells of */
    MV_SUMS_VOID = 32,    /* the message's data are also used by another operation: nothing follows from its sums */
};

/* What sums of data are made for. */
enum mv_sums_wanted {
    MV_SUMS_NONE = 0,
    MV_SUMS_KEPT = 1, /* what nonblocking operations send must stay as it is: only changes are recorded */
    MV_SUMS_ALL = 2,  /* and what messages and collectives move must arrive: sums are recorded */
};

/* A message is summed up in blocks of equal length, the last of which may be shorter: a multiple of MV_SUM_BLOCK bytes, the
 * least with which there are MV_SUM_BLOCKS at most. */
#define MV_SUM_BLOCKS 64
#define MV_SUM_BLOCK 4096

/* Data that an operation reads are not the same when it is complete as when it began. */
struct mv_changed { /* payload */
    uint64_t operation;  /* as in struct mv_sums */
    uint32_t peer;       /* whom the part goes to, as in struct mv_sum */
    uint32_t exact;      /* 1: the range is that from the first byte that differs to the last one; 0: it has one that does */
    uint64_t bytes;      /* of the part */
    uint64_t at, length; /* the range, in the serialised data of the part */
};

/* The first byte of a buffer that the process can't access. */
struct mv_unreachable { /* payload */
    uint64_t address;
    uint64_t at;      /* of the byte in the serialised data */
    uint32_t written; /* 1: MPI is to write there, 0: to read */
    uint32_t mapped;  /* 1: there is memory, but none that can be so accessed */
};

/* Where the data of the process's committed datatypes lie. Written by the analyzer, read by the process.
 *
 * A table of handles leads to programs (internal/mpi/datatype/program.go says what their words mean), which stay as they are
 * for as long as the process lives. A handle's slot is one of the MV_LAYOUT_PROBES that follow, cyclically, from number
 * handle * 0x9e3779b97f4a7c15 >> (64 - slot_bits) on. Slots are never emptied: when a datatype is freed, `at` becomes 0,
 * and the slot may be given to another handle later. So a reader loads handle, at (acquire) and handle again.
 *
 * A handle may be another datatype's as soon as the program has freed it, and the analyzer knows of that only later. So
 * nothing in the table is to be believed unless `freed` (acquire) is the number of MPI_Type_free calls that the process has
 * entered. */
struct mv_layouts {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* 64; the slots follow */
    uint64_t size;        /* of the file; what nobody has written takes no memory */
    uint32_t slot_bits;   /* there are 1 << slot_bits slots */
    uint32_t pad0;
    uint64_t freed;       /* atomic: MPI_Type_free calls of the process that are reflected by the table (release) */
    char pad1[24];
};

#define MV_LAYOUT_PROBES 64

struct mv_layout_slot {
    uint64_t handle; /* atomic: 0: never used; release */
    uint64_t at;     /* atomic: offset in the file of the program's length in words, which the words follow; 0: none; release */
};

/* What a process has called collectively, for who looks from outside: by debuggers and by mpivet ps. Written by the process
 * alone; it needs no analyzer. docs/collective-state.md tells how to read it.
 *
 * An object is a communicator, window or file. A call of a collective costs two increments: `entered` before it enters MPI,
 * `left` when it has returned (so it is still inside if they differ). A nonblocking or persistent operation that has been
 * started has left its call; whether it is complete is not told.
 *
 * The first file of a process comes when MPI is initialized, the next ones when there is no more room. Object 0 of the first
 * file is none: it counts for all objects that are not known, or found no room. */
struct mv_objects {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* the objects follow */
    uint32_t object_size; /* sizeof(struct mv_object) */
    uint32_t count;       /* of objects in this file */
    uint32_t kinds;       /* MV_KINDS */
    uint32_t homeless;    /* objects that found no room (in the first file) */
    uint32_t names_at;    /* in the first file: a list of struct mv_name as in MV_NAMES records, */
    uint32_t names_room;
    uint32_t names_used;  /* bytes written (release) */
    uint32_t pad;
};

#define MV_KINDS 192

/* Kinds of collectives. The numbers are stable. Blocking, nonblocking and persistent forms (_init, and what MPI_Start does to
 * it) do not match each other, so they count by themselves; MPI_Bcast and MPI_Bcast_c are one. */
enum mv_collective {
    MV_COLL_BARRIER = 0, MV_COLL_BCAST = 1, MV_COLL_GATHER = 2, MV_COLL_GATHERV = 3, MV_COLL_SCATTER = 4,
    MV_COLL_SCATTERV = 5, MV_COLL_ALLGATHER = 6, MV_COLL_ALLGATHERV = 7, MV_COLL_ALLTOALL = 8, MV_COLL_ALLTOALLV = 9,
    MV_COLL_ALLTOALLW = 10, MV_COLL_REDUCE = 11, MV_COLL_ALLREDUCE = 12, MV_COLL_REDUCE_SCATTER = 13,
    MV_COLL_REDUCE_SCATTER_BLOCK = 14, MV_COLL_SCAN = 15, MV_COLL_EXSCAN = 16, MV_COLL_NEIGHBOR_ALLGATHER = 17,
    MV_COLL_NEIGHBOR_ALLGATHERV = 18, MV_COLL_NEIGHBOR_ALLTOALL = 19, MV_COLL_NEIGHBOR_ALLTOALLV = 20,
    MV_COLL_NEIGHBOR_ALLTOALLW = 21,
    MV_COLL_IBARRIER = 22, MV_COLL_IBCAST = 23, MV_COLL_IGATHER = 24, MV_COLL_IGATHERV = 25, MV_COLL_ISCATTER = 26,
    MV_COLL_ISCATTERV = 27, MV_COLL_IALLGATHER = 28, MV_COLL_IALLGATHERV = 29, MV_COLL_IALLTOALL = 30,
    MV_COLL_IALLTOALLV = 31, MV_COLL_IALLTOALLW = 32, MV_COLL_IREDUCE = 33, MV_COLL_IALLREDUCE = 34,
    MV_COLL_IREDUCE_SCATTER = 35, MV_COLL_IREDUCE_SCATTER_BLOCK = 36, MV_COLL_ISCAN = 37, MV_COLL_IEXSCAN = 38,
    MV_COLL_INEIGHBOR_ALLGATHER = 39, MV_COLL_INEIGHBOR_ALLGATHERV = 40, MV_COLL_INEIGHBOR_ALLTOALL = 41,
    MV_COLL_INEIGHBOR_ALLTOALLV = 42, MV_COLL_INEIGHBOR_ALLTOALLW = 43,
    MV_COLL_BARRIER_INIT = 44, MV_COLL_BCAST_INIT = 45, MV_COLL_GATHER_INIT = 46, MV_COLL_GATHERV_INIT = 47,
    MV_COLL_SCATTER_INIT = 48, MV_COLL_SCATTERV_INIT = 49, MV_COLL_ALLGATHER_INIT = 50, MV_COLL_ALLGATHERV_INIT = 51,
    MV_COLL_ALLTOALL_INIT = 52, MV_COLL_ALLTOALLV_INIT = 53, MV_COLL_ALLTOALLW_INIT = 54, MV_COLL_REDUCE_INIT = 55,
    MV_COLL_ALLREDUCE_INIT = 56, MV_COLL_REDUCE_SCATTER_INIT = 57, MV_COLL_REDUCE_SCATTER_BLOCK_INIT = 58,
    MV_COLL_SCAN_INIT = 59, MV_COLL_EXSCAN_INIT = 60, MV_COLL_NEIGHBOR_ALLGATHER_INIT = 61,
    MV_COLL_NEIGHBOR_ALLGATHERV_INIT = 62, MV_COLL_NEIGHBOR_ALLTOALL_INIT = 63, MV_COLL_NEIGHBOR_ALLTOALLV_INIT = 64,
    MV_COLL_NEIGHBOR_ALLTOALLW_INIT = 65,
    MV_COLL_BARRIER_START = 66, MV_COLL_BCAST_START = 67, MV_COLL_GATHER_START = 68, MV_COLL_GATHERV_START = 69,
    MV_COLL_SCATTER_START = 70, MV_COLL_SCATTERV_START = 71, MV_COLL_ALLGATHER_START = 72, MV_COLL_ALLGATHERV_START = 73,
    MV_COLL_ALLTOALL_START = 74, MV_COLL_ALLTOALLV_START = 75, MV_COLL_ALLTOALLW_START = 76, MV_COLL_REDUCE_START = 77,
    MV_COLL_ALLREDUCE_START = 78, MV_COLL_REDUCE_SCATTER_START = 79, MV_COLL_REDUCE_SCATTER_BLOCK_START = 80,
    MV_COLL_SCAN_START = 81, MV_COLL_EXSCAN_START = 82, MV_COLL_NEIGHBOR_ALLGATHER_START = 83,
    MV_COLL_NEIGHBOR_ALLGATHERV_START = 84, MV_COLL_NEIGHBOR_ALLTOALL_START = 85, MV_COLL_NEIGHBOR_ALLTOALLV_START = 86,
    MV_COLL_NEIGHBOR_ALLTOALLW_START = 87,
    MV_COLL_COMM_DUP = 88, MV_COLL_COMM_DUP_WITH_INFO = 89, MV_COLL_COMM_IDUP = 90, MV_COLL_COMM_IDUP_WITH_INFO = 91,
    MV_COLL_COMM_CREATE = 92, MV_COLL_COMM_SPLIT = 93, MV_COLL_COMM_SPLIT_TYPE = 94, MV_COLL_INTERCOMM_MERGE = 95,
    MV_COLL_CART_CREATE = 96, MV_COLL_GRAPH_CREATE = 97, MV_COLL_CART_SUB = 98, MV_COLL_DIST_GRAPH_CREATE = 99,
    MV_COLL_DIST_GRAPH_CREATE_ADJACENT = 100, MV_COLL_COMM_SPAWN = 101, MV_COLL_COMM_SPAWN_MULTIPLE = 102,
    MV_COLL_COMM_ACCEPT = 103, MV_COLL_COMM_CONNECT = 104, MV_COLL_COMM_CREATE_GROUP = 105,
    MV_COLL_COMM_CREATE_FROM_GROUP = 106, MV_COLL_INTERCOMM_CREATE = 107, MV_COLL_INTERCOMM_CREATE_FROM_GROUPS = 108,
    MV_COLL_COMM_FREE = 109, MV_COLL_COMM_DISCONNECT = 110, MV_COLL_COMM_SET_INFO = 111, MV_COLL_CART_MAP = 112,
    MV_COLL_GRAPH_MAP = 113, MV_COLL_FINALIZE = 114, MV_COLL_WIN_CREATE = 115, MV_COLL_WIN_ALLOCATE = 116,
    MV_COLL_WIN_ALLOCATE_SHARED = 117, MV_COLL_WIN_CREATE_DYNAMIC = 118, MV_COLL_WIN_FENCE = 119, MV_COLL_WIN_FREE = 120,
    MV_COLL_WIN_SET_INFO = 121, MV_COLL_FILE_OPEN = 122, MV_COLL_FILE_CLOSE = 123, MV_COLL_FILE_SET_SIZE = 124,
    MV_COLL_FILE_PREALLOCATE = 125, MV_COLL_FILE_SET_INFO = 126, MV_COLL_FILE_SET_VIEW = 127,
    MV_COLL_FILE_SET_ATOMICITY = 128, MV_COLL_FILE_SYNC = 129, MV_COLL_FILE_SEEK_SHARED = 130,
    MV_COLL_FILE_READ_AT_ALL = 131, MV_COLL_FILE_WRITE_AT_ALL = 132, MV_COLL_FILE_READ_ALL = 133,
    MV_COLL_FILE_WRITE_ALL = 134, MV_COLL_FILE_READ_ORDERED = 135, MV_COLL_FILE_WRITE_ORDERED = 136,
    MV_COLL_FILE_IREAD_AT_ALL = 137, MV_COLL_FILE_IWRITE_AT_ALL = 138, MV_COLL_FILE_IREAD_ALL = 139,
    MV_COLL_FILE_IWRITE_ALL = 140, MV_COLL_FILE_READ_AT_ALL_BEGIN = 141, MV_COLL_FILE_READ_AT_ALL_END = 142,
    MV_COLL_FILE_READ_ALL_BEGIN = 143, MV_COLL_FILE_READ_ALL_END = 144, MV_COLL_FILE_READ_ORDERED_BEGIN = 145,
    MV_COLL_FILE_READ_ORDERED_END = 146, MV_COLL_FILE_WRITE_AT_ALL_BEGIN = 147, MV_COLL_FILE_WRITE_AT_ALL_END = 148,
    MV_COLL_FILE_WRITE_ALL_BEGIN = 149, MV_COLL_FILE_WRITE_ALL_END = 150, MV_COLL_FILE_WRITE_ORDERED_BEGIN = 151,
    MV_COLL_FILE_WRITE_ORDERED_END = 152, MV_COLL_COMM_SHRINK = 153, MV_COLL_COMM_AGREE = 154,
};

/* How an object came to be, besides enum mv_collective. */
enum mv_made {
    MV_MADE_WORLD = 0x100, /* MPI_COMM_WORLD */
    MV_MADE_SELF = 0x101,  /* MPI_COMM_SELF */
    MV_MADE_PARENT = 0x102, /* by MPI_Comm_get_parent */
    MV_MADE_ELSE = 0x103,  /* by a call that is not collective, or unknown */
};

enum mv_object_kind {
    MV_OBJECT_COMM = 1,
    MV_OBJECT_WIN = 2,
    MV_OBJECT_FILE = 3,
};

enum mv_object_flags {
    MV_OBJECT_ALONE = 1, /* what it is on other ranks is not known: id is nobody else's */
};

struct mv_count {
    uint64_t entered, left;
};

#define MV_OBJECT_RUNS 30

struct mv_object {
    uint64_t serial;      /* 0: nothing is here; else different for each object that was here. Set last, by release */
    uint64_t handle;
    uint64_t id;          /* the same on all members; may be that of another MPI_COMM_WORLD's as well */
    uint64_t parent;      /* id of what it was made of, 0 if of nothing */
    uint64_t number;      /* how many of its like were made of the parent before, from 1 */
    uint32_t kind;        /* enum mv_object_kind */
    uint32_t made;        /* enum mv_collective or enum mv_made */
    uint32_t flags;       /* enum mv_object_flags */
    int32_t rank, size;   /* in the (local) group */
    int32_t remote_size;  /* inter-communicator: size of the remote group, else 0 */
    uint32_t runs;        /* of the local group, as in struct mv_comm */
    uint32_t remote_runs;
    struct mv_run run[MV_OBJECT_RUNS]; /* they may cover the first members only */
    char name[128];       /* by MPI_Comm_set_name or MPI_Win_set_name, ended by a zero */
    char pad[464];
    struct mv_count count[MV_KINDS];
};

#endif
