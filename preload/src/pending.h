/*
 * Nonblocking and persistent operations that move data, messages and collectives: from the call that makes them to the
 * one that completes them. When they start, the data that they send are copied or summed up. When the completing call
 * returns, its thread looks at these data once more, and at the received data.
 *
 * No thread waits for another here. Each thread that makes operations has its own table (pending.c). Only with
 * --checksums is there a lock, for the memory that active messages use.
 */
#ifndef MPIVET_PENDING_H
#define MPIVET_PENDING_H

#include "movement.h"
#include "ring.h"

struct mv_operation;

#define MV_BUCKETS_BITS 10

/* Numbers of the followed operations whose request is in a bucket, in the tables of all threads. A thread adds 1 before
 * its operation can be found. The thread that removes an operation subtracts 1 afterwards. A thread that knows a
 * request has made it, or has learned of it from the thread that has. So if a thread finds 0 here, none of its requests
 * in the bucket is followed. */
extern _Atomic uint32_t mv_pending_count[1 << MV_BUCKETS_BITS];

/* Whether operations may be among the requests. width: bytes of a request's handle. */
MV_INLINE int mv_operations_known(const void *requests, unsigned width, uint64_t n)
{
    if (!requests)
        return 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t h = 0;
        __builtin_memcpy(&h, (const char *)requests + i * width, width);
        if (atomic_load_explicit(&mv_pending_count[mv_hash_bits(h, MV_BUCKETS_BITS)], memory_order_relaxed))
            return 1;
    }
    return 0;
}

/* One buffer of a message. none: no data are sent or received, as the peer is MPI_PROC_NULL. */
struct mv_buffered {
    const void *buf;
    int64_t count;
    uint64_t type;
    int none;
};

/* Before a call that makes a collective operation enters MPI. NULL if the operation will not be followed. */
struct mv_operation *mv_operation_begin(struct mv_thread *t, const struct mv_movement *m, int persistent);

/* The same for a call that makes a message. send, recv: NULL if it has none. */
struct mv_operation *mv_transfer_begin(struct mv_thread *t, const struct mv_buffered *send,
                                       const struct mv_buffered *recv, int persistent);

/* The same for a call that reads a buffer for another purpose than a message: for a file, or a reduction. */
struct mv_operation *mv_reading_begin(struct mv_thread *t, const struct mv_buffered *read, int persistent);

/* When the call has returned that makes an operation. o may be NULL. */
void mv_operation_begun(struct mv_thread *t, struct mv_operation *o, int failed, uint64_t request);

/* Before a call starts persistent operations, and when it has returned. */
struct mv_operation *mv_operations_start(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);
void mv_operations_started(struct mv_thread *t, struct mv_operation *list, int failed);

/* Which operations a call has completed. */
struct mv_completion {
    int all;            /* all of its requests; else those at the indices */
    const int *indices;
    int n;              /* of the indices */
    const void *statuses; /* array of MPI_Status */
    int64_t (*bytes)(const void *statuses, uint64_t i); /* bytes in status i, -1 if they are unknown */
};

/* Before a call that may complete operations enters MPI. t is NULL if the call is not recorded: then the operations are
 * forgotten. */
struct mv_operation *mv_operations_find(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);

/* When that call has returned. */
void mv_operations_completed(struct mv_thread *t, struct mv_operation *list, int failed, const struct mv_completion *c);

/* Before MPI_Finalize: records which operations are not complete although their data have changed. */
void mv_operations_unfinished(struct mv_thread *t);

/* Before a request is freed, by a call that is recorded if t is not NULL. */
void mv_operation_free(struct mv_thread *t, uint64_t request);

/* Whether the memory to be read, or written, also belongs to active messages, one of which writes. Then its future
 * content is unknown. These messages are marked, too. Only with --checksums. */
int mv_operations_share(const struct mv_part *p, int written);

#endif
