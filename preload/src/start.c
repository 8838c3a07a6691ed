/* The constructor. */
#include <errno.h>
#include <string.h>

#include "api.h"
#include "debug.h"
#include "end.h"
#include "mark.h"
#include "real.h"
#include "session.h"
#include "start.h"

#include "rules.h"

/* Whether another copy of the library, in the program itself, records this process. */
static int is_second(void)
{
#ifdef MV_LINKED
    return 0;
#else
    const char *mark = mv_program_mark();
    if (!mark)
        return 0;
    atomic_store(&mv_g.inert, 1);
    if (strcmp(mark, mv_identity))
        mv_session_outdated(mv_table_hash);
    return 1;
#endif
}

void mv_start(void)
{
    static _Atomic int begun;
    if (atomic_exchange(&begun, 1))
        return;
    const int e = errno;
    if (!is_second() && !mv_session_join(mv_table_hash)) {
        mv_end_start();
        mv_debug_start(mv_table_hash);
        mv_debug_library(mv_g.control->debugger);
    } else {
        mv_debug_library("");
    }
    errno = e;
}

__attribute__((constructor)) static void constructed(void) { mv_start(); }
