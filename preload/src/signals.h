/*
 * Signals that kill: the library's handler stands where the disposition is the default one. It has the end written down
 * (signal, stack, fault address), and lets the process die of it as it would have: same status, same core. The program
 * sees none of this.
 */
#ifndef MPIVET_SIGNALS_H
#define MPIVET_SIGNALS_H

#include "base.h"

/* Writes down that a signal is about to kill the process. info: siginfo_t. context: ucontext_t of the stack to tell of,
 * which the function may change while it runs; NULL: none. Called in a signal handler. A fault in it is caught; it is
 * then called again without a context. */
typedef void mv_tell_end(int sig, const void *info, void *context);

/* Puts the handlers in place. Called once, before MPI is initialized. */
void mv_signals_start(mv_tell_end *tell);

/* Whether the program may make memory accessible when it gets a fault: it has a handler of its own for SIGSEGV. */
int mv_faults_handled(void);

/* 1 if a fault comes to the library's handler, so that mv_tls.probe catches it. Written whenever a disposition changes,
 * read by threads that are about to read the program's data, in no order. */
extern _Atomic int mv_faults;

#endif
