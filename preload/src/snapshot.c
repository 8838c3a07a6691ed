/* Takes and compares snapshots. */
#include <string.h>

#include "session.h"
#include "snapshot.h"

#include "rules.h"

/* What visitors return to end a walk early, and for an invalid address. */
#define ENOUGH 1
#define WRONG 2

/* The state while blocks are summed up. */
struct summing {
    struct mv_snapshot *out;
    uint64_t size, sample; /* bytes of a block, and how many of them are summed up */
    uint64_t at;           /* bytes of the present block that have been visited */
    uint64_t rest;         /* remaining bytes of all blocks */
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

#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#endif

/* Reads data of the program, which may change them at the same time. The library notices this afterwards. A test runs
 * the library under ThreadSanitizer, which must not report these reads. */
static void read_part(const struct mv_part *p, mv_layout_visit *visit, void *ctx)
{
#ifdef __SANITIZE_THREAD__
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
    mv_part_read(p, visit, ctx);
#ifdef __SANITIZE_THREAD__
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

/* Returns how many bytes of each block are summed up. */
static uint64_t sample_of(uint64_t bytes, uint64_t size)
{
    if (!mv_sum_limit || bytes <= mv_sum_limit)
        return size;
    const uint64_t n = (bytes + size - 1) / size, k = mv_sum_limit / n;
    return k < 64 ? 64 : k;
}

/* Sums up the blocks. */
static void sum_up(struct mv_snapshot *s, const struct mv_part *p, int back)
{
    struct summing w = {.out = s, .size = mv_block_size(s->bytes), .rest = s->bytes, .back = back};
    w.sample = sample_of(s->bytes, w.size);
    s->blocks = 0;
    mv_sum_begin(&w.sum);
    read_part(p, sum_blocks, &w);
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
    read_part(p, copy, &c);
    return s->bytes = c.rest ? 0 : s->bytes;
}

uint64_t mv_snapshot(struct mv_snapshot *s, const struct mv_part *p, uint64_t most) { return take(s, p, most, 0); }

uint64_t mv_snapshot_back(struct mv_snapshot *s, const struct mv_part *p) { return take(s, p, UINT64_MAX, 1); }

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
