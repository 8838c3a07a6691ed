/*
 * Nonblocking and persistent operations that move data, messages and collectives, from the call that makes them to the one that
 * completes them: what they send is summed up when they start, and once more, with what they have received, when the call
 * returns that completes them, by the thread that made that call.
 *
 * The parts are found when the operation is made, as the program may free its datatypes then. A request that can't be
 * followed to its end has no sums of what it received: one whose handle stands for another operation, too, as for those that
 * were complete at once, and those that find the table full.
 *
 * Sends of one handle are many, and nobody can say which of them a call completes. But none of them is complete before the
 * first of these calls, so all are looked at when that returns, and then given up.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <string.h>

#include "mpi_objects.h"
#include "sums.h"

#define OPERATIONS 4096

struct mv_operation {
    uint64_t request; /* handle */
    uint64_t number;  /* mv_operation_number */
    uint64_t round;   /* starts so far of a persistent one */
    int persistent;
    int active;
    int claimed;       /* a call that may start or complete it is under way */
    uint64_t position; /* of its request among those of that call */
    uint64_t sent, received; /* numbers of parts */
    struct mv_buffer parts;  /* first those that are sent */
    int message;             /* else a collective */
    int apart;               /* a message of which no sums are recorded in any case, as nobody has others to compare them with */
    int keeps;               /* what it sends must be the same when it is complete, */
    struct mv_buffer before; /* as it was at the start: struct mv_snapshot of a message, the sums of a collective's parts */
    int shared;              /* a message's data are also those of another operation, one of which receives */
    int joined;              /* another send had the same handle */
    int doubtful;            /* calls of two threads may have completed it */
    const void *claimer;     /* the call under way */
    unsigned times;          /* that its request is among those of that call */
    struct mv_operation *next; /* in its bucket, or among the unused */
    struct mv_operation *also; /* found by the same call */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mv_operation operations[OPERATIONS], *unused;
struct mv_operation *mv_buckets[1 << MV_BUCKETS_BITS];

/* Between which addresses active messages read and write. */
static struct span {
    uint64_t low, high;
} reads[OPERATIONS], writes[OPERATIONS];
static unsigned fresh;
_Atomic unsigned mv_operations_number;

/* Whether sums are recorded; else only that data have changed. */
static int recorded(void) { return mv_sums == MV_SUMS_ALL; }

static uint64_t handle(const void *requests, unsigned width, uint64_t i)
{
    uint64_t h = 0;
    memcpy(&h, (const char *)requests + i * width, width);
    return h;
}

static struct mv_operation *find(uint64_t request)
{
    struct mv_operation *o = *mv_bucket(request);
    while (o && o->request != request)
        o = o->next;
    return o;
}

/* For what the call under way makes. */
static struct mv_operation *take_unused(const struct mv_thread *t)
{
    pthread_mutex_lock(&lock);
    struct mv_operation *o = unused;
    if (o)
        unused = o->next;
    else if (fresh < OPERATIONS)
        o = &operations[fresh++];
    if (o) {
        o->number = mv_operation_number(t->ring->thread, t->done + 1);
        o->round = 0;
        o->claimed = o->message = o->apart = o->keeps = o->shared = o->joined = o->doubtful = 0;
        o->sent = o->received = 0;
    }
    pthread_mutex_unlock(&lock);
    return o;
}

/* With the lock: the memory of a message is in use no more. */
static void let_go(const struct mv_operation *o) { reads[o - operations] = writes[o - operations] = (struct span){0, 0}; }

/* With the lock. */
static void give_back(struct mv_operation *o)
{
    let_go(o);
    o->next = unused;
    unused = o;
}

/* With the lock. */
static void forget(struct mv_operation *o)
{
    struct mv_operation **at = mv_bucket(o->request);
    while (*at && *at != o)
        at = &(*at)->next;
    if (!*at)
        return;
    __atomic_store_n(at, o->next, __ATOMIC_RELAXED);
    atomic_fetch_sub(&mv_operations_number, 1);
    give_back(o);
}

static void tell(struct mv_thread *t, uint64_t number, uint64_t round, unsigned flags)
{
    if (!recorded())
        return;
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = number, .round = round}, NULL, 0, NULL);
}

static struct mv_part *parts(const struct mv_operation *o) { return o->parts.p; }

/* Remembers what an operation that starts sends. */
static void remember(struct mv_operation *o)
{
    uint64_t *values = o->message || !o->keeps || !o->sent ? NULL : mv_grow(&o->before, o->sent * sizeof *values);
    struct mv_snapshot *s = o->message && o->keeps && o->sent ? mv_grow(&o->before, sizeof *s) : NULL;
    o->keeps = values || (s && mv_snapshot(s, parts(o), UINT64_MAX));
    for (uint64_t i = 0; values && i < o->sent; i++)
        if (!mv_part_sum(parts(o) + i, &values[i]))
            values[i] = 0;
}

/* The same, and tells of it. */
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
    struct mv_snapshot *s = o->sent && !o->shared ? mv_grow(&o->before, sizeof *s) : NULL;
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
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = o->number, .round = o->round}, parts(o) + o->sent, o->received, NULL);
}

/* Whether another thread may have completed an operation, or may have been about to, by now. */
static int is_doubtful(const struct mv_operation *o)
{
    pthread_mutex_lock(&lock);
    const int doubtful = o->doubtful;
    pthread_mutex_unlock(&lock);
    return doubtful;
}

/* Looks whether what a complete operation has sent is what it was. If it was not complete for this thread only, it may be changed
 * while it is looked at. */
static void tell_changed(struct mv_thread *t, const struct mv_operation *o)
{
    const uint64_t *values = o->before.p;
    if (!o->keeps || o->shared)
        return;
    for (uint64_t i = 0; i < o->sent; i++) {
        struct mv_changed c = {.operation = o->number, .peer = parts(o)[i].peer};
        struct mv_snapshot now;
        if (o->message) {
            if (mv_snapshot_differs(o->before.p, parts(o), &c) && !is_doubtful(o))
                mv_sums_changed(t, &c);
        } else if (values[i] && mv_snapshot(&now, &parts(o)[i], UINT64_MAX) && mv_snapshot_sum(&now) != values[i] && !is_doubtful(o)) {
            c.bytes = c.length = now.bytes;
            mv_sums_changed(t, &c);
        }
    }
}

/* What a message has received, of so many bytes. */
static void tell_message(struct mv_thread *t, const struct mv_operation *o, int64_t bytes)
{
    struct mv_sums head = {.flags = MV_SUMS_RECEIVED, .operation = o->number, .round = o->round};
    struct mv_snapshot s;
    if (o->shared && o->sent)
        tell(t, o->number, o->round, MV_SUMS_VOID);
    if (!o->received || o->shared || o->doubtful || bytes <= 0)
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

/* Before the call that makes an operation enters MPI. NULL if it will not be followed. */
struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent)
{
    struct mv_operation *o = take_unused(t);
    if (!o) {
        tell(t, 0, 0, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
        return NULL;
    }
    o->persistent = persistent;
    o->active = !persistent;
    o->keeps = !m->send.in_place; /* else it is what is received into */
    gather(o, m);
    if (persistent)
        tell(t, o->number, 0, MV_SUMS_MADE);
    else
        tell_sent(t, o, MV_SUMS_MADE);
    return o;
}

static int overlap(const struct span *a, const struct span *b) { return a->low < b->high && b->low < a->high; }

/* Whether memory that is to be read, or written, is that of active messages one of which writes. Then nothing is known of what
 * will be there: these messages are noted, too. */
int mv_operations_share(struct mv_thread *t, const struct mv_part *p, int written)
{
    struct span s;
    int shared = 0;
    (void)t;
    if (!atomic_load_explicit(&mv_operations_number, memory_order_relaxed) || mv_part_span(p, &s.low, &s.high))
        return 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < fresh; i++) {
        struct mv_operation *o = &operations[i];
        if (overlap(&writes[i], &s) && mv_parts_overlap(p, parts(o) + o->sent)) {
            shared = 1;
            if (written)
                o->shared = 1;
        }
        if (written && overlap(&reads[i], &s) && mv_parts_overlap(p, parts(o)))
            o->shared = shared = 1;
    }
    pthread_mutex_unlock(&lock);
    return shared;
}

/* Looks whether others use the memory of a message that is to start. */
static void share(struct mv_thread *t, struct mv_operation *o)
{
    o->shared = 0;
    if (!recorded() || o->apart) /* that they do is an error */
        return;
    for (uint64_t i = 0; i < o->sent + o->received; i++)
        o->shared |= mv_operations_share(t, parts(o) + i, i >= o->sent);
}

/* With the lock: notes the memory of a message that has started. */
static void occupy(const struct mv_operation *o)
{
    struct span s;
    for (uint64_t i = 0; recorded() && o->message && !o->apart && i < o->sent + o->received; i++)
        if (!mv_part_span(parts(o) + i, &s.low, &s.high))
            *(i < o->sent ? &reads[o - operations] : &writes[o - operations]) = s;
}

static struct mv_operation *begin_transfer(struct mv_thread *t, const struct mv_buffered *send, const struct mv_buffered *recv, int persistent, int apart)
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
    o->active = !persistent;
    if ((list = mv_grow(&o->parts, sizeof both))) {
        memcpy(list, both, n * sizeof *list);
        o->sent = sent;
        o->received = n - sent;
    }
    o->keeps = !(send && recv && send->buf == recv->buf);
    if (!persistent) {
        share(t, o);
        tell_sent(t, o, MV_SUMS_MADE);
    } else if (!apart) {
        tell(t, o->number, 0, MV_SUMS_MADE);
    }
    return o;
}

/* The same for a call that makes a message: with either buffer, or both. */
struct mv_operation *mv_transfer_begin(struct mv_thread *t, const struct mv_buffered *send, const struct mv_buffered *recv, int persistent)
{
    if (recorded())
        return begin_transfer(t, send, recv, persistent, 0);
    if (!send || (recv && recv->buf == send->buf))
        return NULL;
    return begin_transfer(t, send, NULL, persistent, 0);
}

/* The same for a call that reads a buffer for something else than a message: for a file, or a reduction. */
struct mv_operation *mv_reading_begin(struct mv_thread *t, const struct mv_buffered *read, int persistent)
{
    return begin_transfer(t, read, NULL, persistent, 1);
}

static int is_send(const struct mv_operation *o) { return o->message && !o->received && !o->persistent; }

/* When the call has returned that makes an operation. */
void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request)
{
    uint64_t other = 0;
    int other_active = 0;
    if (!o)
        return;
    pthread_mutex_lock(&lock);
    struct mv_operation *twin = failed ? NULL : find(request);
    if (twin && is_send(twin) && is_send(o)) {
        o->joined = twin->joined = 1;
        twin = NULL;
    }
    const int lost = failed || twin, message = o->message;
    while (twin) {
        if (!twin->message) {
            other = twin->number;
            other_active = twin->active && !twin->persistent;
        }
        forget(twin);
        twin = find(request);
    }
    if (lost) {
        give_back(o);
    } else {
        if (o->active)
            occupy(o);
        o->request = request;
        o->next = *mv_bucket(request);
        __atomic_store_n(mv_bucket(request), o, __ATOMIC_RELAXED);
        atomic_fetch_add(&mv_operations_number, 1);
    }
    pthread_mutex_unlock(&lock);
    if (lost && !message)
        tell(t, o->number, 0, (failed ? MV_SUMS_FAILED : 0) | MV_SUMS_RECEIVED | MV_SUMS_OVER);
    if (other)
        tell(t, other, 0, (other_active ? MV_SUMS_RECEIVED : MV_SUMS_FAILED) | MV_SUMS_OVER);
}

/* The operations among the requests that are active, or that are not. Those of one handle come in the order of their bucket, from
 * which they are taken out soonest that way. */
static struct mv_operation *claim(const void *requests, unsigned width, uint64_t n, int active)
{
    struct mv_operation *list = NULL, **end = &list;
    if (!mv_operations_known(requests, width, n))
        return NULL;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t h = handle(requests, width, i);
        for (struct mv_operation *o = *mv_bucket(h); o; o = o->next) {
            if (o->request != h || o->active != active)
                continue;
            if (o->claimed && o->claimer != &list) {
                o->doubtful = 1;
                continue;
            }
            if (o->claimed) {
                if (o->joined) /* as are all others of this handle */
                    break;
                o->times++;
                continue;
            }
            o->claimed = 1;
            o->claimer = &list;
            o->times = 1;
            o->position = i;
            o->also = NULL;
            *end = o;
            end = &o->also;
        }
    }
    pthread_mutex_unlock(&lock);
    return list;
}

/* Before persistent operations are started: what they send now. */
struct mv_operation *mv_operations_start(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    struct mv_operation *list = claim(requests, width, n, 0);
    for (struct mv_operation *o = list; o; o = o->also) {
        o->round++;
        if (o->message) {
            o->keeps = !(o->sent && o->received && parts(o)[0].at == parts(o)[1].at);
            share(t, o);
        }
        tell_sent(t, o, 0);
    }
    return list;
}

/* When the call has returned that starts them. */
void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        if (failed && !o->message)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
        pthread_mutex_lock(&lock);
        o->active = !failed;
        if (o->active)
            occupy(o);
        o->claimed = 0;
        pthread_mutex_unlock(&lock);
    }
}

/* Before a call that may complete operations. Without a thread, one that is not recorded: they are forgotten. */
struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    struct mv_operation *list = claim(requests, width, n, 1);
    if (t || !list)
        return list;
    pthread_mutex_lock(&lock);
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        forget(o);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Which of the indices is the position, -1 if none is. */
static int among(uint64_t position, const int *indices, int n)
{
    for (int i = 0; i < n; i++)
        if (indices[i] >= 0 && (uint64_t)indices[i] == position)
            return i;
    return -1;
}

/* Bytes that a status tells of, -1 if it tells of none. */
static int64_t bytes_of(const MPI_Status *statuses, uint64_t i)
{
    if (!statuses || statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE)
        return -1;
    return mv_status_bytes(&statuses[i]);
}

/* When it has returned: it has completed all of the operations, or those at the given indices, and written statuses of those that
 * it has completed. */
void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, int all, const int *indices, int n, const void *statuses)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        const int at = all ? (int)o->position : among(o->position, indices, n);
        int complete = failed || all || at >= 0;
        if (o->joined || o->times > 1) /* it may be any of them */
            complete = failed || all || n > 0;
        if (failed && !o->message)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED | (o->persistent ? 0 : MV_SUMS_OVER));
        if (complete && !failed) {
            tell_changed(t, o);
            if (o->message)
                tell_message(t, o, at < 0 ? -1 : bytes_of(statuses, (uint64_t)at));
            else
                tell_received(t, o);
        }
        pthread_mutex_lock(&lock);
        o->claimed = 0;
        if (complete && o->persistent) {
            o->active = o->doubtful = 0;
            let_go(o);
        } else if (complete) {
            forget(o);
        }
        pthread_mutex_unlock(&lock);
    }
}

/* Before a request is freed, by a call that is recorded if t is set. Of several with one handle it may be any. */
void mv_operation_free(struct mv_thread *t, uint64_t request)
{
    struct mv_operation *o, was = {0};
    pthread_mutex_lock(&lock);
    while ((o = find(request))) {
        if (!o->message)
            was = *o;
        forget(o);
    }
    pthread_mutex_unlock(&lock);
    if (t && was.number)
        tell(t, was.number, was.round, (was.active ? MV_SUMS_RECEIVED : 0) | MV_SUMS_OVER);
}
