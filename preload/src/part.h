/* Parts of a program's data: a number of copies of a datatype at an address. */
#ifndef MPIVET_PART_H
#define MPIVET_PART_H

#include "shape.h"

struct mv_part {
    uint64_t at;
    int64_t count;
    struct mv_shape shape;
    uint32_t peer; /* rank of the process that the part goes to or comes from */
};

/* A range of addresses. high is excluded. */
struct mv_span {
    uint64_t low, high;
};

/* The first page of memory has no data. An address in it is a mistake, or MPI_BOTTOM with a datatype that is not made
 * for it. */
#define MV_LOWEST 4096

/* What mv_part_read returns for memory that cannot be read. */
#define MV_NOT_READ (-2)

struct mv_part mv_part_of(const void *buf, int64_t count, uint64_t type);

/* Bytes of a part; 0 if there are none, or if the number is not known. */
uint64_t mv_part_bytes(const struct mv_part *p);

/* Visits the data of a part, in serialised order. See mv_layout_walk. */
int mv_part_walk(const struct mv_part *p, mv_layout_visit *visit, void *ctx);

/* The same for a visitor that reads the data. A fault ends the walk. */
int mv_part_read(const struct mv_part *p, mv_layout_visit *visit, void *ctx);

/* Finds the range of addresses of a part. Returns 0 if it has any data. */
int mv_part_span(const struct mv_part *p, struct mv_span *s);

#endif
