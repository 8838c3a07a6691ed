/* The constructor. */
#include <errno.h>

#include "api.h"
#include "debug.h"
#include "end.h"
#include "real.h"
#include "session.h"
#include "start.h"

#include "rules.h"

void mv_start(void)
{
    static _Atomic int begun;
#ifdef MV_LINKED
    __asm__ volatile("" : : "r"(mv_linked_mark)); /* so that the linker keeps it */
#endif
    if (atomic_exchange(&begun, 1))
        return;
    const int e = errno;
    if (!mv_session_join(mv_table_hash)) {
        mv_end_start();
        mv_debug_start(mv_table_hash);
        mv_debug_library(mv_g.control->debugger);
    } else {
        mv_debug_library("");
    }
    errno = e;
}

__attribute__((constructor)) static void constructed(void) { mv_start(); }
