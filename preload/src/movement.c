/* Finds the parts of the data that a collective sends and receives. */
#include <string.h>

#include "movement.h"

#include "rules.h"

static int64_t element(const void *array, unsigned width, int i)
{
    if (width == 8)
        return ((const int64_t *)array)[i];
    return ((const int *)array)[i];
}

/* The function that gets the parts. */
struct taker {
    mv_take_part *take;
    void *ctx;
};

/* Passes on block i, which goes to or comes from a peer. shape: that of the side's datatype, if it has only one. */
static void add(const struct taker *l, const struct mv_side *s, const struct mv_shape *shape, int i, uint32_t peer)
{
    struct mv_shape own;
    int64_t count = s->counts ? element(s->counts, s->wide, i) : s->count, at, stride = 1;
    if (count <= 0)
        return;
    if (s->types) {
        uint64_t type = 0;
        memcpy(&type, (const char *)s->types + (size_t)i * s->type_width, s->type_width);
        own = mv_shape_of(type);
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
    const struct mv_shape shape = s->types ? (struct mv_shape){0} : mv_shape_of(s->type);
    add(l, s, &shape, i, peer);
}

/* Passes on the blocks of all peers except one. */
static void add_all(const struct taker *l, const struct mv_side *s, int peers, int but)
{
    const struct mv_shape shape = s->types ? (struct mv_shape){0} : mv_shape_of(s->type);
    for (int i = 0; i < peers; i++)
        if (i != but)
            add(l, s, &shape, i, (uint32_t)i);
}

/* Whether this process has its own data besides the root's. Between two groups, the root has none. */
static int beside_root(const struct mv_movement *m) { return !m->inter || !m->at_root; }

uint64_t mv_parts_most(const struct mv_movement *m)
{
    if (m->rank < 0 || m->absent)
        return 0;
    return m->peers > 1 ? (uint64_t)m->peers : 1;
}

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
