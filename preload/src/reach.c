/*
 * Whether the process can access the buffers that it hands to MPI, by what the kernel says of its memory. Nothing is ever
 * touched. What was found accessible once is taken to be so for ever; what seems not to be is looked up anew, as memory comes
 * and goes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "sums.h"

uint64_t mv_reached[MV_REACHED];

/* Consecutive memory of one kind. */
struct mapping {
    uint64_t start, end;
    int readable, writable;
};

#define MAPPINGS 8192
static struct mapping mappings[MAPPINGS];
static unsigned known;     /* of them */
static int too_many;       /* there are more: nothing can be said */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Finding out takes its time, of which this is what the program is to lose at most: a hundredth, and a moment. */
#define MOMENT 20000000 /* ns */
static uint64_t begun, spent;

static uint64_t hex(const char **p)
{
    uint64_t v = 0;
    for (;; ++*p) {
        const char c = **p;
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            return v;
    }
}

/* The main thread's stack grows when it is used, down to its limit, or to what lies below. */
static uint64_t stack_start(uint64_t start, uint64_t end)
{
    const uint64_t gap = (uint64_t)1 << 20, below = known ? mappings[known - 1].end + gap : gap;
    uint64_t lowest = below;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit))
        return start;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < end)
        lowest = end - limit.rlim_cur;
    if (lowest < below)
        lowest = below;
    return lowest < start ? lowest : start;
}

/* One line of maps: "start-end perms offset dev inode path". */
static void add(const char *line, size_t len)
{
    const char *p = line;
    struct mapping m = {.start = hex(&p)};
    if (*p != '-')
        return;
    p++;
    m.end = hex(&p);
    if (p + 3 > line + len || *p != ' ')
        return;
    m.readable = p[1] == 'r';
    m.writable = p[2] == 'w';
    if (memmem(line, len, "[stack]", 7))
        m.start = stack_start(m.start, m.end);
    struct mapping *last = known ? &mappings[known - 1] : NULL;
    if (last && last->end == m.start && last->readable == m.readable && last->writable == m.writable)
        last->end = m.end;
    else if (known == MAPPINGS)
        too_many = 1;
    else
        mappings[known++] = m;
}

/* Reads what memory there is. 0 if that is known now. */
static int find_out(void)
{
    char buf[8192];
    size_t have = 0;
    int whole = 0;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    known = 0;
    too_many = 0;
    if (fd < 0)
        return -1;
    for (;;) {
        ssize_t n = read(fd, buf + have, sizeof buf - have);
        if (n <= 0) {
            whole = !n && !have;
            break;
        }
        have += (size_t)n;
        size_t at = 0;
        const char *nl;
        while ((nl = memchr(buf + at, '\n', have - at))) {
            size_t len = (size_t)(nl - buf) - at;
            add(buf + at, len);
            at += len + 1;
        }
        if (!at) /* a line longer than any path may be */
            break;
        memmove(buf, buf + at, have - at);
        have -= at;
    }
    close(fd);
    return whole && !too_many ? 0 : -1;
}

/* A look at a buffer. */
struct look {
    int written;
    unsigned last;    /* mapping in which something was found */
    uint64_t before;  /* bytes of the buffer that have been looked at */
    uint64_t address; /* that can't be accessed */
    int mapped;
};

static const struct mapping *mapping_of(struct look *l, uint64_t at)
{
    if (l->last < known && at >= mappings[l->last].start && at < mappings[l->last].end)
        return &mappings[l->last];
    unsigned low = 0, high = known;
    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        if (mappings[mid].end <= at)
            low = mid + 1;
        else
            high = mid;
    }
    l->last = low;
    return low < known && at >= mappings[low].start ? &mappings[low] : NULL;
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
        if (!m || !(l->written ? m->writable : m->readable)) {
            l->address = at;
            l->mapped = m != NULL;
            l->before += at - from;
            return NO_ACCESS;
        }
        at = m->end;
    }
    l->before += n;
    return 0;
}

static int walk(struct look *l, const struct mv_part *p)
{
    *l = (struct look){.written = l->written, .last = l->last};
    return mv_part_walk(p, visit, l);
}

/* Processor time of the thread (ns): while others have the processor the program loses nothing by us. */
static uint64_t busy(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks at a part once more, after finding out what memory there is, if that does not take too much. */
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

/* Looks at a buffer that mv_reached does not know. */
void mv_reach(struct mv_thread *t, uint64_t key, const void *buf, int64_t count, uint64_t type, int written)
{
    const struct mv_part p = {(uint64_t)(uintptr_t)buf, count, mv_shape_known(type), 0};
    struct look l = {.written = written};
    if (count <= 0 || p.shape.size <= 0) {
        if (!mv_sums) /* else where the data lie may be known later */
            *mv_reach_slot(key) = key;
        return;
    }
    const int e = errno;
    pthread_mutex_lock(&lock);
    int result = walk(&l, &p);
    if (!result)
        *mv_reach_slot(key) = key;
    else if (result == NO_ACCESS)
        result = walk_anew(&l, &p);
    pthread_mutex_unlock(&lock);
    if (result == NO_ACCESS && !mv_faults_handled() && !mv_is_device(l.address)) {
        const struct mv_unreachable u = {.address = l.address, .at = l.before, .written = (uint32_t)written, .mapped = (uint32_t)l.mapped};
        unsigned char *r = mv_info(t, MV_UNREACHABLE, 0, sizeof u);
        memcpy(r + sizeof(struct mv_record), &u, sizeof u);
        mv_info_end(t, r);
    }
    errno = e;
}
