/*
 * The contract between the preload library and the analyzer: what lies in shared memory, byte for byte.
 * This header is the only definition; internal/ring/layout.go mirrors it and a test compares the two.
 * Everything is little endian and naturally aligned.
 *
 * A session is a directory (mode 0700). It holds
 *   control        one struct mv_control, made by the analyzer, mapped by every process
 *   p<pid>.<k>     one struct mv_process, made by the library's constructor (k counts exec() by the same pid)
 *   t<pid>.<k>.<i> one ring, of the i-th thread of that process to call MPI
 *   l<pid>.<k>     one struct mv_layouts, made by the analyzer if somebody wants to know the layouts of datatypes
 * The files of a process appear by rename() from a name that starts with '.', so that a file that is visible
 * is also complete.
 */
#ifndef MPIVET_RECORD_H
#define MPIVET_RECORD_H

#include <stdint.h>

#define MV_VERSION 1
#define MV_MAGIC_CONTROL 0x314c54434556504dULL /* "MPVECTL1" */
#define MV_MAGIC_PROCESS 0x31434f525056504dULL /* "MPVPROC1" */
#define MV_MAGIC_RING 0x31474e495256504dULL    /* "MPVRING1" */
#define MV_MAGIC_LAYOUTS 0x315459414c56504dULL /* "MPVLAYT1" */

/* Written by the analyzer before the first process starts, then read-only but for what is said to change. */
struct mv_control {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t table_hash;  /* mpiapi.Hash(): the library refuses a session of another table */
    uint64_t ring_size;   /* wanted bytes of a ring's data, a power of two; the library halves it where there is no room */
    uint32_t stacks;      /* 1: record whole call stacks, 0: only the return address of the MPI call */
    uint32_t stop;        /* set to 1 by the analyzer to end recording: ranks run on unrecorded */
    uint32_t unrecorded;  /* processes and threads that found no room for a ring (atomic add, by ranks) */
    uint32_t shrunk;      /* rings made smaller than ring_size for want of room (atomic add, by ranks) */
    char fallback[256];   /* another session directory, on a disk, for when this one is full */
    uint32_t strict;      /* 1: collective calls are held until they are judged; set to 0 by the analyzer when it gives that up */
    uint32_t asked;       /* futex: number of calls held so far (atomic add, by ranks) */
    uint32_t asleep;      /* 1 while the analyzer sleeps on asked */
    uint32_t refusals;    /* collectives refused so far, by the analyzer */
    uint32_t sums;        /* 1: record sums of the data that collectives move */
    uint32_t pad;
    /* The analyzer holds flock(LOCK_EX) on this file as long as it lives. A rank that waits for room in its ring and
     * gets LOCK_SH knows that the analyzer died, and goes on unrecorded. */
};

enum mv_process_state {
    MV_STARTED = 0,  /* no end seen yet; if the pid is gone, it was killed by SIGKILL or left by a raw system call */
    MV_EXITED = 1,   /* exit(), return from main, or _exit(): `code` is the exit status */
    MV_SIGNALED = 2, /* a fatal signal is about to kill the process: `code` is its number */
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
    uint32_t state;       /* enum mv_process_state */
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
    struct { uint64_t start, end, offset; char path[232]; } maps[8]; /* only of modules that pcs[] needs */
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
    _Alignas(64) uint64_t head; /* end of the last record */
    uint64_t done;              /* number of calls that have returned, of all call records in this ring */
    uint64_t queries;           /* calls that were not recorded, as they neither communicate nor create */
    uint64_t stalls;            /* times that the thread waited for room */
    uint64_t stall_ns;
    uint32_t holding;           /* 1 while the thread sleeps on judged */
    uint32_t pad1;
    /* Written by the analyzer. tail: release when records up to it may be overwritten. */
    _Alignas(64) uint64_t tail;
    /* Strict mode: the verdict on the call that the thread holds. judged (a futex: its low half) comes last, by release. */
    uint64_t judged;    /* number of the call, from 1, counted like done; MV_UNJUDGED: this thread's calls are not judged any more */
    uint64_t refused_on; /* handle of the object whose error handler is to be told; 0: MPI_FILE_NULL, or MPI_COMM_WORLD */
    uint32_t refused;   /* enum mv_refused */
    char why[100];      /* the check that refuses it, ended by a zero */
};

#define MV_UNJUDGED UINT64_MAX

enum mv_refused {
    MV_GO_ON = 0,   /* the call may enter MPI */
    MV_ON_COMM = 1, /* it returns an error instead, raised on a communicator … */
    MV_ON_WIN = 2,
    MV_ON_FILE = 3,
};

/* Every record starts on a 64-byte boundary with this. */
struct mv_record {
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
};

/* A variable part of a call record. */
struct mv_section {
    uint16_t kind; /* enum mv_section_kind, 0 ends the list */
    uint16_t param;
    uint32_t count; /* elements */
    /* elements follow, padded to 8 bytes together */
};

enum mv_section_kind {
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
struct mv_status {
    int32_t source, tag, error, cancelled;
    int64_t bytes; /* received size, -1 unknown */
};

/* Records that are no calls. Their payload begins behind struct mv_record. */
enum mv_info {
    MV_INFO = 0xff00,
    MV_SITE = 0xff00,   /* struct mv_site: a call stack, number in mv_record.site */
    MV_MODULE = 0xff01, /* struct mv_module: a loaded file */
    MV_NAMES = 0xff02,  /* list of struct mv_name: predefined handles and constants */
    MV_COMM = 0xff03,   /* struct mv_comm: a communicator that the call just recorded has made; precedes that call's done */
    MV_ERROR = 0xff04,  /* struct mv_error: text of the error that the call just recorded returned, or is about to die of */
    MV_MPI = 0xff05,    /* struct mv_mpi: at the end of MPI_Init */
    MV_DATA = 0xff06,   /* struct mv_data: a part of an array that was cut off a call record */
    MV_SUMS = 0xff07,   /* struct mv_sums: of what the call just recorded sends or has received; precedes that call's done */
};

struct mv_site {
    uint32_t npcs;
    uint32_t pad;
    uint64_t pcs[]; /* return addresses, innermost (the MPI call's) first */
};

struct mv_module {
    uint64_t base;       /* load address: pc - base is the ELF virtual address */
    uint64_t start, end; /* of the mapped segments */
    uint16_t build_id_len, path_len;
    uint32_t pad;
    /* build id, then path */
};

struct mv_name {
    uint8_t kind;      /* enum mv_name_kind */
    uint8_t name_len;
    uint16_t more;     /* 1: another one follows */
    int32_t size;      /* datatype: MPI_Type_size; else 0 */
    uint64_t value;    /* handle zero-extended, or constant sign-extended */
    /* name, padded to 8 bytes */
};

enum mv_name_kind {
    MV_NAME_CONST = 0, MV_NAME_COMM, MV_NAME_GROUP, MV_NAME_DATATYPE, MV_NAME_OP, MV_NAME_REQUEST, MV_NAME_WIN,
    MV_NAME_FILE, MV_NAME_INFO, MV_NAME_ERRHANDLER, MV_NAME_MESSAGE, MV_NAME_SESSION,
};

struct mv_comm {
    uint64_t handle;
    int32_t rank, size;    /* in the (local) group */
    int32_t remote_size;   /* inter-communicator: size of the remote group, else 0 */
    uint32_t runs;         /* of the local group */
    uint32_t remote_runs;
    uint32_t is_inter;
    /* struct mv_run: world ranks of the local group, in order, then of the remote group. They may cover less than `size`
     * processes, the first ones, if the ring is too small for all. */
};

/* count world ranks: start, start+stride, … ; start -1: processes of another MPI_COMM_WORLD */
struct mv_run {
    int32_t start, stride, count;
};

struct mv_error {
    int32_t code, class;
    uint32_t text_len;
    uint32_t flags; /* enum mv_error_flags */
    /* text */
};

enum mv_error_flags {
    MV_FATAL = 1,   /* the handler is MPI_ERRORS_ARE_FATAL, the call will not return */
    MV_REFUSED = 2, /* strict mode: the error is mpivet's, and the call did not enter MPI */
};

struct mv_mpi {
    int32_t rank, size;    /* in MPI_COMM_WORLD */
    int32_t thread_level;  /* provided, MPI_THREAD_SINGLE … as the MPI's constant; -1: by MPI_Session_init, unknown */
    int32_t tag_ub;
    int32_t version, subversion; /* MPI_Get_version */
    uint32_t library_len;
    uint32_t threads;     /* of the process when MPI_Init returned: its own and those of MPI; 0 unknown */
    /* MPI_Get_library_version */
};

struct mv_data {
    uint16_t kind; /* MV_IN32 … MV_STATUS */
    uint16_t param;
    uint32_t first; /* index of the first element here */
    uint32_t count; /* elements here */
    uint32_t pad;
    /* elements */
};

/* Sums of the data that a collective moves, in their serialised order: one record when the call begins, of what it sends,
 * and one when it ends. A part whose data can't be found, or that is empty, is not there. */
struct mv_sums {
    uint32_t flags; /* enum mv_sums_flags */
    uint32_t count;
    /* struct mv_sum, in the order of peers */
};

enum mv_sums_flags {
    MV_SUMS_RECEIVED = 1, /* what the call has received; else what it sends */
    MV_SUMS_FAILED = 2,   /* the call has returned an error */
};

struct mv_sum {
    uint32_t peer; /* rank of who it goes to or comes from, in the group that the call communicates with; MV_SUM_ALL: to all */
    uint32_t pad;
    uint64_t bytes;
    uint64_t sum;
};

#define MV_SUM_ALL 0xffffffffu

/* Where the data of the process's committed datatypes lie. Written by the analyzer, read by the process.
 *
 * A table of handles leads to programs (internal/datatype/program.go says what their words mean), which stay as they are
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
    uint64_t freed;       /* MPI_Type_free calls of the process that are reflected by the table (release) */
    char pad1[24];
};

#define MV_LAYOUT_PROBES 64

struct mv_layout_slot {
    uint64_t handle; /* 0: never used; release */
    uint64_t at;     /* offset in the file of the program's length in words, which the words follow; 0: none; release */
};

#endif
