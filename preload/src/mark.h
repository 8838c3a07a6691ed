/*
 * A program may contain this library: mpivet link-flags prints what to link. Such a program has a mark, a note of its
 * ELF file. If this library is also preloaded into it, the preloaded copy stays inert: else the process would join
 * twice.
 */
#ifndef MPIVET_MARK_H
#define MPIVET_MARK_H

#include "base.h"

/* The version of the library in the program that runs: compare it with mv_identity. NULL if there is none. */
const char *mv_program_mark(void);

#endif
