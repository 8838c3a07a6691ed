/* Compares buffers with the memory map of the process. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "device.h"
#include "maps.h"
#include "part.h"
#include "polls.h"
#include "reach.h"
#include "signals.h"

#define MV_MAY_LOCK /* to read the memory map, which takes system calls anyway */
#include "rules.h"

_Atomic uint64_t mv_reached[1 << MV_REACHED_BITS];

/* Consecutive memory with the same access rights. Written with the lock. Any thread reads it without the lock: see
 * `version`. */
struct mapping {
    _Atomic uint64_t start, end;
    _Atomic int access; /* READABLE | WRITABLE */
};
enum { READABLE = 1, WRITABLE = 2 };

#define MAPPINGS 8192
static struct mapping mappings[MAPPINGS];
static _Atomic unsigned known; /* number of them */

/* Counts up before the mappings are written, and again after that. So it is odd while they are written. A thread that
 * has read mappings trusts them if the version was even before, and is the same after. (H.-J. Boehm, Can seqlocks get
 * along with programming language memory models?, MSPC 2012.) */
static _Atomic unsigned version;

/* Taken to write the mappings, and by threads that found them being written. It protects the following variables. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int too_many; /* there are more mappings: nothing is known */

/* Reading the map takes time. The program must not lose more than a hundredth of its time, plus a moment. */
#define MOMENT 20000000 /* ns */
static uint64_t begun, spent;

static uint64_t load(const _Atomic uint64_t *v) { return atomic_load_explicit(v, memory_order_relaxed); }
static void store(_Atomic uint64_t *to, uint64_t v) { atomic_store_explicit(to, v, memory_order_relaxed); }

/* Where the main thread's stack may begin. It grows when it is used, down to its limit, or to the mapping below it. */
static uint64_t stack_start(uint64_t start, uint64_t end, uint64_t below)
{
    const uint64_t gap = (uint64_t)1 << 20;
    uint64_t lowest = below + gap;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit))
        return start;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < end && end - limit.rlim_cur > lowest)
        lowest = end - limit.rlim_cur;
    return lowest < start ? lowest : start;
}

/* Adds a mapping. The lock is held. */
static void add(void *ctx, const struct mv_mapping *m)
{
    unsigned *n = ctx;
    struct mapping *last = *n ? &mappings[*n - 1] : NULL;
    const int access = (m->readable ? READABLE : 0) | (m->writable ? WRITABLE : 0);
    uint64_t start = m->start;
    if (m->path_len == 7 && !memcmp(m->path, "[stack]", 7))
        start = stack_start(start, m->end, last ? load(&last->end) : 0);
    if (last && load(&last->end) == start && atomic_load_explicit(&last->access, memory_order_relaxed) == access) {
        store(&last->end, m->end);
    } else if (*n == MAPPINGS) {
        too_many = 1;
    } else {
        struct mapping *to = &mappings[(*n)++];
        store(&to->start, start);
        store(&to->end, m->end);
        atomic_store_explicit(&to->access, access, memory_order_relaxed);
    }
}

/* Reads the memory map. Returns 0 if it is known now. The lock is held. */
static int find_out(void)
{
    unsigned n = 0;
    const unsigned v = atomic_load_explicit(&version, memory_order_relaxed);
    too_many = 0;
    atomic_store_explicit(&version, v + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    const int failed = mv_maps_visit(add, &n);
    atomic_store_explicit(&known, n, memory_order_relaxed);
    atomic_store_explicit(&version, v + 2, memory_order_release);
    return failed || too_many ? -1 : 0;
}

/* A check of a buffer. */
struct look {
    int written;
    unsigned last;    /* the mapping that was found last */
    uint64_t before;  /* bytes of the buffer that have been checked */
    uint64_t address; /* the first inaccessible one */
    int mapped;
};

/* The mapping that an address lies in, NULL if there is none. */
static const struct mapping *mapping_of(struct look *l, uint64_t at)
{
    const unsigned n = atomic_load_explicit(&known, memory_order_relaxed);
    if (l->last < n && at >= load(&mappings[l->last].start) && at < load(&mappings[l->last].end))
        return &mappings[l->last];
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        if (load(&mappings[mid].end) <= at)
            low = mid + 1;
        else
            high = mid;
    }
    l->last = low;
    return low < n && at >= load(&mappings[low].start) ? &mappings[low] : NULL;
}

#define NO_DATA 1
#define NO_ACCESS 2

static int visit(void *ctx, uint64_t at, uint64_t n)
{
    struct look *l = ctx;
    const uint64_t from = at, to = at + n;
    if (at < MV_LOWEST || to < at)
        return NO_DATA;
    while (at < to) {
        const struct mapping *m = mapping_of(l, at);
        const uint64_t end = m ? load(&m->end) : 0;
        if (end <= at ||
            !(atomic_load_explicit(&m->access, memory_order_relaxed) & (l->written ? WRITABLE : READABLE))) {
            l->address = at;
            l->mapped = m != NULL;
            l->before += at - from;
            return NO_ACCESS;
        }
        at = end;
    }
    l->before += n;
    return 0;
}

/* Checks a part. Returns 0 if it can be accessed. */
static int walk(struct look *l, const struct mv_part *p)
{
    *l = (struct look){.written = l->written, .last = l->last};
    return mv_part_walk(p, visit, l);
}

/* The same without the lock. Returns whether the result is valid. */
static int walk_at_once(struct look *l, const struct mv_part *p, int *result)
{
    const unsigned v = atomic_load_explicit(&version, memory_order_acquire);
    if (v % 2)
        return 0;
    *result = walk(l, p);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&version, memory_order_relaxed) == v;
}

/* Processor time of the thread, in ns. While other threads use the processor, the program loses nothing. */
static uint64_t busy(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Checks a part once more after reading the memory map, unless that has already taken too much time. The lock is
 * held. */
static int walk_anew(struct look *l, const struct mv_part *p)
{
    const uint64_t now = mv_now();
    if (!begun)
        begun = now;
    if (spent > MOMENT + (now - begun) / 100)
        return 0;
    const uint64_t before = busy();
    const int unknown = find_out();
    spent += busy() - before;
    return unknown ? 0 : walk(l, p);
}

void mv_reach(struct mv_thread *t, uint64_t key, const void *buf, int64_t count, uint64_t type, int written)
{
    const struct mv_part p = {(uint64_t)(uintptr_t)buf, count, mv_shape_known(type), 0};
    struct look l = {.written = written};
    int result;
    if (count <= 0 || p.shape.size <= 0) {
        if (!mv_sums) /* otherwise the place of the data may become known later */
            atomic_store_explicit(mv_reach_slot(key), key, memory_order_relaxed);
        return;
    }
    const int e = errno;
    if (!walk_at_once(&l, &p, &result) || result == NO_ACCESS) {
        pthread_mutex_lock(&lock);
        result = walk(&l, &p);
        if (result == NO_ACCESS)
            result = walk_anew(&l, &p);
        else if (!result)
            atomic_store_explicit(mv_reach_slot(key), key, memory_order_relaxed);
        pthread_mutex_unlock(&lock);
    } else if (!result) {
        atomic_store_explicit(mv_reach_slot(key), key, memory_order_relaxed);
    }
    if (result == NO_ACCESS && !mv_faults_handled() && !mv_is_device(l.address)) {
        const struct mv_unreachable u = {
            .address = l.address, .at = l.before, .written = (uint32_t)written, .mapped = (uint32_t)l.mapped};
        unsigned char *r = mv_info(t, MV_UNREACHABLE, 0, sizeof u);
        memcpy(r + sizeof(struct mv_record), &u, sizeof u);
        mv_info_end(t, r);
    }
    errno = e;
}
