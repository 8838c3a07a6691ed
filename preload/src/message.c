/*
 * Sums of blocking messages: of the data that are sent, before the real function is called, and of the received data,
 * after it has returned. If another thread could have changed the sent data, they are then looked at once more. If no
 * other thread could, one look is enough: afterwards, while the data are on their way.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "message.h"
#include "pending.h"

#include "rules.h"

/* A variable of the C library, since 2.32: whether the process has only one thread. */
extern char __libc_single_threaded __attribute__((weak));

static int is_single(void) { return &__libc_single_threaded && __libc_single_threaded; }

/* The threads at the end of MPI_Init, if the program had only one before. The others belong to MPI. Written in MPI_Init
 * only. */
#define THREADS 64
static long threads[THREADS];
static int nthreads;
static int single_before;

/* Calls f for each thread of the process, until it returns a value other than 0. That value is the result. Negative:
 * the threads cannot be listed. */
static int each_thread(int (*f)(long))
{
    struct {
        uint64_t inode, offset;
        unsigned short length;
        unsigned char type;
        char name[];
    } *e;
    _Alignas(8) char buf[4096];
    long n;
    int result = 0;
    const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (!result && (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0)
        for (long at = 0; at < n && !result; at += e->length) {
            e = (void *)(buf + at);
            if (e->name[0] != '.')
                result = f(atol(e->name));
        }
    close(fd);
    return n < 0 ? -1 : result;
}

static int note(long tid)
{
    if (nthreads == THREADS)
        return -1;
    threads[nthreads++] = tid;
    return 0;
}

static int is_new(long tid)
{
    for (int i = 0; i < nthreads; i++)
        if (threads[i] == tid)
            return 0;
    return 1;
}

void mv_threads_before(void) { single_before = mv_sums == MV_SUMS_ALL && is_single(); }

void mv_threads_after(void)
{
    nthreads = 0;
    if (single_before && each_thread(note))
        nthreads = 0;
}

/* Asking the kernel takes some microseconds. */
#define WORTH_ASKING ((uint64_t)256 << 10)

/* Whether no other thread of the program could change so much data while this one is inside MPI. */
static int is_alone(uint64_t bytes)
{
    if (is_single())
        return 1;
    if (bytes < WORTH_ASKING || !nthreads)
        return 0;
    const int e = errno, others = each_thread(is_new);
    errno = e;
    return !others;
}

void mv_message_begin(struct mv_thread *t, struct mv_message *m, const struct mv_buffered *send,
                      const struct mv_buffered *recv)
{
    m->sends = send && !send->none;
    m->receives = recv && !recv->none;
    m->shared = 0;
    if (m->receives) {
        m->recv = mv_part_of(recv->buf, recv->count, recv->type);
        m->shared = mv_operations_share(&m->recv, 1);
    }
    m->when = MV_NEVER;
    if (!m->sends)
        return;
    m->send = mv_part_of(send->buf, send->count, send->type);
    if (mv_operations_share(&m->send, 0))
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

void mv_message_end(struct mv_thread *t, struct mv_message *m, int rc, int64_t bytes)
{
    struct mv_changed c = {0};
    if (rc)
        return;
    if (m->when == MV_BOTH && !is_single() && mv_snapshot_differs(&m->sent, &m->send, &c))
        mv_sums_changed(t, MV_CHANGED, &c);
    if (m->when == MV_AFTER && mv_snapshot_back(&m->sent, &m->send))
        mv_sums_snapshot(t, &(struct mv_sums){0}, &m->sent);
    if (!m->receives || m->shared || bytes <= 0 || (uint64_t)bytes > mv_part_bytes(&m->recv))
        return;
    if (mv_snapshot(&m->sent, &m->recv, (uint64_t)bytes))
        mv_sums_snapshot(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED}, &m->sent);
}
