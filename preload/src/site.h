/*
 * Call sites: numbers of call stacks. A stack is published once, under its number, with the modules of its addresses.
 *
 * Only the thread's own stack is read; the unwinder follows the unwind tables there. Nothing is allocated: ways lie in
 * the thread's pool.
 */
#ifndef MPIVET_SITE_H
#define MPIVET_SITE_H

#include "ring.h"

/* A call's return address, and the address above it on the stack. Only for use in a wrapper itself. */
#define MV_RA ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
#define MV_CFA ((uintptr_t)__builtin_dwarf_cfa())

/* The number of the present call site where the first way of the set is another stack. */
uint32_t mv_site_slow(struct mv_thread *t, uintptr_t ra, uintptr_t cfa);

/* The present stack, from the frame whose pc is from_pc (0: the caller's caller) outwards. Returns its length. Safe in
 * a signal handler with glibc 2.35 or later. */
unsigned mv_unwind_from(uintptr_t from_pc, uint64_t *pcs, unsigned max);

/* The set of ways that a stack is in. */
MV_INLINE unsigned mv_set_of(uintptr_t ra, uintptr_t cfa) { return mv_hash_bits(ra ^ (cfa << 20), MV_SETS_BITS); }

/* Takes the place of the return address in a way, where the Python stack is also part of the call site: mv_site never
 * finds such a way, and mv_site_slow does. Any other program pays nothing. */
MV_INLINE uintptr_t mv_key_of(const struct mv_thread *t, uintptr_t ra) { return ra ^ (uintptr_t)t->python; }

/* The number of the present call site. It is published if it is new. */
MV_INLINE uint32_t mv_site(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    cfa &= t->cfa_mask;
    const struct mv_way *w = t->set[mv_set_of(ra, cfa)][0];
    if (MV_UNLIKELY(w->ra != ra || w->cfa != cfa))
        return mv_site_slow(t, ra, cfa);
    for (uint32_t i = 0; i < w->n; i++)
        if (MV_UNLIKELY(*w->frame[i].slot != w->frame[i].pc))
            return mv_site_slow(t, ra, cfa);
    return w->site;
}

#endif
