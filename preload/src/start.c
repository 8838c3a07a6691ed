/* The constructor. */
#include <errno.h>

#include "api.h"
#include "end.h"
#include "session.h"
#include "start.h"

#include "rules.h"

void mv_start(void)
{
    static _Atomic int begun;
    if (atomic_exchange(&begun, 1))
        return;
    const int e = errno;
    if (!mv_session_join(mv_table_hash))
        mv_end_start();
    errno = e;
}

__attribute__((constructor)) static void constructed(void) { mv_start(); }
