/*
 * Findings in the process that they are about.
 *
 * The library calls mpivet_finding for every finding, so that any debugger can stop there: break mpivet_finding. The
 * analyzer runs beside the program. So the call comes when the thread makes its next MPI call, or later.
 *
 * With mpivet run --break-on, each call waits for the analyzer twice: before it enters MPI, and before it returns. Then
 * mpivet_finding is called in the faulty call. If the finding is one of those that the user wants to stop at, the
 * analyzer lets the thread wait until a debugger was there.
 */
#ifndef MPIVET_FOUND_H
#define MPIVET_FOUND_H

#include "ring.h"

/* A debugger's breakpoint. check: the name of the check, such as LOCAL:REQUEST:MISSING. text: the finding. */
MV_EXPORT void mpivet_finding(const char *check, const char *text);

#endif
