/* Makes rings, and waits for room in them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "tls.h"

#define MV_MAY_FORMAT /* names of files */
#include "rules.h"

#define HEADER 4096
_Static_assert(sizeof(struct mv_ring) <= HEADER, "a ring's header is one page");

_Atomic int mv_timed;

/* A way that belongs to no call site. It is never written. */
static struct mv_way nowhere;

/* Maps a ring's file: its header, and the data twice, back to back, so that no record wraps. */
static int map_ring(struct mv_thread *t, int fd, uint64_t size)
{
    void *h = mmap(NULL, HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (h == MAP_FAILED)
        return -1;
    unsigned char *d = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (d == MAP_FAILED) {
        munmap(h, HEADER);
        return -1;
    }
    if (mmap(d, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, HEADER) == MAP_FAILED ||
        mmap(d + size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, HEADER) == MAP_FAILED) {
        munmap(h, HEADER);
        munmap(d, 2 * size);
        return -1;
    }
    t->ring = h;
    t->data = d;
    return 0;
}

void mv_ring_owned(struct mv_thread *t)
{
    const pid_t tid = (pid_t)syscall(SYS_gettid);
    t->ring->tid = t->debug.tid = (uint32_t)tid;
    t->ring->main_thread = tid == mv_g.pid;
    t->found = __atomic_load_n(&t->ring->found, __ATOMIC_ACQUIRE); /* of the thread before */
    t->waits = __atomic_load_n(&mv_g.control->breaks, __ATOMIC_RELAXED) != 0;
    t->told = t->waits ? 1 : __atomic_load_n(&mv_g.control->found, __ATOMIC_RELAXED);
}

/* Makes the ring's file in dir, as large as there is room for. Returns the size, or 0. */
static uint64_t make_ring(struct mv_thread *t, const char *dir, uint32_t index)
{
    char name[48];
    /* "t<pid>.<k>.<index>", the middle part as in the process's name */
    snprintf(name, sizeof name, "t%s.%u", mv_g.name + 1, index);
    for (uint64_t size = mv_g.control->ring_size; size >= MV_RING_MIN; size /= 2) {
        int fd;
        if (mv_create(dir, name, HEADER + size, &fd))
            continue;
        int failed = map_ring(t, fd, size);
        close(fd);
        if (failed) {
            char path[sizeof mv_g.session + 64];
            snprintf(path, sizeof path, "%s/.%s", dir, name);
            unlink(path);
            continue;
        }
        struct mv_ring *r = t->ring;
        r->magic = MV_MAGIC_RING;
        r->version = MV_VERSION;
        r->header_size = HEADER;
        r->size = size;
        r->pid = (uint32_t)mv_g.pid;
        r->thread = index;
        mv_ring_owned(t);
        memcpy(r->process, mv_g.name, sizeof r->process);
        if (mv_reveal(dir, name)) {
            munmap(t->ring, HEADER);
            munmap(t->data, 2 * size);
            return 0;
        }
        return size;
    }
    return 0;
}

struct mv_thread *mv_ring_new(void)
{
    struct mv_thread *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    uint32_t index = atomic_fetch_add(&mv_g.rings, 1);
    uint64_t size = make_ring(t, mv_g.session, index);
    if (!size && mv_g.control->fallback[0] == '/')
        size = make_ring(t, mv_g.control->fallback, index);
    if (!size) {
        munmap(t, sizeof *t);
        return NULL;
    }
    if (size < mv_g.control->ring_size)
        __atomic_fetch_add(&mv_g.control->shrunk, 1, __ATOMIC_SEQ_CST);
    t->size = t->limit = size;
    t->mask = size - 1;
    t->largest = size / 4 < (uint64_t)65535 * 64 ? size / 4 : (uint64_t)65535 * 64;
    t->inline_max = t->largest / 8 & ~(uint64_t)63;
    t->cfa_mask = mv_g.control->stacks ? ~(uintptr_t)0 : 0;
    t->again = t;
    t->nowhere = &nowhere;
    t->polled = t->poll;
    t->debug.ring = (uintptr_t)t->ring;
    t->debug.thread = index;
    mv_debug_thread(&t->debug);
    for (int i = 0; i < MV_SETS; i++)
        for (int j = 0; j < MV_WAYS; j++)
            t->set[i][j] = &nowhere;
    if (index > 0)
        atomic_store(&mv_timed, 1);
    return t;
}

int mv_inside(void)
{
    return mv_tls.mine && mv_tls.mine->again && !mv_tls.ready && *mv_home;
}

void mv_go_inert(struct mv_thread *t)
{
    atomic_store(&mv_g.inert, 1);
    t->again = NULL;
    t->borrowed = 0;
    t->limit = UINT64_MAX;
    size_t n = HEADER + t->size / 2 + 4096;
    unsigned char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
        t->ring = (struct mv_ring *)p;
        t->data = p + HEADER;
        t->mask = 0;
    }
}

static void nap(long ns)
{
    struct timespec ts = {0, ns};
    nanosleep(&ts, NULL);
}

int mv_has_room(struct mv_thread *t, uint64_t len)
{
    if (t->head + len > t->limit)
        t->limit = __atomic_load_n(&t->ring->tail, __ATOMIC_ACQUIRE) + t->size;
    return t->head + len <= t->limit;
}

MV_COLD void mv_room(struct mv_thread *t, uint64_t len)
{
    int e = errno;
    uint64_t begun = 0, checked = 0;
    long pause = 20000;
    for (unsigned round = 0;; round++) {
        if (mv_stopped()) {
            mv_go_inert(t);
            break;
        }
        if (mv_has_room(t, len))
            break;
        if (!begun) {
            begun = checked = mv_now();
            t->ring->stalls++;
        }
        if (round < 100) {
            mv_pause();
            continue;
        }
        if (round < 120) {
            sched_yield();
            continue;
        }
        nap(pause);
        uint64_t now = mv_now();
        t->ring->stall_ns += now - begun;
        begun = now;
        if (pause < 1000000)
            pause += pause / 4;
        if (now - checked > 100000000) {
            checked = now;
            int gone = mv_analyzer_gone();
            if (gone == MV_NO_SESSION) {
                mv_go_inert(t);
                break;
            }
            if (gone) {
                /* The oldest records are not needed any more. The latest ones show external tools what the thread
                 * does. */
                t->limit = UINT64_MAX;
                break;
            }
        }
    }
    if (begun)
        t->ring->stall_ns += mv_now() - begun;
    errno = e;
}

void *mv_grow(struct mv_buffer *b, size_t size)
{
    if (size <= b->size)
        return b->p;
    int e = errno;
    if (b->p)
        munmap(b->p, b->size);
    size = (size + size / 2 + 4095) & ~(size_t)4095;
    b->p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->p == MAP_FAILED)
        b->p = NULL;
    b->size = b->p ? size : 0;
    errno = e;
    return b->p;
}

unsigned char *mv_info_begin(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload)
{
    uint64_t len = (sizeof(struct mv_record) + payload + 63) & ~(uint64_t)63;
    unsigned char *r = mv_reserve(t, len);
    struct mv_record *h = (struct mv_record *)r;
    memset(r, 0, sizeof *h);
    h->kind = (uint16_t)kind;
    h->lines = (uint16_t)(len / 64);
    h->site = site;
    h->used = (uint16_t)(payload + sizeof *h > 0xffff ? 0xffff : payload + sizeof *h);
    return r;
}

void mv_info_end(struct mv_thread *t, unsigned char *r)
{
    t->head += (uint64_t)((struct mv_record *)r)->lines * 64;
    __atomic_store_n(&t->ring->head, t->head, __ATOMIC_RELEASE);
}
