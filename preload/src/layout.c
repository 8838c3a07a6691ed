/* Finds and walks layout programs. */
#include "layout.h"

#include "rules.h"

struct mv_layout mv_layout_find(const struct mv_layouts *m, uint64_t size, uint64_t frees, uint64_t handle)
{
    const struct mv_layout none = {NULL, 0};
    const struct mv_layout_slot *slots = (const struct mv_layout_slot *)((const char *)m + m->header_size);
    uint64_t mask = ((uint64_t)1 << m->slot_bits) - 1, first = mv_hash_bits(handle, m->slot_bits);
    if (!handle || __atomic_load_n(&m->freed, __ATOMIC_ACQUIRE) != frees)
        return none;
    for (uint64_t i = 0; i < MV_LAYOUT_PROBES; i++) {
        const struct mv_layout_slot *s = &slots[(first + i) & mask];
        uint64_t h = __atomic_load_n(&s->handle, __ATOMIC_ACQUIRE);
        if (!h)
            return none;
        if (h != handle)
            continue;
        uint64_t at = __atomic_load_n(&s->at, __ATOMIC_ACQUIRE);
        if (!at || __atomic_load_n(&s->handle, __ATOMIC_RELAXED) != handle || at % 8 || at > size - 8)
            return none;
        const uint64_t *words = (const uint64_t *)((const char *)m + at);
        if (*words > (size - 8 - at) / 8)
            return none;
        return (struct mv_layout){(const int64_t *)(words + 1), *words};
    }
    return none;
}

struct walk {
    mv_layout_visit *visit;
    void *ctx;
    uint64_t at, length; /* the run that may still grow */
    uint64_t left;       /* remaining bytes of the copy */
    int result;
};

/* An active loop. */
struct loop {
    const int64_t *begin, *end; /* its instructions; after them, the outer loops continue */
    uint64_t base, stride;      /* of the present iteration */
    uint64_t more;              /* remaining iterations */
    const int64_t *outer_end;
    uint64_t outer_base;
};

static int flush(struct walk *w)
{
    uint64_t length = w->length;
    w->length = 0;
    if (length)
        w->result = w->visit(w->ctx, w->at, length);
    return w->result;
}

static int run(struct walk *w, uint64_t at, uint64_t length)
{
    if (length > w->left)
        return w->result = MV_LAYOUT_DAMAGED;
    w->left -= length;
    if (w->length && w->at + w->length == at) {
        w->length += length;
        return 0;
    }
    if (flush(w))
        return w->result;
    w->at = at;
    w->length = length;
    return 0;
}

/* Visits one copy: the instructions from p to end, relative to base. */
static int walk_copy(struct walk *w, const int64_t *p, const int64_t *end, uint64_t base)
{
    struct loop stack[MV_LAYOUT_DEPTH];
    unsigned depth = 0;
    for (;;) {
        while (p == end) {
            if (!depth)
                return 0;
            struct loop *l = &stack[depth - 1];
            if (l->more) {
                l->more--;
                base = l->base += l->stride;
                p = l->begin;
            } else {
                depth--;
                p = l->end;
                end = l->outer_end;
                base = l->outer_base;
            }
        }
        if (end - p < 2 || !p[0] || p[0] == INT64_MIN)
            return w->result = MV_LAYOUT_DAMAGED;
        if (p[0] > 0) {
            if (run(w, base + (uint64_t)p[1], (uint64_t)p[0]))
                return w->result;
            p += 2;
            continue;
        }
        if (end - p < 4 || depth == MV_LAYOUT_DEPTH || p[3] < 2 || p[3] > end - p - 4)
            return w->result = MV_LAYOUT_DAMAGED;
        stack[depth++] = (struct loop){
            .begin = p + 4,
            .end = p + 4 + p[3],
            .base = base + (uint64_t)p[1],
            .stride = (uint64_t)p[2],
            .more = (uint64_t)-p[0] - 1,
            .outer_end = end,
            .outer_base = base,
        };
        base += (uint64_t)p[1];
        end = p + 4 + p[3];
        p += 4;
    }
}

int mv_layout_walk(const int64_t *program, uint64_t words, uint64_t base, int64_t count, mv_layout_visit *visit,
                   void *ctx)
{
    int64_t all;
    if (words < 2 || program[0] < 0 || count < 0 || !program[0] != (words == 2) ||
        __builtin_mul_overflow(program[0], count, &all))
        return MV_LAYOUT_DAMAGED;
    uint64_t size = (uint64_t)program[0], extent = (uint64_t)program[1];
    if (!all)
        return 0;
    if (words == 4 && program[2] == program[0] && (extent == size || count == 1))
        return visit(ctx, base + (uint64_t)program[3], (uint64_t)all);
    struct walk w = {.visit = visit, .ctx = ctx};
    for (; count; count--, base += extent) {
        w.left = size;
        if (walk_copy(&w, program + 2, program + words, base))
            return w.result;
        if (w.left)
            return MV_LAYOUT_DAMAGED;
    }
    return flush(&w);
}
