/*
 * Signals that kill: the library's handler stands where the disposition is the default one. It writes down what came
 * (signal, stack, fault address) and lets the process die of it as it would have: same status, same core.
 *
 * The program sees none of this. sigaction() and signal() stand in front of libc's and show it the disposition that
 * it, not the library, has made; a handler of the program's replaces the library's, and SIG_DFL brings that back. A
 * handler that the MPI library sets during MPI_Init (Open MPI prints a stack) is kept behind the library's and called
 * from it.
 *
 * The handler is async-signal-safe, but for the unwinder, which takes no lock with glibc >= 2.35; a stack too broken
 * to be unwound is left by siglongjmp.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mv.h"

static const int managed[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGSYS,  SIGTRAP, SIGXCPU,   SIGXFSZ, SIGTERM, SIGINT,
                              SIGQUIT, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE, SIGPROF, SIGVTALRM, SIGPOLL, SIGPWR,  SIGSTKFLT};
#define MANAGED (sizeof managed / sizeof managed[0])
#define SIGNALS 65

typedef void handler_fn(int, siginfo_t *, void *);
typedef void plain_fn(int);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef plain_fn *signal_fn(int, plain_fn *);

static sigaction_fn *real_sigaction;
static signal_fn *real_signal;
static int active;              /* handlers are in place in this process */
static _Atomic int ended;       /* a fatal signal has been told of */
static struct sigaction behind[SIGNALS]; /* what MPI_Init set while our handler stayed in front; sa_handler SIG_DFL: nothing */

static void handle(int sig, siginfo_t *info, void *context);

static int is_managed(int sig)
{
    for (size_t i = 0; i < MANAGED; i++)
        if (managed[i] == sig)
            return 1;
    return 0;
}

static sigaction_fn *libc_sigaction(void)
{
    if (!real_sigaction) {
        void *p = dlsym(RTLD_NEXT, "sigaction");
        memcpy(&real_sigaction, &p, sizeof p);
    }
    return real_sigaction;
}

static void fill_ours(struct sigaction *a)
{
    memset(a, 0, sizeof *a);
    a->sa_sigaction = handle;
    a->sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigfillset(&a->sa_mask);
    /* So that a fault while looking at a broken stack is caught. */
    sigdelset(&a->sa_mask, SIGSEGV);
    sigdelset(&a->sa_mask, SIGBUS);
}

static int is_ours(const struct sigaction *a) { return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == handle; }

static uintptr_t pc_of(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)u->uc_mcontext.pc;
#else
    (void)u;
    return 0;
#endif
}

/* Writes down the end; a fault on the way leads back here, and then without a stack. */
static void tell(int sig, const siginfo_t *info, const void *context)
{
    sigjmp_buf back;
    struct sigaction ours, segv, bus;
    if (atomic_exchange(&ended, 1))
        return;
    fill_ours(&ours);
    real_sigaction(SIGSEGV, &ours, &segv);
    real_sigaction(SIGBUS, &ours, &bus);
    mv_tls.probe = &back;
    if (!sigsetjmp(back, 1)) {
        mv_end(MV_SIGNALED, sig, 0, pc_of(context), info);
        mv_tls.probe = NULL;
    } else {
        mv_tls.probe = NULL;
        mv_end(MV_SIGNALED, sig, 0, 0, info);
    }
    real_sigaction(SIGSEGV, &segv, NULL);
    real_sigaction(SIGBUS, &bus, NULL);
}

/* Lets the process die of the signal. */
static void die(int sig, siginfo_t *info)
{
    struct sigaction d;
    memset(&d, 0, sizeof d);
    d.sa_handler = SIG_DFL;
    real_sigaction(sig, &d, NULL);
    /* An instruction that faulted faults once more on return, and the core shows it. */
    if (info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL)
#ifdef BUS_MCEERR_AO
        && !(sig == SIGBUS && info->si_code == BUS_MCEERR_AO)
#endif
    )
        return;
    pid_t tid = (pid_t)syscall(SYS_gettid);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, sig, info))
        syscall(SYS_tgkill, getpid(), tid, sig);
    /* It is blocked here, and delivered on return. */
}

static void handle(int sig, siginfo_t *info, void *context)
{
    int e = errno;
    if (mv_tls.probe && (sig == SIGSEGV || sig == SIGBUS)) {
        sigjmp_buf *back = mv_tls.probe;
        siglongjmp(*back, 1);
    }
    struct sigaction next = behind[sig];
    int fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT;
    int chained = (next.sa_flags & SA_SIGINFO) || (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN);
    if ((!chained || fault) && getpid() == mv_g.pid) /* not in a child made by vfork */
        tell(sig, info, context);
    if (!chained) {
        die(sig, info);
    } else {
        if (next.sa_flags & (int)SA_RESETHAND)
            memset(&behind[sig], 0, sizeof behind[sig]);
        if (next.sa_flags & SA_SIGINFO)
            next.sa_sigaction(sig, info, context);
        else
            next.sa_handler(sig);
    }
    errno = e;
}

/* Gives the main thread a stack for handlers, so that a stack overflow can be told of; a program that has or sets one
 * uses its own. */
void mv_signals_stack(void)
{
    stack_t old, ours;
    if (sigaltstack(NULL, &old) || !(old.ss_flags & SS_DISABLE))
        return;
    memset(&ours, 0, sizeof ours);
    ours.ss_size = 128 << 10;
    ours.ss_sp = mmap(NULL, ours.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ours.ss_sp != MAP_FAILED)
        sigaltstack(&ours, NULL);
}

void mv_signals_start(void)
{
    if (!libc_sigaction())
        return;
    mv_signals_stack();
    active = 1;
    for (size_t i = 0; i < MANAGED; i++) {
        struct sigaction now, ours;
        if (real_sigaction(managed[i], NULL, &now) || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
            continue;
        fill_ours(&ours);
        real_sigaction(managed[i], &ours, NULL);
    }
}

static int change(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!libc_sigaction()) {
        errno = ENOSYS;
        return -1;
    }
    if (!active || !is_managed(sig))
        return real_sigaction(sig, act, old);

    struct sigaction now, ours;
    if (real_sigaction(sig, NULL, &now))
        return real_sigaction(sig, act, old);
    struct sigaction shown = now;
    if (is_ours(&now))
        shown = behind[sig];
    if (act) {
        struct sigaction wanted = *act;
        int is_default = !(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_DFL;
        int r = 0;
        if (is_ours(&wanted)) {
            /* cannot be: it is never shown */
        } else if (is_default) {
            fill_ours(&ours);
            memset(&behind[sig], 0, sizeof behind[sig]);
            behind[sig].sa_mask = wanted.sa_mask;
            behind[sig].sa_flags = wanted.sa_flags;
            r = real_sigaction(sig, &ours, NULL);
        } else if (mv_tls.in_init && is_ours(&now)) {
            behind[sig] = wanted;
        } else {
            memset(&behind[sig], 0, sizeof behind[sig]);
            r = real_sigaction(sig, &wanted, NULL);
        }
        if (r)
            return r;
    }
    if (old)
        *old = shown;
    return 0;
}

MV_EXPORT int mv_sigaction(int sig, const struct sigaction *act, struct sigaction *old) __asm__("sigaction");
MV_EXPORT plain_fn *mv_signal(int sig, plain_fn *h) __asm__("signal");
MV_EXPORT plain_fn *mv_bsd_signal(int sig, plain_fn *h) __asm__("bsd_signal");
MV_EXPORT plain_fn *mv_sysv_signal(int sig, plain_fn *h) __asm__("__sysv_signal");
MV_EXPORT plain_fn *mv_sysv_signal_2(int sig, plain_fn *h) __asm__("sysv_signal");

int mv_sigaction(int sig, const struct sigaction *act, struct sigaction *old) { return change(sig, act, old); }

plain_fn *mv_signal(int sig, plain_fn *h)
{
    struct sigaction a, old;
    if (active && is_managed(sig) && h != SIG_ERR && (h == SIG_DFL || mv_tls.in_init)) {
        memset(&a, 0, sizeof a);
        a.sa_handler = h;
        a.sa_flags = SA_RESTART;
        sigemptyset(&a.sa_mask);
        sigaddset(&a.sa_mask, sig);
        if (change(sig, &a, &old))
            return SIG_ERR;
        return old.sa_handler;
    }
    if (!real_signal) {
        void *p = dlsym(RTLD_NEXT, "signal");
        memcpy(&real_signal, &p, sizeof p);
        if (!real_signal) {
            errno = ENOSYS;
            return SIG_ERR;
        }
    }
    plain_fn *before = real_signal(sig, h);
    if (before != SIG_ERR) {
        memset(&a, 0, sizeof a);
        a.sa_sigaction = handle;
        if (before == a.sa_handler)
            before = behind[sig].sa_handler;
        if (active && is_managed(sig))
            memset(&behind[sig], 0, sizeof behind[sig]);
    }
    return before;
}

plain_fn *mv_bsd_signal(int sig, plain_fn *h) { return mv_signal(sig, h); }

/* What signal() is for a program compiled with a strict -std=. */
plain_fn *mv_sysv_signal(int sig, plain_fn *h)
{
    struct sigaction a, old;
    if (h == SIG_ERR || sig < 1 || sig >= SIGNALS) {
        errno = EINVAL;
        return SIG_ERR;
    }
    memset(&a, 0, sizeof a);
    a.sa_handler = h;
    a.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
    sigemptyset(&a.sa_mask);
    return change(sig, &a, &old) ? SIG_ERR : old.sa_handler;
}

plain_fn *mv_sysv_signal_2(int sig, plain_fn *h) { return mv_sysv_signal(sig, h); }
