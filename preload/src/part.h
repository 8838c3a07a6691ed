/* Parts of a program's data: so many copies of a datatype at an address. */
#ifndef MPIVET_PART_H
#define MPIVET_PART_H

#include "shape.h"

struct mv_part {
    uint64_t at;
    int64_t count;
    struct mv_shape shape;
    uint32_t peer; /* rank of the process that the part goes to or comes from */
};

/* Addresses from low to high, without high. */
struct mv_span {
    uint64_t low, high;
};

/* The first page of memory has no data. An address in it is a mistake, or MPI_BOTTOM with a datatype that is not made
 * for it. */
#define MV_LOWEST 4096

/* What mv_part_read returns for memory that can't be read. */
#define MV_NOT_READ (-2)

struct mv_part mv_part_of(const void *buf, int64_t count, uint64_t type);

/* Bytes of a part; 0 if there are none, or if that is not known. */
uint64_t mv_part_bytes(const struct mv_part *p);

/* Visits the data of a part, in the order in which they are serialised. See mv_layout_walk. */
int mv_part_walk(const struct mv_part *p, mv_layout_visit *visit, void *ctx);

/* The same for a visitor that reads the data. A fault ends the walk. */
int mv_part_read(const struct mv_part *p, mv_layout_visit *visit, void *ctx);

/* Finds the addresses between which a part lies. 0 if it has any. */
int mv_part_span(const struct mv_part *p, struct mv_span *s);

#endif
