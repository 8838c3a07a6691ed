/*
 * What stands between the wrappers and the real functions where it is asked for, so that it costs nothing elsewhere:
 * sums of data next to the real function, strict mode before them.
 */
#ifndef MPIVET_BETWEEN_H
#define MPIVET_BETWEEN_H

#include "base.h"

struct mv_between {
    const char *pname;
    void (*instead)(void); /* called in place of the function, and calls *real */
    void **real;           /* the real function, or what stands before it */
};

/* Generated in held.c and moved.c; ended by an empty entry: for strict mode, for --checksums, and for the default. */
extern const struct mv_between mv_held[], mv_moved[], mv_kept[];

/* Sets a wrapper's pointer to the function of that name, or to what stands before it, and returns that. The library has
 * started then. */
void *mv_bind_wrapper(void **pointer, const char *pname);

#endif
