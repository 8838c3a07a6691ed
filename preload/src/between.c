/* Finds the function that a wrapper calls. */
#include <string.h>

#include "between.h"
#include "real.h"
#include "session.h"
#include "start.h"

#include "rules.h"

/* Replaces a function by the one that stands before it, if there is one. */
static void put_before(void **function, const struct mv_between *list, const char *pname)
{
    for (; list->pname; list++) {
        if (strcmp(list->pname, pname))
            continue;
        __atomic_store_n(list->real, *function, __ATOMIC_RELEASE);
        memcpy(function, &list->instead, sizeof *function);
        return;
    }
}

void *mv_bind_wrapper(void **pointer, const char *pname)
{
    mv_start(); /* it determines the options */
    void *p = mv_real(pname);
    if (!atomic_load(&mv_g.inert)) {
        if (mv_sums)
            put_before(&p, mv_sums == MV_SUMS_ALL ? mv_moved : mv_kept, pname);
        if (mv_g.control->strict)
            put_before(&p, mv_held, pname);
    }
    __atomic_store_n(pointer, p, __ATOMIC_RELEASE);
    return p;
}
