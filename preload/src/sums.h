/*
 * Checksums of the data that messages and collectives move: records of the data that a call has sent, before the real
 * function is called, and of those that it has received, after it has returned. A part has no sum if its data cannot be
 * found with certainty.
 *
 * These functions are called only by the generated functions before the real ones (moved.c). They read only the data of
 * the program.
 */
#ifndef MPIVET_SUMS_H
#define MPIVET_SUMS_H

#include "movement.h"
#include "ring.h"
#include "snapshot.h"

/* At the end of MPI_Init: announces that there will be sums. */
void mv_sums_announce(struct mv_thread *t);

/* Records the sums of the data that a collective sends, before the real function is called. The call's record has been
 * published. */
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m);

/* Records the sums of the data that it has received, after the real function has returned rc. */
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc);

/* Sums up a part. Returns its number of bytes, 0 if there is no sum. */
uint64_t mv_part_sum(const struct mv_part *p, uint64_t *sum);

/* Records the sums of these parts. values, if not NULL, gets each of them, 0 if there is none. */
void mv_sums_of(struct mv_thread *t, const struct mv_sums *head, const struct mv_part *parts, uint64_t n,
                uint64_t *values);

/* Records the sums of a message's blocks. */
void mv_sums_snapshot(struct mv_thread *t, const struct mv_sums *head, const struct mv_snapshot *s);

/* Records that data have changed. kind: of the record, enum mv_info. */
void mv_sums_changed(struct mv_thread *t, unsigned kind, const struct mv_changed *c);

/* The thread, if the program has made the call of function `kind` that the thread is in. NULL for calls that MPI makes
 * inside it. */
struct mv_thread *mv_sums_thread(unsigned kind);

#endif
