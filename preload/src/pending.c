/*
 * The tables of operations.
 *
 * An operation is in the table of the thread that has made it, its owner. Only the owner adds operations, and takes
 * them out of the lists of its table. It needs no lock for that. Any thread may start, complete or free an operation.
 * To do so it claims the operation, by a compare-and-swap of its state. While an operation is claimed, only the claimer
 * reads and writes the remembered data. If the claimer is not the owner, it marks the operation as gone in the end, and
 * the owner takes it out of its lists later. A thread looks into the tables of other threads only if mv_pending_count
 * says that operations may be there.
 *
 * The parts of the data are found when the operation is made, as the program may free its datatypes then. Some
 * operations cannot be followed to their end, and have no sums of the received data: those whose handle also stands for
 * another operation, and those for which the table has no room.
 *
 * Both MPI libraries use one handle for several sends that were complete at once. It is unknown which of them a call
 * completes. But none of them was completed before the first call with that handle. So all of them are checked when
 * that call returns, and are not followed any more.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "overlap.h"
#include "pending.h"
#include "snapshot.h"
#include "sums.h"
#include "tls.h"

#define MV_MAY_LOCK /* only with --checksums */
#include "rules.h"

#define OPERATIONS 4096 /* of a thread */
#define BUCKETS (1 << MV_BUCKETS_BITS)

/* The meaning of a state. A number is added to it that counts how often the place has been used, so that a
 * compare-and-swap never mistakes one operation for another. */
enum {
    FREE,    /* no operation. Owner only: to MAKING */
    MAKING,  /* the call that makes it is under way. Owner only: to ACTIVE, IDLE or FREE */
    IDLE,    /* persistent, and not started. Any thread: to CLAIMED */
    ACTIVE,  /* Any thread: to CLAIMED */
    CLAIMED, /* a call is under way that may start, complete or free it. Claimer only: to IDLE, ACTIVE, GONE or FREE */
    GONE,    /* complete, but still in its owner's lists. Owner only: to FREE */
    CODES = 7,
    DOUBTFUL = 8, /* calls of two threads may have completed it. Any thread sets this while it is CLAIMED */
    USE = 16,
};

struct mv_operation {
    /* Stored by release when the rest may be read by other threads, and loaded by acquire. */
    _Atomic uint64_t state;
    /* The call under way. Set by the claimer after it has claimed, and cleared before it releases. */
    _Atomic(const void *) claimer;
    /* 1: another send of the owner has the same handle. Set by the owner. */
    _Atomic int joined;
    /* 1: another operation uses its data, and one of the two receives. Set by the claimer, and with the lock. */
    _Atomic int shared;
    struct mv_pending *table;      /* that it is in; never changed */

    /* Written by the owner while MAKING, then only read. */
    uint64_t number;         /* mv_operation_number */
    int persistent;
    int message;             /* otherwise a collective */
    int apart;               /* no sums are recorded in any case, as no other process has sums to compare them with */
    uint64_t sent, received; /* numbers of parts */
    struct mv_buffer parts;  /* first those that are sent */

    /* Read and written by the owner while MAKING, then by the claimer. */
    uint64_t round;          /* starts so far of a persistent operation */
    int keeps;               /* the data that it sends must be unchanged when it is complete */
    struct mv_buffer before; /* the data that it sends, at the start: a message's struct mv_snapshot, a collective's
                                sums */
    uint64_t position;       /* index of its request among those of the call */
    unsigned times;          /* how often its request is among those of the call */
    struct mv_operation *also; /* the next one found by the same call */

    struct mv_operation *next; /* in its bucket, or among the unused. Owner only */
    unsigned places[2];        /* in `occupied`, from 1. With the lock */
};

/* The operations of a thread. Never freed: the next thread that takes over the mv_thread continues with it. */
struct mv_pending {
    struct mv_pending *next; /* of all threads; set before the table can be found */
    _Atomic unsigned fresh;  /* number of places that were ever used. Written by the owner */
    _Atomic unsigned gone;   /* number of operations that other threads have marked as gone. Any thread adds, the
                                owner sets to 0 */
    struct mv_operation *unused;           /* only for the owner, like the buckets */
    struct mv_operation *buckets[BUCKETS]; /* by request; the latest first */
    /* The requests, 0: none. Written by the owner while MAKING, and set to 0 by the claimer. Any thread reads them. A
     * thread that claims reads them between loading the state and the compare-and-swap. */
    _Atomic uint64_t requests[OPERATIONS];
    struct mv_operation operations[OPERATIONS];
};

_Atomic uint32_t mv_pending_count[BUCKETS];

/* The tables of all threads, the latest first. Threads add theirs by compare-and-swap. Tables are never removed. */
static struct mv_pending *_Atomic tables;

/* Whether sums are recorded; otherwise only changes of data. */
static int recorded(void) { return mv_sums == MV_SUMS_ALL; }

static unsigned bucket_of(uint64_t request) { return mv_hash_bits(request, MV_BUCKETS_BITS); }

static _Atomic uint64_t *request_of(const struct mv_operation *o)
{
    return &o->table->requests[o - o->table->operations];
}

static uint64_t load_state(const struct mv_operation *o)
{
    return atomic_load_explicit(&o->state, memory_order_acquire);
}

static int is_doubtful(const struct mv_operation *o) { return (load_state(o) & DOUBTFUL) != 0; }

/* This thread's table, NULL if it has none. */
static struct mv_pending *own_table(void)
{
    const struct mv_thread *t = mv_tls.mine;
    return t ? t->pending : NULL;
}

static struct mv_pending *new_table(void)
{
    struct mv_pending *p =
        mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    p->next = atomic_load(&tables);
    while (!atomic_compare_exchange_weak(&tables, &p->next, p))
        ;
    return p;
}

/* Adds an operation of this thread to the unused ones. */
static void put_back(struct mv_operation *o)
{
    struct mv_pending *p = o->table;
    const uint64_t use = load_state(o) / USE + 1;
    o->next = p->unused;
    p->unused = o;
    atomic_store_explicit(&o->state, use * USE + FREE, memory_order_release);
}

/* Takes gone operations out of a list of this thread. */
static void tidy(struct mv_operation **at)
{
    while (*at) {
        struct mv_operation *o = *at;
        if ((load_state(o) & CODES) != GONE) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        put_back(o);
    }
}

/* A place for the operation of the call under way, NULL if there is none. */
static struct mv_operation *take_unused(struct mv_thread *t)
{
    struct mv_pending *p = t->pending;
    if (!p && !(p = t->pending = new_table()))
        return NULL;
    const unsigned fresh = atomic_load_explicit(&p->fresh, memory_order_relaxed);
    if (!p->unused && fresh == OPERATIONS && atomic_exchange(&p->gone, 0))
        for (unsigned i = 0; i < BUCKETS; i++)
            tidy(&p->buckets[i]);
    struct mv_operation *o = p->unused;
    if (o) {
        p->unused = o->next;
    } else if (fresh < OPERATIONS) {
        o = &p->operations[fresh];
        o->table = p;
        atomic_store_explicit(&p->fresh, fresh + 1, memory_order_release);
    } else {
        return NULL;
    }
    atomic_store_explicit(&o->state, (load_state(o) & ~(uint64_t)(USE - 1)) + MAKING, memory_order_relaxed);
    atomic_store_explicit(&o->joined, 0, memory_order_relaxed);
    atomic_store_explicit(&o->shared, 0, memory_order_relaxed);
    o->number = mv_operation_number(t->ring->thread, t->done + 1);
    o->round = 0;
    o->message = o->apart = o->keeps = 0;
    o->sent = o->received = 0;
    return o;
}

/* Claims an operation of this request, if its state is `code`. Returns whether it was claimed. */
static int claim(struct mv_operation *o, uint64_t request, unsigned code)
{
    uint64_t s = load_state(o);
    if ((s & CODES) != code || atomic_load_explicit(request_of(o), memory_order_relaxed) != request)
        return 0;
    return atomic_compare_exchange_strong_explicit(&o->state, &s, (s & ~(uint64_t)CODES) | CLAIMED,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* Notes that a call of a thread other than the claimer may have completed an operation. */
static void doubt(struct mv_operation *o, uint64_t request)
{
    uint64_t s = load_state(o);
    while ((s & CODES) == CLAIMED && !(s & DOUBTFUL) &&
           atomic_load_explicit(request_of(o), memory_order_relaxed) == request &&
           !atomic_compare_exchange_weak(&o->state, &s, s | DOUBTFUL))
        ;
}

/* Releases an operation that this thread has claimed. It stays doubtful if it is active: a call of another thread may
 * have completed it. */
static void release(struct mv_operation *o, unsigned code)
{
    uint64_t s = load_state(o), to;
    atomic_store_explicit(&o->claimer, NULL, memory_order_relaxed);
    do
        to = (s & ~(uint64_t)(CODES | (code == ACTIVE ? 0 : DOUBTFUL))) | code;
    while (!atomic_compare_exchange_weak_explicit(&o->state, &s, to, memory_order_release, memory_order_relaxed));
}

/* The memory that active messages use, with --checksums. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct occupied {
    struct mv_operation *by;
    struct mv_part part;
    struct mv_span span;
    int written;
} occupied[2 * OPERATIONS];
/* Written with the lock. A thread that reads it without the lock sees at least the messages that it has started
 * itself. */
static _Atomic unsigned noccupied;

/* The memory of a message is not in use any more. */
static void let_go(struct mv_operation *o)
{
    if (!recorded())
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < 2; i++) {
        if (!o->places[i])
            continue;
        struct occupied *last = &occupied[atomic_fetch_sub(&noccupied, 1) - 1], *at = &occupied[o->places[i] - 1];
        for (unsigned k = 0; k < 2; k++)
            if (last->by->places[k] == (unsigned)(last - occupied) + 1)
                last->by->places[k] = o->places[i];
        *at = *last;
        o->places[i] = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* Notes the memory of a message that has started. */
static void occupy(struct mv_operation *o)
{
    if (!recorded() || !o->message || o->apart)
        return;
    const struct mv_part *part = o->parts.p;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < o->sent + o->received && i < 2; i++) {
        const unsigned n = atomic_load(&noccupied);
        struct occupied *to = &occupied[n];
        if (n == 2 * OPERATIONS) { /* others that also use it will not be noticed */
            atomic_store(&o->shared, 1);
            continue;
        }
        if (o->places[i] || mv_part_span(&part[i], &to->span))
            continue;
        to->by = o;
        to->part = part[i];
        to->written = i >= o->sent;
        o->places[i] = n + 1;
        atomic_store(&noccupied, n + 1);
    }
    pthread_mutex_unlock(&lock);
}

static int overlap(const struct mv_span *a, const struct mv_span *b) { return a->low < b->high && b->low < a->high; }

int mv_operations_share(const struct mv_part *p, int written)
{
    struct mv_span s;
    int shared = 0;
    if (!atomic_load_explicit(&noccupied, memory_order_relaxed) || mv_part_span(p, &s))
        return 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0, n = atomic_load(&noccupied); i < n; i++) {
        const struct occupied *o = &occupied[i];
        if (!(written || o->written) || !overlap(&o->span, &s) || !mv_parts_overlap(p, &o->part))
            continue;
        shared = 1;
        if (written)
            atomic_store(&o->by->shared, 1);
    }
    pthread_mutex_unlock(&lock);
    return shared;
}

/* Ends an operation that this thread has claimed. */
static void finish(struct mv_operation *o)
{
    const uint64_t request = atomic_load_explicit(request_of(o), memory_order_relaxed);
    struct mv_pending *p = o->table;
    let_go(o);
    atomic_store_explicit(&o->claimer, NULL, memory_order_relaxed);
    atomic_store_explicit(request_of(o), 0, memory_order_relaxed);
    if (p == own_table()) {
        struct mv_operation **at = &p->buckets[bucket_of(request)];
        while (*at != o)
            at = &(*at)->next;
        *at = o->next;
        put_back(o);
    } else {
        release(o, GONE);
        atomic_fetch_add(&p->gone, 1);
    }
    atomic_fetch_sub_explicit(&mv_pending_count[bucket_of(request)], 1, memory_order_release);
}

static int is_shared(const struct mv_operation *o) { return atomic_load_explicit(&o->shared, memory_order_relaxed); }

/* Records what happens to an operation. */
static void tell(struct mv_thread *t, uint64_t number, uint64_t round, unsigned flags)
{
    if (!recorded())
        return;
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = number, .round = round}, NULL, 0, NULL);
}

static struct mv_part *parts(const struct mv_operation *o) { return o->parts.p; }

/* Remembers the data that an operation sends when it starts. */
static void remember(struct mv_operation *o)
{
    uint64_t *values = o->message || !o->keeps || !o->sent ? NULL : mv_grow(&o->before, o->sent * sizeof *values);
    struct mv_snapshot *s = o->message && o->keeps && o->sent ? mv_grow(&o->before, sizeof *s) : NULL;
    o->keeps = values || (s && mv_snapshot(s, parts(o), UINT64_MAX));
    for (uint64_t i = 0; values && i < o->sent; i++)
        if (!mv_part_sum(parts(o) + i, &values[i]))
            values[i] = 0;
}

/* The same, and records sums of it. */
static void tell_sent(struct mv_thread *t, struct mv_operation *o, unsigned flags)
{
    struct mv_sums head = {.flags = flags, .operation = o->number, .round = o->round};
    if (!recorded() || o->apart) {
        remember(o);
        return;
    }
    if (!o->message) {
        uint64_t *values = o->keeps && o->sent ? mv_grow(&o->before, o->sent * sizeof *values) : NULL;
        o->keeps = o->keeps && values;
        mv_sums_of(t, &head, parts(o), o->sent, values);
        return;
    }
    struct mv_snapshot *s = o->sent && !is_shared(o) ? mv_grow(&o->before, sizeof *s) : NULL;
    if (s && mv_snapshot(s, parts(o), UINT64_MAX)) {
        mv_sums_snapshot(t, &head, s);
        return;
    }
    o->keeps = 0;
    tell(t, o->number, o->round, flags | MV_SUMS_VOID);
}

static void tell_received(struct mv_thread *t, const struct mv_operation *o)
{
    if (!recorded())
        return;
    const unsigned flags = MV_SUMS_RECEIVED | (o->persistent ? 0 : MV_SUMS_OVER);
    if (is_doubtful(o)) { /* the program may already have changed it */
        tell(t, o->number, o->round, flags);
        return;
    }
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = o->number, .round = o->round}, parts(o) + o->sent,
               o->received, NULL);
}

/* Writes a record of this kind if data that an operation sends have changed. If a call of another thread may have
 * completed the operation, there is no record: the program may be changing the data now. */
static void tell_changed(struct mv_thread *t, unsigned kind, const struct mv_operation *o)
{
    const uint64_t *values = o->before.p;
    if (!o->keeps || is_shared(o))
        return;
    for (uint64_t i = 0; i < o->sent; i++) {
        struct mv_changed c = {.operation = o->number, .peer = parts(o)[i].peer};
        struct mv_snapshot now;
        if (o->message) {
            if (mv_snapshot_differs(o->before.p, parts(o), &c) && !is_doubtful(o))
                mv_sums_changed(t, kind, &c);
        } else if (values[i] && mv_snapshot(&now, &parts(o)[i], UINT64_MAX) && mv_snapshot_sum(&now) != values[i] &&
                   !is_doubtful(o)) {
            c.bytes = c.length = now.bytes;
            mv_sums_changed(t, kind, &c);
        }
    }
}

/* Records the data that a message has received, of so many bytes. */
static void tell_message(struct mv_thread *t, const struct mv_operation *o, int64_t bytes)
{
    struct mv_sums head = {.flags = MV_SUMS_RECEIVED, .operation = o->number, .round = o->round};
    struct mv_snapshot s;
    if (is_shared(o) && o->sent)
        tell(t, o->number, o->round, MV_SUMS_VOID);
    if (!o->received || is_shared(o) || is_doubtful(o) || bytes <= 0)
        return;
    const struct mv_part *p = parts(o) + o->sent;
    if ((uint64_t)bytes <= mv_part_bytes(p) && mv_snapshot(&s, p, (uint64_t)bytes))
        mv_sums_snapshot(t, &head, &s);
}

/* Gathers parts. */
struct gathering {
    struct mv_part *next;
    uint64_t room, n;
};

static void keep(void *ctx, const struct mv_part *p)
{
    struct gathering *g = ctx;
    if (g->n == g->room)
        return;
    g->next[g->n++] = *p;
}

static void gather(struct mv_operation *o, const struct mv_movement *m)
{
    const uint64_t most = mv_parts_most(m);
    o->sent = o->received = 0;
    if (!most || !mv_grow(&o->parts, 2 * most * sizeof(struct mv_part)))
        return;
    struct gathering g = {parts(o), most, 0};
    mv_parts_sent(m, keep, &g);
    o->sent = g.n;
    if (!recorded())
        return;
    g = (struct gathering){parts(o) + o->sent, most, 0};
    mv_parts_received(m, keep, &g);
    o->received = g.n;
}

struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent)
{
    struct mv_operation *o = take_unused(t);
    if (!o) {
        tell(t, 0, 0, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
        return NULL;
    }
    o->persistent = persistent;
    o->keeps = !m->send.in_place; /* otherwise it receives into the send buffer */
    gather(o, m);
    if (persistent)
        tell(t, o->number, 0, MV_SUMS_MADE);
    else
        tell_sent(t, o, MV_SUMS_MADE);
    return o;
}

/* Checks whether other messages use the memory of a message that is about to start. */
static void share(struct mv_operation *o)
{
    int shared = 0;
    for (uint64_t i = 0; recorded() && !o->apart && i < o->sent + o->received; i++)
        shared |= mv_operations_share(parts(o) + i, i >= o->sent);
    atomic_store_explicit(&o->shared, shared, memory_order_relaxed);
}

/* For a call with either buffer, or both. */
static struct mv_operation *begin_transfer(struct mv_thread *t, const struct mv_buffered *send,
                                           const struct mv_buffered *recv, int persistent, int apart)
{
    struct mv_part both[2], *list;
    uint64_t n = 0, sent = 0;
    if (send && !send->none) {
        both[n] = mv_part_of(send->buf, send->count, send->type);
        sent = mv_part_bytes(&both[n]) > 0;
        n += sent;
    }
    if (recv && !recv->none) {
        both[n] = mv_part_of(recv->buf, recv->count, recv->type);
        n += mv_part_bytes(&both[n]) > 0;
    }
    struct mv_operation *o = n ? take_unused(t) : NULL;
    if (!o)
        return NULL;
    o->message = 1;
    o->apart = apart;
    o->persistent = persistent;
    if ((list = mv_grow(&o->parts, sizeof both))) {
        memcpy(list, both, n * sizeof *list);
        o->sent = sent;
        o->received = n - sent;
    }
    o->keeps = !(send && recv && send->buf == recv->buf);
    if (!persistent) {
        share(o);
        tell_sent(t, o, MV_SUMS_MADE);
    } else if (!apart) {
        tell(t, o->number, 0, MV_SUMS_MADE);
    }
    return o;
}

struct mv_operation *mv_transfer_begin(struct mv_thread *t, const struct mv_buffered *send,
                                       const struct mv_buffered *recv, int persistent)
{
    if (recorded())
        return begin_transfer(t, send, recv, persistent, 0);
    if (!send || (recv && recv->buf == send->buf))
        return NULL;
    return begin_transfer(t, send, NULL, persistent, 0);
}

struct mv_operation *mv_reading_begin(struct mv_thread *t, const struct mv_buffered *read, int persistent)
{
    return begin_transfer(t, read, NULL, persistent, 1);
}

static int is_send(const struct mv_operation *o) { return o->message && !o->received && !o->persistent; }

typedef int visit_fn(struct mv_operation *o, uint64_t request, void *ctx);

/* Calls f for each operation of a request in this thread's table, until f returns a value other than 0. f may end the
 * operation. Returns how many operations other threads may have in the bucket; 0 if f has ended the visit. */
static uint32_t visit_own(uint64_t request, visit_fn *f, void *ctx)
{
    const unsigned b = bucket_of(request);
    struct mv_pending *own = own_table();
    uint32_t others = atomic_load_explicit(&mv_pending_count[b], memory_order_acquire);
    if (!own || !others)
        return others;
    tidy(&own->buckets[b]);
    for (struct mv_operation *o = own->buckets[b], *next; o; o = next) {
        next = o->next;
        others--;
        if (atomic_load_explicit(request_of(o), memory_order_relaxed) == request && f(o, request, ctx))
            return 0;
    }
    return others;
}

/* Calls f for each operation of a request, those of this thread first, until f returns a value other than 0. f may end
 * the operation. */
static void visit_all(uint64_t request, visit_fn *f, void *ctx)
{
    if (!request || !visit_own(request, f, ctx))
        return;
    const struct mv_pending *own = own_table();
    for (struct mv_pending *p = atomic_load_explicit(&tables, memory_order_acquire); p; p = p->next) {
        const unsigned n = p == own ? 0 : atomic_load_explicit(&p->fresh, memory_order_acquire);
        for (unsigned i = 0; i < n; i++)
            if (atomic_load_explicit(&p->requests[i], memory_order_relaxed) == request &&
                f(&p->operations[i], request, ctx))
                return;
    }
}

/* A collective whose request was given to another operation, or freed. */
struct ended {
    uint64_t number, round;
    int active, persistent;
};

/* Ends an operation whose request now stands for something else. */
static int end(struct mv_operation *o, uint64_t request, void *ctx)
{
    struct ended *e = ctx;
    const int active = claim(o, request, ACTIVE);
    if (!active && !claim(o, request, IDLE)) {
        doubt(o, request);
        return 0;
    }
    if (!o->message)
        *e = (struct ended){o->number, o->round, active, o->persistent};
    finish(o);
    return 0;
}

/* Whether a send of this thread has this request, too. Then the two are joined. */
static int join(struct mv_operation *o, uint64_t request)
{
    struct mv_operation *twin = o->table->buckets[bucket_of(request)];
    while (twin && atomic_load_explicit(request_of(twin), memory_order_relaxed) != request)
        twin = twin->next;
    if (!twin || !is_send(twin))
        return 0;
    atomic_store_explicit(&o->joined, 1, memory_order_relaxed);
    atomic_store_explicit(&twin->joined, 1, memory_order_relaxed);
    return 1;
}

static int found_one(struct mv_operation *o, uint64_t request, void *ctx)
{
    (void)o;
    (void)request;
    *(int *)ctx = 1;
    return 1;
}

/* Whether operations have the request of a new one, so that neither can be followed. They are ended. For a send, only
 * this thread's are looked at: those of other threads are found when the send is completed. */
static int end_twins(struct mv_operation *o, uint64_t request, struct ended *e)
{
    int found = 0;
    if (is_send(o) && join(o, request))
        return 0;
    if (is_send(o))
        visit_own(request, found_one, &found);
    else
        visit_all(request, found_one, &found);
    if (found)
        visit_all(request, end, e);
    return found;
}

void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request)
{
    struct ended e = {0};
    if (!o)
        return;
    const int lost = failed || !request || end_twins(o, request, &e);
    const int message = o->message;
    const uint64_t number = o->number;
    if (lost) {
        put_back(o);
    } else {
        const unsigned b = bucket_of(request), code = o->persistent ? IDLE : ACTIVE;
        if (code == ACTIVE)
            occupy(o);
        o->next = o->table->buckets[b];
        o->table->buckets[b] = o;
        atomic_fetch_add_explicit(&mv_pending_count[b], 1, memory_order_relaxed);
        atomic_store_explicit(request_of(o), request, memory_order_relaxed);
        atomic_store_explicit(&o->state, (load_state(o) & ~(uint64_t)(USE - 1)) + code, memory_order_release);
    }
    if (lost && !message)
        tell(t, number, 0, (failed ? MV_SUMS_FAILED : 0) | MV_SUMS_RECEIVED | MV_SUMS_OVER);
    if (e.number)
        tell(t, e.number, 0, (e.active && !e.persistent ? MV_SUMS_RECEIVED : MV_SUMS_FAILED) | MV_SUMS_OVER);
}

/* A call that claims operations. */
struct call {
    unsigned code;      /* state of the operations that it claims */
    uint64_t position;  /* of the present request */
    struct mv_operation *list, **end;
    struct mv_operation *first; /* the first one found for the present request */
    unsigned found;             /* number found for the present request */
    int others;                 /* some of them are not sends */
};

static int find(struct mv_operation *o, uint64_t request, void *ctx)
{
    struct call *c = ctx;
    if (claim(o, request, c->code)) {
        atomic_store_explicit(&o->claimer, c, memory_order_relaxed);
        o->times = 1;
        o->position = c->position;
        o->also = NULL;
        *c->end = o;
        c->end = &o->also;
        if (!c->found++)
            c->first = o;
        c->others |= !is_send(o);
        return 0;
    }
    if (atomic_load_explicit(&o->claimer, memory_order_relaxed) != c) {
        doubt(o, request);
        return 0;
    }
    if (atomic_load_explicit(&o->joined, memory_order_relaxed))
        return 1; /* all others with this handle have been found, too */
    o->times++;
    return 0;
}

/* Claims the operations among the requests. Those with one handle come in the order of their list: this is the fastest
 * order to take them out. */
static struct mv_operation *find_all(const void *requests, unsigned width, uint64_t n, unsigned code)
{
    struct call c = {.code = code, .end = &c.list};
    if (!mv_operations_known(requests, width, n))
        return NULL;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t request = 0;
        memcpy(&request, (const char *)requests + i * width, width);
        c.position = i;
        c.found = 0;
        c.others = 0;
        visit_all(request, find, &c);
        if (c.found > 1 && c.others) /* one of them was complete before, unknown to us */
            for (struct mv_operation *o = c.first; o; o = o->also)
                doubt(o, request);
    }
    return c.list;
}

struct mv_operation *mv_operations_start(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    struct mv_operation *list = find_all(requests, width, n, IDLE);
    for (struct mv_operation *o = list; o; o = o->also) {
        o->round++;
        if (o->message) {
            o->keeps = !(o->sent && o->received && parts(o)[0].at == parts(o)[1].at);
            share(o);
        }
        tell_sent(t, o, 0);
    }
    return list;
}

void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        if (failed && !o->message)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
        if (!failed)
            occupy(o);
        release(o, failed ? IDLE : ACTIVE);
    }
}

struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    struct mv_operation *list = find_all(requests, width, n, ACTIVE);
    if (t)
        return list;
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        finish(o);
    }
    return NULL;
}

/* Which of the indices is equal to the position, -1 if none is. */
static int among(uint64_t position, const int *indices, int n)
{
    for (int i = 0; i < n; i++)
        if (indices[i] >= 0 && (uint64_t)indices[i] == position)
            return i;
    return -1;
}

void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, const struct mv_completion *c)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        const int at = c->all ? (int)o->position : among(o->position, c->indices, c->n);
        int complete = failed || c->all || at >= 0;
        if (atomic_load_explicit(&o->joined, memory_order_relaxed) || o->times > 1) /* it may be any of them */
            complete = failed || c->all || c->n > 0;
        if (failed && !o->message)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED | (o->persistent ? 0 : MV_SUMS_OVER));
        if (complete && !failed) {
            tell_changed(t, MV_CHANGED, o);
            if (o->message)
                tell_message(t, o, at < 0 ? -1 : c->bytes(c->statuses, (uint64_t)at));
            else
                tell_received(t, o);
        }
        if (!complete) {
            release(o, ACTIVE);
        } else if (o->persistent) {
            let_go(o);
            release(o, IDLE);
        } else {
            finish(o);
        }
    }
}

void mv_operation_free(struct mv_thread *t, uint64_t request)
{
    struct ended e = {0};
    visit_all(request, end, &e);
    if (t && e.number)
        tell(t, e.number, e.round, (e.active ? MV_SUMS_RECEIVED : 0) | MV_SUMS_OVER);
}

void mv_operations_unfinished(struct mv_thread *t)
{
    for (struct mv_pending *p = atomic_load_explicit(&tables, memory_order_acquire); p; p = p->next) {
        const unsigned n = atomic_load_explicit(&p->fresh, memory_order_acquire);
        for (unsigned i = 0; i < n; i++) {
            const uint64_t request = atomic_load_explicit(&p->requests[i], memory_order_relaxed);
            struct mv_operation *o = &p->operations[i];
            if (!request || !claim(o, request, ACTIVE))
                continue;
            tell_changed(t, MV_UNFINISHED, o);
            release(o, ACTIVE);
        }
    }
}
