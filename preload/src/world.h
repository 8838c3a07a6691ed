/* Whether MPI can be used: in the World Model, or in a session (MPI standard, chapter 11). Also the group for world
 * ranks. */
#ifndef MPIVET_WORLD_H
#define MPIVET_WORLD_H

#include "mpi_objects.h"

/* MPI_Init has returned. */
void mv_world_begun(void);

/* Whether MPI_Init has been called, so that MPI_COMM_SELF exists. */
int mv_world_model(void);

/* Whether MPI can be used: after MPI_Init, or in a session. */
int mv_mpi_open(void);

/* Sets the group of the processes for world ranks. */
void mv_world(MPI_Group group);

/* Gets that group. 0 if there is none. */
int mv_world_group(MPI_Group *group);

/* Frees that group, before MPI_Finalize. */
void mv_world_end(void);

/* If there is no World Model, calls the error handler of a session. Returns whether it did. */
int mv_session_error(int code);

#ifdef MV_SESSIONS
/* After MPI_Session_init: whether it is the first open session. */
int mv_session_opened(MPI_Session session);

/* Before MPI_Session_finalize: whether it is the last open session. */
int mv_session_closes(const MPI_Session *session);
#endif

#endif
