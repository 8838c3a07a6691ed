/*
 * What is freed inside of calls: by MPI itself, or by functions of the program that it calls, which delete attributes, handle
 * errors, or belong to generalized requests. Such calls are not recorded; this tells just what is gone, and who called.
 */
#include <errno.h>

#include "mv.h"

/* A call inside of another, from ra, has freed an object. */
MV_COLD void mv_freed(uintptr_t ra, const void *real, unsigned function, uint64_t handle)
{
    struct mv_thread *t = mv_tls.mine;
    if (!t || !mv_inside() || t->quiet)
        return;
    int e = errno;
    mv_modules(t); /* the analyzer is to know the files of these addresses */
    unsigned char *r = mv_info(t, MV_FREED, 0, sizeof(struct mv_freed));
    struct mv_freed *f = (struct mv_freed *)(r + sizeof(struct mv_record));
    f->handle = handle;
    f->function = function;
    f->pad = 0;
    f->caller = ra;
    f->real = (uintptr_t)real;
    f->wrapper = (uintptr_t)&mv_freed;
    mv_info_end(t, r);
    errno = e;
}
