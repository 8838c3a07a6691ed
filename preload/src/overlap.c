/* Compares the runs of two buffers. Results are remembered, as programs exchange the same columns again and again. */
#include "overlap.h"

#include "rules.h"

#define RUNS 4096 /* maximum number of runs of a buffer that are looked at */
#define REMEMBERED 256

struct run {
    uint64_t low, high;
};

/* The runs of the first buffer, by address. The caller makes sure that only one thread uses this and `known`. */
static struct run runs[RUNS];
static unsigned count;

#define UNKNOWN 1
#define COMMON 2

static int keep(void *ctx, uint64_t at, uint64_t n)
{
    (void)ctx;
    if (count == RUNS || at + n < at || (count && at < runs[count - 1].high))
        return UNKNOWN;
    runs[count++] = (struct run){at, at + n};
    return 0;
}

static int meet(void *ctx, uint64_t at, uint64_t n)
{
    unsigned *hint = ctx, low = 0, high = count;
    if (*hint < count && runs[*hint].high <= at)
        low = *hint + 1;
    if (low < high && runs[low].high <= at) { /* otherwise it is the next one, as nearly always */
        while (low < high) {
            unsigned mid = low + (high - low) / 2;
            if (runs[mid].high <= at)
                low = mid + 1;
            else
                high = mid;
        }
    }
    *hint = low ? low - 1 : 0;
    return low < count && runs[low].low < at + n ? COMMON : 0;
}

static int find_out(const struct mv_part *a, const struct mv_part *b)
{
    unsigned hint = 0;
    count = 0;
    return mv_part_walk(a, keep, NULL) || mv_part_walk(b, meet, &hint);
}

int mv_parts_overlap(const struct mv_part *a, const struct mv_part *b)
{
    static struct {
        uint64_t key;
        int overlap;
    } known[REMEMBERED];
    const struct mv_layout *l = &a->shape.layout, *k = &b->shape.layout;
    if (!l->words && !k->words)
        return 1;
    uint64_t key = (uint64_t)(uintptr_t)l->program * 31 + (uint64_t)(uintptr_t)k->program;
    const uint64_t v[] = {(uint64_t)a->count, (uint64_t)b->count, a->at - b->at};
    for (unsigned i = 0; i < sizeof v / sizeof v[0]; i++)
        key = (key ^ v[i]) * 0x9e3779b97f4a7c15ULL ^ key >> 29;
    key |= 1;
    const unsigned slot = (unsigned)(key >> 56);
    if (known[slot].key != key) {
        known[slot].overlap = find_out(a, b) != 0;
        known[slot].key = key;
    }
    return known[slot].overlap;
}
