/*
 * Fatal signals. The library has a handler where the disposition is the default one. The handler records the end
 * (signal, stack, fault address), and lets the process die of the signal as usual: with the same status and the same
 * core. The program does not notice any of this.
 */
#ifndef MPIVET_SIGNALS_H
#define MPIVET_SIGNALS_H

#include "base.h"

/* Records that a signal is about to kill the process. info: siginfo_t. context: ucontext_t of the stack to record,
 * which the function may change while it runs; NULL: none. Called in a signal handler. A fault in it is caught; then it
 * is called again without a context. */
typedef void mv_tell_end(int sig, const void *info, void *context);

/* Puts the handlers in place. Called once, before MPI is initialized. */
void mv_signals_start(mv_tell_end *tell);

/* Whether the program may make memory accessible when it gets a fault: it has its own handler for SIGSEGV. */
int mv_faults_handled(void);

/* 1 if faults are handled by the library's handler, so that mv_tls.probe catches them. Written whenever a disposition
 * changes. Read by threads that are about to read the program's data, in no particular order. */
extern _Atomic int mv_faults;

#endif
