/*
 * Polls are tests and probes that a program repeats and that find nothing. They need no records, but must be counted.
 * So a poll that is the same as a recorded one gets a record only if it turns out to be different, or if another record
 * must be written in the meantime.
 *
 * A poll is the same if two conditions hold. The last records of the thread are those of polls that found nothing. And
 * one of them has the same arguments and came from the same place: the return address and the frame of the call are the
 * same. Whether the rest of the stack is the same is checked only now and then.
 */
#ifndef MPIVET_POLLS_H
#define MPIVET_POLLS_H

#include "site.h"

/* Makes the poll from this place the last one, and returns it. The poll has found nothing. NULL if there is none. */
struct mv_polled *mv_poll_other(struct mv_thread *t, uintptr_t ra, uintptr_t cfa);

/* Remembers a poll that was called from ra and has found nothing, if its record is the last one. If there are too many
 * polls, the oldest is forgotten. If another record was written in between, all are forgotten. */
void mv_poll_note(struct mv_thread *t, const unsigned char *r, uint64_t len, int timed, uintptr_t ra);

/* Gives the poll under way its own record: a copy of the one that it has borrowed, with the results of that one until
 * its own results are filled in. gone: its frame no longer exists, so that its stack cannot be looked at. */
void mv_poll_publish(struct mv_thread *t, int gone);

/* Begins a record that is not a call, with so much room after its header. mv_info_end makes it visible. If the call
 * under way has borrowed a record, it gets its own one first. */
unsigned char *mv_info(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload);

/* The copy of the record that the poll may repeat, NULL if there is none. The caller compares the arguments. */
MV_INLINE const unsigned char *mv_poll_again(struct mv_thread *t, unsigned kind, uintptr_t ra, uintptr_t cfa)
{
    struct mv_polled *p = t->polled;
    if (MV_UNLIKELY(t->polls_end != t->head || mv_is_timed()))
        return NULL;
    if (MV_UNLIKELY(p->ra != ra || p->cfa != (cfa & t->cfa_mask)) && !(p = mv_poll_other(t, ra, cfa)))
        return NULL;
    if (MV_UNLIKELY(t->repeats % MV_POLLS_TRUSTED == 0) && mv_site(t, ra, cfa) != p->head.site)
        return NULL;
    return MV_LIKELY(p->head.kind == kind) ? p->record : NULL;
}

/* Begins a poll that has the arguments of that record. */
MV_INLINE void mv_poll_borrow(struct mv_thread *t)
{
    t->record = t->polled->record;
    t->borrowed = 1;
    mv_debug_poll(&t->debug, t->record);
}

/* Ends it: it has found nothing. */
MV_INLINE void mv_poll_repeated(struct mv_thread *t)
{
    t->borrowed = 0;
    t->record = NULL;
    mv_debug_leave(&t->debug);
    t->repeats++;
    __atomic_store_n(&t->ring->repeats, t->repeats, __ATOMIC_RELAXED);
}

/* Not zero if a value differs from what a record has. */
MV_INLINE uint64_t mv_differ8(const unsigned char *r, unsigned at, uint64_t v)
{
    uint64_t was;
    __builtin_memcpy(&was, r + at, 8);
    return was ^ v;
}

MV_INLINE uint64_t mv_differ4(const unsigned char *r, unsigned at, int32_t v)
{
    int32_t was;
    __builtin_memcpy(&was, r + at, 4);
    return (uint32_t)(was ^ v);
}

#endif
