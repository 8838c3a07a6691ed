/*
 * Functions between the wrappers and the real functions. They are used only if an option needs them, so they cost
 * nothing otherwise: sums of data around the real function, and strict mode before it.
 */
#ifndef MPIVET_BETWEEN_H
#define MPIVET_BETWEEN_H

#include "base.h"

struct mv_between {
    const char *pname;
    void (*instead)(void); /* called in place of the function, and calls *real */
    void **real;           /* the real function, or the function that stands before it */
};

/* Generated in held.c and moved.c; ended by an empty entry. For strict mode, for --checksums, and for the default. */
extern const struct mv_between mv_held[], mv_moved[], mv_kept[];

/* Sets a wrapper's pointer to the function of that name, or to the function that stands before it, and returns it. It
 * starts the library if necessary. */
void *mv_bind_wrapper(void **pointer, const char *pname);

#endif
