/* The table of communicators, windows and files in shared memory: room for them, their identity, and how they are made
 * and freed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api.h"
#include "debug.h"
#include "objects.h"

#define MV_MAY_FORMAT /* names of files */
#define MV_MAY_LOCK   /* for a moment, when objects are made or freed */
#include "rules.h"

#define PAGE 4096
#define NAMES (32 << 10)
/* Number of objects in the first file, growth factor of the next ones, and number of files: 5,456 objects in all. */
#define FIRST 16
#define GROWTH 4
#define FILES 5

_Static_assert(sizeof(struct mv_object) == PAGE, "an object is a page");
_Static_assert(offsetof(struct mv_object, count) == 1024, "counts begin at a round place");
_Static_assert(MV_COLL_COMM_AGREE < MV_KINDS, "the kinds fit");

struct mv_place mv_places[1 << MV_PLACE_BITS];

/* Has the counts before MPI is initialized, or if there is no room for a file. They are never read. */
static struct mv_object nowhere;

/* Stands for all objects that are not known, or found no room. Set once, when MPI is initialized; every thread reads
 * it. */
static struct mv_object *_Atomic others = &nowhere;

/* The variables from here to `busy` are read and written with the lock, except for the contents of files[0], which are
 * set before other threads can use MPI. */
static struct mv_objects *files[FILES];
static struct mv_object *tables[FILES]; /* the twins of their objects in private memory */
static int nfiles, full;
static uint64_t serials;
static struct mv_object *unused[FIRST * (GROWTH * GROWTH * GROWTH * GROWTH * GROWTH - 1) / (GROWTH - 1)];
static unsigned nunused;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* the lock */

/* Whether an object is neither `nowhere` nor `others`. */
static int is_object(const struct mv_object *o)
{
    return o && o != atomic_load_explicit(&others, memory_order_relaxed);
}

/* The same object in the file. */
static struct mv_object *twin_of(struct mv_object *o) { return (struct mv_object *)((char *)o + o->twin); }

/* The serial number of an object, 0 if it was freed. */
static uint64_t serial_of(const struct mv_object *o) { return __atomic_load_n(&o->serial, __ATOMIC_RELAXED); }

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static struct mv_object *object_in(struct mv_objects *f, uint32_t i)
{
    return (struct mv_object *)((char *)f + f->header_size) + i;
}

static struct mv_objects *make_file(const char *dir, int index, uint32_t count)
{
    char name[48];
    int fd;
    const uint32_t names = index ? 0 : NAMES;
    const size_t size = PAGE + names + (size_t)count * PAGE;
    /* "s<pid>.<k>.<index>", the middle part as in the process's name */
    snprintf(name, sizeof name, "s%s.%d", mv_g.name + 1, index);
    if (dir[0] != '/' || mv_create(dir, name, size, &fd))
        return NULL;
    struct mv_objects *f = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (f == MAP_FAILED) {
        char path[sizeof mv_g.session + 64];
        snprintf(path, sizeof path, "%s/.%s", dir, name);
        unlink(path);
        return NULL;
    }
    f->magic = MV_MAGIC_OBJECTS;
    f->version = MV_VERSION;
    f->header_size = PAGE + names;
    f->object_size = sizeof(struct mv_object);
    f->count = count;
    f->kinds = MV_KINDS;
    f->names_at = names ? PAGE : 0;
    f->names_room = names;
    if (mv_reveal(dir, name)) {
        munmap(f, size);
        return NULL;
    }
    return f;
}

/* Makes the twins of a file's objects. */
static struct mv_object *make_twins(struct mv_objects *f)
{
    struct mv_object *t = mmap(NULL, (size_t)f->count * PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    for (uint32_t i = 0; i < f->count; i++)
        t[i].twin = (char *)object_in(f, i) - (char *)&t[i];
    mv_debug_objects(t, f->count);
    return t;
}

/* Makes room for more objects. */
static void grow(void)
{
    uint32_t count = FIRST;
    if (full || nfiles == FILES || atomic_load(&mv_g.inert))
        return;
    for (int i = 0; i < nfiles; i++)
        count *= GROWTH;
    struct mv_objects *f = make_file(mv_g.session, nfiles, count);
    if (!f)
        f = make_file(mv_g.control->fallback, nfiles, count);
    struct mv_object *t = f ? make_twins(f) : NULL;
    if (!t) {
        full = 1;
        return;
    }
    uint32_t first = 0;
    if (nfiles == 0) {
        atomic_store(&others, t);
        first = 1;
    }
    tables[nfiles] = t;
    files[nfiles++] = f;
    for (uint32_t i = count; i-- > first;)
        unused[nunused++] = &t[i];
}

void mv_objects_start(void)
{
    int e = errno;
    lock();
    if (nfiles == 0)
        grow();
    unlock();
    errno = e;
}

void mv_objects_names(const unsigned char *list, size_t used)
{
    struct mv_objects *f = files[0];
    mv_debug_names(list, used);
    if (!f || f->names_room - f->names_used < used)
        return;
    memcpy((char *)f + f->names_at + f->names_used, list, used);
    __atomic_store_n(&f->names_used, f->names_used + (uint32_t)used, __ATOMIC_RELEASE);
}

static struct mv_place *place_of(uint64_t key)
{
    return mv_table_find(mv_places, sizeof mv_places[0], MV_PLACE_BITS, key);
}

MV_COLD struct mv_object *mv_object_on(uint64_t key)
{
    const struct mv_place *p = place_of(key);
    return atomic_load_explicit(p ? &p->object : &others, memory_order_relaxed);
}

/* Removes an object from its handle. The lock is held. */
static void forget(uint64_t key)
{
    struct mv_place *p = place_of(key);
    if (!p)
        return;
    struct mv_object *o = atomic_load_explicit(&p->object, memory_order_relaxed);
    mv_table_remove(p);
    __atomic_store_n(&o->serial, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&twin_of(o)->serial, 0, __ATOMIC_RELEASE);
    unused[nunused++] = o;
}

/* A new object for a handle: all zero except for handle and kind. NULL if there is no room. The lock is held. */
static struct mv_object *fresh(uint64_t handle, unsigned kind)
{
    const uint64_t key = mv_object_key(handle, kind);
    forget(key); /* it was freed by a call that is not recorded */
    if (!nunused)
        grow();
    struct mv_place *p = nunused ? mv_table_reserve(mv_places, sizeof *p, MV_PLACE_BITS, key) : NULL;
    if (!p) {
        if (files[0])
            files[0]->homeless++;
        return NULL;
    }
    struct mv_object *o = unused[--nunused];
    const int64_t twin = o->twin;
    memset(o, 0, sizeof *o);
    o->twin = twin;
    o->handle = handle;
    o->kind = kind;
    atomic_store_explicit(&p->object, o, memory_order_relaxed);
    mv_table_publish(p, key);
    return o;
}

/* Makes an object visible. */
static void show(struct mv_object *o)
{
    struct mv_object *twin = twin_of(o);
    memcpy(twin, o, sizeof *o);
    twin->twin = 0;
    __atomic_store_n(&o->serial, ++serials, __ATOMIC_RELEASE);
    __atomic_store_n(&twin->serial, serials, __ATOMIC_RELEASE);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 31;
    h *= 0x94d049bb133111ebULL;
    return h ^ h >> 29;
}

/* The lowest world rank in runs, -1 if some processes belong to another world or are not known. */
static int64_t lowest(const struct mv_run *r, uint32_t n, int32_t size)
{
    int64_t low = INT32_MAX, covered = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t last = r[i].start + (int64_t)r[i].stride * (r[i].count - 1);
        if (r[i].start < 0)
            return -1;
        low = r[i].start < low ? r[i].start : low;
        low = last < low ? last : low;
        covered += r[i].count;
    }
    return covered == size ? low : -1;
}

/* Hashes the members of a group in their order, whatever the runs are. */
static uint64_t hash_members(const struct mv_run *r, uint32_t n)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < r[i].count; k++)
            h = mix(h, (uint64_t)(r[i].start + r[i].stride * k) + 1);
    return h;
}

#define MADE_BITS 10

/* Numbers the communicators made of the same groups; 0 if there are too many different ones. The lock is held. */
static uint64_t number_of(uint64_t groups)
{
    static struct made {
        _Atomic uint64_t groups; /* key */
        uint64_t n;
    } made[1 << MADE_BITS];
    groups |= 4; /* must not be a reserved key */
    struct made *m = mv_table_find(made, sizeof *m, MADE_BITS, groups);
    if (m)
        return ++m->n;
    if (!(m = mv_table_reserve(made, sizeof *m, MADE_BITS, groups)))
        return 0;
    m->n = 1;
    mv_table_publish(m, groups);
    return 1;
}

/* How many calls of these kinds of collectives were entered on an object. */
static uint64_t sum(const struct mv_object *o, unsigned first, unsigned last)
{
    uint64_t n = 0;
    for (unsigned i = first; i <= last; i++)
        n += __atomic_load_n(&o->count[i].entered, __ATOMIC_RELAXED);
    return n;
}

/*
 * Gives a communicator an identity that is the same on all of its members. For MPI_COMM_WORLD and MPI_COMM_SELF it is
 * fixed. If all members of a communicator have made it from another one, it is identified by the other one, its number
 * among those made from it, and its lowest member. If some processes have made it, it is identified by its members, and
 * its number among those made by them. The lock is held.
 */
static void identify(struct mv_object *o, const struct mv_run *runs, const struct mv_comm *c,
                     const struct mv_object *of)
{
    const int64_t local = lowest(runs, c->runs, c->size),
                  remote = lowest(runs + c->runs, c->remote_runs, c->remote_size);
    int64_t low = local;
    if (c->is_inter && remote >= 0 && remote < local)
        low = remote;
    switch (o->made) {
    case MV_MADE_WORLD:
        o->id = mix(0, MV_MADE_WORLD);
        return;
    case MV_MADE_SELF:
        o->id = mix(mix(0, MV_MADE_SELF), (uint64_t)local);
        return;
    case MV_MADE_PARENT:
        o->id = mix(0, MV_MADE_PARENT);
        return;
    case MV_COLL_COMM_CREATE_GROUP:
    case MV_COLL_COMM_CREATE_FROM_GROUP:
    case MV_COLL_INTERCOMM_CREATE:
    case MV_COLL_INTERCOMM_CREATE_FROM_GROUPS: {
        /* The same seen from both groups. */
        const uint64_t groups =
            mix(hash_members(runs, c->runs) + hash_members(runs + c->runs, c->remote_runs), o->made);
        if (local < 0 || (c->is_inter && remote < 0))
            break;
        o->number = number_of(groups);
        o->id = mix(groups, o->number);
        if (o->number)
            return;
        break;
    }
    default:
        if (o->made < MV_COLL_COMM_DUP || o->made > MV_COLL_COMM_CONNECT || !is_object(of) || !serial_of(of) ||
            local < 0)
            break;
        o->parent = of->id;
        o->number = sum(of, MV_COLL_COMM_DUP, MV_COLL_COMM_CONNECT);
        o->id = mix(mix(mix(of->id, o->made), o->number), (uint64_t)low);
        o->flags = of->flags;
        return;
    }
    o->flags = MV_OBJECT_ALONE;
    o->id = mix(mix((uint64_t)mv_g.pid, serials), 1);
}

void mv_object_comm(const struct mv_comm *c, const struct mv_run *runs, struct mv_object *of, unsigned made)
{
    lock();
    struct mv_object *o = fresh(c->handle, MV_OBJECT_COMM);
    if (o) {
        o->made = made;
        o->rank = c->rank;
        o->size = c->size;
        o->remote_size = c->remote_size;
        identify(o, runs, c, of);
        o->runs = c->runs < MV_OBJECT_RUNS ? c->runs : MV_OBJECT_RUNS;
        if (o->runs == c->runs)
            o->remote_runs = c->remote_runs < MV_OBJECT_RUNS - o->runs ? c->remote_runs : MV_OBJECT_RUNS - o->runs;
        memcpy(o->run, runs, (o->runs + o->remote_runs) * sizeof *runs);
        show(o);
    }
    unlock();
}

void mv_object_derived(uint64_t handle, unsigned kind, struct mv_object *of, unsigned made)
{
    lock();
    struct mv_object *o = fresh(handle, kind);
    if (o) {
        o->made = made;
        o->rank = of->rank;
        o->size = of->size;
        o->remote_size = of->remote_size;
        o->runs = of->runs;
        o->remote_runs = of->remote_runs;
        memcpy(o->run, of->run, sizeof o->run);
        o->parent = of->id;
        o->flags = !is_object(of) || !serial_of(of) ? MV_OBJECT_ALONE : of->flags;
        o->number = kind == MV_OBJECT_WIN ? sum(of, MV_COLL_WIN_CREATE, MV_COLL_WIN_CREATE_DYNAMIC)
                                          : sum(of, MV_COLL_FILE_OPEN, MV_COLL_FILE_OPEN);
        o->id = o->flags & MV_OBJECT_ALONE ? mix(mix((uint64_t)mv_g.pid, serials), kind)
                                           : mix(mix(of->id, kind + 0x1000), o->number);
        show(o);
    }
    unlock();
}

void mv_object_free(uint64_t handle, unsigned kind, struct mv_object *o, uint64_t serial)
{
    lock();
    if (is_object(o) && serial_of(o) == serial)
        forget(mv_object_key(handle, kind));
    unlock();
}

void mv_object_name(uint64_t handle, unsigned kind, const char *name)
{
    struct mv_object *o = mv_object(handle, kind);
    if (!is_object(o) || !name)
        return;
    const size_t n = strnlen(name, sizeof o->name - 1);
    memcpy(o->name, name, n);
    o->name[n] = 0;
    memcpy(twin_of(o)->name, o->name, sizeof o->name);
}

struct mv_object *mv_object_of_world(void)
{
    for (uint32_t i = 1; files[0] && i < files[0]->count; i++)
        if (serial_of(&tables[0][i]) && tables[0][i].made == MV_MADE_WORLD)
            return &tables[0][i];
    return atomic_load_explicit(&others, memory_order_relaxed);
}

#define REQUESTS_BITS 12

/* Requests of persistent collectives. Read and written with the lock. */
static struct request {
    _Atomic uint64_t request; /* key */
    struct mv_object *object;
    uint64_t serial;
    unsigned kind;
} requests[1 << REQUESTS_BITS];
_Atomic unsigned mv_persistents;

static struct request *find_request(uint64_t request)
{
    return mv_table_find(requests, sizeof requests[0], REQUESTS_BITS, request);
}

void mv_persistent(uint64_t request, struct mv_object *o, unsigned kind)
{
    lock();
    struct request *r = find_request(request);
    if (!r && (r = mv_table_reserve(requests, sizeof *r, REQUESTS_BITS, request)))
        atomic_fetch_add(&mv_persistents, 1);
    if (r) {
        r->object = o;
        r->serial = serial_of(o);
        r->kind = kind;
        mv_table_publish(r, request);
    }
    unlock();
}

void mv_persistent_free(uint64_t request)
{
    lock();
    struct request *r = find_request(request);
    if (r) {
        mv_table_remove(r);
        atomic_fetch_sub(&mv_persistents, 1);
    }
    unlock();
}

void mv_started(uint64_t request)
{
    lock();
    const struct request *r = find_request(request);
    if (r && serial_of(r->object) == r->serial) {
        struct mv_count *n = &r->object->count[r->kind];
        mv_count(r->object, &n->entered);
        mv_count(r->object, &n->left);
    }
    unlock();
}

MV_COLD void mv_collective_left(struct mv_thread *t, unsigned function)
{
    if (function < mv_ncollective && mv_collective_of[function] < MV_KINDS && t->object)
        mv_collective_leave(t->object, mv_collective_of[function]);
}
