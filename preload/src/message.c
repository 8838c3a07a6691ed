/*
 * Blocking messages: sums of what is sent, before the real function is called, and of what was received, after it has
 * returned. The data sent are looked at once more then, if another thread could have changed them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>

#include "sums.h"

/* Of the C library, since 2.32: whether the process has one thread only. */
extern char __libc_single_threaded __attribute__((weak));

static int is_alone(void) { return &__libc_single_threaded && __libc_single_threaded; }

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
    if (!m->sends)
        return;
    m->send = mv_part_of(send->buf, send->count, send->type);
    if (mv_operations_share(t, &m->send, 0) || !mv_snapshot(&m->sent, &m->send, UINT64_MAX)) {
        m->sends = 0;
        return;
    }
    m->keeps = !(recv && recv->buf == send->buf) && !is_alone();
    mv_sums_snapshot(t, &(struct mv_sums){0}, &m->sent);
}

/* When it has returned rc, having received so many bytes, or -1: that is not known. */
void mv_message_end(struct mv_thread *t, struct mv_message *m, int rc, int64_t bytes)
{
    struct mv_changed c = {0};
    if (rc)
        return;
    if (m->sends && m->keeps && mv_snapshot_differs(&m->sent, &m->send, &c))
        mv_sums_changed(t, &c);
    if (!m->receives || m->shared || bytes <= 0 || (uint64_t)bytes > mv_part_bytes(&m->recv))
        return;
    if (mv_snapshot(&m->sent, &m->recv, (uint64_t)bytes))
        mv_sums_snapshot(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED}, &m->sent);
}
