/* The tables of open requests. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "requests.h"

#include "rules.h"

/* 16,384 entries in a thread. Pages that were never used take no memory. */
#define BITS 11
#define ENTRIES (MV_REQUEST_WAYS << BITS)

struct table {
    struct mv_open_requests head;
    _Alignas(64) _Atomic uint64_t keys[ENTRIES];
    struct mv_open_request entries[ENTRIES];
};

static struct table *table_of(const struct mv_debug_thread *d)
{
    return (struct table *)(uintptr_t)__atomic_load_n(&d->requests, __ATOMIC_ACQUIRE);
}

static MV_COLD struct table *make_table(struct mv_thread *t)
{
    const int e = errno;
    struct table *p =
        mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = e;
    if (p == MAP_FAILED)
        return NULL;
    p->head.bits = BITS;
    p->head.keys = (uintptr_t)p->keys;
    p->head.entries = (uintptr_t)p->entries;
    __atomic_store_n(&t->debug.requests, (uintptr_t)p, __ATOMIC_RELEASE);
    return p;
}

static uint64_t handle_at(const void *requests, unsigned width, uint64_t i)
{
    uint64_t h = 0;
    memcpy(&h, (const char *)requests + i * width, width);
    return h;
}

/* The first entry of a request's bucket. */
static unsigned bucket_of(uint64_t request) { return mv_hash_bits(request, BITS) * MV_REQUEST_WAYS; }

/* The index of a key in its bucket, -1 if it is not there. */
static int find_in(const struct table *p, uint64_t request, uint64_t key)
{
    const unsigned first = bucket_of(request);
    for (unsigned i = first; i < first + MV_REQUEST_WAYS; i++)
        if (atomic_load_explicit(&p->keys[i], memory_order_relaxed) == key)
            return (int)i;
    return -1;
}

struct found {
    struct table *table;
    int at;
};

/* Finds a request: in the thread's own table, or in those of other threads. */
static struct found find(const struct mv_thread *t, uint64_t request)
{
    struct table *own = table_of(&t->debug);
    int at = own && request ? find_in(own, request, request) : -1;
    if (at >= 0 || !request || !mv_is_timed())
        return (struct found){own, at};
    for (struct mv_debug_thread *d = mv_debug_threads(); d; d = (struct mv_debug_thread *)(uintptr_t)d->next) {
        struct table *p = table_of(d);
        if (p && p != own && (at = find_in(p, request, request)) >= 0)
            return (struct found){p, at};
    }
    return (struct found){NULL, -1};
}

void mv_request_made(struct mv_thread *t, const unsigned char *r, uint64_t request, int persistent, uintptr_t ra)
{
    struct table *p = table_of(&t->debug);
    if (MV_UNLIKELY(!p) && !(p = make_table(t)))
        return;
    /* An old entry was completed by a call that is not recorded, or the handle is shared. */
    int at = find_in(p, request, request);
    if (at < 0)
        at = find_in(p, request, 0);
    if (MV_UNLIKELY(at < 0)) {
        __atomic_fetch_add(&p->head.unlisted, 1, __ATOMIC_RELAXED);
        return;
    }
    struct mv_open_request *o = &p->entries[at];
    atomic_store_explicit(&p->keys[at], 0, memory_order_relaxed);
    MV_IN_ORDER();
    const uint64_t len = (uint64_t)((const struct mv_record *)r)->lines * 64;
    memcpy(o->record, r, 64);
    if (len > 64)
        memcpy(o->record + 64, r + 64, MV_REQUEST_RECORD - 64);
    o->length = (uint32_t)len;
    o->number = mv_operation_number(t->ring->thread, t->done + 1);
    o->beat = mv_beat();
    o->flags = persistent ? MV_REQUEST_PERSISTENT : MV_REQUEST_ACTIVE;
    o->site = ra;
    MV_IN_ORDER();
    atomic_store_explicit(&p->keys[at], request, memory_order_release);
}

void mv_requests_started(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    for (uint64_t i = 0; requests && i < n; i++) {
        const struct found f = find(t, handle_at(requests, width, i));
        if (f.at < 0)
            continue;
        f.table->entries[f.at].beat = mv_beat();
        __atomic_store_n(&f.table->entries[f.at].flags, MV_REQUEST_PERSISTENT | MV_REQUEST_ACTIVE, __ATOMIC_RELAXED);
    }
}

const uint64_t *mv_requests_listed(struct mv_thread *t, const void *requests, unsigned width, uint64_t n)
{
    uint64_t *own = mv_grow(&t->handles, n * sizeof *own);
    for (uint64_t i = 0; own && i < n; i++)
        own[i] = handle_at(requests, width, i);
    return own;
}

/* A persistent request is complete: it is inactive. */
static void complete(struct mv_thread *t, uint64_t request)
{
    const struct found f = find(t, request);
    if (f.at >= 0)
        __atomic_fetch_and(&f.table->entries[f.at].flags, ~(uint32_t)MV_REQUEST_ACTIVE, __ATOMIC_RELAXED);
}

void mv_requests_after(struct mv_thread *t, const uint64_t *before, const void *requests, unsigned width, uint64_t n,
                       struct mv_completed c)
{
    if (!before || !requests)
        return;
    for (uint64_t i = 0; i < n; i++) {
        if (handle_at(requests, width, i) == before[i]) {
            if (c.all)
                complete(t, before[i]);
            continue;
        }
        const struct found f = find(t, before[i]);
        if (f.at >= 0)
            atomic_store_explicit(&f.table->keys[f.at], 0, memory_order_relaxed);
    }
    for (int i = 0; c.indices && i < c.n; i++)
        if (c.indices[i] >= 0 && (uint64_t)c.indices[i] < n &&
            handle_at(requests, width, (uint64_t)c.indices[i]) == before[c.indices[i]])
            complete(t, before[c.indices[i]]);
}
