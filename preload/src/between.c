/*
 * What stands between the wrappers and the real functions where it is asked for, so that it costs nothing elsewhere: sums of
 * data next to the real function, strict mode before them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>

#include "mv.h"

/* Puts what stands for a function before it, if there is something. */
static void put_before(void **function, const struct mv_between *list, const char *pname)
{
    for (; list->pname; list++) {
        if (strcmp(list->pname, pname))
            continue;
        memcpy(list->real, function, sizeof *function);
        memcpy(function, &list->instead, sizeof *function);
        return;
    }
}

/* Sets a pointer to the function of that name, or to what stands for it. */
void mv_bind_between(void *pointer, const char *pname)
{
    mv_start(); /* which says what is asked for */
    void *p = mv_real(pname);
    if (!atomic_load(&mv_g.inert)) {
        if (mv_sums)
            put_before(&p, mv_sums == MV_SUMS_ALL ? mv_moved : mv_kept, pname);
        if (mv_g.control->strict)
            put_before(&p, mv_held, pname);
    }
    memcpy(pointer, &p, sizeof p);
}
