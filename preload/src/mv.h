/*
 * The path of every recorded call: mv_enter, then the record (ring.h, site.h), then the real function, then mv_done and
 * mv_leave.
 */
#ifndef MPIVET_MV_H
#define MPIVET_MV_H

#include "polls.h"
#include "tls.h"

/* The thread, when it is not ready: it is inside another call, new, or not recorded. NULL if the call is not
 * recorded. */
struct mv_thread *mv_first(uintptr_t cfa);

/* Begins a call. Returns the thread, which is now marked as inside MPI. NULL if the call is not recorded. */
MV_INLINE struct mv_thread *mv_enter(uintptr_t cfa)
{
    struct mv_thread *t = mv_tls.ready;
    if (MV_UNLIKELY(!t || !*mv_home)) {
        t = mv_first(cfa);
        if (!t)
            return NULL;
    }
    mv_tls.ready = NULL;
    t->cfa = cfa;
    return t;
}

/* Stores when a call was left. Its record has no room for that if there was one thread when it was entered. */
MV_INLINE void mv_left(struct mv_thread *t, unsigned char *r, uint64_t len, int timed)
{
    const uint16_t late = MV_LATE;
    if (timed) {
        mv_put8(r, (unsigned)len - 8, mv_ticks());
        return;
    }
    __atomic_store_n(&t->ring->late, mv_ticks(), __ATOMIC_RELAXED);
    __builtin_memcpy(r + offsetof(struct mv_record, flags), &late, sizeof late);
}

/* Completes the record. Results have been filled in. */
MV_INLINE void mv_done(struct mv_thread *t, unsigned char *r, uint64_t len, int timed, int rc)
{
    mv_put4(r, offsetof(struct mv_record, rc), rc);
    if (MV_UNLIKELY(mv_is_timed()))
        mv_left(t, r, len, timed);
    t->record = NULL;
    mv_debug_leave(&t->debug);
    t->done++;
    __atomic_store_n(&t->ring->done, t->done, __ATOMIC_RELEASE);
}

/* The same for a record whose length must be read from the record. */
MV_INLINE void mv_done_record(struct mv_thread *t, int rc)
{
    const struct mv_record *h = (const struct mv_record *)t->record;
    mv_done(t, t->record, (uint64_t)h->lines * 64, h->flags & MV_TIMED, rc);
}

/* Ends a call. */
MV_INLINE void mv_leave(struct mv_thread *t)
{
    if (MV_UNLIKELY(t->waits))
        mv_found(t, 2 * t->done + 1);
    mv_tls.ready = t->again;
}

#endif
