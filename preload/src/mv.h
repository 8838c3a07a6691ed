/*
 * What the parts of the preload library share, and the path that every recorded call takes.
 *
 * Rules of the library, which every file obeys:
 *   - it is silent: nothing is ever printed, no signal is raised that would not have come without it;
 *   - errno is what the real function left;
 *   - the record path (mv_enter … mv_leave with a known call site) makes no system call, takes no lock, allocates
 *     nothing, and calls nothing but the real MPI function;
 *   - whatever goes wrong makes the library inert: from then on the wrappers only call the real functions.
 */
#ifndef MPIVET_MV_H
#define MPIVET_MV_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record.h"

#define MV_LIKELY(x) __builtin_expect(!!(x), 1)
#define MV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MV_EXPORT __attribute__((visibility("default")))
#define MV_COLD __attribute__((cold, noinline))
#define MV_INLINE static inline __attribute__((always_inline))

/* Frames of a call stack that are recorded at most. */
#define MV_DEPTH 64
/* Smallest ring worth having. */
#define MV_RING_MIN ((uint64_t)64 << 10)

/* A call stack seen before: where its return addresses lie in the stack and what they are. Found by (ra, cfa), it is
 * the present stack if all of these still hold what they held, as the frames between are then the same. */
struct mv_way {
    uintptr_t ra, cfa;
    uint32_t site;
    uint32_t n;
    struct {
        const uintptr_t *slot;
        uintptr_t pc;
    } frame[];
};

#define MV_SETS 512
#define MV_WAYS 4
#define MV_POOL ((size_t)512 << 10)
#define MV_SEEN 4096
#define MV_MODULES 1024

/* Memory of a thread that grows on demand. */
struct mv_buffer {
    void *p;
    size_t size;
};

/* Tests and probes that a thread makes in turns; and the longest record of one. */
#define MV_POLLS 4
#define MV_POLL_MAX 1024
/* So many of them may be taken to have the same stack as the ones before, with the same frame at the end. */
#define MV_POLLS_TRUSTED 64

/* A test or probe that has found nothing, by where it was called, and a copy of its record: so that no more memory is looked at
 * than what the thread has at hand. */
struct mv_polled {
    uintptr_t ra, cfa;
    union {
        struct mv_record head;
        _Alignas(64) unsigned char record[MV_POLL_MAX];
    };
};

/* What a thread needs to record. It outlives the thread: the next new one takes it over with its ring. */
struct mv_thread {
    /* Used by every call. */
    struct mv_thread *again; /* itself, or NULL once the thread is to record no more */
    uint64_t head;
    uint64_t limit; /* head may grow up to here without a look at tail */
    uint64_t mask;
    unsigned char *data;
    struct mv_ring *ring;
    uint64_t done;
    uint64_t queries;
    uint64_t repeats;
    uintptr_t cfa;         /* of the wrapper under way */
    uintptr_t cfa_mask;    /* 0 if only the return address makes the call site */
    unsigned char *record; /* of the call under way, NULL if it has none */
    uint64_t polls_end;    /* end of the last record of a poll that found nothing */
    struct mv_polled *polled; /* the last one of those in poll */
    int borrowed;          /* that record is the one of *polled, which the call under way repeats: see mv_poll_again */
    unsigned npolled;
    /* Used by some. */
    uint64_t size;     /* of the ring's data */
    uint64_t largest;  /* longest record allowed */
    uint64_t inline_max; /* longest array, in bytes, that goes into a call record */
    uintptr_t stack_low, stack_high;
    struct mv_object *object; /* that the last collective was called on */
    uint32_t sites; /* published so far */
    int quiet;      /* MPI errors are of the library's own making: say nothing */
    int refused;    /* the error of the call under way is of mpivet's making, and has been told */
    int raised;     /* code of the error that an error handler was about to get, */
    uint64_t raised_in; /* in the call after so many */
    uintptr_t query_ra; /* of the query under way: its record's kind and length, in case that it fails */
    uint16_t query_kind, query_used;
    struct mv_buffer status, runs;
    struct mv_thread *next_free;
    unsigned long long adds, subs; /* dl_iterate_phdr's counters when modules were last looked for */
    uint32_t modules;
    struct {
        uintptr_t base;
        uint64_t hash;
    } module[MV_MODULES];
    struct {
        uint64_t hash;
        uint32_t site;
    } seen[MV_SEEN];
    struct mv_way *nowhere; /* what empty sets point to */
    struct mv_way *set[MV_SETS][MV_WAYS];
    size_t pool_used;
    struct mv_polled poll[MV_POLLS];
    _Alignas(64) unsigned char query[1024];
    _Alignas(64) unsigned char pool[MV_POOL];
};

struct mv_tls {
    struct mv_thread *ready; /* NULL inside an MPI call, before the first one, and when inert */
    struct mv_thread *mine;  /* once the thread has a ring */
    void *probe;             /* sigjmp_buf to leave a failed look at the stack, or at the program's data, by */
    uint64_t fault;          /* address of the last such failure */
    int in_init;             /* inside MPI_Init: signal handlers set now are MPI's */
    int off;                 /* will never record */
    int ending;              /* rounds of thread destructors seen */
};
extern _Thread_local struct mv_tls mv_tls __attribute__((tls_model("initial-exec")));

/* Points to 1 in the process that the rings are of, and to 0 in a child that was made of it without exec: by fork, _Fork, or the
 * system call. The kernel empties the page in the child. A child shares the rings' memory, and must not write there. */
extern const int *mv_home;

/* 1 once the process has more than one ring: calls then carry times. */
extern int mv_timed;

/* What sums of data are made for: enum mv_sums_wanted. */
extern int mv_sums;

/* 1 if a fault comes to the library's handler, so that mv_tls.probe catches it. */
extern int mv_faults;

struct mv_global {
    struct mv_control *control;
    struct mv_process *_Atomic page;
    pid_t pid;
    _Atomic int inert;
    _Atomic uint32_t rings;
    char session[240];
    char name[32];
};
extern struct mv_global mv_g;

/* session.c */
void mv_start(void);
int mv_at_home(void);
struct mv_process *mv_page(void);
int mv_create(const char *dir, const char *name, uint64_t size, int *out_fd);
int mv_reveal(const char *dir, const char *name);
void mv_wake_analyzer(void);
int mv_analyzer_gone(void);
#define MV_NO_SESSION 2
uint64_t mv_now(void);
void mv_type_free(struct mv_thread *t, uint64_t handle);

/* ring.c */
struct mv_thread *mv_first(uintptr_t cfa);
void mv_room(struct mv_thread *t, uint64_t len);
int mv_has_room(struct mv_thread *t, uint64_t len);
struct mv_polled *mv_poll_other(struct mv_thread *t, uintptr_t ra, uintptr_t cfa);
void mv_poll_note(struct mv_thread *t, const unsigned char *r, uint64_t len, int timed, uintptr_t ra);
void mv_poll_publish(struct mv_thread *t, int gone);
void mv_go_inert(struct mv_thread *t);
void *mv_grow(struct mv_buffer *b, size_t size);
int mv_inside(void);
unsigned char *mv_info(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload);
void mv_info_end(struct mv_thread *t, unsigned char *r);

/* site.c */
uint32_t mv_site_slow(struct mv_thread *t, uintptr_t ra, uintptr_t cfa);
unsigned mv_unwind_from(uintptr_t pc, uint64_t *pcs, unsigned max);

/* module.c */
void mv_modules(struct mv_thread *t);

/* real.c */
void *mv_symbol(const char *name);
void *mv_symbol_hidden(const char *name);
void *mv_real(const char *pname);
void mv_bind(void *pointer, const char *pname);

/* freed.c */
void mv_freed(uintptr_t ra, const void *real, unsigned function, uint64_t handle);

/* between.c */
void mv_bind_between(void *pointer, const char *pname);

/* What stands between a wrapper and the real function where that is asked for. */
struct mv_between {
    const char *pname;
    void (*instead)(void); /* called in its place, and calls *real */
    void *real;            /* address of a pointer to the real one, or to what stands before it */
};

/* held.c and moved.c, generated; ended by an empty one */
extern const struct mv_between mv_held[], mv_moved[], mv_kept[];

/* end.c */
void mv_end(uint32_t state, int code, uint32_t kind, uintptr_t from_pc, const void *info);
void mv_end_start(void);

/* signal.c */
void mv_signals_start(void);
void mv_signals_stack(void);
int mv_faults_handled(void);

/* device.c */
void mv_device_module(const char *path, size_t len);
int mv_is_device(uint64_t address);

/* reach.c */
#define MV_REACHED 1024
/* Buffers that were found accessible, by their keys. Threads may overwrite each other's. */
extern uint64_t mv_reached[MV_REACHED];
void mv_reach(struct mv_thread *t, uint64_t key, const void *buf, int64_t count, uint64_t type, int written);

/* A number for so many copies of a datatype at an address, to be read or written. */
MV_INLINE uint64_t mv_reach_key(const void *buf, int64_t count, uint64_t type, int written)
{
    const uint64_t v = ((uint64_t)(uintptr_t)buf * 0x9e3779b97f4a7c15ULL ^ ((uint64_t)count + type)) * 0xff51afd7ed558ccdULL;
    return (v & ~(uint64_t)1) | (uint64_t)written;
}

/* Where it stands. What is sent and then received into, as it often is, has two places. */
MV_INLINE uint64_t *mv_reach_slot(uint64_t key) { return &mv_reached[(key >> 54 ^ key) & (MV_REACHED - 1)]; }

/* Tells of a buffer that the call under way hands to MPI, and that can't be accessed. */
MV_INLINE void mv_look(struct mv_thread *t, const void *buf, int64_t count, uint64_t type, int written)
{
    const uint64_t key = mv_reach_key(buf, count, type, written);
    if (MV_UNLIKELY(*mv_reach_slot(key) != key))
        mv_reach(t, key, buf, count, type, written);
}

/* wrappers.c, generated */
extern const uint64_t mv_table_hash;
/* The kinds of collectives by the functions' numbers; MV_KINDS for what is none. */
extern const uint8_t mv_collective_of[];
extern const unsigned mv_ncollective;

/* A call's return address and the address above it on the stack. Only for use in a wrapper itself. */
#define MV_RA ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
#define MV_CFA ((uintptr_t)__builtin_dwarf_cfa())

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

MV_INLINE uint64_t mv_hash_key(uintptr_t ra, uintptr_t cfa)
{
    return ((ra ^ (cfa << 20)) * 0x9e3779b97f4a7c15ULL) >> (64 - 9);
}

/* The number of the present call site, published if it is new. */
MV_INLINE uint32_t mv_site(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    cfa &= t->cfa_mask;
    const struct mv_way *w = t->set[mv_hash_key(ra, cfa)][0];
    if (MV_UNLIKELY(w->ra != ra || w->cfa != cfa))
        return mv_site_slow(t, ra, cfa);
    for (uint32_t i = 0; i < w->n; i++)
        if (MV_UNLIKELY(*w->frame[i].slot != w->frame[i].pc))
            return mv_site_slow(t, ra, cfa);
    return w->site;
}

/* Begins a call: the thread, now marked as being inside MPI, or NULL if the call is not to be recorded. */
MV_INLINE struct mv_thread *mv_enter(uintptr_t cfa)
{
    struct mv_thread *t = mv_tls.ready;
    if (MV_UNLIKELY(!t || !*mv_home)) {
        t = mv_first(cfa);
        if (!t)
            return NULL;
    }
    mv_tls.ready = NULL;
    t->cfa = cfa;
    return t;
}

/* Room for a record of len bytes, a multiple of 64. */
MV_INLINE unsigned char *mv_reserve(struct mv_thread *t, uint64_t len)
{
    if (MV_UNLIKELY(t->head + len > t->limit))
        mv_room(t, len);
    return t->data + (t->head & t->mask);
}

/* The header of a call record. */
MV_INLINE void mv_head(unsigned char *r, unsigned kind, uint64_t len, uint32_t site, unsigned used, int timed)
{
    uint64_t a = kind | (len >> 6) << 16 | (uint64_t)site << 32;
    uint64_t b = (uint64_t)(timed ? MV_TIMED : 0) << 32 | (uint64_t)used << 48;
    __builtin_memcpy(r, &a, 8);
    __builtin_memcpy(r + 8, &b, 8);
}

MV_INLINE void mv_put8(unsigned char *r, unsigned at, uint64_t v) { __builtin_memcpy(r + at, &v, 8); }
MV_INLINE void mv_put4(unsigned char *r, unsigned at, int32_t v) { __builtin_memcpy(r + at, &v, 4); }

/* Makes the record visible. */
MV_INLINE void mv_publish(struct mv_thread *t, unsigned char *r, uint64_t len, int timed)
{
    if (MV_UNLIKELY(timed)) {
        mv_put8(r, (unsigned)len - 16, mv_ticks());
        mv_put8(r, (unsigned)len - 8, 0);
    }
    t->record = r;
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->call, t->head, memory_order_relaxed);
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->calls, t->done + 1, memory_order_relaxed);
    t->head += len;
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->head, t->head, memory_order_release);
}

/* Tests and probes are often made over and over, and find nothing: they need no records, but must be counted. So one that is the
 * same as one recorded before gets a record only when it is found to be something else, or when something else is to be recorded
 * meanwhile. That is so if the last records of the thread are those of polls in vain, and one of them came from the same place.
 * A copy of that record is returned, NULL if there is none, and is the one of the call under way if the arguments are the same, too.
 *
 * The same place: the call's return address and frame. Whether all of the stack is the same is looked at now and then. */
MV_INLINE const unsigned char *mv_poll_again(struct mv_thread *t, unsigned kind, uintptr_t ra, uintptr_t cfa)
{
    struct mv_polled *p = t->polled;
    if (MV_UNLIKELY(t->polls_end != t->head || mv_timed))
        return NULL;
    if (MV_UNLIKELY(p->ra != ra || p->cfa != (cfa & t->cfa_mask)) && !(p = mv_poll_other(t, ra, cfa)))
        return NULL;
    if (MV_UNLIKELY(t->repeats % MV_POLLS_TRUSTED == 0) && mv_site(t, ra, cfa) != p->head.site)
        return NULL;
    return MV_LIKELY(p->head.kind == kind) ? p->record : NULL;
}

/* Begins a poll that has the arguments of that record. */
MV_INLINE void mv_poll_borrow(struct mv_thread *t)
{
    t->record = t->polled->record;
    t->borrowed = 1;
}

/* Ends it: it has found nothing. */
MV_INLINE void mv_poll_repeated(struct mv_thread *t)
{
    t->borrowed = 0;
    t->record = NULL;
    t->repeats++;
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->repeats, t->repeats, memory_order_relaxed);
}

/* Whether a value is not what a record has. */
MV_INLINE uint64_t mv_differ8(const unsigned char *r, unsigned at, uint64_t v)
{
    uint64_t was;
    __builtin_memcpy(&was, r + at, 8);
    return was ^ v;
}

MV_INLINE uint64_t mv_differ4(const unsigned char *r, unsigned at, int32_t v)
{
    int32_t was;
    __builtin_memcpy(&was, r + at, 4);
    return (uint32_t)(was ^ v);
}

/* Says when a call was left. Its record has no room for that if there was one thread when it was entered. */
MV_INLINE void mv_left(struct mv_thread *t, unsigned char *r, uint64_t len, int timed)
{
    const uint16_t late = MV_LATE;
    if (timed) {
        mv_put8(r, (unsigned)len - 8, mv_ticks());
        return;
    }
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->late, mv_ticks(), memory_order_relaxed);
    __builtin_memcpy(r + offsetof(struct mv_record, flags), &late, sizeof late);
}

/* Completes the record. Results have been filled in. */
MV_INLINE void mv_done(struct mv_thread *t, unsigned char *r, uint64_t len, int timed, int rc)
{
    mv_put4(r, offsetof(struct mv_record, rc), rc);
    if (MV_UNLIKELY(mv_timed))
        mv_left(t, r, len, timed);
    t->record = NULL;
    t->done++;
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->done, t->done, memory_order_release);
}

/* The same for a record whose length must be read off it. */
MV_INLINE void mv_done_record(struct mv_thread *t, int rc)
{
    const struct mv_record *h = (const struct mv_record *)t->record;
    mv_done(t, t->record, (uint64_t)h->lines * 64, h->flags & MV_TIMED, rc);
}

/* Ends a call. */
MV_INLINE void mv_leave(struct mv_thread *t) { mv_tls.ready = t->again; }

#endif
