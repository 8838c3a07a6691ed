/* How collectives move data: which parts of a call's buffers go to, or come from, which process. */
#ifndef MPIVET_MOVEMENT_H
#define MPIVET_MOVEMENT_H

#include "part.h"

/* How an operation moves data. */
enum mv_motion {
    MV_MOVES_BCAST = 1,
    MV_MOVES_GATHER,
    MV_MOVES_SCATTER,
    MV_MOVES_ALLGATHER,
    MV_MOVES_ALLTOALL,
    MV_MOVES_REDUCE, /* the data received are not the data sent */
};

/* The arguments of one direction: a block for each process, or a single one. */
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

/* The arguments of a call that moves data. For MPI_Bcast, the buffer is in send. */
struct mv_movement {
    enum mv_motion motion;
    int at_root;  /* this process is the root */
    int absent;   /* MPI_PROC_NULL was passed as root: this process does not take part */
    int root;     /* as passed */
    int rank;     /* of this process; negative: the communicator is not known */
    int peers;    /* processes to receive from, or send to */
    int inter;
    struct mv_side send, recv;
};

typedef void mv_take_part(void *ctx, const struct mv_part *p);

/* The maximum number of parts, in either direction. */
uint64_t mv_parts_most(const struct mv_movement *m);

/* Passes on the parts that a call sends, and those that it receives. */
void mv_parts_sent(const struct mv_movement *m, mv_take_part *take, void *ctx);
void mv_parts_received(const struct mv_movement *m, mv_take_part *take, void *ctx);

#endif
