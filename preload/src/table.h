/*
 * A hash table of fixed size, with open addressing. It allocates nothing. All units use it, except for two tables that
 * debuggers read, whose form is in record.h: kept.c has several objects with one handle, and in requests.c, entries
 * come and go with most calls.
 *
 * A table is an array of 1 << bits entries of the caller's own type. The first member of an entry is its key, an
 * `_Atomic uint64_t`. Keys 0 to 2 are reserved, so no handle may have one of these values.
 *
 * Any number of threads may look up keys at any time, without a lock. The key is stored last, by release, and loaded by
 * acquire: a thread that finds a key also sees the rest of its entry. Threads may add different keys at the same time.
 * If several threads may add or remove the same key, they need their own lock.
 */
#ifndef MPIVET_TABLE_H
#define MPIVET_TABLE_H

#include "base.h"

enum {
    MV_KEY_NEVER = 0,   /* no entry has been here: a search ends */
    MV_KEY_FREE = 1,    /* an entry was removed: a search goes on */
    MV_KEY_FILLING = 2, /* a thread fills in the entry: a search goes on */
};

/* Maximum number of places for an entry, from its first one on. If all are taken, the table is full for this key. */
#define MV_TABLE_PROBES 64

/* The entry at a place. size: of an entry. */
MV_INLINE void *mv_table_entry(void *table, size_t size, unsigned at) { return (char *)table + size * at; }

MV_INLINE _Atomic uint64_t *mv_table_key(void *entry) { return (_Atomic uint64_t *)entry; }

/* The entry of a key, NULL if there is none. */
MV_INLINE void *mv_table_find(void *table, size_t size, unsigned bits, uint64_t key)
{
    const unsigned mask = (1u << bits) - 1;
    unsigned at = mv_hash_bits(key, bits);
    for (unsigned i = 0; i < MV_TABLE_PROBES; i++, at = (at + 1) & mask) {
        void *entry = mv_table_entry(table, size, at);
        const uint64_t k = atomic_load_explicit(mv_table_key(entry), memory_order_acquire);
        if (k == key)
            return entry;
        if (k == MV_KEY_NEVER)
            return NULL;
    }
    return NULL;
}

/* Takes an unused entry for a key that is not in the table. The caller fills it in, and then calls mv_table_publish.
 * NULL: the table is full for this key. */
MV_INLINE void *mv_table_reserve(void *table, size_t size, unsigned bits, uint64_t key)
{
    const unsigned mask = (1u << bits) - 1;
    unsigned at = mv_hash_bits(key, bits);
    for (unsigned i = 0; i < MV_TABLE_PROBES; i++, at = (at + 1) & mask) {
        void *entry = mv_table_entry(table, size, at);
        uint64_t k = atomic_load_explicit(mv_table_key(entry), memory_order_relaxed);
        if (k <= MV_KEY_FREE && atomic_compare_exchange_strong(mv_table_key(entry), &k, MV_KEY_FILLING))
            return entry;
    }
    return NULL;
}

/* Makes an entry visible. */
MV_INLINE void mv_table_publish(void *entry, uint64_t key)
{
    atomic_store_explicit(mv_table_key(entry), key, memory_order_release);
}

/* Removes an entry that mv_table_find has returned. */
MV_INLINE void mv_table_remove(void *entry)
{
    atomic_store_explicit(mv_table_key(entry), MV_KEY_FREE, memory_order_release);
}

#endif
