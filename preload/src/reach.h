/*
 * Whether the process can access the buffers that it passes to MPI, according to the kernel's memory map. The buffers
 * are not touched. A buffer that was accessible once is assumed to stay accessible forever. If a buffer seems
 * inaccessible, the map is read again, as memory may have been added or removed.
 */
#ifndef MPIVET_REACH_H
#define MPIVET_REACH_H

#include "ring.h"

#define MV_REACHED_BITS 10

/* Buffers that were accessible, by their keys. Any thread reads and writes an entry, in no particular order. That is
 * safe, as an entry is only a key. If another thread overwrites a key, the buffer is only checked again. */
extern _Atomic uint64_t mv_reached[1 << MV_REACHED_BITS];

/* Checks a buffer that mv_reached does not have. */
void mv_reach(struct mv_thread *t, uint64_t key, const void *buf, int64_t count, uint64_t type, int written);

/* A number for so many copies of a datatype at an address, to be read or written. */
MV_INLINE uint64_t mv_reach_key(const void *buf, int64_t count, uint64_t type, int written)
{
    const uint64_t v =
        ((uint64_t)(uintptr_t)buf * 0x9e3779b97f4a7c15ULL ^ ((uint64_t)count + type)) * 0xff51afd7ed558ccdULL;
    return (v & ~(uint64_t)1) | (uint64_t)written;
}

/* The place of a key. A buffer that is sent and then received into, as happens often, has two places. */
MV_INLINE _Atomic uint64_t *mv_reach_slot(uint64_t key)
{
    return &mv_reached[(key >> 54 ^ key) & ((1 << MV_REACHED_BITS) - 1)];
}

/* Reports a buffer that the call under way passes to MPI, if it cannot be accessed. */
MV_INLINE void mv_look(struct mv_thread *t, const void *buf, int64_t count, uint64_t type, int written)
{
    const uint64_t key = mv_reach_key(buf, count, type, written);
    if (MV_UNLIKELY(atomic_load_explicit(mv_reach_slot(key), memory_order_relaxed) != key))
        mv_reach(t, key, buf, count, type, written);
}

#endif
