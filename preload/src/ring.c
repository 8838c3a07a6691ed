/*
 * Rings: made at a thread's first MPI call, handed on when it ends, waited for when full.
 *
 * mv_first and mv_room are the only ways off the record path; they may make system calls, but print nothing,
 * preserve errno, and give up (the thread or the process goes on unrecorded) rather than fail or hang.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "objects.h"

#define HEADER 4096
_Static_assert(sizeof(struct mv_ring) <= HEADER, "a ring's header is one page");

_Thread_local struct mv_tls mv_tls __attribute__((tls_model("initial-exec")));
int mv_timed;

/* Way that is no call site's: what empty sets point to. */
static struct mv_way nowhere;

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int key_made;

/* Threads that ended left these behind. */
static struct mv_thread *spare;
static atomic_flag spare_lock = ATOMIC_FLAG_INIT;

static void lock_spare(void)
{
    while (atomic_flag_test_and_set_explicit(&spare_lock, memory_order_acquire))
        sched_yield();
}

static void unlock_spare(void) { atomic_flag_clear_explicit(&spare_lock, memory_order_release); }

/* At the thread's end, after other destructors, which may still call MPI: these run in rounds. */
static void thread_ends(void *p)
{
    struct mv_thread *t = p;
    if (++mv_tls.ending < 3) {
        pthread_setspecific(key, t);
        return;
    }
    mv_tls.ready = NULL;
    mv_tls.mine = NULL;
    mv_tls.off = 1;
    if (atomic_load(&mv_g.inert) || !*mv_home || !t->again || t->record)
        return;
    lock_spare();
    t->next_free = spare;
    spare = t;
    unlock_spare();
}

static void make_key(void) { key_made = pthread_key_create(&key, thread_ends) == 0; }

static void find_stack(struct mv_thread *t)
{
    pthread_attr_t a;
    void *low;
    size_t size;
    t->stack_low = t->stack_high = 0;
    if (pthread_getattr_np(pthread_self(), &a))
        return;
    if (!pthread_attr_getstack(&a, &low, &size)) {
        t->stack_low = (uintptr_t)low;
        t->stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&a);
}

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

/* Makes the ring's file in dir, as large as there is room for. The size, or 0. */
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
        pid_t tid = (pid_t)syscall(SYS_gettid);
        r->magic = MV_MAGIC_RING;
        r->version = MV_VERSION;
        r->header_size = HEADER;
        r->size = size;
        r->pid = (uint32_t)mv_g.pid;
        r->tid = (uint32_t)tid;
        r->thread = index;
        r->main_thread = tid == mv_g.pid;
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

static struct mv_thread *new_thread(void)
{
    struct mv_thread *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
        atomic_fetch_add((_Atomic uint32_t *)&mv_g.control->shrunk, 1);
    t->size = t->limit = size;
    t->mask = size - 1;
    t->largest = size / 4 < (uint64_t)65535 * 64 ? size / 4 : (uint64_t)65535 * 64;
    t->inline_max = t->largest / 8 & ~(uint64_t)63;
    t->cfa_mask = mv_g.control->stacks ? ~(uintptr_t)0 : 0;
    t->again = t;
    t->nowhere = &nowhere;
    t->polled = t->poll;
    for (int i = 0; i < MV_SETS; i++)
        for (int j = 0; j < MV_WAYS; j++)
            t->set[i][j] = &nowhere;
    if (index > 0)
        __atomic_store_n(&mv_timed, 1, __ATOMIC_SEQ_CST);
    return t;
}

static struct mv_thread *take_spare(void)
{
    lock_spare();
    struct mv_thread *t = spare;
    if (t)
        spare = t->next_free;
    unlock_spare();
    if (t) {
        pid_t tid = (pid_t)syscall(SYS_gettid);
        t->ring->tid = (uint32_t)tid;
        t->ring->main_thread = tid == mv_g.pid;
        t->quiet = t->refused = 0;
    }
    return t;
}

static MV_COLD struct mv_thread *begin(void)
{
    int e = errno;
    struct mv_thread *t = NULL;
    mv_start();
    pthread_once(&key_once, make_key);
    mv_tls.off = 1;
    if (!atomic_load(&mv_g.inert) && key_made && mv_at_home()) {
        t = take_spare();
        if (!t) {
            t = new_thread();
            if (!t)
                atomic_fetch_add((_Atomic uint32_t *)&mv_g.control->unrecorded, 1);
        }
    }
    if (t) {
        find_stack(t);
        pthread_setspecific(key, t);
        mv_tls.mine = t;
        mv_tls.off = 0;
    }
    errno = e;
    return t;
}

/* What a wrapper calls when the thread is not ready: inside another call, new, or not to be recorded. */
MV_COLD struct mv_thread *mv_first(uintptr_t cfa)
{
    struct mv_thread *t = mv_tls.mine;
    if (mv_tls.off)
        return NULL;
    if (t && !*mv_home) {
        mv_tls.ready = NULL;
        mv_tls.off = 1;
        return NULL;
    }
    if (!t)
        return begin();
    if (!t->again)
        return NULL;
    /* Inside a call. If that one's frame is gone, it was left by longjmp or an exception and will never return. */
    if (cfa < t->cfa || t->cfa < t->stack_low || cfa >= t->stack_high)
        return NULL;
    if (t->record) {
        if (t->borrowed)
            mv_poll_publish(t, 1);
        mv_collective_left(t, ((const struct mv_record *)t->record)->kind);
        mv_done_record(t, -1);
    }
    t->quiet = t->refused = 0;
    return t;
}

/* Whether this thread is inside an MPI call of the program. Safe in a signal handler. */
int mv_inside(void)
{
    return mv_tls.mine && mv_tls.mine->again && !mv_tls.ready && *mv_home;
}

/* From here on the process is not recorded; what the call under way still writes goes where nobody reads. */
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

/* Whether a record of len bytes fits. */
int mv_has_room(struct mv_thread *t, uint64_t len)
{
    if (t->head + len > t->limit)
        t->limit = atomic_load_explicit((_Atomic uint64_t *)&t->ring->tail, memory_order_acquire) + t->size;
    return t->head + len <= t->limit;
}

/* Makes sure that a record of len bytes fits, waiting for the analyzer if need be. */
MV_COLD void mv_room(struct mv_thread *t, uint64_t len)
{
    _Atomic uint32_t *stop = (_Atomic uint32_t *)&mv_g.control->stop;
    int e = errno;
    uint64_t begun = 0, checked = 0;
    long sleep = 20000;
    for (unsigned round = 0;; round++) {
        if (atomic_load(&mv_g.inert) || atomic_load_explicit(stop, memory_order_relaxed)) {
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
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
            continue;
        }
        if (round < 120) {
            sched_yield();
            continue;
        }
        nap(sleep);
        uint64_t now = mv_now();
        t->ring->stall_ns += now - begun;
        begun = now;
        if (sleep < 1000000)
            sleep += sleep / 4;
        if (now - checked > 100000000) {
            checked = now;
            int gone = mv_analyzer_gone();
            if (gone == MV_NO_SESSION) {
                mv_go_inert(t);
                break;
            }
            if (gone) {
                /* Nobody waits for the oldest records any more. The latest ones tell those who look what the thread does. */
                t->limit = UINT64_MAX;
                break;
            }
        }
    }
    if (begun)
        t->ring->stall_ns += mv_now() - begun;
    errno = e;
}

/* Another one of the polls in vain: that from this place. It becomes the last one. NULL if there is none. */
struct mv_polled *mv_poll_other(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    for (unsigned i = 0; i < MV_POLLS && i < t->npolled; i++)
        if (t->poll[i].ra == ra && t->poll[i].cfa == (cfa & t->cfa_mask))
            return t->polled = &t->poll[i];
    return NULL;
}

/* Remembers a record, if it is the last one, of a poll in vain that was called from there. If there are too many of them, the oldest is forgotten,
 * and all are if something else was recorded in between. */
void mv_poll_note(struct mv_thread *t, const unsigned char *r, uint64_t len, int timed, uintptr_t ra)
{
    if (timed || len > MV_POLL_MAX || r != t->data + ((t->head - len) & t->mask))
        return;
    if (t->polls_end != t->head - len)
        t->npolled = 0;
    t->polls_end = t->head;
    struct mv_polled *p = mv_poll_other(t, ra, t->cfa);
    if (!p) {
        p = &t->poll[t->npolled % MV_POLLS];
        t->npolled++;
    }
    p->ra = ra;
    p->cfa = t->cfa & t->cfa_mask;
    memcpy(p->record, r, len);
    t->polled = p;
}

/* Gives the poll under way a record of its own: a copy of the one that it has borrowed, in vain as that one was
 * until its results are filled in. gone: its frame is, so that its stack can't be looked at. */
void mv_poll_publish(struct mv_thread *t, int gone)
{
    const struct mv_polled *p = t->polled;
    t->borrowed = 0;
    t->record = NULL;
    const uint32_t site = gone ? p->head.site : mv_site(t, p->ra, t->cfa);
    const uint64_t len = (uint64_t)p->head.lines * 64;
    unsigned char *r = mv_reserve(t, len);
    memcpy(r, p->record, len);
    memcpy(r + offsetof(struct mv_record, site), &site, sizeof site);
    mv_publish(t, r, len, 0);
}

/* Memory of at least that size; what it held is lost. NULL if there is none. */
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

/* Begins a record that is no call, with that much room behind its header. mv_info_end makes it visible. */
unsigned char *mv_info(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload)
{
    uint64_t len = (sizeof(struct mv_record) + payload + 63) & ~(uint64_t)63;
    if (MV_UNLIKELY(t->borrowed)) /* the call that this belongs to comes first */
        mv_poll_publish(t, 0);
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
    atomic_store_explicit((_Atomic uint64_t *)&t->ring->head, t->head, memory_order_release);
}
