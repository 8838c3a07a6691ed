/* Finds call sites the slow way: by an older way of the set, or by unwinding the stack. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <string.h>
#include <unwind.h>

#include "module.h"
#include "python.h"
#include "site.h"
#include "table.h"

#include "rules.h"

struct walk {
    uintptr_t ra, cfa;         /* of the wrapper: the walk begins with the frame that called it */
    uintptr_t low, high;       /* of the thread's stack */
    int begun, fixed;          /* fixed: every return address was found in its slot */
    unsigned n;
    uint64_t pcs[MV_DEPTH];
    const uintptr_t *slots[MV_DEPTH];
};

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
    struct walk *w = arg;
    uintptr_t pc = _Unwind_GetIP(c);
    uintptr_t cfa = _Unwind_GetCFA(c); /* the stack pointer after the return to pc */
    if (!w->begun) {
        if (pc != w->ra || cfa != w->cfa)
            return _URC_NO_REASON;
        w->begun = 1;
    }
    if (!pc || w->n == MV_DEPTH)
        return _URC_END_OF_STACK;
    const uintptr_t *slot = NULL;
#if defined(__x86_64__)
    /* The call instruction has pushed it just below. On other processors it is unknown where a function keeps its
     * return address, so that the stack is unwound every time. */
    slot = (const uintptr_t *)(cfa - sizeof *slot);
    if ((uintptr_t)slot < w->low || (uintptr_t)slot >= w->high || *slot != pc)
        slot = NULL;
#endif
    if (!slot)
        w->fixed = 0;
    w->slots[w->n] = slot;
    w->pcs[w->n++] = pc;
    return _URC_NO_REASON;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
    return h * 0xbf58476d1ce4e5b9ULL ^ (h >> 32);
}

/* The number of the stack. If it is new, it is published with the modules and the Python codes that it needs. */
static uint32_t publish(struct mv_thread *t, const uint64_t *pcs, unsigned n)
{
    struct mv_frame frames[MV_DEPTH];
    uint64_t h = mix(n, t->python);
    for (unsigned i = 0; i < n; i++)
        h = mix(h, pcs[i]);
    h |= 4; /* must not be a reserved key */
    struct mv_seen *seen = mv_table_find(t->seen, sizeof *seen, MV_SEEN_BITS, h);
    if (seen)
        return seen->site;
    mv_modules(t);
    const unsigned nframes = t->python ? mv_python_frames(t, frames) : 0;
    uint32_t site = ++t->sites;
    const size_t size = sizeof(struct mv_site) + n * sizeof *pcs + nframes * sizeof *frames;
    unsigned char *r = mv_info_begin(t, MV_SITE, site, size);
    struct mv_site *s = (struct mv_site *)(r + sizeof(struct mv_record));
    s->npcs = n;
    s->python = nframes;
    memcpy(s->pcs, pcs, n * sizeof *pcs);
    if (nframes)
        memcpy(s->pcs + n, frames, nframes * sizeof *frames);
    mv_info_end(t, r);
    if (!(seen = mv_table_reserve(t->seen, sizeof *seen, MV_SEEN_BITS, h)))
        seen = mv_table_entry(t->seen, sizeof *seen,
                              mv_hash_bits(h, MV_SEEN_BITS)); /* it is full: another stack is forgotten */
    seen->site = site;
    mv_table_publish(seen, h);
    return site;
}

/* Remembers a stack as the first way of its set. When the pool is full, all ways are forgotten. */
static void remember(struct mv_thread *t, uintptr_t ra, uintptr_t cfa, uint32_t site, const struct walk *w)
{
    unsigned n = w ? w->n - 1 : 0; /* the first return address is part of the key */
    size_t size = sizeof(struct mv_way) + n * sizeof(((struct mv_way *)0)->frame[0]);
    size = (size + 31) & ~(size_t)31;
    struct mv_way **set;
    if (t->pool_used + size > MV_POOL) {
        t->pool_used = 0;
        for (int i = 0; i < MV_SETS; i++)
            for (int j = 0; j < MV_WAYS; j++)
                t->set[i][j] = t->nowhere;
    }
    set = t->set[mv_set_of(ra, cfa)];
    struct mv_way *v = (struct mv_way *)(t->pool + t->pool_used);
    t->pool_used += size;
    v->ra = ra;
    v->cfa = cfa;
    v->site = site;
    v->n = n;
    for (unsigned i = 0; i < n; i++) {
        v->frame[i].slot = w->slots[i + 1];
        v->frame[i].pc = w->pcs[i + 1];
    }
    memmove(set + 1, set, (MV_WAYS - 1) * sizeof *set);
    set[0] = v;
}

static int is_present(const struct mv_way *v, uintptr_t ra, uintptr_t cfa)
{
    if (v->ra != ra || v->cfa != cfa)
        return 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (*v->frame[i].slot != v->frame[i].pc)
            return 0;
    return 1;
}

/* The stack is new for the set of ways. */
static MV_COLD uint32_t unwind(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    int e = errno;
    uint64_t pc = ra;
    uint32_t site;
    if (!t->cfa_mask) {
        site = publish(t, &pc, 1);
        remember(t, ra, cfa, site, NULL);
        errno = e;
        return site;
    }
    struct walk w;
    w.ra = ra;
    w.cfa = cfa;
    w.low = (uintptr_t)&w > t->stack_low && (uintptr_t)&w < t->stack_high ? (uintptr_t)&w : UINTPTR_MAX;
    w.high = t->stack_high;
    w.begun = 0;
    w.fixed = 1;
    w.n = 0;
    _Unwind_Backtrace(step, &w);
    if (!w.n) {
        site = publish(t, &pc, 1);
    } else {
        site = publish(t, w.pcs, w.n);
        if (w.fixed)
            remember(t, mv_key_of(t, ra), cfa, site, &w);
    }
    errno = e;
    return site;
}

MV_COLD uint32_t mv_site_slow(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    t->python = t->cfa_mask && mv_has_python() ? mv_python_hash() : 0;
    const uintptr_t key = mv_key_of(t, ra);
    struct mv_way **set = t->set[mv_set_of(key, cfa)];
    for (int i = 0; i < MV_WAYS; i++)
        if (is_present(set[i], key, cfa)) {
            struct mv_way *v = set[i];
            memmove(set + 1, set, (size_t)i * sizeof *set);
            set[0] = v;
            return v->site;
        }
    if (t->cfa_mask && !mv_has_python() && mv_python_look())
        t->python = mv_python_hash();
    return unwind(t, ra, cfa);
}

struct end_walk {
    uintptr_t from;
    int begun;
    unsigned skip, n, max;
    uint64_t *pcs;
};

static _Unwind_Reason_Code end_step(struct _Unwind_Context *c, void *arg)
{
    struct end_walk *w = arg;
    uintptr_t pc = _Unwind_GetIP(c);
    if (w->skip) {
        w->skip--;
        return _URC_NO_REASON;
    }
    if (!w->begun && w->from && pc != w->from)
        return _URC_NO_REASON;
    w->begun = 1;
    if (!pc || w->n == w->max)
        return _URC_END_OF_STACK;
    w->pcs[w->n++] = pc;
    return _URC_NO_REASON;
}

__attribute__((noinline)) unsigned mv_unwind_from(uintptr_t from_pc, uint64_t *pcs, unsigned max)
{
    struct end_walk w = {from_pc, 0, from_pc ? 0 : 2, 0, max, pcs};
    _Unwind_Backtrace(end_step, &w);
    return w.n;
}
