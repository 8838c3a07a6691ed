/*
 * Communicators, windows and files as outsiders see them: what has been called collectively on each (struct mv_object).
 *
 * A call counts by mv_collective_enter and mv_collective_leave, which take no lock and make no system call. All else is
 * done when objects come and go.
 */
#ifndef MPIVET_OBJECTS_H
#define MPIVET_OBJECTS_H

#include "mv.h"

/* Where an object is: found by its handle. */
struct mv_place {
    _Atomic uint64_t key; /* 0: never used; 1: free again */
    struct mv_object *_Atomic object;
};

#define MV_PLACE_BITS 14
extern struct mv_place mv_places[1 << MV_PLACE_BITS];

/* Requests of persistent collectives that there are: MPI_Start asks further only if there are some. */
extern _Atomic unsigned mv_persistents;

/* Handles of different kinds may have the same value; no address or number uses the highest bits. */
MV_INLINE uint64_t mv_object_key(uint64_t handle, unsigned kind) { return handle ^ (uint64_t)kind << 60; }

MV_INLINE unsigned mv_object_place(uint64_t key) { return (unsigned)(key * 0x9e3779b97f4a7c15ULL >> (64 - MV_PLACE_BITS)); }

/* objects.c */
void mv_objects_start(void);
void mv_objects_names(const unsigned char *list, size_t used);
struct mv_object *mv_object_on(uint64_t key);
struct mv_object *mv_object_of_world(void);
void mv_object_comm(const struct mv_comm *c, const struct mv_run *runs, struct mv_object *of, unsigned made);
void mv_object_derived(uint64_t handle, unsigned kind, struct mv_object *of, unsigned made);
void mv_object_free(uint64_t handle, unsigned kind, struct mv_object *o, uint64_t serial);
void mv_object_name(uint64_t handle, unsigned kind, const char *name);
void mv_persistent(uint64_t request, struct mv_object *o, unsigned kind);
void mv_persistent_free(uint64_t request);
void mv_started(uint64_t request);
void mv_collective_left(struct mv_thread *t, unsigned function);

/* The object of a handle; one that stands for all others if there is none. */
MV_INLINE struct mv_object *mv_object(uint64_t handle, unsigned kind)
{
    const uint64_t key = mv_object_key(handle, kind);
    struct mv_place *p = &mv_places[mv_object_place(key)];
    if (MV_LIKELY(atomic_load_explicit(&p->key, memory_order_acquire) == key))
        return atomic_load_explicit(&p->object, memory_order_relaxed);
    return mv_object_on(key);
}

/* Adds 1. Threads may be in collectives on one object at the same time (MPI_Comm_create_group, RMA). */
MV_INLINE void mv_count(uint64_t *n)
{
    _Atomic uint64_t *a = (_Atomic uint64_t *)n;
    if (MV_UNLIKELY(mv_timed))
        atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
    else
        atomic_store_explicit(a, atomic_load_explicit(a, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* A recorded call of a collective is about to enter MPI. */
MV_INLINE struct mv_object *mv_collective_enter(struct mv_thread *t, struct mv_object *o, unsigned kind)
{
    t->object = o;
    mv_count(&o->count[kind].entered);
    return o;
}

/* It has returned. */
MV_INLINE void mv_collective_leave(struct mv_object *o, unsigned kind) { mv_count(&o->count[kind].left); }

#endif
