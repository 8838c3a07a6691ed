/*
 * Communicators, windows and files as seen by external tools: the collective calls on each (struct mv_object).
 * Each object exists twice: in private memory, which this library works with and which core files contain, and in a
 * shared file, for other processes.
 *
 * A call is counted by mv_collective_enter and mv_collective_leave, which take no lock and make no system call. All
 * other functions run when objects are made and freed. They take a lock for a moment, and preserve errno.
 */
#ifndef MPIVET_OBJECTS_H
#define MPIVET_OBJECTS_H

#include "ring.h"
#include "table.h"

/* The place of an object: an entry of a table (table.h). Written with the lock of objects.c, read by every collective
 * call. */
struct mv_place {
    _Atomic uint64_t key; /* mv_object_key */
    struct mv_object *_Atomic object;
};

#define MV_PLACE_BITS 14
extern struct mv_place mv_places[1 << MV_PLACE_BITS];

/* Number of requests of persistent collectives. Written with the lock of objects.c. Every MPI_Start reads it, and looks
 * further only if it is not 0. A thread that knows a request has made it before, or learned of it from the thread that
 * has. */
extern _Atomic unsigned mv_persistents;

/* Handles of different kinds may have the same value. No address or number uses the highest bits. */
MV_INLINE uint64_t mv_object_key(uint64_t handle, unsigned kind) { return handle ^ (uint64_t)kind << 60; }

/* When MPI is initialized. Before that, only mv_object and the counting functions may be used. */
void mv_objects_start(void);

/* Adds to the names that external tools may look up: a list of struct mv_name. */
void mv_objects_names(const unsigned char *list, size_t used);

/* The object of a key that is not at its first place. */
struct mv_object *mv_object_on(uint64_t key);

/* The object of MPI_COMM_WORLD. */
struct mv_object *mv_object_of_world(void);

/* A communicator has been made, by a call on `of` if that is not NULL. made: enum mv_collective or enum mv_made. */
void mv_object_comm(const struct mv_comm *c, const struct mv_run *runs, struct mv_object *of, unsigned made);

/* A window or file has been made on a communicator. */
void mv_object_derived(uint64_t handle, unsigned kind, struct mv_object *of, unsigned made);

/* The object of that serial number was freed, unless its handle was given to another one in the meantime. */
void mv_object_free(uint64_t handle, unsigned kind, struct mv_object *o, uint64_t serial);

/* The program has named an object. */
void mv_object_name(uint64_t handle, unsigned kind, const char *name);

/* A persistent collective has been made. kind: the kind of its starts. */
void mv_persistent(uint64_t request, struct mv_object *o, unsigned kind);

/* A request is freed, or started. It may be that of a persistent collective. */
void mv_persistent_free(uint64_t request);
void mv_started(uint64_t request);

/* The recorded call under way was left by longjmp or an exception. function: its number. */
void mv_collective_left(struct mv_thread *t, unsigned function);

/* The object of a handle. If it is unknown, the object that stands for all unknown ones. */
MV_INLINE struct mv_object *mv_object(uint64_t handle, unsigned kind)
{
    const uint64_t key = mv_object_key(handle, kind);
    struct mv_place *p = &mv_places[mv_hash_bits(key, MV_PLACE_BITS)];
    if (MV_LIKELY(atomic_load_explicit(&p->key, memory_order_acquire) == key))
        return atomic_load_explicit(&p->object, memory_order_relaxed);
    return mv_object_on(key);
}

/* Adds 1 to a count of an object, and to the count of its twin. Threads may be in collectives on one object at the same
 * time (MPI_Comm_create_group, RMA). Only this process writes the counts. External tools read them, in no particular
 * order. */
MV_INLINE void mv_count(const struct mv_object *o, uint64_t *n)
{
    uint64_t *twin = (uint64_t *)((char *)n + o->twin);
    if (MV_UNLIKELY(mv_is_timed())) {
        __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(twin, 1, __ATOMIC_RELAXED);
        return;
    }
    const uint64_t more = __atomic_load_n(n, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(n, more, __ATOMIC_RELAXED);
    __atomic_store_n(twin, more, __ATOMIC_RELAXED);
}

/* A recorded call of a collective is about to enter MPI. */
MV_INLINE struct mv_object *mv_collective_enter(struct mv_thread *t, struct mv_object *o, unsigned kind)
{
    t->object = o;
    mv_count(o, &o->count[kind].entered);
    return o;
}

/* It has returned. */
MV_INLINE void mv_collective_leave(struct mv_object *o, unsigned kind) { mv_count(o, &o->count[kind].left); }

#endif
