/* Shapes of datatypes: their size and extent, and where their data lie. */
#ifndef MPIVET_SHAPE_H
#define MPIVET_SHAPE_H

#include "layout.h"

/* Where the data of a datatype lie. The size is 0 if that is not known. */
struct mv_shape {
    int64_t size, extent;
    struct mv_layout layout; /* no words: the data are contiguous */
};

/* At the end of MPI_Init: a predefined datatype. */
void mv_shape_predefined(uint64_t handle, int64_t size, int64_t lower, int64_t extent);

/* The shape of a datatype, as far as it is known at once. */
struct mv_shape mv_shape_known(uint64_t type);

/* The same. With --checksums, it waits for the analyzer if necessary. */
struct mv_shape mv_shape_of(uint64_t type);

#endif
