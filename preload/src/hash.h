/*
 * The sum of data: it is the same for the same data, in pieces of any size. Only the data are read. No memory is
 * allocated, and no lock is taken.
 */
#ifndef MPIVET_HASH_H
#define MPIVET_HASH_H

#include "base.h"

#define MV_SUM_LANES 8
#define MV_SUM_STRIPE (8 * MV_SUM_LANES)

/* A sum in progress. */
struct mv_summing {
    uint64_t lane[MV_SUM_LANES];
    uint64_t key;                      /* of the next stripe */
    uint64_t bytes;                    /* so far */
    unsigned char rest[MV_SUM_STRIPE]; /* the last bytes % MV_SUM_STRIPE of them */
};

void mv_sum_begin(struct mv_summing *s);
void mv_sum_add(struct mv_summing *s, const void *p, uint64_t n);
uint64_t mv_sum_end(struct mv_summing *s);

#endif
