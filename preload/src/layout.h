/*
 * Layout programs say where the data of a datatype lie. The analyzer makes them. internal/mpi/datatype/program.go gives
 * the meaning of the words.
 *
 * Safe in signal handlers: the functions use only the stack, and call only the visitor. A program is not trusted. A
 * copy visits exactly as many bytes as the first word of the program says, every iteration of a loop visits at least
 * one byte, and loops are nested at most MV_LAYOUT_DEPTH deep. So a walk ends, whatever the words are.
 */
#ifndef MPIVET_LAYOUT_H
#define MPIVET_LAYOUT_H

#include "base.h"
#include "record.h"

/* Maximum nesting of loops. */
#define MV_LAYOUT_DEPTH 16
/* What mv_layout_walk returns for words that are not a program. */
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

/* Visits the data of count copies at the address base, in serialised order. Each run is as long as possible. Returns 0,
 * or the visitor's result that ended the walk, or MV_LAYOUT_DAMAGED. In the last case some runs may have been
 * visited. */
int mv_layout_walk(const int64_t *program, uint64_t words, uint64_t base, int64_t count, mv_layout_visit *visit,
                   void *ctx);

#endif
