/* The state of each thread, whether it is recorded or not. */
#ifndef MPIVET_TLS_H
#define MPIVET_TLS_H

#include "base.h"

struct mv_thread;

/* Only its own thread reads and writes it, and handlers of signals that interrupt the thread. */
struct mv_tls {
    struct mv_thread *ready; /* NULL inside an MPI call, before the first one, and when inert */
    struct mv_thread *mine;  /* once the thread has a ring */
    void *probe;             /* sigjmp_buf to leave a failed read of the stack, or of the program's data */
    uint64_t fault;          /* address of the last such failure */
    int in_init;             /* inside MPI_Init: signal handlers set now are MPI's */
    int off;                 /* will never record */
    int ending;              /* rounds of thread destructors seen */
};
extern _Thread_local struct mv_tls mv_tls __attribute__((tls_model("initial-exec")));

#endif
