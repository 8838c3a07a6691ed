/*
 * Checksums of the data that messages and collectives move: a hash that is the same for the same serialised data wherever they
 * lie, and the records of what a call has sent and received.
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
    MV_MOVES_REDUCE, /* what it receives is not what was sent */
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

/* Data of up to so many bytes are remembered as they are. */
#define MV_SNAPSHOT_DATA 512

/* The first page of memory has no data: an address in it is a mistake, or MPI_BOTTOM with a datatype that is not for it. */
#define MV_LOWEST 4096

/* What a part held at a moment. */
struct mv_snapshot {
    uint64_t bytes; /* 0: nothing is known */
    uint32_t blocks; /* 0: data has them all */
    uint64_t sum[MV_SUM_BLOCKS]; /* of each block */
    unsigned char data[MV_SNAPSHOT_DATA];
};

/* Bytes of a block of a message. */
MV_INLINE uint64_t mv_block_size(uint64_t bytes)
{
    const uint64_t least = (uint64_t)MV_SUM_BLOCKS * MV_SUM_BLOCK;
    return bytes <= least ? MV_SUM_BLOCK : (bytes + least - 1) / least * MV_SUM_BLOCK;
}

/* What mv_part_read returns for memory that can't be read. */
#define MV_NOT_READ (-2)

/* snapshot.c */
int mv_part_walk(const struct mv_part *p, mv_layout_visit *visit, void *ctx);
int mv_part_read(const struct mv_part *p, mv_layout_visit *visit, void *ctx);
uint64_t mv_part_bytes(const struct mv_part *p);
int mv_part_span(const struct mv_part *p, uint64_t *low, uint64_t *high);
uint64_t mv_snapshot(struct mv_snapshot *s, const struct mv_part *p, uint64_t most);
uint64_t mv_snapshot_back(struct mv_snapshot *s, const struct mv_part *p);
uint64_t mv_snapshot_sum(const struct mv_snapshot *s);
int mv_snapshot_differs(const struct mv_snapshot *before, const struct mv_part *p, struct mv_changed *c);

/* overlap.c */
int mv_parts_overlap(const struct mv_part *a, const struct mv_part *b);

/* sums.c */
extern uint64_t mv_sum_limit;
void mv_sums_start(int wanted, uint64_t limit);
void mv_sums_announce(struct mv_thread *t);
struct mv_shape mv_shape_known(uint64_t type);
void mv_sums_type(uint64_t handle, int64_t size, int64_t lower, int64_t extent);
uint64_t mv_parts_most(const struct mv_movement *m);
void mv_parts_sent(const struct mv_movement *m, mv_take_part *take, void *ctx);
void mv_parts_received(const struct mv_movement *m, mv_take_part *take, void *ctx);
void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m);
void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc);
uint64_t mv_part_sum(const struct mv_part *p, uint64_t *sum);
void mv_sums_of(struct mv_thread *t, const struct mv_sums *head, const struct mv_part *parts, uint64_t n, uint64_t *values);
void mv_sums_snapshot(struct mv_thread *t, const struct mv_sums *head, const struct mv_snapshot *s);
void mv_sums_changed(struct mv_thread *t, const struct mv_changed *c);
struct mv_part mv_part_of(const void *buf, int64_t count, uint64_t type);
struct mv_thread *mv_sums_thread(unsigned kind);

/* One buffer of a message; none is sent to or received from MPI_PROC_NULL. */
struct mv_buffered {
    const void *buf;
    int64_t count;
    uint64_t type;
    int none;
};

/* A blocking call that sends or receives a message, or does both. */
struct mv_message {
    struct mv_part send, recv;
    int sends, receives;
    enum { MV_NEVER, MV_BEFORE, MV_AFTER, MV_BOTH } when; /* what is sent is looked at, in relation to the real function's call */
    int shared;                                           /* what is received goes where another operation reads or writes */
    struct mv_snapshot sent;
};

/* message.c */
void mv_threads_before(void);
void mv_threads_after(void);
void mv_message_begin(struct mv_thread *t, struct mv_message *m, const struct mv_buffered *send, const struct mv_buffered *recv);
void mv_message_end(struct mv_thread *t, struct mv_message *m, int rc, int64_t bytes);

/* pending.c */
struct mv_operation;
#define MV_BUCKETS_BITS 10
/* The operations that are followed, by their requests; and their number. */
extern struct mv_operation *mv_buckets[1 << MV_BUCKETS_BITS];
extern _Atomic unsigned mv_operations_number;

MV_INLINE struct mv_operation **mv_bucket(uint64_t request)
{
    return &mv_buckets[request * 0x9e3779b97f4a7c15ULL >> (64 - MV_BUCKETS_BITS)];
}

/* Whether there may be operations among the requests. Needs no lock: who made an operation that this thread may know of did so
 * before. */
MV_INLINE int mv_operations_known(const void *requests, unsigned width, uint64_t n)
{
    if (!requests || !atomic_load_explicit(&mv_operations_number, memory_order_relaxed))
        return 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t h = 0;
        __builtin_memcpy(&h, (const char *)requests + i * width, width);
        if (__atomic_load_n(mv_bucket(h), __ATOMIC_RELAXED))
            return 1;
    }
    return 0;
}

struct mv_operation *mv_transfer_begin(struct mv_thread *t, const struct mv_buffered *send, const struct mv_buffered *recv, int persistent);
struct mv_operation *mv_reading_begin(struct mv_thread *t, const struct mv_buffered *read, int persistent);
int mv_operations_share(struct mv_thread *t, const struct mv_part *p, int written);
struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent);
void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request);
struct mv_operation *mv_operations_start(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);
void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed);
struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);
void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, int all, const int *indices, int n,
                             const void *statuses);
void mv_operation_free(struct mv_thread *t, uint64_t request);

#endif
