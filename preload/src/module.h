/* The files that are mapped into the process. */
#ifndef MPIVET_MODULE_H
#define MPIVET_MODULE_H

#include "ring.h"

/* Publishes the modules that have appeared since the last time. */
void mv_modules(struct mv_thread *t);

#endif
