/* Errors of MPI calls. An MV_ERROR record has the error that a call returned, or that is about to end the process. */
#ifndef MPIVET_ERRORS_H
#define MPIVET_ERRORS_H

#include "mpi_objects.h"
#include "mv.h"

/* Publishes the text of an error of the call under way. flags: enum mv_error_flags. It does nothing if the error was
 * published before its handler was called. */
void mv_error(struct mv_thread *t, int code, unsigned flags);

/* Whether the errors of a call that returned rc are in its statuses. */
int mv_is_error_in_status(struct mv_thread *t, int rc);

/* Whether rc is an error of an operation that a wait or test has completed, and not of its arguments. */
int mv_operation_failed(struct mv_thread *t, int rc);

/* Fills in the status of a call that returned the error rc, if a message was too long and the status is valid. The
 * standard does not require this, but MPICH and Open MPI do it. The record then has rc as the status's error. */
void mv_failed_status(struct mv_thread *t, unsigned char *to, const MPI_Status *s, int rc);

/* Calls the error handler of a communicator for the call under way, which has not entered MPI. If the error ends the
 * process, MPI names the function. */
void mv_call_errhandler(struct mv_thread *t, MPI_Comm comm, int code);

/* After MPI_Init or MPI_Session_init: from now on, errors are published before their handler is called. That is not
 * needed if the handler of MPI_COMM_WORLD is not MPI_ERRORS_ARE_FATAL. world: MPI_COMM_WORLD exists. */
void mv_errors_start(int world);

#endif
