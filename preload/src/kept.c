/*
 * The table of objects.
 *
 * Memory comes in chunks, and is cut into blocks whose sizes are powers of two. Blocks are used again, but not soon: a
 * freed object stays until so many other objects were freed after it, and as long as another object refers to it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "kept.h"
#include "site.h"

#define MV_MAY_LOCK /* for a moment, when objects are made or freed */
#include "rules.h"

#define BUCKET_BITS 12
#define CHUNK ((size_t)1 << 20)
#define LIMIT ((size_t)64 << 20) /* of all chunks */
#define SMALLEST 9               /* the power of two of the smallest block */
#define LARGEST 24
#define REMEMBERED 1024          /* freed objects that stay in the table */
#define NOTES 256                /* of an object; further calls are not kept */

/* A block: what debuggers need not know, and then struct mv_kept, or struct mv_note. */
struct block {
    struct block *next;  /* among the unused blocks of its size, or among the freed objects */
    struct block *front; /* the object before it in its bucket, NULL if it is the first one */
    uint32_t references; /* number of objects in the table that refer to this one */
    uint32_t uses;       /* how often calls have returned the object, less how often it was freed */
    uint32_t size;       /* power of two */
    uint32_t notes;      /* number of notes */
    struct mv_kept kept;
};

/* All variables are read and written with the lock, except that debuggers read the buckets. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic uint64_t buckets[1 << BUCKET_BITS];
static struct block *unused[LARGEST + 1];
static struct block *oldest, **newest = &oldest; /* freed objects, in the order of their end */
static unsigned nfreed;
static char *chunk;
static size_t chunk_left, total;
static uint64_t serials;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static struct block *block_of(uint64_t kept)
{
    return (struct block *)((char *)(uintptr_t)kept - offsetof(struct block, kept));
}

static uint64_t address(const struct block *b) { return (uintptr_t)&b->kept; }

static _Atomic uint64_t *bucket_of(uint64_t handle) { return &buckets[mv_hash_bits(handle, BUCKET_BITS)]; }

/* The live object of a handle, NULL if there is none. Newer objects come first in a bucket, and only the newest one of
 * a handle can be alive. As MPI libraries use handles again, many others may follow it. */
static struct block *find(uint64_t handle, unsigned kind)
{
    for (uint64_t at = *bucket_of(handle); at; at = block_of(at)->kept.next) {
        struct block *b = block_of(at);
        if (b->kept.handle == handle && b->kept.kind == kind)
            return b->kept.freed ? NULL : b;
    }
    return NULL;
}

/* Memory for a block of a size, NULL if there is none. */
static struct block *fresh(size_t bytes)
{
    unsigned size = SMALLEST;
    while (((size_t)1 << size) < bytes)
        size++;
    if (size > LARGEST)
        return NULL;
    struct block *b = unused[size];
    if (b) {
        unused[size] = b->next;
        return b;
    }
    const size_t need = (size_t)1 << size;
    if (chunk_left < need) {
        const size_t n = need > CHUNK ? need : CHUNK;
        if (total + n > LIMIT)
            return NULL;
        char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        total += n;
        chunk = p;
        chunk_left = n;
    }
    b = (struct block *)chunk;
    chunk += need;
    chunk_left -= need;
    b->size = size;
    return b;
}

static void release(struct block *b)
{
    b->next = unused[b->size];
    unused[b->size] = b;
}

static struct mv_reference *references_of(struct block *b) { return (struct mv_reference *)(&b->kept + 1); }

/* Puts an object into its bucket. */
static void link_block(struct block *b)
{
    _Atomic uint64_t *first = bucket_of(b->kept.handle);
    b->front = NULL;
    b->kept.next = *first;
    if (b->kept.next)
        block_of(b->kept.next)->front = b;
    atomic_store_explicit(first, address(b), memory_order_release);
}

/* Takes an object out of its bucket. */
static void unlink_block(struct block *b)
{
    if (b->kept.next)
        block_of(b->kept.next)->front = b->front;
    if (b->front)
        __atomic_store_n(&b->front->kept.next, b->kept.next, __ATOMIC_RELAXED);
    else
        atomic_store_explicit(bucket_of(b->kept.handle), b->kept.next, memory_order_relaxed);
}

static void put_last(struct block *b)
{
    b->next = NULL;
    *newest = b;
    newest = &b->next;
    nfreed++;
}

/* Makes room among the freed objects: the oldest one goes, if no object refers to it. Otherwise it is the newest. */
static void drop_oldest(void)
{
    struct block *b = oldest;
    oldest = b->next;
    if (!oldest)
        newest = &oldest;
    nfreed--;
    if (b->references) {
        put_last(b);
        return;
    }
    unlink_block(b);
    MV_IN_ORDER();
    for (uint64_t at = b->kept.notes, next; at; at = next) {
        next = ((struct mv_note *)(uintptr_t)at)->next;
        release(block_of(at));
    }
    struct mv_reference *r = references_of(b);
    for (uint32_t i = 0; i < b->kept.references; i++)
        if (r[i].kept)
            block_of(r[i].kept)->references--;
    release(b);
}

static void end(struct block *b)
{
    __atomic_store_n(&b->kept.freed, serials + 1, __ATOMIC_RELAXED);
    put_last(b);
    for (unsigned i = 0; i < 4 && nfreed > REMEMBERED; i++) /* more than once: those that others refer to stay */
        drop_oldest();
}

/* The section of an array parameter, NULL if the array is not in the record. */
static const unsigned char *section_of(const unsigned char *r, unsigned param)
{
    const struct mv_record *h = (const struct mv_record *)r;
    const size_t length = (size_t)h->lines * 64;
    for (size_t at = (h->used + (size_t)7) & ~(size_t)7; at + 8 <= length;) {
        struct mv_section s;
        memcpy(&s, r + at, 8);
        if (s.kind == MV_IN64 && s.param == param)
            return r + at;
        if (s.kind == MV_END)
            break;
        at += 8 + (s.kind == MV_CUT ? 0 : (s.count * (size_t)mv_slot_of(s.kind) + 7) & ~(size_t)7);
    }
    return NULL;
}

/* The handles of an array: in its section, or in the MV_DATA records. Returns their number. to: NULL to count them. */
static uint32_t array_of(const struct mv_thread *t, const unsigned char *r, const struct mv_input *in,
                         struct mv_reference *to)
{
    uint32_t n = 0;
    const unsigned char *s = section_of(r, in->at);
    if (s) {
        uint32_t count;
        memcpy(&count, s + 4, 4);
        for (; n < count; n++)
            if (to)
                memcpy(&to[n].handle, s + 8 + (size_t)n * 8, 8);
        return n;
    }
    const unsigned char *p = t->extra.p, *last = p + t->extra_used;
    while (p < last) {
        const struct mv_data *d = (const struct mv_data *)(p + sizeof(struct mv_record));
        if (d->param == in->at && d->kind == MV_IN64)
            for (uint32_t i = 0; i < d->count; i++, n++)
                if (to)
                    memcpy(&to[n].handle, (const char *)(d + 1) + (size_t)i * 8, 8);
        p += (size_t)((const struct mv_record *)p)->lines * 64;
    }
    return n;
}

/* The handles that a call has got. to: NULL to count them. */
static uint32_t inputs_of(const struct mv_thread *t, const unsigned char *r, const struct mv_input *in,
                          struct mv_reference *to)
{
    uint32_t n = 0;
    for (; in && in->kind; in++) {
        struct mv_reference *at = to ? to + n : NULL;
        if (in->array) {
            const uint32_t more = array_of(t, r, in, at);
            for (uint32_t i = 0; at && i < more; i++)
                at[i].kept = in->kind;
            n += more;
        } else {
            if (at) {
                memcpy(&at->handle, r + in->at, 8);
                at->kept = in->kind;
            }
            n++;
        }
    }
    return n;
}

/* The stack of the call under way, as it was found for its call site. */
static void stack_of(const struct mv_thread *t, uintptr_t ra, uint64_t *pcs)
{
    const uintptr_t cfa = t->cfa & t->cfa_mask;
    const uintptr_t key = mv_key_of(t, ra);
    const struct mv_way *w = t->set[mv_set_of(key, cfa)][0];
    memset(pcs, 0, MV_KEPT_PCS * sizeof *pcs);
    pcs[0] = ra;
    if (w->ra == key && w->cfa == cfa)
        for (unsigned i = 0; i < w->n && i + 1 < MV_KEPT_PCS; i++)
            pcs[i + 1] = w->frame[i].pc;
}

void mv_keep_begin(struct mv_thread *t)
{
    t->keeping = 1;
    t->extra_used = 0;
}

void mv_keep_end(struct mv_thread *t) { t->keeping = 0; }

/* Fills in an object of the table. */
static void fill(struct block *b, const struct mv_thread *t, const unsigned char *r, const struct mv_making *m,
                 uint32_t inputs)
{
    struct mv_reference *to = references_of(b);
    unsigned char *record = (unsigned char *)(to + inputs);
    struct mv_kept *k = &b->kept;
    b->references = 0;
    b->uses = 1;
    b->notes = 0;
    k->notes = 0;
    k->serial = ++serials;
    k->freed = 0;
    k->beat = mv_beat();
    k->kind = m->kind;
    k->length = (uint32_t)((const struct mv_record *)r)->lines * 64;
    k->extra = (uint32_t)t->extra_used;
    k->references = inputs;
    memcpy(record, r, k->length);
    if (t->extra_used)
        memcpy(record + k->length, t->extra.p, t->extra_used);
    inputs_of(t, r, m->inputs, to);
    for (uint32_t i = 0; i < inputs; i++) {
        struct block *old = find(to[i].handle, (unsigned)to[i].kept);
        to[i].kept = old ? address(old) : 0;
        if (old)
            old->references++;
    }
}

void mv_keep(struct mv_thread *t, const unsigned char *r, uint64_t handle, const struct mv_making *m, uintptr_t ra)
{
    const int e = errno;
    if (!m->arrays)
        t->extra_used = 0;
    lock();
    if (!serials)
        mv_debug_kept(buckets, BUCKET_BITS);
    struct block *b = find(handle, m->kind);
    if (b && m->shares) {
        b->uses++;
        unlock();
        errno = e;
        return;
    }
    if (b)
        end(b); /* it was freed by a call that is not recorded */
    const uint32_t inputs = inputs_of(t, r, m->inputs, NULL);
    b = fresh(sizeof *b + inputs * sizeof(struct mv_reference) +
              (size_t)((const struct mv_record *)r)->lines * 64 + t->extra_used);
    if (b) {
        fill(b, t, r, m, inputs);
        stack_of(t, ra, b->kept.pcs);
        b->kept.handle = handle;
        link_block(b);
    } else {
        mv_debug_forgotten();
    }
    unlock();
    errno = e;
}

void mv_unkeep(uint64_t handle, unsigned kind)
{
    if (!*mv_home)
        return;
    lock();
    struct block *b = find(handle, kind);
    if (b && --b->uses == 0)
        end(b);
    unlock();
}

void mv_note(const unsigned char *r, uint64_t handle, unsigned kind)
{
    const int e = errno;
    const uint32_t length = (uint32_t)((const struct mv_record *)r)->lines * 64;
    lock();
    struct block *b = find(handle, kind);
    struct block *more = b && b->notes < NOTES
                             ? fresh(offsetof(struct block, kept) + sizeof(struct mv_note) + length)
                             : NULL;
    if (more) {
        struct mv_note *n = (struct mv_note *)&more->kept;
        n->next = b->kept.notes;
        n->length = length;
        memcpy(n + 1, r, length);
        b->notes++;
        __atomic_store_n(&b->kept.notes, address(more), __ATOMIC_RELEASE);
    } else if (b) {
        mv_debug_forgotten();
    }
    unlock();
    errno = e;
}
