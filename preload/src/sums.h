/*
 * Checksums of the data that collectives move: a hash that is the same for the same serialised data wherever they lie,
 * and the records of what a call has sent and received.
 */
#ifndef MPIVET_SUMS_H
#define MPIVET_SUMS_H

#include <stdint.h>

#include "mv.h"

#define MV_SUM_LANES 8
#define MV_SUM_STRIPE (8 * MV_SUM_LANES)

/* A sum under way. */
struct mv_summing {
    uint64_t lane[MV_SUM_LANES];
    uint64_t key;   /* of the next stripe */
    uint64_t bytes; /* so far */
    unsigned char rest[MV_SUM_STRIPE]; /* the last bytes % MV_SUM_STRIPE of them */
};

/* hash.c */
void mv_sum_begin(struct mv_summing *s);
void mv_sum_add(struct mv_summing *s, const void *p, uint64_t n);
uint64_t mv_sum_end(struct mv_summing *s);

/* How an operation moves data. */
enum mv_motion {
    MV_MOVES_BCAST = 1,
    MV_MOVES_GATHER,
    MV_MOVES_SCATTER,
    MV_MOVES_ALLGATHER,
    MV_MOVES_ALLTOALL,
};

/* One direction's arguments: a block per process, or one. */
struct mv_side {
    const void *buf;
    int64_t count;      /* of each block, unless there are counts */
    const void *counts; /* arrays of int or, if wide is 8, of MPI_Count and MPI_Aint */
    const void *displs; /* in extents of type; in bytes if there are types */
    const void *types;  /* array of handles of type_width bytes */
    uint64_t type;      /* of all blocks, unless there are types */
    unsigned wide, type_width;
    int in_place;       /* buf is MPI_IN_PLACE */
};

/* The arguments of a call that moves data; send is the buffer of MPI_Bcast. */
struct mv_movement {
    enum mv_motion motion;
    int at_root;  /* this process is the root */
    int absent;   /* MPI_PROC_NULL was passed as root: it takes no part */
    int root;     /* as passed */
    int rank;     /* this process's; negative: the communicator is not known */
    int peers;    /* processes to receive from, or send to */
    int inter;
    struct mv_side send, recv;
};

/* sums.c */
void mv_sums_start(int on);
void mv_sums_type(uint64_t handle, int64_t size, int64_t lower, int64_t extent);
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m);
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc);

#endif
