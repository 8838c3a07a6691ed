/*
 * What the data of a buffer are at a moment: sums of blocks of them, in their serialised order, so that two moments can be
 * compared, and two buffers. The blocks depend on nothing but the number of bytes.
 *
 * Memory that can't be read is no mistake here: a fault leads back, and nothing is known of the buffer.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <string.h>

#include "sums.h"

/* What visitors return to end a walk early, and for an address that is none. */
#define ENOUGH 1
#define WRONG 2

/* Bytes of a part; 0 if there are none, or if that is not known. */
uint64_t mv_part_bytes(const struct mv_part *p)
{
    int64_t bytes;
    if (p->count <= 0 || p->shape.size <= 0 || __builtin_mul_overflow(p->count, p->shape.size, &bytes))
        return 0;
    return (uint64_t)bytes;
}

/* Visits the data of a part, in their serialised order: see mv_layout_walk. */
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

/* The same for a visitor that reads them. */
int mv_part_read(const struct mv_part *p, mv_layout_visit *visit, void *ctx)
{
    const struct reading r = {p, visit, ctx};
    sigjmp_buf back;
    if (!mv_faults || mv_tls.probe || mv_is_device(p->at))
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

struct span {
    uint64_t low, high;
};

static int widen(void *ctx, uint64_t at, uint64_t n)
{
    struct span *s = ctx;
    if (at < MV_LOWEST || at + n < at)
        return WRONG;
    if (at < s->low)
        s->low = at;
    if (at + n > s->high)
        s->high = at + n;
    return 0;
}

/* Finds the addresses between which a part lies. 0 if it has any. */
int mv_part_span(const struct mv_part *p, uint64_t *low, uint64_t *high)
{
    struct span s = {UINT64_MAX, 0};
    const int failed = mv_part_walk(p, widen, &s);
    *low = s.low;
    *high = s.high;
    return failed;
}

/* Summing up blocks. */
struct summing {
    struct mv_snapshot *out;
    uint64_t size, sample; /* of a block, and of that of it which is summed up */
    uint64_t at, rest;     /* bytes of the present block that are over; of all that are to come */
    int back;              /* blocks that lie together are summed up from the last to the first */
    struct mv_summing sum;
};

static int sum_blocks(void *ctx, uint64_t address, uint64_t n)
{
    struct summing *s = ctx;
    if (address < MV_LOWEST || address + n < address)
        return WRONG;
    const unsigned char *p = (const unsigned char *)(uintptr_t)address;
    if (n > s->rest)
        n = s->rest;
    if (s->back && !s->at) {
        const uint64_t whole = n / s->size, length = whole * s->size;
        for (uint64_t i = whole; i--;) {
            mv_sum_add(&s->sum, p + i * s->size, s->sample);
            s->out->sum[s->out->blocks + i] = mv_sum_end(&s->sum);
            mv_sum_begin(&s->sum);
        }
        s->out->blocks += (uint32_t)whole;
        p += length;
        n -= length;
        s->rest -= length;
    }
    while (n) {
        uint64_t k = s->size - s->at, m;
        if (k > n)
            k = n;
        if (s->at < s->sample) {
            m = s->sample - s->at < k ? s->sample - s->at : k;
            mv_sum_add(&s->sum, p, m);
        }
        p += k;
        n -= k;
        s->at += k;
        s->rest -= k;
        if (s->at == s->size || !s->rest) {
            s->out->sum[s->out->blocks++] = mv_sum_end(&s->sum);
            mv_sum_begin(&s->sum);
            s->at = 0;
        }
    }
    return s->rest ? 0 : ENOUGH;
}

struct copying {
    unsigned char *to;
    uint64_t rest;
};

static int copy(void *ctx, uint64_t address, uint64_t n)
{
    struct copying *c = ctx;
    if (address < MV_LOWEST || address + n < address)
        return WRONG;
    if (n > c->rest)
        n = c->rest;
    memcpy(c->to, (const void *)(uintptr_t)address, n);
    c->to += n;
    c->rest -= n;
    return c->rest ? 0 : ENOUGH;
}

/* How much of each block is summed up. */
static uint64_t sample_of(uint64_t bytes, uint64_t size)
{
    if (!mv_sum_limit || bytes <= mv_sum_limit)
        return size;
    const uint64_t n = (bytes + size - 1) / size, k = mv_sum_limit / n;
    return k < 64 ? 64 : k;
}

/* Sums up what is known to be readable. */
static void sum_up(struct mv_snapshot *s, const struct mv_part *p, int back)
{
    struct summing w = {.out = s, .size = mv_block_size(s->bytes), .rest = s->bytes, .back = back};
    w.sample = sample_of(s->bytes, w.size);
    s->blocks = 0;
    mv_sum_begin(&w.sum);
    mv_part_read(p, sum_blocks, &w);
    if (w.rest)
        s->bytes = 0;
}

static uint64_t take(struct mv_snapshot *s, const struct mv_part *p, uint64_t most, int back)
{
    const uint64_t all = mv_part_bytes(p);
    s->bytes = most < all ? most : all;
    s->blocks = 0;
    if (!s->bytes)
        return 0;
    if (s->bytes > MV_SNAPSHOT_DATA) {
        sum_up(s, p, back);
        return s->bytes;
    }
    struct copying c = {s->data, s->bytes};
    mv_part_read(p, copy, &c);
    return s->bytes = c.rest ? 0 : s->bytes;
}

/* Looks at the data of a part, the first `most` bytes of them. Returns their number, 0 if nothing is known. */
uint64_t mv_snapshot(struct mv_snapshot *s, const struct mv_part *p, uint64_t most) { return take(s, p, most, 0); }

/* The same for all of the data, from the end, so that their beginning is left in the cache, where their next use begins. */
uint64_t mv_snapshot_back(struct mv_snapshot *s, const struct mv_part *p) { return take(s, p, UINT64_MAX, 1); }

/* One sum for all of the data. */
uint64_t mv_snapshot_sum(const struct mv_snapshot *s)
{
    if (s->blocks == 1)
        return s->sum[0];
    struct mv_summing sum;
    mv_sum_begin(&sum);
    if (s->blocks)
        mv_sum_add(&sum, s->sum, s->blocks * sizeof s->sum[0]);
    else
        mv_sum_add(&sum, s->data, s->bytes);
    return mv_sum_end(&sum);
}

/* Whether the data of a part are others than before, and which: the range in c. */
int mv_snapshot_differs(const struct mv_snapshot *before, const struct mv_part *p, struct mv_changed *c)
{
    struct mv_snapshot now;
    if (!before->bytes || mv_snapshot(&now, p, before->bytes) != before->bytes)
        return 0;
    c->bytes = now.bytes;
    c->peer = p->peer;
    if (now.bytes <= MV_SNAPSHOT_DATA) {
        if (!memcmp(now.data, before->data, now.bytes))
            return 0;
        uint64_t first = 0, end = now.bytes;
        while (first < end && now.data[first] == before->data[first])
            first++;
        while (end > first && now.data[end - 1] == before->data[end - 1])
            end--;
        c->exact = 1;
        c->at = first;
        c->length = end - first;
        return 1;
    }
    uint32_t block = 0;
    while (block < now.blocks && now.sum[block] == before->sum[block])
        block++;
    if (block == now.blocks)
        return 0;
    const uint64_t size = mv_block_size(now.bytes);
    c->exact = 0;
    c->at = block * size;
    c->length = c->at + size < now.bytes ? size : now.bytes - c->at;
    return 1;
}
