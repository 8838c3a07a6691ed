/*
 * Runs the library's ring, site, pending, reach, objects, requests and kept code in several threads, without MPI, for
 * the sanitizers.
 *
 * Usage: sanitize DIRECTORY. It makes a session in the directory and acts as the analyzer. If it finds an error, it
 * prints the error and returns 1.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api.h"
#include "debug.h"
#include "kept.h"
#include "mv.h"
#include "objects.h"
#include "pending.h"
#include "reach.h"
#include "requests.h"
#include "shape.h"
#include "signals.h"

enum { THREADS = 4, ROUNDS = 3000, BYTES = 64, CALL = 1, BYTE = 77, SHARED = 0x4000000, MANY = 300 };

/* Replacements for other units of the library. The signal handlers are not part of this: the sanitizers have their
 * own. */
const uint64_t mv_table_hash = 1;
const uint8_t mv_collective_of[] = {MV_KINDS, MV_KINDS};
const unsigned mv_ncollective = 2;
_Atomic int mv_faults = 1;
int mv_faults_handled(void) { return 0; }

static _Atomic int running = THREADS, wrong;
static _Atomic unsigned changed, unreachable, calls;

static void complain(const char *what, unsigned got, unsigned want)
{
    fprintf(stderr, "%s: %u, want %u\n", what, got, want);
    atomic_store(&wrong, 1);
}

/* A request that one thread has made, for another thread to complete. 0: none. */
static _Atomic uint64_t handed_over[THREADS];

static int64_t no_bytes(const void *statuses, uint64_t i)
{
    (void)statuses;
    (void)i;
    return -1;
}

/* Every call of a wrapper, from two depths of the stack. */
static __attribute__((noinline)) struct mv_thread *begin(void)
{
    struct mv_thread *t = mv_enter(MV_CFA);
    if (!t)
        return NULL;
    const int timed = mv_is_timed();
    const uint32_t site = mv_site(t, MV_RA, MV_CFA);
    const uint64_t len = 128;
    unsigned char *r = mv_reserve(t, len);
    mv_head(r, CALL, len, site, 32, timed);
    memset(r + 16, 0, len - 16);
    mv_publish(t, r, len, timed);
    return t;
}

static void end(struct mv_thread *t)
{
    mv_done_record(t, 0);
    mv_leave(t);
}

static void make(const unsigned char *buf, uint64_t request, int persistent)
{
    struct mv_thread *t = begin();
    const struct mv_buffered send = {buf, BYTES, BYTE, 0};
    mv_look(t, buf, BYTES, BYTE, 0);
    struct mv_operation *o = mv_transfer_begin(t, &send, NULL, persistent);
    mv_operation_begun(t, o, 0, request);
    mv_request_made(t, t->record, request, persistent, 0);
    end(t);
}

static void start(uint64_t request)
{
    struct mv_thread *t = begin();
    mv_operations_started(t, mv_operations_start(t, &request, sizeof request, 1), 0);
    mv_requests_started(t, &request, sizeof request, 1);
    end(t);
}

/* Frees an inactive persistent request. */
static void free_request(uint64_t request)
{
    const uint64_t null = 0;
    struct mv_thread *t = begin();
    mv_operation_free(t, request);
    mv_requests_after(t, &request, &null, sizeof null, 1, (struct mv_completed){0, NULL, 0});
    end(t);
}

/* Makes an object of another one, and frees both. */
static void make_objects(uint64_t handle)
{
    static const struct mv_input from[] = {{MV_NAME_DATATYPE, 0, 16}, {0, 0, 0}}, nothing[] = {{0, 0, 0}};
    static const struct mv_making first = {MV_NAME_DATATYPE, 0, 0, nothing}, second = {MV_NAME_DATATYPE, 0, 0, from};
    struct mv_thread *t = begin();
    mv_keep(t, t->record, handle, &first, 0);
    end(t);
    t = begin();
    memcpy(t->record + 16, &handle, sizeof handle);
    mv_keep(t, t->record, handle + 1, &second, 0);
    end(t);
    mv_unkeep(handle, MV_NAME_DATATYPE);
    mv_unkeep(handle + 1, MV_NAME_DATATYPE);
}

/* all: all of n requests are complete, and their handles are null; else none of them is. */
static void complete(const uint64_t *requests, uint64_t n, int all)
{
    static const uint64_t nulls[MANY];
    struct mv_thread *t = begin();
    struct mv_operation *list = mv_operations_find(t, requests, sizeof *requests, n);
    sched_yield(); /* as the real function may do */
    const struct mv_completion c = {all, NULL, 0, NULL, no_bytes};
    mv_operations_completed(t, list, 0, &c);
    mv_requests_after(t, requests, all ? nulls : requests, sizeof *requests, n, (struct mv_completed){all, NULL, 0});
    end(t);
}

static void complete_persistent(uint64_t request)
{
    struct mv_thread *t = begin();
    struct mv_operation *list = mv_operations_find(t, &request, sizeof request, 1);
    const struct mv_completion c = {1, NULL, 0, NULL, no_bytes};
    mv_operations_completed(t, list, 0, &c);
    mv_requests_after(t, &request, &request, sizeof request, 1, (struct mv_completed){1, NULL, 0});
    end(t);
}

/* The number of open requests in the tables of all threads. */
static unsigned open_requests(void)
{
    unsigned n = 0;
    for (struct mv_debug_thread *d = mv_debug_threads(); d; d = (struct mv_debug_thread *)(uintptr_t)d->next) {
        const struct mv_open_requests *r = (const struct mv_open_requests *)(uintptr_t)d->requests;
        const uint64_t *keys = r ? (const uint64_t *)(uintptr_t)r->keys : NULL;
        for (unsigned i = 0; r && i < (unsigned)MV_REQUEST_WAYS << r->bits; i++)
            n += keys[i] != 0;
    }
    return n;
}

extern struct mv_debug mpivet_debug;

/* Many objects have the same handle, one after the other; another object stays alive. The table keeps some of the freed
 * ones, newest first, and finds the live one. */
static void reuse_handle(void)
{
    static const struct mv_input nothing[] = {{0, 0, 0}};
    static const struct mv_making type = {MV_NAME_DATATYPE, 0, 0, nothing};
    enum { LIVES = 0x7f000008, COMES_AND_GOES = 0x7f000010 };
    struct mv_thread *t = begin();
    mv_keep(t, t->record, LIVES, &type, 0);
    for (unsigned i = 0; i < 5000; i++) {
        mv_keep(t, t->record, COMES_AND_GOES, &type, 0);
        mv_unkeep(COMES_AND_GOES, MV_NAME_DATATYPE);
    }
    end(t);
    unsigned live = 0, freed = 0;
    const uint64_t *buckets = (const uint64_t *)(uintptr_t)mpivet_debug.kept;
    for (unsigned i = 0; i < 1u << mpivet_debug.kept_bits; i++) {
        uint64_t before = UINT64_MAX;
        for (uint64_t at = buckets[i]; at; at = ((const struct mv_kept *)(uintptr_t)at)->next) {
            const struct mv_kept *k = (const struct mv_kept *)(uintptr_t)at;
            if (k->serial >= before)
                complain("order of objects", (unsigned)k->serial, (unsigned)before - 1);
            before = k->serial;
            live += !k->freed;
            freed += k->freed && k->handle == COMES_AND_GOES;
            if (!k->freed && k->handle != LIVES)
                complain("live object", (unsigned)k->handle, LIVES);
        }
    }
    if (live != 1)
        complain("live objects", live, 1);
    if (freed != 1024)
        complain("freed objects", freed, 1024);
}

static void *work(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg;
    static unsigned char buffers[THREADS][MANY][BYTES];
    unsigned char(*buf)[BYTES] = buffers[me];
    uint64_t requests[MANY];
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t request = ((uint64_t)me + 1) << 32 | (i % 7 + 1) << 4;
        switch (i % 6) {
        case 0: /* changed too early: this must be found */
            make(buf[0], request, 0);
            complete(&request, 1, 0);
            buf[0][i % BYTES]++;
            complete(&request, 1, 1);
            buf[0][i % BYTES]++;
            break;
        case 1: /* one handle for sends of all threads: nothing may be found */
            make(buf[1], SHARED, 0);
            make(buf[2], SHARED, 0);
            complete((uint64_t[]){SHARED, SHARED}, 2, 1);
            buf[1][0]++;
            buf[2][0]++;
            break;
        case 2: /* completed by the next thread, if that arrives in time */
            make(buf[3], request, 0);
            atomic_store(&handed_over[(me + 1) % THREADS], request);
            for (int k = 0; k < 50 && atomic_load(&handed_over[(me + 1) % THREADS]) == request; k++)
                sched_yield();
            uint64_t mine = request;
            if (atomic_compare_exchange_strong(&handed_over[(me + 1) % THREADS], &mine, 0))
                complete(&request, 1, 1);
            else
                while (atomic_load(&handed_over[(me + 1) % THREADS]) == UINT64_MAX)
                    sched_yield();
            buf[3][0]++;
            break;
        case 3: { /* for the thread before */
            uint64_t other = atomic_load(&handed_over[me]);
            if (other && other != UINT64_MAX && atomic_compare_exchange_strong(&handed_over[me], &other, UINT64_MAX)) {
                complete(&other, 1, 1);
                atomic_store(&handed_over[me], 0);
            }
            break;
        }
        case 4: /* persistent */
            make(buf[4], request, 1);
            for (int k = 0; k < 3; k++) {
                start(request);
                complete_persistent(request);
                buf[4][0]++;
            }
            free_request(request);
            break;
        case 5:
            if (i % 60 != 5) {
                struct mv_thread *t = begin();
                mv_look(t, (const void *)(uintptr_t)0x10000, (int64_t)i + 1, BYTE, 1);
                end(t);
                break;
            }
            for (unsigned k = 0; k < MANY; k++)
                make(buf[k], requests[k] = (uint64_t)(me + 1) << 40 | (k + 1) << 3, 0);
            complete(requests, MANY, 1);
            /* objects come and go */
            const struct mv_comm c = {.handle = request, .rank = 0, .size = 1, .runs = 1};
            mv_object_comm(&c, &(struct mv_run){0, 1, 1}, NULL, MV_MADE_ELSE);
            struct mv_object *o = mv_object(request, MV_OBJECT_COMM);
            mv_collective_enter(mv_tls.mine, o, MV_COLL_BARRIER);
            mv_collective_leave(o, MV_COLL_BARRIER);
            mv_object_free(request, MV_OBJECT_COMM, o, o->serial);
            make_objects(request);
        }
    }
    /* Nothing may be left of this thread. */
    for (uint64_t other = 1; other;) {
        other = atomic_load(&handed_over[me]);
        if (other && other != UINT64_MAX && atomic_compare_exchange_strong(&handed_over[me], &other, UINT64_MAX)) {
            complete(&other, 1, 1);
            atomic_store(&handed_over[me], 0);
        }
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

/* A ring as the analyzer sees it. */
struct ring {
    struct mv_ring *header;
    unsigned char *data;
    uint64_t at;
};

static int open_ring(struct ring *r, const char *dir, unsigned index)
{
    char path[512];
    snprintf(path, sizeof path, "%s/t%s.%u", dir, mv_g.name + 1, index);
    const int fd = open(path, O_RDWR);
    if (fd < 0)
        return 0;
    const uint64_t size = mv_g.control->ring_size;
    r->header = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    r->data = (unsigned char *)r->header + 4096;
    return r->header != MAP_FAILED;
}

static void read_ring(struct ring *r)
{
    const uint64_t head = __atomic_load_n(&r->header->head, __ATOMIC_ACQUIRE);
    while (r->at < head) {
        const struct mv_record *h = (const struct mv_record *)(r->data + (r->at & (r->header->size - 1)));
        if (!h->lines) {
            complain("length of a record", 0, 1);
            return;
        }
        calls += h->kind == CALL;
        changed += h->kind == MV_CHANGED;
        unreachable += h->kind == MV_UNREACHABLE;
        r->at += (uint64_t)h->lines * 64;
    }
    __atomic_store_n(&r->header->tail, r->at, __ATOMIC_RELEASE);
}

static void *analyze(void *dir)
{
    struct ring rings[THREADS] = {0};
    for (int last = 0; !last;) {
        last = !atomic_load(&running);
        for (unsigned i = 0; i < THREADS; i++)
            if (rings[i].header || open_ring(&rings[i], dir, i))
                read_ring(&rings[i]);
        sched_yield();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], analyzer;
    if (argc != 2 || setenv("MPIVET_SESSION", argv[1], 1) || chdir(argv[1]))
        return 2;
    const int fd = open("control", O_RDWR | O_CREAT, 0600);
    struct mv_control c = {.magic = MV_MAGIC_CONTROL, .version = MV_VERSION, .header_size = sizeof c, .table_hash = 1,
                           .ring_size = MV_RING_MIN, .stacks = 1, .sums = MV_SUMS_KEPT};
    if (fd < 0 || write(fd, &c, sizeof c) != sizeof c || flock(fd, LOCK_EX) || mv_session_join(1)) {
        fprintf(stderr, "no session\n");
        return 2;
    }
    mv_objects_start();
    mv_shape_predefined(BYTE, 1, 0, 1);
    pthread_create(&analyzer, NULL, analyze, argv[1]);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(analyzer, NULL);
    if (changed != THREADS * ROUNDS / 6)
        complain("changes found", changed, THREADS * ROUNDS / 6);
    if (!unreachable)
        complain("buffers that can't be accessed", unreachable, 1);
    if (calls < THREADS * ROUNDS)
        complain("calls", calls, THREADS * ROUNDS);
    for (unsigned i = 0; i < 1 << MV_BUCKETS_BITS; i++)
        if (mv_pending_count[i])
            complain("operations left", mv_pending_count[i], 0);
    if (open_requests())
        complain("requests left", open_requests(), 0);
    reuse_handle();
    return wrong;
}
