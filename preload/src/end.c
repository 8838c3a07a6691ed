/*
 * Writes the end of the process into its page, the state last. A signal handler calls this, too. So everything here is
 * async-signal-safe: it allocates nothing, and takes no lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "end.h"
#include "maps.h"
#include "mv.h"
#include "signals.h"

#define MV_MAY_LOAD  /* at the start */
#define MV_MAY_START /* the handler of exit() is registered once */
#define MV_MAY_END   /* only to end the process as the program does */
#include "rules.h"

/* Adds a mapping to the page if one of the pcs lies in it. */
static void use_mapping(void *ctx, const struct mv_mapping *m)
{
    struct mv_process *p = ctx;
    int wanted = 0;
    for (uint32_t k = 0; k < p->npcs && !wanted; k++)
        wanted = p->pcs[k] >= m->start && p->pcs[k] < m->end;
    if (!m->executable || !wanted || p->nmaps == sizeof p->maps / sizeof p->maps[0])
        return;
    size_t n = m->path_len;
    if (n >= sizeof p->maps[0].path)
        n = sizeof p->maps[0].path - 1;
    p->maps[p->nmaps].start = m->start;
    p->maps[p->nmaps].end = m->end;
    p->maps[p->nmaps].offset = m->offset;
    memcpy(p->maps[p->nmaps].path, m->path, n);
    p->maps[p->nmaps].path[n] = 0;
    p->nmaps++;
}

/* Fills in the page. The stack begins with the frame whose pc is from_pc; 0: no stack is recorded. info: siginfo_t of a
 * signal. */
static void write_end(uint32_t state, int code, uint32_t kind, uintptr_t from_pc, const void *info)
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
    if (p->in_mpi && t->borrowed &&
        mv_has_room(t, (uint64_t)t->polled->head.lines * 64)) /* so that it does not wait for the analyzer */
        mv_poll_publish(t, 1); /* the process ends in this call */
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
        mv_maps_visit(use_mapping, p);
    }
    __atomic_store_n(&p->state, state, __ATOMIC_RELEASE);
    errno = e;
}

#if defined(__x86_64__)
#define PC(u) ((u)->uc_mcontext.gregs[REG_RIP])
#define SP(u) ((u)->uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
#define PC(u) ((u)->uc_mcontext.pc)
#define SP(u) ((u)->uc_mcontext.sp)
#else
#error "the place of the program counter in a signal's context"
#endif

/* Records the end by a signal, with the stack that the signal interrupted if there is a context (mv_tell_end). */
static void tell_signal(int sig, const void *info, void *context)
{
    ucontext_t *u = context;
    struct mv_process *p = mv_page();
    write_end(MV_SIGNALED, sig, 0, u ? (uintptr_t)PC(u) : 0, info);
    if (!u || !p || p->npcs > 1)
        return;
    /* The call of an address that is not a function cannot be unwound. Its caller can be, as if the call had
     * returned. */
#if defined(__x86_64__)
    __typeof__(PC(u)) pc = PC(u), sp = SP(u);
    PC(u) = *(const greg_t *)sp;
    SP(u) = sp + 8;
    write_end(MV_SIGNALED, sig, 0, (uintptr_t)PC(u), info);
    PC(u) = pc;
    SP(u) = sp;
    if (p->npcs < sizeof p->pcs / sizeof p->pcs[0]) {
        memmove(p->pcs + 1, p->pcs, p->npcs * sizeof p->pcs[0]);
        p->pcs[0] = (uint64_t)pc;
        p->npcs++;
    }
#endif
}

/* Where the stack of an exit begins, 0 if the exit is not an error. */
static uintptr_t if_premature(uintptr_t ra)
{
    const struct mv_process *p = mv_page();
    return p && p->initialized && !p->finalized ? ra : 0;
}

/* How long a process waits for the analyzer, which may have many records to read. */
#define VERDICT_PATIENCE_NS 30000000000u

/* The exit status that the analyzer requests for a rank that has succeeded, 0 if it requests none. Under mpivet exec,
 * the last rank of a node reports to the launcher in this way whether there are findings. */
static int verdict(void)
{
    struct mv_process *p = mv_page();
    struct mv_control *c = mv_g.control;
    if (!p || !c || !c->verdicts || !p->finalized || p->rank < 0)
        return 0;
    __atomic_store_n(&p->leaving, 1, __ATOMIC_SEQ_CST);
    mv_wake_analyzer();
    uint64_t end = mv_now() + VERDICT_PATIENCE_NS;
    for (int k = 1; !__atomic_load_n(&p->verdict, __ATOMIC_ACQUIRE) && mv_now() < end; k++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        if (k % 32 == 0 && mv_analyzer_gone())
            break;
    }
    return (int)(__atomic_load_n(&p->verdict, __ATOMIC_ACQUIRE) & 0xff);
}

static void at_exit(int code, void *arg)
{
    (void)arg;
    int e = errno;
    write_end(MV_EXITED, code & 0xff, 0, if_premature(MV_RA), NULL);
    int wanted = code & 0xff ? 0 : verdict();
    errno = e;
    if (wanted)
        exit(wanted); /* glibc then calls the remaining handlers, and flushes stdio */
}

/* The exit functions that run no handlers. These functions replace libc's. */

static void (*real_quick_exit)(int);
static void (*real_exit)(int);

static void resolve(void)
{
    void *p = dlsym(RTLD_NEXT, "quick_exit");
    memcpy(&real_quick_exit, &p, sizeof p);
    p = dlsym(RTLD_NEXT, "_exit");
    memcpy(&real_exit, &p, sizeof p);
}

/* The handler of exit() is registered first, so it runs last. */
void mv_end_start(void)
{
    resolve();
    on_exit(at_exit, NULL);
    mv_signals_start(tell_signal);
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
#ifndef MV_LINKED
MV_EXPORT _Noreturn void mv_quick_exit(int code) __asm__("quick_exit");
#endif

void mv_exit_1(int code)
{
    write_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    leave(code);
}

void mv_exit_2(int code)
{
    write_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    leave(code);
}

#ifndef MV_LINKED /* a static program could not call libc's */
void mv_quick_exit(int code)
{
    write_end(MV_EXITED, code & 0xff, 1, if_premature(MV_RA), NULL);
    if (!real_quick_exit)
        resolve();
    if (real_quick_exit)
        real_quick_exit(code);
    leave(code);
}
#endif
