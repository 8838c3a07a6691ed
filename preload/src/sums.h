/*
 * Checksums of the data that collectives move: a hash that is the same for the same serialised data wherever they lie,
 * and the records of what a call has sent and received.
 */
#ifndef MPIVET_SUMS_H
#define MPIVET_SUMS_H

#include <stdint.h>

#include "layout.h"
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

/* Where the data of a datatype lie; no size if that is not known. */
struct mv_shape {
    int64_t size, extent;
    struct mv_layout layout; /* no words: they are contiguous */
};

/* A part of the data: so many copies at an address, which go to or come from a peer. */
struct mv_part {
    uint64_t at;
    int64_t count;
    struct mv_shape shape;
    uint32_t peer;
};
typedef void mv_take_part(void *ctx, const struct mv_part *p);

/* sums.c */
void mv_sums_start(int on);
void mv_sums_type(uint64_t handle, int64_t size, int64_t lower, int64_t extent);
uint64_t mv_parts_most(const struct mv_movement *m);
void mv_parts_sent(const struct mv_movement *m, mv_take_part *take, void *ctx);
void mv_parts_received(const struct mv_movement *m, mv_take_part *take, void *ctx);
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m);
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc);
void mv_sums_of(struct mv_thread *t, const struct mv_sums *head, const struct mv_part *parts, uint64_t n);
struct mv_thread *mv_sums_thread(unsigned kind);

/* pending.c */
struct mv_operation;
struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent);
void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request);
struct mv_operation *mv_operations_start(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);
void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed);
struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);
void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, int all, const int *indices, int n);
void mv_operation_free(struct mv_thread *t, uint64_t request);

#endif
