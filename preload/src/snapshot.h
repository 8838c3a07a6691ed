/*
 * The content of a part's data at a moment: sums of blocks of them, in serialised order. Two moments can be compared,
 * and two buffers: the blocks depend only on the number of bytes.
 */
#ifndef MPIVET_SNAPSHOT_H
#define MPIVET_SNAPSHOT_H

#include "hash.h"
#include "part.h"

/* Up to so many bytes of data are copied. */
#define MV_SNAPSHOT_DATA 512

/* The data of a part at a moment. */
struct mv_snapshot {
    uint64_t bytes; /* 0: nothing is known */
    uint32_t blocks; /* 0: the data have been copied */
    uint64_t sum[MV_SUM_BLOCKS]; /* of each block */
    unsigned char data[MV_SNAPSHOT_DATA];
};

/* Bytes of a block of a message. */
MV_INLINE uint64_t mv_block_size(uint64_t bytes)
{
    const uint64_t least = (uint64_t)MV_SUM_BLOCKS * MV_SUM_BLOCK;
    return bytes <= least ? MV_SUM_BLOCK : (bytes + least - 1) / least * MV_SUM_BLOCK;
}

/* Looks at the first `most` bytes of a part's data. Returns their number, 0 if nothing is known. */
uint64_t mv_snapshot(struct mv_snapshot *s, const struct mv_part *p, uint64_t most);

/* The same for all of the data, from their end. So their beginning stays in the cache, where their next use begins. */
uint64_t mv_snapshot_back(struct mv_snapshot *s, const struct mv_part *p);

/* One sum for all of the data. */
uint64_t mv_snapshot_sum(const struct mv_snapshot *s);

/* Whether the data of a part have changed since a snapshot. c gets the range of the change. */
int mv_snapshot_differs(const struct mv_snapshot *before, const struct mv_part *p, struct mv_changed *c);

#endif
