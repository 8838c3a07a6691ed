/*
 * Nonblocking and persistent collectives that move data, from the call that makes them to the one that completes them: what
 * they send is summed up when they start, what they have received when the call returns that completes them, by the thread
 * that made that call.
 *
 * The parts are found when the operation is made, as the program may free its datatypes then. A request that can't be
 * followed to its end has no sums of what it received: one whose handle stands for another operation, too, as for those that
 * were complete at once, and those that find the table full.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <string.h>

#include "sums.h"

#define OPERATIONS 4096
#define BUCKETS 1024

struct mv_operation {
    uint64_t request; /* handle */
    uint64_t number;  /* in the process, from 1 */
    uint64_t round;   /* starts so far of a persistent one */
    int persistent;
    int active;
    int claimed;       /* a call that may start or complete it is under way */
    uint64_t position; /* of its request among those of that call */
    uint64_t sent, received; /* numbers of parts */
    struct mv_buffer parts;  /* first those that are sent */
    struct mv_operation *next; /* in its bucket, or among the unused */
    struct mv_operation *also; /* found by the same call */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mv_operation operations[OPERATIONS], *unused, *buckets[BUCKETS];
static unsigned fresh;
static uint64_t numbers;
static _Atomic unsigned known; /* operations in the buckets */

static struct mv_operation **bucket(uint64_t request) { return &buckets[request * 0x9e3779b97f4a7c15ULL >> (64 - 10)]; }
_Static_assert(BUCKETS == 1 << 10, "bucket gives 10 bits");

static struct mv_operation *find(uint64_t request)
{
    struct mv_operation *o = *bucket(request);
    while (o && o->request != request)
        o = o->next;
    return o;
}

static struct mv_operation *take_unused(void)
{
    pthread_mutex_lock(&lock);
    struct mv_operation *o = unused;
    if (o)
        unused = o->next;
    else if (fresh < OPERATIONS)
        o = &operations[fresh++];
    if (o)
        o->number = ++numbers;
    pthread_mutex_unlock(&lock);
    return o;
}

/* With the lock. */
static void give_back(struct mv_operation *o)
{
    o->next = unused;
    unused = o;
}

/* With the lock. */
static void forget(struct mv_operation *o)
{
    struct mv_operation **at = bucket(o->request);
    while (*at && *at != o)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = o->next;
    atomic_fetch_sub(&known, 1);
    give_back(o);
}

static void tell(struct mv_thread *t, uint64_t number, uint64_t round, unsigned flags)
{
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = number, .round = round}, NULL, 0);
}

static struct mv_part *parts(const struct mv_operation *o) { return o->parts.p; }

static void tell_sent(struct mv_thread *t, const struct mv_operation *o, unsigned flags)
{
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = o->number, .round = o->round}, parts(o), o->sent);
}

static void tell_received(struct mv_thread *t, const struct mv_operation *o)
{
    const unsigned flags = MV_SUMS_RECEIVED | (o->persistent ? 0 : MV_SUMS_OVER);
    mv_sums_of(t, &(struct mv_sums){.flags = flags, .operation = o->number, .round = o->round}, parts(o) + o->sent, o->received);
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
    g = (struct gathering){parts(o) + o->sent, most, 0};
    mv_parts_received(m, keep, &g);
    o->received = g.n;
}

/* Before the call that makes an operation enters MPI. NULL if it will not be followed. */
struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent)
{
    struct mv_operation *o = take_unused();
    if (!o) {
        mv_sums_of(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED | MV_SUMS_FAILED}, NULL, 0);
        return NULL;
    }
    o->persistent = persistent;
    o->active = !persistent;
    o->round = 0;
    o->claimed = 0;
    gather(o, m);
    if (persistent)
        tell(t, o->number, 0, MV_SUMS_MADE);
    else
        tell_sent(t, o, MV_SUMS_MADE);
    return o;
}

/* When that call has returned. */
void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request)
{
    uint64_t other = 0;
    int other_active = 0;
    if (!o)
        return;
    pthread_mutex_lock(&lock);
    struct mv_operation *twin = failed ? NULL : find(request);
    if (twin) {
        other = twin->number;
        other_active = twin->active && !twin->persistent;
        forget(twin);
    }
    if (failed || twin) {
        give_back(o);
    } else {
        o->request = request;
        o->next = *bucket(request);
        *bucket(request) = o;
        atomic_fetch_add(&known, 1);
    }
    pthread_mutex_unlock(&lock);
    if (failed || twin)
        tell(t, o->number, 0, (failed ? MV_SUMS_FAILED : 0) | MV_SUMS_RECEIVED | MV_SUMS_OVER);
    if (twin)
        tell(t, other, 0, (other_active ? MV_SUMS_RECEIVED : MV_SUMS_FAILED) | MV_SUMS_OVER);
}

static uint64_t handle(const void *requests, unsigned width, uint64_t i)
{
    uint64_t h = 0;
    memcpy(&h, (const char *)requests + i * width, width);
    return h;
}

/* The operations among the requests that are active, or that are not. */
static struct mv_operation *claim(const void *requests, unsigned width, uint64_t n, int active)
{
    struct mv_operation *list = NULL;
    if (!requests || !atomic_load_explicit(&known, memory_order_relaxed))
        return NULL;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < n; i++) {
        struct mv_operation *o = find(handle(requests, width, i));
        if (!o || o->claimed || o->active != active)
            continue;
        o->claimed = 1;
        o->position = i;
        o->also = list;
        list = o;
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
        tell_sent(t, o, 0);
    }
    return list;
}

/* When the call has returned that starts them. */
void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        if (failed)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
        pthread_mutex_lock(&lock);
        o->active = !failed;
        o->claimed = 0;
        pthread_mutex_unlock(&lock);
    }
}

/* Before a call that may complete operations. Without a thread, one that is not recorded: they are forgotten. */
struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    struct mv_operation *list = claim(requests, width, n, 1);
    if (t)
        return list;
    pthread_mutex_lock(&lock);
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        forget(o);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int is_among(uint64_t position, const int *indices, int n)
{
    for (int i = 0; i < n; i++)
        if (indices[i] >= 0 && (uint64_t)indices[i] == position)
            return 1;
    return 0;
}

/* When it has returned: it has completed all of the operations, or those at the given indices. */
void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, int all, const int *indices, int n)
{
    for (struct mv_operation *o = list, *also; o; o = also) {
        also = o->also;
        const int complete = failed || all || is_among(o->position, indices, n);
        if (failed)
            tell(t, o->number, o->round, MV_SUMS_RECEIVED | MV_SUMS_FAILED | (o->persistent ? 0 : MV_SUMS_OVER));
        else if (complete)
            tell_received(t, o);
        pthread_mutex_lock(&lock);
        o->claimed = 0;
        if (complete && o->persistent)
            o->active = 0;
        else if (complete)
            forget(o);
        pthread_mutex_unlock(&lock);
    }
}

/* Before a request is freed. */
void mv_operation_free(struct mv_thread *t, uint64_t request)
{
    pthread_mutex_lock(&lock);
    struct mv_operation *o = find(request);
    const struct mv_operation was = o ? *o : (struct mv_operation){0};
    if (o)
        forget(o);
    pthread_mutex_unlock(&lock);
    if (o)
        tell(t, was.number, was.round, (was.active ? MV_SUMS_RECEIVED : 0) | MV_SUMS_OVER);
}
