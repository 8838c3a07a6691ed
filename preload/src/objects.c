/*
 * The table of communicators, windows and files in shared memory: room for them, their identity, and how they come and go.
 *
 * Everything here but mv_object_on is off the record path. It takes a lock for a moment, prints nothing and preserves
 * errno. Where there is no room, calls are counted for an object that stands for all such.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "objects.h"

#define PAGE 4096
#define NAMES (32 << 10)
/* Objects in the first file, how many times as many are in each next one, and how many of them there may be: 5,456 in all. */
#define FIRST 16
#define GROWTH 4
#define FILES 5
#define PROBES 64

_Static_assert(sizeof(struct mv_object) == PAGE, "an object is a page");
_Static_assert(offsetof(struct mv_object, count) == 1024, "counts begin at a round place");
_Static_assert(MV_COLL_COMM_AGREE < MV_KINDS, "the kinds fit");

struct mv_place mv_places[1 << MV_PLACE_BITS];

/* Counts where nobody looks: before MPI is initialized, and where there is no room for a file. */
static struct mv_object nowhere;
static struct mv_object *others = &nowhere;

static struct mv_objects *files[FILES];
static int nfiles, full;
static uint64_t serials;
static struct mv_object *unused[FIRST * (GROWTH * GROWTH * GROWTH * GROWTH * GROWTH - 1) / (GROWTH - 1)];
static unsigned nunused;
static atomic_flag busy = ATOMIC_FLAG_INIT;

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
    if (!f) {
        full = 1;
        return;
    }
    uint32_t first = 0;
    if (nfiles == 0) {
        others = object_in(f, 0);
        first = 1;
    }
    files[nfiles++] = f;
    for (uint32_t i = count; i-- > first;)
        unused[nunused++] = object_in(f, i);
}

/* When MPI is initialized, before anything else here but the record path. */
void mv_objects_start(void)
{
    int e = errno;
    lock();
    if (nfiles == 0)
        grow();
    unlock();
    errno = e;
}

/* Adds to the names that outsiders may look up. */
void mv_objects_names(const unsigned char *list, size_t used)
{
    struct mv_objects *f = files[0];
    if (!f || f->names_room - f->names_used < used)
        return;
    memcpy((char *)f + f->names_at + f->names_used, list, used);
    atomic_store_explicit((_Atomic uint32_t *)&f->names_used, f->names_used + (uint32_t)used, memory_order_release);
}

/* Looks on, where an object is not at the first place for it. */
MV_COLD struct mv_object *mv_object_on(uint64_t key)
{
    unsigned at = mv_object_place(key);
    for (unsigned i = 0; i < PROBES; i++, at = (at + 1) % (1 << MV_PLACE_BITS)) {
        uint64_t k = atomic_load_explicit(&mv_places[at].key, memory_order_acquire);
        if (k == key)
            return atomic_load_explicit(&mv_places[at].object, memory_order_relaxed);
        if (!k)
            break;
    }
    return others;
}

/* Takes an object away from its handle; the lock is held. */
static void forget(uint64_t key)
{
    unsigned at = mv_object_place(key);
    for (unsigned i = 0; i < PROBES; i++, at = (at + 1) % (1 << MV_PLACE_BITS)) {
        struct mv_place *p = &mv_places[at];
        uint64_t k = atomic_load(&p->key);
        if (!k)
            return;
        if (k != key)
            continue;
        struct mv_object *o = atomic_load(&p->object);
        atomic_store(&p->key, 1);
        atomic_store_explicit((_Atomic uint64_t *)&o->serial, 0, memory_order_release);
        unused[nunused++] = o;
        return;
    }
}

/* A fresh object for a handle, all zero but that; NULL if there is no room. The lock is held. */
static struct mv_object *fresh(uint64_t handle, unsigned kind)
{
    const uint64_t key = mv_object_key(handle, kind);
    forget(key); /* freed by a call that is not known */
    if (!nunused)
        grow();
    unsigned at = mv_object_place(key);
    for (unsigned i = 0; nunused && i < PROBES; i++, at = (at + 1) % (1 << MV_PLACE_BITS)) {
        struct mv_place *p = &mv_places[at];
        if (atomic_load(&p->key) > 1)
            continue;
        struct mv_object *o = unused[--nunused];
        memset(o, 0, sizeof *o);
        o->handle = handle;
        o->kind = kind;
        atomic_store(&p->object, o);
        atomic_store_explicit(&p->key, key, memory_order_release);
        return o;
    }
    if (files[0])
        files[0]->homeless++;
    return NULL;
}

/* Makes an object visible. */
static void show(struct mv_object *o) { atomic_store_explicit((_Atomic uint64_t *)&o->serial, ++serials, memory_order_release); }

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 31;
    h *= 0x94d049bb133111ebULL;
    return h ^ h >> 29;
}

/* The lowest world rank among runs, -1 if some are of processes of another world or not known. */
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

/* Hashes the members of a group in their order, whatever runs they come in. */
static uint64_t hash_members(const struct mv_run *r, uint32_t n)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < r[i].count; k++)
            h = mix(h, (uint64_t)(r[i].start + r[i].stride * k) + 1);
    return h;
}

/* Numbers the communicators made of the same groups; 0 if there are too many different ones. The lock is held. */
static uint64_t number_of(uint64_t groups)
{
    static struct {
        uint64_t groups, n;
    } made[1024];
    unsigned at = (unsigned)(groups >> 54);
    groups |= 1;
    for (unsigned i = 0; i < PROBES; i++, at = (at + 1) % 1024) {
        if (!made[at].groups)
            made[at].groups = groups;
        if (made[at].groups == groups)
            return ++made[at].n;
    }
    return 0;
}

static uint64_t sum(const struct mv_object *o, unsigned first, unsigned last)
{
    uint64_t n = 0;
    for (unsigned i = first; i <= last; i++)
        n += atomic_load_explicit((_Atomic uint64_t *)&o->count[i].entered, memory_order_relaxed);
    return n;
}

/*
 * What a communicator is on all of its members: of MPI_COMM_WORLD's and of MPI_COMM_SELF's it is said, one made by all members
 * of another is known by that, how many of those there have been, and its lowest member; one made by some only by its members,
 * and how many of those there have been. The lock is held.
 */
static void identify(struct mv_object *o, const struct mv_run *runs, const struct mv_comm *c, const struct mv_object *of)
{
    const int64_t local = lowest(runs, c->runs, c->size), remote = lowest(runs + c->runs, c->remote_runs, c->remote_size);
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
        const uint64_t groups = mix(hash_members(runs, c->runs) + hash_members(runs + c->runs, c->remote_runs), o->made);
        if (local < 0 || (c->is_inter && remote < 0))
            break;
        o->number = number_of(groups);
        o->id = mix(groups, o->number);
        if (o->number)
            return;
        break;
    }
    default:
        if (o->made < MV_COLL_COMM_DUP || o->made > MV_COLL_COMM_CONNECT || !of || of == others || !of->serial || local < 0)
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

/* A communicator has been made, by a call on `of` if that is an object. */
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

/* A window or file has been made on a communicator. */
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
        o->flags = of == others || !of->serial ? MV_OBJECT_ALONE : of->flags;
        o->number = kind == MV_OBJECT_WIN ? sum(of, MV_COLL_WIN_CREATE, MV_COLL_WIN_CREATE_DYNAMIC) : sum(of, MV_COLL_FILE_OPEN, MV_COLL_FILE_OPEN);
        o->id = o->flags & MV_OBJECT_ALONE ? mix(mix((uint64_t)mv_g.pid, serials), kind) : mix(mix(of->id, kind + 0x1000), o->number);
        show(o);
    }
    unlock();
}

/* An object has been freed: that of the given serial number, unless its handle has been given to another one since. */
void mv_object_free(uint64_t handle, unsigned kind, struct mv_object *o, uint64_t serial)
{
    lock();
    if (o != others && o->serial == serial)
        forget(mv_object_key(handle, kind));
    unlock();
}

/* The program names an object. */
void mv_object_name(uint64_t handle, unsigned kind, const char *name)
{
    struct mv_object *o = mv_object(handle, kind);
    if (o == others || !name)
        return;
    const size_t n = strnlen(name, sizeof o->name - 1);
    memcpy(o->name, name, n);
    o->name[n] = 0;
}

struct mv_object *mv_object_of_world(void)
{
    for (uint32_t i = 1; files[0] && i < files[0]->count; i++)
        if (object_in(files[0], i)->serial && object_in(files[0], i)->made == MV_MADE_WORLD)
            return object_in(files[0], i);
    return others;
}

/* Requests of persistent collectives. */
#define REQUESTS 4096
static struct {
    uint64_t request; /* 0: free */
    struct mv_object *object;
    uint64_t serial;
    unsigned kind;
} requests[REQUESTS];
_Atomic unsigned mv_persistents;

/* Where a request is, or else may be; -1: nowhere. The lock is held. */
static int find_request(uint64_t request)
{
    unsigned at = (unsigned)(request * 0x9e3779b97f4a7c15ULL >> 52);
    int room = -1;
    for (unsigned i = 0; i < PROBES; i++, at = (at + 1) % REQUESTS) {
        if (requests[at].request == request)
            return (int)at;
        if (!requests[at].request && room < 0)
            room = (int)at;
    }
    return room;
}

/* A persistent collective has been made. kind: what it counts as when it is started. */
void mv_persistent(uint64_t request, struct mv_object *o, unsigned kind)
{
    lock();
    int at = find_request(request);
    if (at >= 0) {
        if (!requests[at].request)
            atomic_fetch_add(&mv_persistents, 1);
        requests[at].request = request;
        requests[at].object = o;
        requests[at].serial = o->serial;
        requests[at].kind = kind;
    }
    unlock();
}

void mv_persistent_free(uint64_t request)
{
    lock();
    int at = find_request(request);
    if (at >= 0 && requests[at].request == request) {
        requests[at].request = 0;
        atomic_fetch_sub(&mv_persistents, 1);
    }
    unlock();
}

/* A request is started, which may be one of a persistent collective. */
void mv_started(uint64_t request)
{
    lock();
    int at = find_request(request);
    if (at >= 0 && requests[at].request == request && requests[at].object->serial == requests[at].serial) {
        struct mv_count *n = &requests[at].object->count[requests[at].kind];
        mv_count(&n->entered);
        mv_count(&n->left);
    }
    unlock();
}

/* The recorded call under way was left by longjmp or an exception. function: its number. */
MV_COLD void mv_collective_left(struct mv_thread *t, unsigned function)
{
    if (function < mv_ncollective && mv_collective_of[function] < MV_KINDS && t->object)
        mv_collective_leave(t->object, mv_collective_of[function]);
}
