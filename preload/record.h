/*
 * The contract between the preload library and the analyzer: the bytes in shared memory. This header is the only
 * definition. Go's view of it, internal/record/layout, is generated from it. After a change, run go generate
 * ./internal/record/layout. All values are little endian and naturally aligned.
 *
 * Some comments are for the generator. They say what C cannot say:
 *   Go: Info       at the beginning of an enum: the Go names of its values have this prefix instead of MV_
 *   payload        at the beginning of a struct: the struct is part of a record, and is decoded from there
 *   tail: n: t[c]  in such a struct: an array n of type t follows the struct; the field c is its number of elements
 *   atomic         behind a field: one side writes it while the other side may read it
 *
 * A session is a directory (mode 0700). It holds these files:
 *   control        one struct mv_control, made by the analyzer, mapped by every process
 *   p<pid>.<k>     one struct mv_process, made by the library's constructor (k counts exec() by the same pid)
 *   t<pid>.<k>.<i> one ring, for the i-th thread of that process that calls MPI
 *   l<pid>.<k>     one struct mv_layouts, made by the analyzer if the layouts of datatypes are needed
 *   s<pid>.<k>.<i> the i-th struct mv_objects of that process: its communicators, windows and files, and its names
 *   d<pid>.<k>     one struct mv_told, made by the process when MPI is initialized. The analyzer opens it and removes
 *                  its name at once, so that the mapping is part of core files
 *   about          a description of the run, as JSON, written by the analyzer
 *
 * A process makes each of its files under a name that starts with '.', and then calls rename(). So a visible file is
 * complete.
 */
#ifndef MPIVET_RECORD_H
#define MPIVET_RECORD_H

#include <stdint.h>

#define MV_VERSION 8 /* of the structs in shared memory */
#define MV_RECORDS 6 /* version of the records, also in files: struct mv_record and everything that may follow it */
#define MV_LINE 64 /* records begin at multiples of this, and their lengths are multiples of it */
#define MV_MAGIC_CONTROL 0x314c54434556504dULL /* "MPVECTL1" */
#define MV_MAGIC_PROCESS 0x31434f525056504dULL /* "MPVPROC1" */
#define MV_MAGIC_RING 0x31474e495256504dULL    /* "MPVRING1" */
#define MV_MAGIC_LAYOUTS 0x315459414c56504dULL /* "MPVLAYT1" */
#define MV_MAGIC_OBJECTS 0x314a424f4356504dULL /* "MPVCOBJ1" */
#define MV_MAGIC_DEBUG 0x314742444356504dULL   /* "MPVCDBG1" */
#define MV_MAGIC_TOLD 0x31444c544356504dULL    /* "MPVCTLD1" */

/* Written by the analyzer before the first process starts. Read-only from then on, except for the fields with a comment
 * that says when they change. */
struct mv_control {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t table_hash;  /* mpiapi.Hash(): the library refuses a session with another table */
    uint64_t ring_size;   /* wanted size of a ring's data in bytes, a power of two; the library halves it if there is
                             not enough space */
    uint32_t stacks;      /* 1: record whole call stacks, 0: only the return address of the MPI call */
    uint32_t stop;        /* atomic: the analyzer sets it to 1 to end recording; the ranks then go on unrecorded */
    uint32_t unrecorded;  /* atomic: processes and threads that got no ring, as there was no space (atomic add, by
                             ranks) */
    uint32_t shrunk;      /* atomic: rings that are smaller than ring_size, as there was not enough space (atomic
                             add, by ranks) */
    char fallback[256];   /* another session directory, on a disk, used when this one is full */
    uint32_t strict;      /* atomic: 1: collective calls are held until they are judged; the analyzer sets it to 0
                             when it stops judging */
    uint32_t asked;       /* atomic: futex: number of calls held so far (atomic add, by ranks) */
    uint32_t asleep;      /* atomic: 1 while the analyzer sleeps on asked */
    uint32_t refusals;    /* atomic: number of collectives refused so far, written by the analyzer */
    uint32_t sums;        /* enum mv_sums_wanted */
    uint32_t analyzer;    /* process number of the analyzer, in the PID namespace below */
    uint64_t beat;        /* atomic: CLOCK_MONOTONIC ns of the analyzer's last tick; there are ten ticks in a second;
                             before the first tick: of the start of the session */
    uint64_t sum_limit;   /* of data longer than this, sum up only samples of this many bytes in all; 0: sum up all
                             data */
    uint64_t namespace;   /* inode number of the PID namespace of `analyzer`; 0 if it is not known */
    uint32_t verdicts;    /* 1: a rank that has succeeded waits at its exit for the verdict in its struct mv_process */
    uint32_t breaks;      /* atomic: 1: each recorded call waits until `passed` of its ring lets it enter MPI, and until
                             `passed` lets it return; the analyzer sets it to 0 when it stops reading */
    char debugger[512];   /* path of the library for debuggers, ended by a zero; empty: there is none */
    uint32_t found;       /* atomic: the analyzer adds 2 for each finding that it has put into a ring. So it is even */
    uint32_t outdated;    /* atomic: processes whose program contains another version of the library (atomic add, by
                             ranks) */
    /* The analyzer holds flock(LOCK_EX) on this file as long as it lives. A rank that waits for room in its ring tries
     * to get LOCK_SH. If it succeeds, the analyzer has died, and the rank writes over its oldest records from then on.
     * A rank without a free file descriptor looks whether the analyzer's process exists. */
};

enum mv_process_state { /* Go: State */
    MV_STARTED = 0,  /* no end seen yet; if the pid does not exist any more, the process was killed by SIGKILL or
                        left by a raw system call */
    MV_EXITED = 1,   /* exit(), return from main, or _exit(): `code` is the exit status */
    MV_SIGNALED = 2, /* a fatal signal is about to kill the process: `code` is its number */
};

/* A mapping of a file into memory. */
struct mv_map {
    uint64_t start, end, offset;
    char path[232];
};

/* One page per process. The process writes it. The analyzer reads it after `state` (release) and after the end of the
 * process. */
struct mv_process {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint32_t pid;
    uint32_t ppid;
    int32_t rank;         /* from the launcher's environment (PMI_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK,
                             SLURM_PROCID), or -1 */
    int32_t world_size;   /* from there, too, or -1 */
    uint32_t state;       /* atomic: enum mv_process_state */
    int32_t code;
    uint32_t initialized; /* MPI_Init or MPI_Init_thread has returned */
    uint32_t finalized;   /* MPI_Finalize was entered */
    uint32_t aborted;     /* MPI_Abort was entered */
    uint32_t in_mpi;      /* the exit or signal came while this thread was inside an MPI call of the program */
    uint32_t exit_kind;   /* 0: exit() or return from main; 1: _exit(), _Exit() or quick_exit() */
    uint32_t end_tid;     /* the thread that exited or got the signal */
    uint64_t end_time;    /* CLOCK_MONOTONIC ns of the exit or the signal */
    uint64_t fault_addr;  /* si_addr for SIGSEGV, SIGBUS, SIGFPE, SIGILL */
    int32_t sender_pid;   /* si_pid if the signal was sent by kill(), else 0 */
    uint32_t npcs;        /* length of the stack at the end, innermost frame first; after a signal it begins at the
                             faulting pc */
    uint64_t pcs[64];
    uint64_t start_time;  /* CLOCK_MONOTONIC ns */
    char exe[256];        /* /proc/self/exe */
    uint32_t nmaps;       /* executable mappings for pcs[], at a signal or at an exit with a stack */
    uint32_t layouts;     /* written by the analyzer: 1 once the process's struct mv_layouts exists */
    uint32_t leaving;     /* atomic: 1 while the process waits in its exit for `verdict` */
    uint32_t verdict;     /* written by the analyzer: 0: not yet known; else 256 + the exit status to end with */
    struct mv_map maps[8]; /* only of modules that contain a pc of pcs[] */
};

/* A finding, as text that ends with a zero. */
struct mv_finding {
    char check[96];
    char text[736];
};

#define MV_FINDINGS 4

/* The first page of a ring's file. The data follow at header_size. Both sides map the data twice, back to back, so that
 * a record never wraps. A position is a number of bytes since the beginning, and only grows. A record lies at its
 * position modulo size. */
struct mv_ring {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* 4096 */
    uint64_t size;        /* of the data, a power of two */
    uint32_t pid;
    uint32_t tid;
    uint32_t thread;      /* 0 for the first thread of the process that calls MPI, 1 for the next, … */
    uint32_t main_thread; /* 1 if tid == pid */
    char process[32];     /* name of the process's file, "p<pid>.<k>" */
    char pad0[4];
    /* Written by the thread. It stores head after the record's bytes, and done after the results, both by release. */
    _Alignas(64) uint64_t head; /* atomic: end of the last record */
    uint64_t done;              /* atomic: number of calls that have returned, of all call records in this ring */
    uint64_t queries;           /* atomic: number of calls that were not recorded, as they neither communicate nor
                                   create an object */
    uint64_t stalls;            /* atomic: how many times the thread waited for room */
    uint64_t stall_ns;          /* atomic: ns that it waited */
    uint32_t holding;           /* atomic: 1 while the thread sleeps on `judged` */
    uint32_t pad1;
    uint64_t call;              /* atomic: position of the last call record */
    uint64_t calls;             /* atomic: number of that call, from 1; the thread is in that call if this is more
                                   than `done` */
    uint64_t late;              /* atomic: time (TSC ticks) of leaving the call with MV_LATE, 0 before; stored before
                                   `done` */
    uint64_t repeats;           /* atomic: number of tests and probes that found nothing and have no record. Each has
                                   the arguments, the results, the return address and the frame of one that has a
                                   record. Between the two, the thread called only tests and probes that found
                                   nothing. One that is under way may have no record yet */
    /* Written by the analyzer. It stores tail, by release, when the records before tail may be overwritten. */
    _Alignas(64) uint64_t tail; /* atomic */
    /* Strict mode: the verdict on the call that the thread holds. `judged` is stored last, by release. Its low half is
     * a futex. */
    uint64_t judged;    /* atomic: number of the call, from 1, counted like `done`; MV_UNJUDGED: no further call of
                           this thread is judged */
    uint64_t refused_on; /* handle of the object whose error handler is called; 0: MPI_FILE_NULL, or MPI_COMM_WORLD */
    uint32_t refused;   /* enum mv_refused */
    char why[244];      /* check that refuses the call, and first line of its finding, ended by a zero */
    /* Since when the thread has not moved, for observers from outside such as mpivet ps. At least from `since`
     * (CLOCK_MONOTONIC ns) on, calls + repeats was seen_calls, and done + repeats was seen_done. To change them, the
     * analyzer first sets `since` to 0, and sets it again last, by release. */
    uint64_t since; /* atomic */
    uint64_t seen_calls; /* atomic */
    uint64_t seen_done; /* atomic */
    /* With `breaks`: the call that may go on. 2 n: call n, counted like `done`, may enter MPI. 2 n + 1: it may return.
     * The low half is a futex. MV_UNJUDGED: no further call of this thread waits. */
    uint64_t passed; /* atomic */
    /* Findings for the thread's debugger. Finding k, from 0, is in findings[k % MV_FINDINGS]. The analyzer stores
     * `found` after it, by release. */
    uint64_t found; /* atomic: number of findings so far */
    struct mv_finding findings[MV_FINDINGS];
};

#define MV_UNJUDGED UINT64_MAX

enum mv_refused {
    MV_GO_ON = 0,   /* the call may enter MPI */
    MV_ON_COMM = 1, /* the call returns an error instead, raised on a communicator */
    MV_ON_WIN = 2,
    MV_ON_FILE = 3,
};

/* The header of every record. A record starts on a 64-byte boundary. */
struct mv_record { /* payload */
    uint16_t kind;  /* below MV_INFO: a call; this is the function's number in the API table. Else enum mv_info */
    uint16_t lines; /* length of the record in units of 64 bytes */
    uint32_t site;  /* call site: number of an MV_SITE record of this ring; 0: unknown */
    int32_t rc;     /* return value of the call, valid once it is done; -1: the call was left by longjmp or an
                       exception */
    uint16_t flags; /* enum mv_flags */
    uint16_t used;  /* length of the fixed part in bytes, including this header; sections follow, 8-byte aligned */
    /* The fixed part of a call: first the 8-byte slots, then the 4-byte slots, each in the order of the parameters (see
     * mpiapi.Func.Layout). Then come sections up to the end of the record. A section header of zero ends them
     * earlier. */
};

enum mv_flags {
    MV_TIMED = 1, /* the last 16 bytes of the record are the times (TSC ticks) of entering and leaving the call; set
                     once a second thread of the process has called MPI */
    MV_LATE = 2,  /* the record has no times, but the call was left after a second thread had called MPI; at most one
                     call of a ring */
};

/* The end of a record with MV_TIMED. */
struct mv_times { /* payload */
    uint64_t enter, leave; /* TSC ticks */
};

/* A variable part of a call record. */
struct mv_section { /* payload */
    uint16_t kind; /* enum mv_section_kind */
    uint16_t param;
    uint32_t count; /* number of elements */
    /* the elements follow, padded to 8 bytes together */
};

enum mv_section_kind { /* Go: Sec */
    MV_END = 0,     /* not a section: the end of the list */
    MV_IN32 = 1,    /* array of int at entry */
    MV_IN64 = 2,    /* array of handles, MPI_Aint or MPI_Count at entry (handles zero-extended to 64 bits) */
    MV_OUT32 = 3,   /* array of int after the call */
    MV_OUT64 = 4,   /* array of handles, MPI_Aint or MPI_Count after the call */
    MV_STATUS = 5,  /* struct mv_status after the call */
    MV_STRING = 6,  /* characters at entry, without the terminating zero */
    MV_CUT = 7,     /* the array of `count` elements was too long and lies in MV_DATA records: before this record
                       (IN), or after it once the call is done (OUT) */
};

/* A status. After a failed call it is all zero, unless `error` is set. There are two cases: an element of the statuses
 * of a call that returned MPI_ERR_IN_STATUS; and, if `error` is what the call returned, the status of a receive whose
 * message was too long. */
struct mv_status { /* payload */
    int32_t source, tag, error, cancelled;
    int64_t bytes; /* received size, -1: unknown */
};

/* Kinds of records that are not calls. The payload follows struct mv_record. */
enum mv_info { /* Go: Info */
    MV_INFO = 0xff00,
    MV_SITE = 0xff00,   /* struct mv_site: a call stack; its number is in mv_record.site */
    MV_MODULE = 0xff01, /* struct mv_module: a loaded file */
    MV_NAMES = 0xff02,  /* list of struct mv_name: predefined handles and constants */
    MV_COMM = 0xff03,   /* struct mv_comm: a communicator that the call recorded before has made; published before
                           that call's `done` */
    MV_ERROR = 0xff04,  /* struct mv_error: text of the error that the call recorded before returned, or that is
                           about to end the process */
    MV_MPI = 0xff05,    /* struct mv_mpi: at the end of MPI_Init */
    MV_DATA = 0xff06,   /* struct mv_data: a part of an array that was too long for its call record */
    MV_SUMS = 0xff07,   /* struct mv_sums: sums of what the call recorded before sends or has received; published
                           before that call's `done` */
    MV_NEIGHBOURS = 0xff08, /* struct mv_neighbours: the neighbours in the communicator of the MV_COMM record before
                               it */
    MV_FREED = 0xff09,       /* struct mv_freed: an object that was freed inside the call recorded before */
    MV_CHANGED = 0xff0a,     /* struct mv_changed: data of an operation, which the call recorded before completes,
                                have changed; published before that call's `done` */
    MV_UNREACHABLE = 0xff0b, /* struct mv_unreachable: memory that the call recorded before hands to MPI cannot be
                                accessed; published before that call's `done` */
    MV_CODE = 0xff0c,        /* struct mv_code: the code of a Python function; its number is in mv_record.site */
    MV_UNFINISHED = 0xff0d,  /* struct mv_changed: data of an operation that is not complete have changed; before the
                                record of MPI_Finalize */
};

struct mv_site { /* payload */
    uint32_t npcs;
    uint32_t python; /* number of frames */
    uint64_t pcs[]; /* tail: pcs: uint64_t[npcs], frames: mv_frame[python]; return addresses, innermost first (that of
                       the MPI call); then the Python functions that the thread is in, innermost first */
};

/* A call of a Python function. */
struct mv_frame { /* payload */
    uint32_t code;  /* number of an MV_CODE record of this ring, before the MV_SITE record */
    uint32_t entry; /* 1: a C function has called it, so that a C frame of the interpreter belongs to it. The frames
                       inside of it, up to the next one with 1, were called by it and by each other without C */
    int64_t at;     /* offset of the instruction in the code, in bytes; negative: it has not begun */
};

/* The code of a Python function. A number is never used again for another code. */
struct mv_code { /* payload */
    int32_t first_line;
    uint16_t version;    /* of CPython: 0x030b is 3.11 */
    uint8_t name_width, file_width; /* bytes of a character */
    uint32_t name_len, file_len, lines_len; /* bytes */
    uint32_t pad;
    /* tail: name: char[name_len], file: char[file_len], lines: char[lines_len]; co_qualname (3.9, 3.10: co_name),
     * co_filename, and the table of lines, co_linetable (3.9: co_lnotab). It is cut if the ring is too small */
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
    uint16_t more;     /* 1: another struct mv_name follows */
    int32_t size;      /* of a datatype: MPI_Type_size; else 0 */
    uint64_t value;    /* handle, zero-extended, or constant, sign-extended */
    /* tail: name: char[name_len]; padded to 8 bytes */
};

enum mv_name_kind {
    MV_NAME_CONST = 0, MV_NAME_COMM, MV_NAME_GROUP, MV_NAME_DATATYPE, MV_NAME_OP, MV_NAME_REQUEST, MV_NAME_WIN,
    MV_NAME_FILE, MV_NAME_INFO, MV_NAME_ERRHANDLER, MV_NAME_MESSAGE, MV_NAME_SESSION,
};

/* `count` world ranks: start, start+stride, …; start -1: processes of another MPI_COMM_WORLD */
struct mv_run { /* payload */
    int32_t start, stride, count;
};

struct mv_comm { /* payload */
    uint64_t handle;
    int32_t rank, size;    /* in the (local) group */
    int32_t remote_size;   /* inter-communicator: size of the remote group, else 0 */
    uint32_t runs;         /* number of runs of the local group */
    uint32_t remote_runs;
    uint32_t is_inter;
    /* tail: local: mv_run[runs], remote: mv_run[remote_runs]; world ranks, first those of the local group in order,
     * then those of the remote group. If the ring is too small for all, the runs cover only the first processes. */
};

/* The neighbours of the process in a distributed graph, in the order of MPI's neighbourhood collectives. */
struct mv_neighbours { /* payload */
    uint32_t in, out;
    /* tail: sources: int32_t[in], destinations: int32_t[out] */
};

/* Calls inside a call are not recorded. MPI makes such calls itself, or it calls a function of the program that makes
 * them, for example to delete an attribute. This record says that such a call has freed an object, and who called
 * it. */
struct mv_freed { /* payload */
    uint64_t handle;
    uint32_t function; /* the function that freed it: its number in the API table */
    uint32_t pad;
    uint64_t caller;  /* return address of the call */
    uint64_t real;    /* address of MPI's function */
    uint64_t wrapper; /* address of code of this library */
};

struct mv_error { /* payload */
    int32_t code, class;
    uint32_t text_len;
    uint32_t flags; /* enum mv_error_flags */
    /* tail: text: char[text_len] */
};

enum mv_error_flags { /* Go: Error */
    MV_FATAL = 1,   /* the handler is MPI_ERRORS_ARE_FATAL: the call will not return */
    MV_REFUSED = 2, /* strict mode: the error is raised by mpivet, and the call did not enter MPI */
    MV_RAISED = 4,  /* MPI is about to call the error handler: the call returns only if the handler does */
};

struct mv_mpi { /* payload */
    int32_t rank, size;    /* in MPI_COMM_WORLD */
    int32_t thread_level;  /* provided level, MPI_THREAD_SINGLE … as numbered by this MPI; -1: unknown (initialized
                              by MPI_Session_init) */
    int32_t tag_ub;
    int32_t version, subversion; /* MPI_Get_version */
    uint32_t library_len;
    uint32_t threads;     /* threads of the process when MPI_Init returned: its own and those of MPI; 0: unknown */
    /* tail: library: char[library_len]; MPI_Get_library_version */
};

struct mv_data { /* payload */
    uint16_t kind; /* MV_IN32 … MV_STATUS */
    uint16_t param;
    uint32_t first; /* index of the first element in this record */
    uint32_t count; /* number of elements in this record */
    uint32_t pad;
    /* the elements follow */
};

struct mv_sum { /* payload */
    uint32_t peer; /* rank of the destination or source in the group that the call communicates with; MV_SUM_ALL: all
                      processes */
    uint32_t pad;
    uint64_t bytes;
    uint64_t sum;
};

#define MV_SUM_ALL 0xffffffffu

/* Sums of the data that a message or a collective moves, in serialised order. There is one record when the operation
 * begins, for the data that it sends, and one when it is complete. A part is missing if its data cannot be found, or if
 * it is empty. MPI_Init publishes a record without parts if sums are wanted at all. */
struct mv_sums { /* payload */
    uint32_t flags; /* enum mv_sums_flags */
    uint32_t count;
    uint64_t operation; /* 0: the operation of the call itself; else a nonblocking or persistent operation:
                           mv_operation_number of the call that made it */
    uint64_t round;     /* of a persistent operation: number of the start, from 1 */
    /* tail: parts: mv_sum[count]; in the order of peers */
};

/* Names an operation by the call that makes it: the thread's ring, and the call's number in it, from 1. */
#define mv_operation_number(ring, call) ((uint64_t)(ring) << 40 | (call))

enum mv_sums_flags {
    MV_SUMS_RECEIVED = 1, /* the data that the call has received; else the data that it sends */
    MV_SUMS_FAILED = 2,   /* the call has returned an error */
    MV_SUMS_MADE = 4,     /* the operation is made by the call recorded before; if it is persistent, nothing is sent
                             yet */
    MV_SUMS_OVER = 8,     /* no more records of the operation follow */
    MV_SUMS_BLOCKS = 16,  /* the sums are those of consecutive blocks of one message, see MV_SUM_BLOCKS */
    MV_SUMS_VOID = 32,    /* another operation also uses the message's data: no conclusion may be drawn from the sums */
};

/* What sums of data are used for. */
enum mv_sums_wanted {
    MV_SUMS_NONE = 0,
    MV_SUMS_KEPT = 1, /* data that nonblocking operations send must not change: only changes are recorded */
    MV_SUMS_ALL = 2,  /* also, data that messages and collectives move must arrive unchanged: sums are recorded */
};

/* A message is summed up in blocks of equal length. Only the last one may be shorter. The length is a multiple of
 * MV_SUM_BLOCK bytes: the least one with which there are at most MV_SUM_BLOCKS blocks. */
#define MV_SUM_BLOCKS 64
#define MV_SUM_BLOCK 4096

/* Data that an operation reads have changed after its beginning and before its completion. */
struct mv_changed { /* payload */
    uint64_t operation;  /* as in struct mv_sums */
    uint32_t peer;       /* destination of the part, as in struct mv_sum */
    uint32_t exact;      /* 1: the range is from the first byte that differs to the last one; 0: some bytes in the
                            range differ */
    uint64_t bytes;      /* of the part */
    uint64_t at, length; /* the range, in the serialised data of the part */
};

/* The first byte of a buffer that the process cannot access. */
struct mv_unreachable { /* payload */
    uint64_t address;
    uint64_t at;      /* position of the byte in the serialised data */
    uint32_t written; /* 1: MPI is to write there; 0: MPI is to read there */
    uint32_t mapped;  /* 1: there is memory, but it does not allow that access */
};

/* Where the data of the process's committed datatypes lie. Written by the analyzer, read by the process.
 *
 * A table of handles leads to programs (for the meaning of their words see internal/mpi/datatype/program.go). A program
 * never changes while the process lives. The slot of a handle is one of MV_LAYOUT_PROBES consecutive slots, in cyclic
 * order. The first has the number handle * 0x9e3779b97f4a7c15 >> (64 - slot_bits). Slots are never emptied. When a
 * datatype is freed, `at` becomes 0, and the slot may get another handle later. So a reader loads handle, then at
 * (acquire), and then handle again.
 *
 * As soon as the program has freed a datatype, another datatype may get its handle. The analyzer learns this only
 * later. So the table is valid only if `freed` (acquire) is the number of MPI_Type_free calls that the process has
 * entered. */
struct mv_layouts {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* 64; the slots follow */
    uint64_t size;        /* of the file; pages that were never written take no memory */
    uint32_t slot_bits;   /* there are 1 << slot_bits slots */
    uint32_t pad0;
    uint64_t freed;       /* atomic: number of the process's MPI_Type_free calls that the table reflects (release) */
    char pad1[24];
};

#define MV_LAYOUT_PROBES 64

struct mv_layout_slot {
    uint64_t handle; /* atomic: 0: never used; stored by release */
    uint64_t at;     /* atomic: offset in the file of the program: its length in words, and then the words; 0: none;
                        stored by release */
};

/* The collective calls of a process, for observers from outside: debuggers and mpivet ps. Written by the process alone,
 * without an analyzer. docs/collective-state.md says how to read it.
 *
 * An object is a communicator, window or file. A call of a collective costs two increments: `entered` before it enters
 * MPI, and `left` when it has returned. If they differ, the process is inside the call. A nonblocking or persistent
 * operation that was started has left its call. Whether the operation is complete is not recorded.
 *
 * The first file of a process is made when MPI is initialized, and another one whenever there is no more room. Object 0
 * of the first file is not an object. It counts the calls on all objects that are not known or found no room. */
struct mv_objects {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* the objects follow */
    uint32_t object_size; /* sizeof(struct mv_object) */
    uint32_t count;       /* number of objects in this file */
    uint32_t kinds;       /* MV_KINDS */
    uint32_t homeless;    /* number of objects that found no room (in the first file) */
    uint32_t names_at;    /* in the first file: offset of a list of struct mv_name as in MV_NAMES records */
    uint32_t names_room;
    uint32_t names_used;  /* bytes written (stored by release) */
    uint32_t pad;
};

#define MV_KINDS 192

/* Kinds of collectives. The numbers are stable. Blocking, nonblocking and persistent forms do not match each other, so
 * each form has its own number; of persistent ones, both _init and MPI_Start. MPI_Bcast and MPI_Bcast_c are one
 * kind. */
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
    MV_COLL_SCATTER_START = 70, MV_COLL_SCATTERV_START = 71, MV_COLL_ALLGATHER_START = 72,
    MV_COLL_ALLGATHERV_START = 73,
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
    MV_COLL_WIN_ALLOCATE_SHARED = 117, MV_COLL_WIN_CREATE_DYNAMIC = 118, MV_COLL_WIN_FENCE = 119,
    MV_COLL_WIN_FREE = 120,
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

/* How an object was made, in addition to the values of enum mv_collective. */
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
    MV_OBJECT_ALONE = 1, /* the object's identity on other ranks is not known: no other object has the same id */
};

struct mv_count {
    uint64_t entered, left;
};

#define MV_OBJECT_RUNS 30

struct mv_object {
    uint64_t serial;      /* 0: the entry is empty; else different for each object that was here. Stored last, by
                             release */
    uint64_t handle;
    uint64_t id;          /* the same on all members; an object of another MPI_COMM_WORLD may have it, too */
    uint64_t parent;      /* id of the object that it was made from; 0: none */
    uint64_t number;      /* its number among the objects of its kind that were made from the parent, from 1; 0:
                             unknown */
    uint32_t kind;        /* enum mv_object_kind */
    uint32_t made;        /* enum mv_collective or enum mv_made */
    uint32_t flags;       /* enum mv_object_flags */
    int32_t rank, size;   /* in the (local) group */
    int32_t remote_size;  /* inter-communicator: size of the remote group, else 0 */
    uint32_t runs;        /* number of runs of the local group, as in struct mv_comm */
    uint32_t remote_runs;
    struct mv_run run[MV_OBJECT_RUNS]; /* the runs may cover the first members only */
    char name[128];       /* by MPI_Comm_set_name or MPI_Win_set_name, ended by a zero */
    int64_t twin;         /* in the tables for debuggers: distance to the same object in the file */
    char pad[456];
    struct mv_count count[MV_KINDS];
};

/* What debuggers read: the tables of a process, in its own memory. docs/debugger-tables.md says how to read them. They
 * are private memory, so they are part of core files. The process writes them itself, without an analyzer. At every
 * instant they can be read: an entry is complete before it can be found. Pointers are addresses in the process.
 *
 * The tables consist of copies of call records. So their readers need the layout of records, which follows from the API
 * table with that hash (mpiapi.Func.Layout).
 *
 * The library exports a variable of this type, mpivet_debug. */
struct mv_debug {
    uint64_t magic;       /* atomic: MV_MAGIC_DEBUG once the process is recorded, stored last; 0 before */
    uint32_t version;     /* MV_VERSION */
    uint32_t header_size; /* sizeof(struct mv_debug) */
    uint64_t table_hash;  /* mpiapi.Hash() */
    uint64_t threads;     /* atomic: address of a struct mv_debug_thread, the first of a list; 0: none */
    uint64_t names;       /* atomic: address of a list of struct mv_name as in MV_NAMES records */
    uint64_t names_used;  /* atomic: bytes of the list */
    uint64_t kept;        /* address of 1 << kept_bits atomic addresses of struct mv_kept, by
                             handle * 0x9e3779b97f4a7c15 >> (64 - kept_bits); each begins a list */
    uint32_t kept_bits;
    uint32_t handle_size; /* bytes of a handle in the program: 4 (MPICH) or 8 (Open MPI) */
    uint64_t forgotten;   /* atomic: number of objects that found no room */
    uint64_t objects[8];  /* atomic: addresses of tables of struct mv_object; 0: none. The process counts the collective
                             calls there as well as in the files of its struct mv_objects */
    uint32_t object_count[8]; /* atomic: number of objects in the table; stored after the address. Object 0 of the first
                                 table is the one that counts calls on all unknown objects */
    uint64_t told;        /* atomic: address of the struct mv_told; 0: none */
    uint64_t told_size;   /* of the mapping */
    uint64_t beat;        /* atomic: address of mv_control.beat in the process: the present time; shared memory, not in
                             core files */
    int32_t rank, size;   /* in MPI_COMM_WORLD, -1: unknown */
    char program[256];    /* path of the mpivet executable, ended by a zero */
};

#define MV_NOW 256

/* The calls of a thread. */
struct mv_debug_thread {
    uint64_t next;        /* address of the next thread's */
    uint64_t ring;        /* address of the thread's struct mv_ring, in shared memory */
    uint64_t record;      /* atomic: not zero if the thread is in a recorded call, which is the one of `now`. Stored
                             after `now` */
    uint64_t call;        /* atomic: number of the call in `now`, from 1 */
    uint64_t beat;        /* mv_control.beat when the call was entered: CLOCK_MONOTONIC ns, in steps of 0.1 s */
    uint64_t requests;    /* atomic: address of a struct mv_open_requests; 0: the thread has made none */
    uint32_t tid;         /* 0: the thread has ended */
    uint32_t thread;      /* as in struct mv_ring */
    uint32_t polling;     /* atomic: not zero: the call repeats a test or probe. Then its record is not in `now`, but at
                             `record`, which is private memory in this case */
    uint32_t now_length;  /* of the record; only its first MV_NOW bytes are in `now` */
    uint8_t now[MV_NOW]; /* the first bytes of the record of the last recorded call */
};

#define MV_REQUEST_WAYS 8
#define MV_REQUEST_RECORD 128

/* Requests that a thread has made and that are not complete. A request is in bucket
 * handle * 0x9e3779b97f4a7c15 >> (64 - bits). There are 1 << bits buckets, of MV_REQUEST_WAYS entries each. */
struct mv_open_requests {
    uint32_t bits;
    uint32_t pad;
    uint64_t unlisted; /* atomic: number of requests that found no room in their bucket */
    uint64_t keys;     /* address of the atomic handles of all entries, zero-extended; 0: the entry is empty; stored
                          last */
    uint64_t entries;  /* address of the struct mv_open_request of all entries */
};

enum mv_request_flags { /* Go: Request */
    MV_REQUEST_PERSISTENT = 1,
    MV_REQUEST_ACTIVE = 2, /* started and not complete */
};

struct mv_open_request {
    uint64_t number; /* mv_operation_number of the call that made it */
    uint64_t beat;   /* mv_control.beat when it was made or last started */
    uint32_t flags;  /* atomic: enum mv_request_flags */
    uint32_t length; /* of the record; only its first MV_REQUEST_RECORD bytes are here */
    uint64_t site;   /* return address of the call that made it */
    uint8_t record[MV_REQUEST_RECORD]; /* the first bytes of the record of the call that made it */
};

#define MV_KEPT_PCS 6

/* What a handle stands for: the call that made the object. An object that was freed stays in its list as long as
 * another object refers to it, and for some time after that. The newest object with a handle comes first. */
struct mv_kept {
    uint64_t next;      /* atomic: address of the next one in the list; 0: the end */
    uint64_t handle;    /* zero-extended */
    uint64_t serial;    /* from 1, in the order in which the process has made its objects */
    uint64_t freed;     /* atomic: 0, or the number of objects made before it was freed, plus 1 */
    uint64_t beat;      /* mv_control.beat when it was made */
    uint32_t kind;      /* enum mv_name_kind */
    uint32_t length;    /* of the record, which follows the references. All of it is here */
    uint32_t extra;     /* length of the MV_DATA records, with their headers, that follow it: arrays that were too long
                           for the call record */
    uint32_t references; /* number of struct mv_reference that follow this struct */
    uint64_t notes;      /* atomic: address of a struct mv_note, the newest; 0: there is none */
    uint64_t pcs[MV_KEPT_PCS]; /* return addresses of the call that made it, innermost first; 0: no more */
    /* then: struct mv_reference[references], the call's record, its MV_DATA records */
};

/* A later call that has changed the object: it has named a datatype, or set or deleted a key of an info object. The
 * call's record follows. */
struct mv_note {
    uint64_t next;   /* address of the one before; 0: the end */
    uint32_t length; /* of the record */
    uint32_t pad;
};

/* An object that the call got as an argument, for example the old datatypes of a new one, in the order of the
 * parameters and of the elements of arrays. Predefined and unknown objects have the address 0. */
struct mv_reference {
    uint64_t handle;
    uint64_t kept; /* address of its struct mv_kept */
};

/* What the analyzer tells a process, for its debuggers. The process makes it, and the analyzer writes it. */
struct mv_told {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size; /* struct mv_unexpected[unexpected] and the text follow at the offsets below */
    uint64_t size;        /* of the file */
    uint64_t sequence;    /* atomic: odd while the analyzer writes */
    uint64_t time;        /* CLOCK_MONOTONIC ns of the last writing; 0: never */
    uint32_t unexpected_at, unexpected; /* messages that were sent to the process and for which it has posted no
                                           receive */
    uint32_t unexpected_more;           /* number of further ones, for which there is no room */
    uint32_t text_at, text_length;      /* JSON: what the threads wait for, and findings that concern the process */
    uint32_t pad;
};

#define MV_TOLD_SIZE 65536

struct mv_unexpected {
    uint64_t comm;     /* handle of the communicator in the receiving process */
    int32_t source;    /* rank of the sender in the communicator's group, for the receiver */
    int32_t tag;
    int32_t world;     /* world rank of the sender, -1: unknown */
    uint32_t function; /* of the call that sends it, in the API table */
    int64_t bytes;
    uint64_t beat;     /* CLOCK_MONOTONIC ns at which the analyzer learned of it */
};

#endif
