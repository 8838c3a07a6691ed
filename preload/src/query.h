/*
 * Queries are calls that neither communicate nor create an object, such as MPI_Comm_rank. They are only counted. They
 * get a record only if they fail, or if the program may misinterpret their result.
 */
#ifndef MPIVET_QUERY_H
#define MPIVET_QUERY_H

#include "mpi_objects.h"
#include "mv.h"

/* Writes the record of the query under way, which has failed, or is about to. Nothing happens if the call under way has
 * a record. */
void mv_query_failed(struct mv_thread *t);

/* Writes the record of the query under way, which has succeeded. */
void mv_query_told(struct mv_thread *t);

/* Whether MPI_Get_count, which has returned MPI_UNDEFINED, has found whole elements, but more than an int can count. */
int mv_count_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type);

/* The same for MPI_Get_elements. */
int mv_elements_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type);

/* Begins a query. Returns room for its arguments. */
MV_INLINE unsigned char *mv_query_begin(struct mv_thread *t, unsigned kind, unsigned used, uintptr_t ra)
{
    t->query_kind = (uint16_t)kind;
    t->query_used = (uint16_t)used;
    t->query_ra = ra;
    t->queries++;
    __atomic_store_n(&t->ring->queries, t->queries, __ATOMIC_RELAXED);
    return t->query;
}

#endif
