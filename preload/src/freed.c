/* Publishes objects that are freed inside calls. */
#include <errno.h>

#include "freed.h"
#include "module.h"
#include "mv.h"

#include "rules.h"

MV_COLD void mv_freed(uintptr_t ra, const void *real, unsigned function, uint64_t handle)
{
    struct mv_thread *t = mv_tls.mine;
    if (!t || !mv_inside() || t->quiet)
        return;
    int e = errno;
    mv_modules(t); /* the analyzer needs the files of these addresses */
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
