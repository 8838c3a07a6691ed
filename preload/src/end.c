/*
 * How the process ends: exit(), _exit() and their kin. What is to be told is written into the process's page, state
 * last. Signals come in through mv_end as well, so everything here is async-signal-safe: no allocation, no locks, raw
 * reads of /proc/self/maps.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mv.h"

/* Adds the mapping of one line of maps ("start-end perms offset dev inode path") to the page if a pc lies in it. */
static void use_mapping(struct mv_process *p, const char *line, size_t len)
{
    uint64_t v[3] = {0, 0, 0};
    size_t i = 0;
    int executable = 0;
    for (int field = 0; field < 4; field++) {
        /* start, end, permissions, offset */
        if (field == 2) {
            for (; i < len && line[i] != ' '; i++)
                executable |= line[i] == 'x';
            i++;
            continue;
        }
        uint64_t *n = &v[field == 3 ? 2 : field];
        for (; i < len && line[i] != '-' && line[i] != ' '; i++)
            *n = *n << 4 | (uint64_t)(line[i] <= '9' ? line[i] - '0' : line[i] - 'a' + 10);
        i++;
    }
    int wanted = 0;
    for (uint32_t k = 0; k < p->npcs && !wanted; k++)
        wanted = p->pcs[k] >= v[0] && p->pcs[k] < v[1];
    if (!executable || !wanted || p->nmaps == sizeof p->maps / sizeof p->maps[0])
        return;
    /* dev, inode, blanks */
    for (int field = 0; field < 2; field++) {
        while (i < len && line[i] != ' ')
            i++;
        while (i < len && line[i] == ' ')
            i++;
    }
    size_t n = len - i;
    if (n >= sizeof p->maps[0].path)
        n = sizeof p->maps[0].path - 1;
    p->maps[p->nmaps].start = v[0];
    p->maps[p->nmaps].end = v[1];
    p->maps[p->nmaps].offset = v[2];
    memcpy(p->maps[p->nmaps].path, line + i, n);
    p->maps[p->nmaps].path[n] = 0;
    p->nmaps++;
}

static void find_mappings(struct mv_process *p)
{
    char buf[4096 + 512];
    size_t have = 0;
    p->nmaps = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    for (;;) {
        ssize_t n = read(fd, buf + have, sizeof buf - have);
        if (n <= 0)
            break;
        have += (size_t)n;
        size_t at = 0;
        for (;;) {
            const char *nl = memchr(buf + at, '\n', have - at);
            if (!nl)
                break;
            size_t len = (size_t)(nl - buf) - at;
            use_mapping(p, buf + at, len);
            at += len + 1;
        }
        if (!at) /* a line longer than any path may be */
            break;
        memmove(buf, buf + at, have - at);
        have -= at;
    }
    close(fd);
}

/* Fills in the page. The stack begins with the frame whose pc is from_pc; 0: none is wanted. info: siginfo_t of a signal. */
void mv_end(uint32_t state, int code, uint32_t kind, uintptr_t from_pc, const void *info)
{
    struct mv_process *p = mv_page();
    if (!p)
        return;
    int e = errno;
    const siginfo_t *si = info;
    p->end_time = mv_now();
    p->end_tid = (uint32_t)syscall(SYS_gettid);
    p->code = code;
    p->exit_kind = kind;
    p->in_mpi = (uint32_t)mv_inside();
    struct mv_thread *t = mv_tls.mine;
    if (p->in_mpi && t->borrowed && mv_has_room(t, (uint64_t)t->polled->head.lines * 64)) /* not to wait for the analyzer here */
        mv_poll_publish(t, 1); /* it is the call that the process ends in */
    p->fault_addr = 0;
    p->sender_pid = 0;
    p->npcs = p->nmaps = 0;
    if (si) {
        if (si->si_code > 0 && (code == SIGSEGV || code == SIGBUS || code == SIGFPE || code == SIGILL))
            p->fault_addr = (uint64_t)(uintptr_t)si->si_addr;
        if (si->si_code == SI_USER || si->si_code == SI_QUEUE)
            p->sender_pid = si->si_pid;
    }
    if (from_pc) {
        p->npcs = mv_unwind_from(from_pc, p->pcs, sizeof p->pcs / sizeof p->pcs[0]);
        find_mappings(p);
    }
    atomic_store_explicit((_Atomic uint32_t *)&p->state, state, memory_order_release);
    errno = e;
}

/* The stack is told where the exit may be an error. */
static uintptr_t if_premature(uintptr_t ra)
{
    const struct mv_process *p = mv_page();
    return p && p->initialized && !p->finalized ? ra : 0;
}

/* How long a process waits for the analyzer, which may have much to read. */
#define VERDICT_PATIENCE_NS 30000000000u

/* The exit status that the analyzer wants of a rank that has succeeded: of mpivet exec, the last rank of a node tells the
 * launcher what has been found. 0 if the analyzer has nothing to say. */
static int verdict(void)
{
    struct mv_process *p = mv_page();
    struct mv_control *c = mv_g.control;
    if (!p || !c || !c->verdicts || !p->finalized || p->rank < 0)
        return 0;
    _Atomic uint32_t *said = (_Atomic uint32_t *)&p->verdict;
    atomic_store((_Atomic uint32_t *)&p->leaving, 1);
    mv_wake_analyzer();
    uint64_t end = mv_now() + VERDICT_PATIENCE_NS;
    for (int k = 1; !atomic_load(said) && mv_now() < end; k++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        if (k % 32 == 0 && mv_analyzer_gone())
            break;
    }
    return (int)(atomic_load(said) & 0xff);
}

static void at_exit(int code, void *arg)
{
    (void)arg;
    int e = errno;
    mv_end(MV_EXITED, code & 0xff, 0, if_premature(MV_RA), NULL);
    int wanted = code & 0xff ? 0 : verdict();
    errno = e;
    if (wanted)
        exit(wanted); /* glibc then calls the handlers that are left, and flushes stdio */
}

/* The exits that run no handlers: found in front of libc's. */

static void (*real_quick_exit)(int);
static void (*real_exit)(int);

static void resolve(void)
{
    void *p = dlsym(RTLD_NEXT, "quick_exit");
    memcpy(&real_quick_exit, &p, sizeof p);
    p = dlsym(RTLD_NEXT, "_exit");
    memcpy(&real_exit, &p, sizeof p);
}

/* The handler is the first to be registered, so the last to run. */
void mv_end_start(void)
{
    resolve();
    on_exit(at_exit, NULL);
}

static _Noreturn void leave(int code)
{
    if (real_exit)
        real_exit(code);
    for (;;)
        syscall(SYS_exit_group, code);
}

MV_EXPORT _Noreturn void mv_exit_1(int code) __asm__("_exit");
MV_EXPORT _Noreturn void mv_exit_2(int code) __asm__("_Exit");
MV_EXPORT _Noreturn void mv_quick_exit(int code) __asm__("quick_exit");

void mv_exit_1(int code)
{
    mv_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    leave(code);
}

void mv_exit_2(int code)
{
    mv_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    leave(code);
}

void mv_quick_exit(int code)
{
    mv_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    if (!real_quick_exit)
        resolve();
    if (real_quick_exit)
        real_quick_exit(code);
    leave(code);
}
