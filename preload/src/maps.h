/* The memory map of the process, from the kernel. */
#ifndef MPIVET_MAPS_H
#define MPIVET_MAPS_H

#include "base.h"

/* A line of /proc/self/maps: consecutive memory of one kind. */
struct mv_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    int readable, writable, executable;
    const char *path; /* not ended by a zero; valid until the visitor returns */
    size_t path_len;  /* 0: memory without a name */
};

/* Calls visit for each mapping, in the order of addresses. Returns 0 if the whole map has been read. Safe in a signal
 * handler if visit is: it uses 5 KiB of the stack, allocates nothing and takes no lock. It may change errno. */
int mv_maps_visit(void (*visit)(void *ctx, const struct mv_mapping *m), void *ctx);

#endif
