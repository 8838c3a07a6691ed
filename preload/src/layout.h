/*
 * Layout programs: where the data of a datatype lie. The analyzer makes them; internal/mpi/datatype/program.go says what the
 * words mean. What checksums the data of a call takes them from mv_layout.
 */
#ifndef MPIVET_LAYOUT_H
#define MPIVET_LAYOUT_H

#include <stdint.h>

#include "record.h"

/* Loops nested at most. */
#define MV_LAYOUT_DEPTH 16
/* What mv_layout_walk returns for words that are no program. */
#define MV_LAYOUT_DAMAGED (-1)

/* Takes a run of consecutive bytes; anything but 0 ends the walk. */
typedef int mv_layout_visit(void *ctx, uint64_t address, uint64_t length);

/* A datatype's program. It stays valid after the datatype's end. */
struct mv_layout {
    const int64_t *program;
    uint64_t words;
};

/* session.c */
struct mv_layout mv_layout(uint64_t handle);
uint64_t mv_type_frees(void);

/* layout.c */
struct mv_layout mv_layout_find(const struct mv_layouts *m, uint64_t size, uint64_t frees, uint64_t handle);
int mv_layout_walk(const int64_t *program, uint64_t words, uint64_t base, int64_t count, mv_layout_visit *visit, void *ctx);

#endif
