/*
 * The variable parts of call records: arrays, strings and statuses. The generated wrappers use them. They are on the
 * record path: they take no lock and allocate nothing, except that a thread's own buffers may grow.
 */
#ifndef MPIVET_CALL_H
#define MPIVET_CALL_H

#include <string.h>

#include "comm.h"
#include "mpi_objects.h"
#include "mv.h"
#include "objects.h"
#include "query.h"

_Static_assert(sizeof(void *) == 8 && sizeof(MPI_Aint) == 8, "records are made for 64-bit programs");

/* The number of elements for a count: negative counts are 0. */
MV_INLINE uint64_t mv_n(int64_t n) { return n > 0 ? (uint64_t)n : 0; }

/* Bytes that a section of n elements takes. If there are too many elements for a call record, it is only the header of
 * 8 bytes. */
MV_INLINE uint64_t mv_section_room(const struct mv_thread *t, uint64_t n, unsigned slot)
{
    if (!n)
        return 0;
    if (MV_UNLIKELY(n > t->inline_max / slot))
        return 8;
    return 8 + ((n * slot + 7) & ~(uint64_t)7);
}

MV_INLINE void mv_section_head(unsigned char *at, unsigned kind, unsigned param, uint64_t n, uint64_t room)
{
    uint64_t h = (room == 8 ? MV_CUT : kind) | (uint64_t)param << 16 | n << 32;
    __builtin_memcpy(at, &h, 8);
}

/* Copies an array; 4-byte handles become 8 bytes. width: of an element in the program, slot: in the record. */
void mv_fill(unsigned char *to, const void *p, uint64_t n, unsigned width, unsigned slot);

/* Publishes an array that was too long for its call record, in parts. width: of an element in the program; for
 * statuses, whether their error field is set. */
void mv_data(struct mv_thread *t, unsigned kind, unsigned param, const void *p, uint64_t n, unsigned width);

/* An array that the call reads. width: of an element in the program, slot: in the record. */
MV_INLINE void mv_section_in(unsigned char *at, unsigned kind, unsigned param, const void *p, uint64_t n, uint64_t room,
                             unsigned width, unsigned slot)
{
    if (!room)
        return;
    mv_section_head(at, kind, param, n, room);
    if (room > 8)
        mv_fill(at + 8, p, n, width, slot);
}

/* Not zero if an array that the call reads differs from the array in a section. */
MV_INLINE uint64_t mv_section_differs(const unsigned char *at, const void *p, uint64_t n, unsigned width, unsigned slot)
{
    uint64_t differ = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t v = 0, was = 0;
        __builtin_memcpy(&v, (const char *)p + i * width, width);
        __builtin_memcpy(&was, at + 8 + i * slot, slot);
        differ |= v ^ was;
    }
    return differ;
}

/* Room for an array that the call writes. Elements that are not written read as zero. */
MV_INLINE void mv_section_out(unsigned char *at, unsigned kind, unsigned param, uint64_t n, uint64_t room)
{
    if (!room)
        return;
    mv_section_head(at, kind, param, n, room);
    if (room > 8)
        memset(at + 8, 0, room - 8);
}

MV_INLINE uint64_t mv_string_length(const struct mv_thread *t, const char *s)
{
    return s ? strnlen(s, t->inline_max) : 0;
}

/* Whether an array is too long for the call record, so that it goes into its own records. */
MV_INLINE int mv_is_cut(uint64_t room) { return room == 8; }

MV_INLINE void mv_fill_status(unsigned char *to, const MPI_Status *s, uint64_t n, int with_error)
{
    for (uint64_t i = 0; i < n; i++) {
        struct mv_status v;
        mv_status_value(&v, &s[i], with_error);
        memcpy(to + i * sizeof v, &v, sizeof v);
    }
}

/* Bytes in status i, -1 if they are unknown (struct mv_completion). statuses may be MPI_STATUS_IGNORE or
 * MPI_STATUSES_IGNORE. */
int64_t mv_status_at(const void *statuses, uint64_t i);

/* Statuses to pass if the program ignores them. If there is no memory, they stay ignored. */
MV_INLINE MPI_Status *mv_statuses(struct mv_thread *t, MPI_Status *program, uint64_t n)
{
    if (program != MPI_STATUSES_IGNORE || !n)
        return program;
    MPI_Status *own = mv_grow(&t->status, n * sizeof *own);
    return own ? own : MPI_STATUSES_IGNORE;
}

/* The last of n numbers. */
MV_INLINE uint64_t mv_last(const int *a, uint64_t n) { return a && n ? mv_n(a[n - 1]) : 0; }

/* The sum of n numbers, negative ones left out. */
MV_INLINE uint64_t mv_sum(const int *a, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; a && i < n; i++)
        sum += mv_n(a[i]);
    return sum;
}

/* Whether this process is the root of a collective call. */
MV_INLINE int mv_is_root(int root, uint64_t comm)
{
    const struct mv_known *k = mv_known(comm);
    return k->remote ? root == MPI_ROOT : root == k->rank;
}

/* Ends the list of sections, if there is room, by a zero. */
MV_INLINE void mv_section_end(unsigned char *r, uint64_t at, uint64_t end)
{
    if (at + 8 <= end)
        mv_put8(r + at, 0, 0);
}

/* A record that is being written. */
struct mv_open {
    unsigned char *r;
    uint64_t len;
    int timed;
};

/* The same as function calls, for functions that programs call rarely. Inlined into hundreds of wrappers, the code
 * above would take the compiler half a minute. */

/* Begins a record that is to be `end` bytes long. */
struct mv_open mv_open(struct mv_thread *t, uintptr_t ra, unsigned kind, unsigned used, uint64_t end);
void mv_open_publish(struct mv_thread *t, const struct mv_open *o);
void mv_open_done(struct mv_thread *t, const struct mv_open *o, int rc);
struct mv_thread *mv_enter_far(uintptr_t cfa);
struct mv_object *mv_object_far(uint64_t handle, unsigned kind);
uint64_t mv_section_room_far(const struct mv_thread *t, uint64_t n, unsigned slot);
/* These two return where the next section begins. */
unsigned char *mv_section_in_far(unsigned char *at, unsigned kind, unsigned param, const void *p, uint64_t n,
                                 uint64_t room, unsigned width);
unsigned char *mv_section_out_far(unsigned char *at, unsigned kind, unsigned param, uint64_t n, uint64_t room);
void mv_fill_status_far(unsigned char *to, const MPI_Status *s, uint64_t n, int with_error);
unsigned char *mv_query_begin_far(struct mv_thread *t, unsigned kind, unsigned used, uintptr_t ra);
void mv_query_end_far(struct mv_thread *t, int rc);

/* The record of a poll that mv_poll_borrow has begun and that differs from the one before. */
MV_INLINE struct mv_open mv_poll_open(struct mv_thread *t)
{
    if (MV_LIKELY(t->borrowed))
        mv_poll_publish(t, 0);
    return (struct mv_open){t->record, (uint64_t)((const struct mv_record *)t->record)->lines * 64, 0};
}

#endif
