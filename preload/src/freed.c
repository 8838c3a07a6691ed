/*
 * What functions of the program free that MPI calls: those that delete attributes, handle errors, or belong to generalized
 * requests. Calls inside of a call are not recorded; this tells just what is gone.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "mv.h"

/* Whether code at an address is MPI's own: in the file of the real function, or in one of Open MPI's components. What passes
 * calls of Fortran on does so for the program, and is in other files. A function of MPI that ends by jumping to another returns
 * to this library, which knows of its call. */
static int of_mpi(uintptr_t pc, const void *real)
{
    static const char here;
    Dl_info caller, mpi, own;
    if (!dladdr((const void *)pc, &caller)) /* made at run time */
        return 0;
    if (dladdr(real, &mpi) && caller.dli_fbase == mpi.dli_fbase)
        return 1;
    if (dladdr(&here, &own) && caller.dli_fbase == own.dli_fbase)
        return 1;
    const char *base = caller.dli_fname ? strrchr(caller.dli_fname, '/') : NULL;
    return base && !strncmp(base, "/mca_", 5);
}

/* A call inside of another, from ra, has freed an object. */
MV_COLD void mv_freed(uintptr_t ra, const void *real, unsigned function, uint64_t handle)
{
    struct mv_thread *t = mv_tls.mine;
    if (!t || !mv_inside() || t->quiet)
        return;
    int e = errno;
    if (!of_mpi(ra, real)) {
        unsigned char *r = mv_info(t, MV_FREED, 0, sizeof(struct mv_freed));
        struct mv_freed *f = (struct mv_freed *)(r + sizeof(struct mv_record));
        f->handle = handle;
        f->function = function;
        f->pad = 0;
        mv_info_end(t, r);
    }
    errno = e;
}
