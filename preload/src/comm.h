/*
 * Communicators: their sizes, so that lengths of arrays are known without asking MPI about a handle that may be
 * anything. And the publication of new ones. Only handles that MPI itself has returned get in. The record path reads
 * them without a lock.
 */
#ifndef MPIVET_COMM_H
#define MPIVET_COMM_H

#include "mpi_objects.h"
#include "mv.h"
#include "objects.h"

/* What is known of a communicator. */
struct mv_known {
    int size, rank, remote; /* in the local group; in the remote one, 0 if there is none */
    int dims, in, out;      /* topology: dimensions, neighbours */
    unsigned serial;        /* different for each communicator */
};

/* What is known of a communicator. A handle that is not known has no members. */
const struct mv_known *mv_known(uint64_t comm);


/* The number of processes that a call of a collective names in its arrays. */
MV_INLINE int mv_comm_size(uint64_t comm)
{
    const struct mv_known *k = mv_known(comm);
    return k->remote ? k->remote : k->size;
}

/* After a call that has made a communicator. parent: its group is asked of that if from_parent. of, made: for
 * mv_object_comm. */
void mv_new_comm(struct mv_thread *t, MPI_Comm comm, MPI_Comm parent, int from_parent, struct mv_object *of,
                 unsigned made);

/* After a call that has freed a communicator. serial: what mv_known said before the call. MPI may have given the handle
 * to another communicator since, which another thread has made. */
void mv_forget_comm(uint64_t comm, unsigned serial);

/* Whether a communicator has been made since the start of MPI, or since mv_comm_end. */
int mv_comm_made(void);
void mv_comm_end(void);

#endif
