/*
 * Communicators and their sizes. The library needs the sizes for the lengths of arrays. It must not ask MPI about a
 * handle that may be invalid. So it stores only handles that MPI itself has returned. New communicators are published.
 * The record path reads them without a lock.
 */
#ifndef MPIVET_COMM_H
#define MPIVET_COMM_H

#include "mpi_objects.h"
#include "mv.h"
#include "objects.h"

/* Facts about a communicator. */
struct mv_known {
    int size, rank, remote; /* in the local group; in the remote one, 0 if there is none */
    int dims, in, out;      /* topology: dimensions, neighbours */
    unsigned serial;        /* different for each communicator */
};

/* Returns the facts about a communicator. An unknown handle has no members. */
const struct mv_known *mv_known(uint64_t comm);


/* The number of processes for which a call of a collective has array elements. */
MV_INLINE int mv_comm_size(uint64_t comm)
{
    const struct mv_known *k = mv_known(comm);
    return k->remote ? k->remote : k->size;
}

/* After a call that has made a communicator. If from_parent, its group is that of parent. of, made: for
 * mv_object_comm. */
void mv_new_comm(struct mv_thread *t, MPI_Comm comm, MPI_Comm parent, int from_parent, struct mv_object *of,
                 unsigned made);

/* After a call that has freed a communicator. serial: from mv_known before the call. In the meantime, MPI may have
 * given the handle to another communicator, made by another thread. */
void mv_forget_comm(uint64_t comm, unsigned serial);

/* Whether a communicator has been made since the start of MPI, or since mv_comm_end. */
int mv_comm_made(void);
void mv_comm_end(void);

#endif
