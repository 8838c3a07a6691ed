/*
 * What a call that moves data has sent and received, part by part, as sums in MV_SUMS records: one before the real function
 * is called, one after it has returned. A part whose data can't be found for sure has no sum.
 *
 * On the record path: no allocation, no lock, no system call. The data of the program are read, and nothing else.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <string.h>

#include "layout.h"
#include "sums.h"

int mv_sums;

/* Called before the first MPI call is recorded. */
void mv_sums_start(int on) { mv_sums = on; }

/* Predefined datatypes without gaps, by handle; filled in at the end of MPI_Init. */
#define SLOTS 512
static struct {
    uint64_t handle;
    int64_t size;
} predefined[SLOTS];

static unsigned slot_of(uint64_t handle) { return (unsigned)(handle * 0x9e3779b97f4a7c15ULL >> (64 - 9)); }
_Static_assert(SLOTS == 1 << 9, "slot_of gives 9 bits");

void mv_sums_type(uint64_t handle, int64_t size, int64_t lower, int64_t extent)
{
    if (!handle || size <= 0 || lower || extent != size)
        return;
    unsigned at = slot_of(handle);
    for (unsigned i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
        if (predefined[at].handle && predefined[at].handle != handle)
            continue;
        predefined[at].handle = handle;
        predefined[at].size = size;
        return;
    }
}

/* Where the data of a datatype lie; no size if that is not known. */
struct shape {
    int64_t size, extent;
    struct mv_layout layout; /* no words: they are contiguous */
};

static struct shape shape_of(uint64_t type)
{
    unsigned at = slot_of(type);
    for (unsigned i = 0; i < SLOTS && predefined[at].handle; i++, at = (at + 1) % SLOTS)
        if (predefined[at].handle == type)
            return (struct shape){predefined[at].size, predefined[at].size, {NULL, 0}};
    struct mv_layout l = mv_layout(type);
    if (l.words < 2)
        return (struct shape){0};
    return (struct shape){l.program[0], l.program[1], l};
}

/* The first page of memory has no data: an address in it is a mistake, or MPI_BOTTOM with a datatype that is not for it. */
#define LOWEST 4096

static int visit(void *sum, uint64_t at, uint64_t n)
{
    if (at < LOWEST || at + n < at)
        return 1;
    mv_sum_add(sum, (const void *)(uintptr_t)at, n);
    return 0;
}

/* Sums up count copies at an address. Returns how many bytes there are, 0 if there is no sum. */
static uint64_t sum_up(uint64_t *sum, uint64_t at, int64_t count, const struct shape *s)
{
    int64_t bytes;
    struct mv_summing state;
    if (count <= 0 || s->size <= 0 || __builtin_mul_overflow(count, s->size, &bytes))
        return 0;
    mv_sum_begin(&state);
    int failed = s->layout.words ? mv_layout_walk(s->layout.program, s->layout.words, at, count, visit, &state)
                                 : visit(&state, at, (uint64_t)bytes);
    if (failed)
        return 0;
    *sum = mv_sum_end(&state);
    return (uint64_t)bytes;
}

static int64_t element(const void *array, unsigned width, int i)
{
    if (width == 8)
        return ((const int64_t *)array)[i];
    return ((const int *)array)[i];
}

/* A record under way. */
struct list {
    struct mv_sums *head;
    struct mv_sum *next, *end;
};

/* Adds the sum of block i, which goes to or comes from a peer. shape is that of the side's only datatype. */
static void add(struct list *l, const struct mv_side *s, const struct shape *shape, int i, uint32_t peer)
{
    struct shape own;
    int64_t count = s->counts ? element(s->counts, s->wide, i) : s->count, at, stride = 1;
    if (l->next == l->end || count <= 0)
        return;
    if (s->types) {
        uint64_t type = 0;
        memcpy(&type, (const char *)s->types + (size_t)i * s->type_width, s->type_width);
        own = shape_of(type);
        shape = &own;
    } else {
        stride = shape->extent;
    }
    if (s->displs)
        at = element(s->displs, s->wide, i);
    else if (__builtin_mul_overflow(i, s->count, &at))
        return;
    if (__builtin_mul_overflow(at, stride, &at))
        return;
    uint64_t bytes = sum_up(&l->next->sum, (uint64_t)(uintptr_t)s->buf + (uint64_t)at, count, shape);
    if (!bytes)
        return;
    l->next->peer = peer;
    l->next->pad = 0;
    l->next->bytes = bytes;
    l->next++;
    l->head->count++;
}

static void add_one(struct list *l, const struct mv_side *s, int i, uint32_t peer)
{
    const struct shape shape = s->types ? (struct shape){0} : shape_of(s->type);
    add(l, s, &shape, i, peer);
}

/* The blocks of all peers but one. */
static void add_all(struct list *l, const struct mv_side *s, int peers, int but)
{
    const struct shape shape = s->types ? (struct shape){0} : shape_of(s->type);
    for (int i = 0; i < peers; i++)
        if (i != but)
            add(l, s, &shape, i, (uint32_t)i);
}

/* Between groups the root has only its side. */
static int beside_root(const struct mv_movement *m) { return !m->inter || !m->at_root; }

static void add_sent(struct list *l, const struct mv_movement *m)
{
    switch (m->motion) {
    case MV_MOVES_BCAST:
        if (m->at_root)
            add_one(l, &m->send, 0, MV_SUM_ALL);
        break;
    case MV_MOVES_GATHER:
        if (beside_root(m) && !m->send.in_place)
            add_one(l, &m->send, 0, (uint32_t)m->root);
        break;
    case MV_MOVES_SCATTER:
        if (m->at_root)
            add_all(l, &m->send, m->peers, m->recv.in_place ? m->rank : -1);
        break;
    case MV_MOVES_ALLGATHER:
        if (m->send.in_place)
            add_one(l, &m->recv, m->rank, MV_SUM_ALL);
        else
            add_one(l, &m->send, 0, MV_SUM_ALL);
        break;
    case MV_MOVES_ALLTOALL:
        add_all(l, m->send.in_place ? &m->recv : &m->send, m->peers, -1);
        break;
    }
}

static void add_received(struct list *l, const struct mv_movement *m)
{
    switch (m->motion) {
    case MV_MOVES_BCAST:
        if (!m->at_root)
            add_one(l, &m->send, 0, (uint32_t)m->root);
        break;
    case MV_MOVES_GATHER:
        if (m->at_root)
            add_all(l, &m->recv, m->peers, m->send.in_place ? m->rank : -1);
        break;
    case MV_MOVES_SCATTER:
        if (beside_root(m) && !m->recv.in_place)
            add_one(l, &m->recv, 0, (uint32_t)m->root);
        break;
    case MV_MOVES_ALLGATHER:
    case MV_MOVES_ALLTOALL:
        add_all(l, &m->recv, m->peers, -1);
        break;
    }
}

static void record(struct mv_thread *t, const struct mv_movement *m, void (*parts)(struct list *, const struct mv_movement *), unsigned flags)
{
    uint64_t room = (t->largest - sizeof(struct mv_record) - sizeof(struct mv_sums) - 64) / sizeof(struct mv_sum), n = 0;
    if (parts && m->rank >= 0 && !m->absent)
        n = m->peers > 1 ? (uint64_t)m->peers : 1;
    if (n > room)
        n = room;
    unsigned char *r = mv_info(t, MV_SUMS, 0, sizeof(struct mv_sums) + n * sizeof(struct mv_sum));
    struct list l = {.head = (struct mv_sums *)(r + sizeof(struct mv_record))};
    l.head->flags = flags;
    l.head->count = 0;
    l.next = (struct mv_sum *)(l.head + 1);
    l.end = l.next + n;
    if (n)
        parts(&l, m);
    mv_info_end(t, r);
}

/* Before the real function is called; the call's record has been published. */
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m) { record(t, m, add_sent, 0); }

/* After it has returned. */
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc)
{
    if (rc)
        record(t, m, NULL, MV_SUMS_RECEIVED | MV_SUMS_FAILED);
    else
        record(t, m, add_received, MV_SUMS_RECEIVED);
}
