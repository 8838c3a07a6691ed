/*
 * The roots of the tables that debuggers read (struct mv_debug in record.h, docs/debugger-tables.md), and what the
 * calls of a thread write there. The tables must be readable at every instant: an entry is complete before it can be
 * found.
 * So the order of the stores matters, but only within a thread: a debugger reads them while the process is stopped.
 */
#ifndef MPIVET_DEBUG_H
#define MPIVET_DEBUG_H

#include <string.h>

#include "session.h"

/* Called once, when the process has joined the session. */
void mv_debug_start(uint64_t table_hash);

/* Sets the symbol in which debuggers find the library that shows message queues. The MPI's own one if path is empty. */
void mv_debug_library(const char *path);

/* When MPI is initialized: the process's place in MPI_COMM_WORLD, and the size of a handle in the program. Makes the
 * file that the analyzer writes to. */
void mv_debug_world(int rank, int size, unsigned handle_size);

/* Adds a thread. Any thread may call it. */
void mv_debug_thread(struct mv_debug_thread *d);

/* Adds a table of objects. The caller has the lock of objects.c. */
void mv_debug_objects(const struct mv_object *table, uint32_t count);

/* Adds to the names of predefined handles and constants: a list of struct mv_name. Called during MPI_Init. */
void mv_debug_names(const unsigned char *list, size_t used);

/* The table of objects. Called once, before it has entries. */
void mv_debug_kept(const void *buckets, unsigned bits);

/* Number of objects for which there is no room. Any thread adds 1. */
void mv_debug_forgotten(void);

/* The first thread of the list. */
struct mv_debug_thread *mv_debug_threads(void);

/* The time of the analyzer's last tick: CLOCK_MONOTONIC ns. */
MV_INLINE uint64_t mv_beat(void) { return __atomic_load_n(&mv_g.control->beat, __ATOMIC_RELAXED); }

/* Keeps the compiler from moving stores. */
#define MV_IN_ORDER() atomic_signal_fence(memory_order_seq_cst)

/* The record of a call has been written, and the call is about to enter MPI. */
MV_INLINE void mv_debug_enter(struct mv_debug_thread *d, const unsigned char *r, uint64_t len, uint64_t call)
{
    memcpy(d->now, r, 64);
    for (uint64_t at = 64; MV_UNLIKELY(at < len && at < MV_NOW); at += 64)
        memcpy(d->now + at, r + at, 64);
    d->now_length = (uint32_t)len;
    d->beat = mv_beat();
    d->polling = 0;
    __atomic_store_n(&d->call, call, __ATOMIC_RELAXED);
    MV_IN_ORDER();
    __atomic_store_n(&d->record, (uintptr_t)r, __ATOMIC_RELAXED);
}

/* A test or probe is repeated. Its record is in private memory. */
MV_INLINE void mv_debug_poll(struct mv_debug_thread *d, const unsigned char *r)
{
    d->polling = 1;
    MV_IN_ORDER();
    __atomic_store_n(&d->record, (uintptr_t)r, __ATOMIC_RELAXED);
}

/* The call has returned. */
MV_INLINE void mv_debug_leave(struct mv_debug_thread *d)
{
    __atomic_store_n(&d->record, 0, __ATOMIC_RELAXED);
}

#endif
