/*
 * What a call that moves data has sent and received, part by part, as sums in MV_SUMS records: one before the real function
 * is called, one after it has returned. A part whose data can't be found for sure has no sum.
 *
 * The functions here are called only by what stands for the real functions where sums are wanted (moved.c, generated). They
 * may wait for the analyzer to tell of a datatype. The data of the program are read, and nothing else.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "sums.h"

int mv_sums;
uint64_t mv_sum_limit;

/* Called before the first MPI call is recorded. */
void mv_sums_start(int wanted, uint64_t limit)
{
    mv_sums = wanted;
    mv_sum_limit = limit;
}

/* At the end of MPI_Init: tells that there will be sums. */
void mv_sums_announce(struct mv_thread *t)
{
    if (mv_sums == MV_SUMS_ALL)
        mv_sums_of(t, &(struct mv_sums){0}, NULL, 0, NULL);
}

/* Where the data of the predefined pairs lie that have gaps: a value and an int behind it, as in a struct of C. */
static const int64_t pairs[][6] = {
    {6, 8, 2, 0, 4, 4},     /* MPI_SHORT_INT */
    {12, 16, 8, 0, 4, 8},   /* MPI_LONG_INT, MPI_DOUBLE_INT */
    {20, 32, 16, 0, 4, 16}, /* MPI_LONG_DOUBLE_INT */
};

/* Predefined datatypes, by handle; filled in at the end of MPI_Init. */
#define SLOTS 512
static struct {
    uint64_t handle;
    struct mv_shape shape;
} predefined[SLOTS];

static unsigned slot_of(uint64_t handle) { return (unsigned)(handle * 0x9e3779b97f4a7c15ULL >> (64 - 9)); }
_Static_assert(SLOTS == 1 << 9, "slot_of gives 9 bits");

void mv_sums_type(uint64_t handle, int64_t size, int64_t lower, int64_t extent)
{
    struct mv_shape shape = {size, extent, {NULL, 0}};
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (size == pairs[i][0] && extent == pairs[i][1])
            shape.layout = (struct mv_layout){pairs[i], 6};
    if (!handle || size <= 0 || lower || (extent != size && !shape.layout.words))
        return;
    unsigned at = slot_of(handle);
    for (unsigned i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
        if (predefined[at].handle && predefined[at].handle != handle)
            continue;
        predefined[at].handle = handle;
        predefined[at].shape = shape;
        return;
    }
}

/* A datatype may be used as soon as it is committed, which the analyzer learns a moment later. It is waited for: until the
 * analyzer has read what this thread has recorded, which takes longer if it is busy, and a little longer for what others
 * have. But not again: some datatypes have no layout. */
#define PATIENCE 20000000 /* ns */
#define ROUNDS 50         /* of that, while the analyzer is busy */
#define NAP 20000

/* Whether the analyzer has read everything that this thread recorded before the call under way. */
static int caught_up(void)
{
    const struct mv_thread *t = mv_tls.mine;
    if (!t || !t->again)
        return 1;
    uint64_t from = t->head;
    if (t->record && !t->borrowed)
        from -= (t->head - (uint64_t)(t->record - t->data)) & t->mask;
    return atomic_load_explicit((_Atomic uint64_t *)&t->ring->tail, memory_order_acquire) >= from;
}

static struct mv_layout patient_layout(uint64_t type)
{
    static _Atomic uint64_t hopeless[64];
    _Atomic uint64_t *mark = &hopeless[type * 0x9e3779b97f4a7c15ULL >> 58];
    /* A handle that stands for another datatype was freed in between. */
    const uint64_t key = type * 31 + mv_type_frees() + 1;
    struct mv_layout l = mv_layout(type);
    if (l.words || !type || atomic_load(mark) == key)
        return l;
    const struct timespec nap = {0, NAP};
    const int e = errno;
    for (int round = 0, last = 0; !l.words && !last && round < ROUNDS; round++) {
        last = caught_up() || mv_analyzer_gone();
        const uint64_t begin = mv_now();
        while (!l.words && mv_now() - begin < PATIENCE && !atomic_load(&mv_g.inert)) {
            nanosleep(&nap, NULL);
            l = mv_layout(type);
        }
    }
    errno = e;
    if (!l.words)
        atomic_store(mark, key);
    return l;
}

/* The shape of a datatype that layout finds the program of, unless it is predefined. */
static struct mv_shape find_shape(uint64_t type, struct mv_layout (*layout)(uint64_t))
{
    unsigned at = slot_of(type);
    for (unsigned i = 0; i < SLOTS && predefined[at].handle; i++, at = (at + 1) % SLOTS)
        if (predefined[at].handle == type)
            return predefined[at].shape;
    struct mv_layout l = layout(type);
    if (l.words < 2)
        return (struct mv_shape){0};
    return (struct mv_shape){l.program[0], l.program[1], l};
}

/* Only checks that were asked for are worth a wait. */
static struct mv_shape shape_of(uint64_t type) { return find_shape(type, mv_sums == MV_SUMS_ALL ? patient_layout : mv_layout); }

/* The shape of a datatype as far as it is known at once. */
struct mv_shape mv_shape_known(uint64_t type) { return find_shape(type, mv_layout); }

struct mv_part mv_part_of(const void *buf, int64_t count, uint64_t type)
{
    return (struct mv_part){(uint64_t)(uintptr_t)buf, count, shape_of(type), 0};
}

/* Sums up a part. Returns how many bytes there are, 0 if there is no sum. */
uint64_t mv_part_sum(const struct mv_part *p, uint64_t *sum)
{
    struct mv_snapshot s;
    if (!mv_snapshot(&s, p, UINT64_MAX))
        return 0;
    *sum = mv_snapshot_sum(&s);
    return s.bytes;
}

static int64_t element(const void *array, unsigned width, int i)
{
    if (width == 8)
        return ((const int64_t *)array)[i];
    return ((const int *)array)[i];
}

/* Who wants the parts. */
struct taker {
    mv_take_part *take;
    void *ctx;
};

/* Block i, which goes to or comes from a peer. shape is that of the side's only datatype. */
static void add(const struct taker *l, const struct mv_side *s, const struct mv_shape *shape, int i, uint32_t peer)
{
    struct mv_shape own;
    int64_t count = s->counts ? element(s->counts, s->wide, i) : s->count, at, stride = 1;
    if (count <= 0)
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
    const struct mv_part p = {(uint64_t)(uintptr_t)s->buf + (uint64_t)at, count, *shape, peer};
    l->take(l->ctx, &p);
}

static void add_one(const struct taker *l, const struct mv_side *s, int i, uint32_t peer)
{
    const struct mv_shape shape = s->types ? (struct mv_shape){0} : shape_of(s->type);
    add(l, s, &shape, i, peer);
}

/* The blocks of all peers but one. */
static void add_all(const struct taker *l, const struct mv_side *s, int peers, int but)
{
    const struct mv_shape shape = s->types ? (struct mv_shape){0} : shape_of(s->type);
    for (int i = 0; i < peers; i++)
        if (i != but)
            add(l, s, &shape, i, (uint32_t)i);
}

/* Between groups the root has only its side. */
static int beside_root(const struct mv_movement *m) { return !m->inter || !m->at_root; }

/* How many parts there are at most, in either direction. */
uint64_t mv_parts_most(const struct mv_movement *m)
{
    if (m->rank < 0 || m->absent)
        return 0;
    return m->peers > 1 ? (uint64_t)m->peers : 1;
}

/* Hands out the parts that an operation sends. */
void mv_parts_sent(const struct mv_movement *m, mv_take_part *take, void *ctx)
{
    const struct taker wanted = {take, ctx}, *const l = &wanted;
    if (!mv_parts_most(m))
        return;
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
    case MV_MOVES_REDUCE:
        if (beside_root(m) && !m->send.in_place)
            add_one(l, &m->send, 0, MV_SUM_ALL);
        break;
    }
}

/* Hands out the parts that it receives. */
void mv_parts_received(const struct mv_movement *m, mv_take_part *take, void *ctx)
{
    const struct taker wanted = {take, ctx}, *const l = &wanted;
    if (!mv_parts_most(m))
        return;
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
    case MV_MOVES_REDUCE:
        break;
    }
}

/* A record under way. */
struct list {
    unsigned char *record;
    struct mv_sums *head;
    struct mv_sum *next, *end;
};

/* Begins the record of n sums at most. */
static struct list begin(struct mv_thread *t, const struct mv_sums *head, uint64_t n)
{
    uint64_t room = (t->largest - sizeof(struct mv_record) - sizeof(struct mv_sums) - 64) / sizeof(struct mv_sum);
    if (n > room)
        n = room;
    struct list l = {.record = mv_info(t, MV_SUMS, 0, sizeof(struct mv_sums) + n * sizeof(struct mv_sum))};
    l.head = (struct mv_sums *)(l.record + sizeof(struct mv_record));
    *l.head = *head;
    l.next = (struct mv_sum *)(l.head + 1);
    l.end = l.next + n;
    return l;
}

static void put(void *list, const struct mv_part *p)
{
    struct list *l = list;
    uint64_t bytes;
    if (l->next == l->end || !(bytes = mv_part_sum(p, &l->next->sum)))
        return;
    l->next->peer = p->peer;
    l->next->pad = 0;
    l->next->bytes = bytes;
    l->next++;
    l->head->count++;
}

/* Before the real function is called; the call's record has been published. */
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m)
{
    struct list l = begin(t, &(struct mv_sums){0}, mv_parts_most(m));
    mv_parts_sent(m, put, &l);
    mv_info_end(t, l.record);
}

/* After it has returned. */
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc)
{
    struct list l = begin(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED | (rc ? MV_SUMS_FAILED : 0)}, rc ? 0 : mv_parts_most(m));
    if (!rc)
        mv_parts_received(m, put, &l);
    mv_info_end(t, l.record);
}

/* Records the sums of these parts. values, if not NULL, gets each of them, 0 where there is none. */
void mv_sums_of(struct mv_thread *t, const struct mv_sums *head, const struct mv_part *parts, uint64_t n, uint64_t *values)
{
    struct list l = begin(t, head, n);
    for (uint64_t i = 0; i < n; i++) {
        const struct mv_sum *next = l.next;
        put(&l, &parts[i]);
        if (values)
            values[i] = l.next > next ? next->sum : 0;
    }
    mv_info_end(t, l.record);
}

/* Records the sums of a message's blocks. */
void mv_sums_snapshot(struct mv_thread *t, const struct mv_sums *head, const struct mv_snapshot *s)
{
    const uint64_t n = s->bytes ? s->blocks + !s->blocks : 0, size = mv_block_size(s->bytes);
    struct list l = begin(t, head, n);
    l.head->flags |= MV_SUMS_BLOCKS;
    for (uint64_t i = 0; i < n && l.next < l.end; i++, l.next++) {
        *l.next = (struct mv_sum){.bytes = i + 1 < n ? size : s->bytes - i * size, .sum = s->blocks ? s->sum[i] : mv_snapshot_sum(s)};
        l.head->count++;
    }
    mv_info_end(t, l.record);
}

/* Records that data have changed. */
void mv_sums_changed(struct mv_thread *t, const struct mv_changed *c)
{
    unsigned char *r = mv_info(t, MV_CHANGED, 0, sizeof *c);
    memcpy(r + sizeof(struct mv_record), c, sizeof *c);
    mv_info_end(t, r);
}

/* The thread, if the call of function kind that it is in is the program's; NULL for those that MPI makes inside it. */
struct mv_thread *mv_sums_thread(unsigned kind)
{
    struct mv_thread *t = mv_tls.mine;
    if (!t || !t->again || mv_tls.ready || !t->record || ((const struct mv_record *)t->record)->kind != kind)
        return NULL;
    return t;
}
