/*
 * Layout programs: where the data of a datatype lie. The analyzer makes them; internal/datatype/program.go says what the
 * words mean.
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

int mv_layout_walk(const int64_t *program, uint64_t words, uint64_t base, int64_t count, mv_layout_visit *visit, void *ctx);

#endif
