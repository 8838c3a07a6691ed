/*
 * MPI's beginning and end: the facts about the MPI library, recorded when they are available, and the marks in the
 * process's page. In all functions t is NULL if the call is not recorded.
 */
#ifndef MPIVET_INIT_H
#define MPIVET_INIT_H

#include "mpi_objects.h"
#include "ring.h"

/* Before MPI_Init and MPI_Init_thread, and when they have returned rc. */
void mv_init_enter(struct mv_thread *t);
void mv_init_leave(struct mv_thread *t, int rc);

/* Before MPI_Finalize and MPI_Abort. */
void mv_finalize_enter(struct mv_thread *t);
void mv_abort_enter(struct mv_thread *t);

#ifdef MV_SESSIONS
/* When MPI_Session_init has returned rc, and before MPI_Session_finalize. */
void mv_session_leave(struct mv_thread *t, int rc, const MPI_Session *session);
void mv_session_enter(struct mv_thread *t, const MPI_Session *session);
#endif

#endif
