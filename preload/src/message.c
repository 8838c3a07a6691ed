/*
 * Blocking messages: sums of what is sent, before the real function is called, and of what was received, after it has
 * returned. The data sent are looked at once more then, if another thread could have changed them. If none could, once is
 * enough: afterwards, while they are on their way.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/stat.h>

#include "sums.h"

/* Of the C library, since 2.32: whether the process has one thread only. */
extern char __libc_single_threaded __attribute__((weak));

static int is_single(void) { return &__libc_single_threaded && __libc_single_threaded; }

/* Threads that MPI has started in MPI_Init, if the program had one then; else -1. */
static int helpers = -1;
static int single_before;

void mv_threads_before(void) { single_before = is_single(); }

void mv_threads_after(int threads) { helpers = single_before && threads > 0 ? threads - 1 : -1; }

/* Asking the kernel takes about a microsecond. */
#define WORTH_ASKING ((uint64_t)64 << 10)

/* Whether no other thread of the program's could change so much data while this one is inside MPI. */
static int is_alone(uint64_t bytes)
{
    struct stat st;
    if (is_single())
        return 1;
    /* A directory has a link more for each in it. */
    return bytes >= WORTH_ASKING && helpers >= 0 && !stat("/proc/self/task", &st) && st.st_nlink == (nlink_t)helpers + 3;
}

/* Before the real function is called. One buffer may be both sent and received into. */
void mv_message_begin(struct mv_thread *t, struct mv_message *m, const struct mv_buffered *send, const struct mv_buffered *recv)
{
    m->sends = send && !send->none;
    m->receives = recv && !recv->none;
    m->shared = 0;
    if (m->receives) {
        m->recv = mv_part_of(recv->buf, recv->count, recv->type);
        m->shared = mv_operations_share(t, &m->recv, 1);
    }
    m->when = MV_NEVER;
    if (!m->sends)
        return;
    m->send = mv_part_of(send->buf, send->count, send->type);
    if (mv_operations_share(t, &m->send, 0))
        return;
    if (!recv && is_alone(mv_part_bytes(&m->send))) {
        m->when = MV_AFTER;
        return;
    }
    if (!mv_snapshot(&m->sent, &m->send, UINT64_MAX))
        return;
    m->when = recv && recv->buf == send->buf ? MV_BEFORE : MV_BOTH;
    mv_sums_snapshot(t, &(struct mv_sums){0}, &m->sent);
}

/* When it has returned rc, having received so many bytes, or -1: that is not known. */
void mv_message_end(struct mv_thread *t, struct mv_message *m, int rc, int64_t bytes)
{
    struct mv_changed c = {0};
    if (rc)
        return;
    if (m->when == MV_BOTH && !is_single() && mv_snapshot_differs(&m->sent, &m->send, &c))
        mv_sums_changed(t, &c);
    if (m->when == MV_AFTER && mv_snapshot(&m->sent, &m->send, UINT64_MAX))
        mv_sums_snapshot(t, &(struct mv_sums){0}, &m->sent);
    if (!m->receives || m->shared || bytes <= 0 || (uint64_t)bytes > mv_part_bytes(&m->recv))
        return;
    if (mv_snapshot(&m->sent, &m->recv, (uint64_t)bytes))
        mv_sums_snapshot(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED}, &m->sent);
}
