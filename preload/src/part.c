/* Walks over parts of a program's data. Unreadable memory is not an error here: the walk catches the fault. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>

#include "device.h"
#include "part.h"
#include "signals.h"
#include "tls.h"

#include "rules.h"

/* What visitors return for an invalid address. */
#define NO_ADDRESS 2

struct mv_part mv_part_of(const void *buf, int64_t count, uint64_t type)
{
    return (struct mv_part){(uint64_t)(uintptr_t)buf, count, mv_shape_of(type), 0};
}

uint64_t mv_part_bytes(const struct mv_part *p)
{
    int64_t bytes;
    if (p->count <= 0 || p->shape.size <= 0 || __builtin_mul_overflow(p->count, p->shape.size, &bytes))
        return 0;
    return (uint64_t)bytes;
}

int mv_part_walk(const struct mv_part *p, mv_layout_visit *visit, void *ctx)
{
    const uint64_t bytes = mv_part_bytes(p);
    const struct mv_layout *l = &p->shape.layout;
    if (!bytes)
        return MV_LAYOUT_DAMAGED;
    return l->words ? mv_layout_walk(l->program, l->words, p->at, p->count, visit, ctx) : visit(ctx, p->at, bytes);
}

struct reading {
    const struct mv_part *part;
    mv_layout_visit *visit;
    void *ctx;
};

static __attribute__((noinline)) int walk(const struct reading *r) { return mv_part_walk(r->part, r->visit, r->ctx); }

int mv_part_read(const struct mv_part *p, mv_layout_visit *visit, void *ctx)
{
    const struct reading r = {p, visit, ctx};
    sigjmp_buf back;
    if (!atomic_load_explicit(&mv_faults, memory_order_relaxed) || mv_tls.probe || mv_is_device(p->at))
        return MV_NOT_READ;
    if (sigsetjmp(back, 0)) {
        mv_tls.probe = NULL;
        return MV_NOT_READ;
    }
    mv_tls.probe = &back;
    atomic_signal_fence(memory_order_seq_cst);
    int result = walk(&r);
    atomic_signal_fence(memory_order_seq_cst);
    mv_tls.probe = NULL;
    return result;
}

static int widen(void *ctx, uint64_t at, uint64_t n)
{
    struct mv_span *s = ctx;
    if (at < MV_LOWEST || at + n < at)
        return NO_ADDRESS;
    if (at < s->low)
        s->low = at;
    if (at + n > s->high)
        s->high = at + n;
    return 0;
}

int mv_part_span(const struct mv_part *p, struct mv_span *s)
{
    *s = (struct mv_span){UINT64_MAX, 0};
    return mv_part_walk(p, widen, s);
}
