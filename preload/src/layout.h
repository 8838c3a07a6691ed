/*
 * Layout programs say where the data of a datatype lie. The analyzer makes them; internal/mpi/datatype/program.go says
 * what the words mean.
 *
 * Safe in signal handlers: nothing here uses memory but the stack, or calls anything but the visitor. Nothing in a
 * program is believed. A copy visits exactly as many bytes as the first word of the program says, every turn of a loop
 * visits one byte at least, and loops are nested MV_LAYOUT_DEPTH deep at most. So a walk ends, whatever the words are.
 */
#ifndef MPIVET_LAYOUT_H
#define MPIVET_LAYOUT_H

#include "base.h"
#include "record.h"

/* Loops nested at most. */
#define MV_LAYOUT_DEPTH 16
/* What mv_layout_walk returns for words that are no program. */
#define MV_LAYOUT_DAMAGED (-1)

/* Takes a run of consecutive bytes. A result other than 0 ends the walk. */
typedef int mv_layout_visit(void *ctx, uint64_t address, uint64_t length);

/* A datatype's program. It stays valid when the datatype is freed. */
struct mv_layout {
    const int64_t *program;
    uint64_t words;
};

/* The program of a datatype, no words if it is not known. m: the process's layouts, of size bytes. frees: the number of
 * MPI_Type_free calls that the process has entered. */
struct mv_layout mv_layout_find(const struct mv_layouts *m, uint64_t size, uint64_t frees, uint64_t handle);

/* Visits the data of count copies at the address base, in the order in which they are serialised. Each run is as long
 * as can be. Returns 0, or the visitor's result that ended the walk, or MV_LAYOUT_DAMAGED. In the last case some runs
 * may have been visited. */
int mv_layout_walk(const int64_t *program, uint64_t words, uint64_t base, int64_t count, mv_layout_visit *visit,
                   void *ctx);

#endif
