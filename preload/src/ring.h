/*
 * Rings: the state that a thread needs to record, and the way of records into its ring. Every thread that calls MPI has
 * its own ring. Only that thread writes the ring. The analyzer reads it (record.h).
 *
 * The functions in this header are the record path. Those in ring.c are off it: they may make system calls, but print
 * nothing and preserve errno. They give up, so that the thread or the process goes on unrecorded, rather than fail or
 * hang.
 *
 * Why no processor lets the analyzer see too much or too little, also those that reorder memory accesses, as arm64:
 * - A record is written before head is stored with release order (mv_publish). The analyzer loads head with acquire
 *   order. So it sees all of a record below head.
 * - Results are written before done is stored with release order (mv_done). The analyzer loads done, and then head,
 *   both with acquire order. So it sees the results of the calls up to done, and head is not older than done.
 * - The analyzer has read a record before it stores tail with release order. The thread loads tail with acquire order
 *   before it writes where the record was (mv_room). So no record is overwritten that is still being read. The record
 *   of a call that has not returned stays, as its results are written into it.
 * - Only one thread writes head and done, and only one writes tail. So plain stores of both sides never meet.
 * Go's atomic operations are sequentially consistent, which includes acquire and release. TestRingOrder checks it.
 */
#ifndef MPIVET_RING_H
#define MPIVET_RING_H

#include "base.h"
#include "debug.h"
#include "session.h"

/* Maximum number of recorded frames of a call stack. */
#define MV_DEPTH 64

/* A call stack that was seen before: the places of its return addresses in the stack, and their values. It is found by
 * (ra, cfa). It is the present stack if all places still have the same values, since the frames between are the same
 * then. */
struct mv_way {
    uintptr_t ra, cfa;
    uint32_t site;
    uint32_t n;
    struct {
        const uintptr_t *slot;
        uintptr_t pc;
    } frame[];
};

#define MV_SETS_BITS 9
#define MV_SETS (1 << MV_SETS_BITS)
#define MV_WAYS 4
#define MV_POOL ((size_t)512 << 10)
#define MV_SEEN_BITS 12
#define MV_CODES_BITS 11
#define MV_MODULES 1024

/* A call stack or a Python code that was published: an entry of a table (table.h). */
struct mv_seen {
    _Atomic uint64_t hash; /* key */
    uint32_t site;         /* its number */
};

/* Memory of a thread that grows on demand. */
struct mv_buffer {
    void *p;
    size_t size;
};

/* Number of different tests and probes that a thread may repeat in turns, and the maximum length of a record of one. */
#define MV_POLLS 4
#define MV_POLL_MAX 1024
/* So many repetitions in a row are assumed to have the same stack as the ones before, if the last frame is the same. */
#define MV_POLLS_TRUSTED 64

/* A test or probe that has found nothing: the place of its call, and a copy of its record. The copy keeps all memory
 * for the comparison close together. */
struct mv_polled {
    uintptr_t ra, cfa;
    union {
        struct mv_record head;
        _Alignas(64) unsigned char record[MV_POLL_MAX];
    };
};

struct mv_object;
struct mv_pending;

/* The state that a thread needs to record. Only that thread reads and writes it, except for *pending. It outlives the
 * thread: the next new thread takes it over with its ring (mv.c). */
struct mv_thread {
    /* Used by every call. */
    struct mv_thread *again; /* itself, or NULL once the thread must not record any more */
    uint64_t head;
    uint64_t limit; /* head may grow up to here without reading tail */
    uint64_t mask;
    unsigned char *data;
    struct mv_ring *ring;
    uint64_t done;
    uint64_t queries;
    uint64_t repeats;
    uintptr_t cfa;            /* of the wrapper under way */
    uintptr_t cfa_mask;       /* 0 if only the return address makes the call site */
    unsigned char *record;    /* of the call under way, NULL if it has none */
    uint64_t polls_end;       /* end of the last record of a poll that found nothing */
    struct mv_polled *polled; /* the last one of those in poll */
    int borrowed;             /* 1: record is that of *polled, which the call under way repeats (see mv_poll_again) */
    unsigned npolled;
    uint32_t told;            /* value of control->found that this thread has seen; odd, so never equal, if its calls
                                 wait */
    int waits;                /* 1: its calls wait for the analyzer */
    struct mv_debug_thread debug; /* what debuggers read; written by this thread */
    /* Used by some calls. */
    uint64_t size;       /* of the ring's data */
    uint64_t largest;    /* longest record allowed */
    uint64_t inline_max; /* longest array, in bytes, that goes into a call record */
    uintptr_t stack_low, stack_high;
    struct mv_object *object;   /* the object of the last collective */
    struct mv_pending *pending; /* operations that this thread has made (pending.c) */
    uint32_t sites;             /* published so far */
    uint32_t ncodes;            /* Python codes published so far */
    uint64_t python;            /* hash of the Python stack of the last call (python.h); 0: there was none */
    int quiet;                  /* 1: errors of MPI are caused by the library itself, and are not published */
    int refused;                /* 1: mpivet has raised the error of the call under way, and it was published */
    int raised;                 /* code of the error for which an error handler was about to be called */
    uint64_t raised_in;         /* value of done at that time */
    uint64_t found;             /* number of findings in the ring for which mpivet_finding was called */
    uintptr_t query_ra;         /* of the query under way: its record's kind and length, in case it fails */
    uint16_t query_kind, query_used;
    struct mv_buffer status, runs;
    struct mv_buffer handles;          /* a copy of a long list of requests, before the call */
    struct mv_buffer extra;            /* MV_DATA records of the call under way, for the tables of objects (kept.c) */
    size_t extra_used;
    int keeping;                       /* 1: they are collected */
    struct mv_thread *next_free;
    unsigned long long adds, subs; /* dl_iterate_phdr's counters when modules were last looked for */
    uint32_t modules;
    struct {
        uintptr_t base;
        uint64_t hash;
    } module[MV_MODULES];
    struct mv_seen seen[1 << MV_SEEN_BITS];
    struct mv_seen codes[1 << MV_CODES_BITS];
    struct mv_way *nowhere; /* for empty sets */
    struct mv_way *set[MV_SETS][MV_WAYS];
    size_t pool_used;
    struct mv_polled poll[MV_POLLS];
    _Alignas(64) unsigned char query[1024];
    _Alignas(64) unsigned char pool[MV_POOL];
};

/* 1 once the process has more than one ring: calls then carry times. Set by the thread that makes the second ring, and
 * never cleared. Every call of every thread reads it, in no particular order: a call that begins at the same time may
 * have no times. */
extern _Atomic int mv_timed;
MV_INLINE int mv_is_timed(void) { return atomic_load_explicit(&mv_timed, memory_order_relaxed); }

/* Makes a thread with a ring. NULL if there is no room for one. */
struct mv_thread *mv_ring_new(void);

/* Marks the ring as written by this thread from now on. */
void mv_ring_owned(struct mv_thread *t);

/* Whether a record of len bytes fits. Safe in a signal handler of the thread. */
int mv_has_room(struct mv_thread *t, uint64_t len);

/* Makes sure that a record of len bytes fits. Waits for the analyzer if necessary. */
void mv_room(struct mv_thread *t, uint64_t len);

/* Ends the recording of the process. The rest of the call under way is written to memory that is never read. */
void mv_go_inert(struct mv_thread *t);

/* Memory of at least that size, NULL if there is none. The content of the buffer is lost. */
void *mv_grow(struct mv_buffer *b, size_t size);

/* Whether this thread is inside an MPI call of the program. Safe in a signal handler. */
int mv_inside(void);

/* Begins a record that is not a call, with so much room after its header. mv_info_end makes it visible. Other units use
 * mv_info (polls.h), which handles calls that have borrowed a record. */
unsigned char *mv_info_begin(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload);
void mv_info_end(struct mv_thread *t, unsigned char *r);

/* Time stamp of the processor. */
MV_INLINE uint64_t mv_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#else
    return mv_now();
#endif
}

/* Room for a record of len bytes, a multiple of 64. */
MV_INLINE unsigned char *mv_reserve(struct mv_thread *t, uint64_t len)
{
    if (MV_UNLIKELY(t->head + len > t->limit))
        mv_room(t, len);
    return t->data + (t->head & t->mask);
}

/* Writes the header of a call record. */
MV_INLINE void mv_head(unsigned char *r, unsigned kind, uint64_t len, uint32_t site, unsigned used, int timed)
{
    uint64_t a = kind | (len >> 6) << 16 | (uint64_t)site << 32;
    uint64_t b = (uint64_t)(timed ? MV_TIMED : 0) << 32 | (uint64_t)used << 48;
    __builtin_memcpy(r, &a, 8);
    __builtin_memcpy(r + 8, &b, 8);
}

MV_INLINE void mv_put8(unsigned char *r, unsigned at, uint64_t v) { __builtin_memcpy(r + at, &v, 8); }
MV_INLINE void mv_put4(unsigned char *r, unsigned at, int32_t v) { __builtin_memcpy(r + at, &v, 4); }

/* Bytes of an element in a section of that kind. */
MV_INLINE unsigned mv_slot_of(unsigned kind)
{
    switch (kind) {
    case MV_IN32:
    case MV_OUT32:
        return 4;
    case MV_STATUS:
        return sizeof(struct mv_status);
    case MV_STRING:
        return 1;
    }
    return 8;
}

/* Called when the thread is in a call, if the analyzer has something for it (found.h). number: 2 n before call n enters
 * MPI, 2 n + 1 before it returns. */
void mv_found(struct mv_thread *t, uint64_t number);

/* Makes a call record visible. */
MV_INLINE void mv_publish(struct mv_thread *t, unsigned char *r, uint64_t len, int timed)
{
    if (MV_UNLIKELY(timed)) {
        mv_put8(r, (unsigned)len - 16, mv_ticks());
        mv_put8(r, (unsigned)len - 8, 0);
    }
    mv_debug_enter(&t->debug, r, len, t->done + 1);
    t->record = r;
    __atomic_store_n(&t->ring->call, t->head, __ATOMIC_RELAXED);
    __atomic_store_n(&t->ring->calls, t->done + 1, __ATOMIC_RELAXED);
    t->head += len;
    __atomic_store_n(&t->ring->head, t->head, __ATOMIC_RELEASE);
    if (MV_UNLIKELY(__atomic_load_n(&mv_g.control->found, __ATOMIC_RELAXED) != t->told))
        mv_found(t, 2 * (t->done + 1));
}

#endif
