/*
 * Strict mode: a collective call is recorded, and then held until the analyzer has compared it with those of the other
 * members. A call that breaks the standard does not enter MPI. It returns an error, through the program's error
 * handler.
 *
 * In strict mode these functions stand between the wrappers and the real ones (between.h). Otherwise they are never
 * called.
 */
#ifndef MPIVET_STRICT_H
#define MPIVET_STRICT_H

#include "mpi_objects.h"

/* Holds the call of function `kind` that this thread has recorded. MPI_SUCCESS: the call may enter MPI. Any other
 * result is the error that the call must return, without entering MPI. The error handler has been called then. */
int mv_hold(unsigned kind);

/* Holds a call that may complete nonblocking collectives. waits: the call completes all of its requests, so it may be
 * held until all collectives among them are judged. Other calls are not held, but return an error if one is known. */
int mv_hold_completion(unsigned kind, const MPI_Request *list, uint64_t n, int waits);

/* Remembers the request of a nonblocking collective. */
void mv_mark(const MPI_Request *request);

/* Before MPI_Finalize, or the end of the last session: frees the library's own request. again: MPI may be used
 * later. */
void mv_strict_end(int again);

#endif
