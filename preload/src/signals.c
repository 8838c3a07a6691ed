/*
 * Handlers for fatal signals.
 *
 * sigaction() and signal() replace libc's functions. They show the program the disposition that the program has set,
 * and not that of the library. A handler of the program replaces the library's, and SIG_DFL brings the library's back.
 * Some handlers stay behind the library's, which calls them. First, those that the MPI library sets during MPI_Init
 * (Open MPI's prints a stack). Second, if the library reads the program's data to sum them up, the program's own
 * handlers for SIGSEGV and SIGBUS: they must not see faults of the library.
 *
 * The handler is async-signal-safe. The unwinder, which it uses, takes no lock with glibc 2.35 or later. If a stack is
 * too damaged to be unwound, siglongjmp leaves it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "session.h"
#include "signals.h"
#include "tls.h"

#define MV_MAY_LOAD /* when a disposition is looked up or changed */
#include "rules.h"

static const int managed[] = {SIGSEGV, SIGBUS,  SIGFPE,    SIGILL,  SIGABRT, SIGSYS,   SIGTRAP, SIGXCPU,
                              SIGXFSZ, SIGTERM, SIGINT,    SIGQUIT, SIGHUP,  SIGALRM,  SIGUSR1, SIGUSR2,
                              SIGPIPE, SIGPROF, SIGVTALRM, SIGPOLL, SIGPWR,  SIGSTKFLT};
#define MANAGED (sizeof managed / sizeof managed[0])
#define SIGNALS 65

typedef void handler_fn(int, siginfo_t *, void *);
typedef void plain_fn(int);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef plain_fn *signal_fn(int, plain_fn *);

static sigaction_fn
    *real_sigaction; /* the next one: libc's, or that of another library that has replaced it, as UCX does */
static sigaction_fn *libc_sigaction; /* libc's */
static signal_fn *real_signal;
static int active;              /* handlers are in place in this process */
static mv_tell_end *tell_end;
/* 1: a fatal signal was recorded. The thread that sets it records the signal; other threads that get a signal at the
 * same time do not. */
static _Atomic int ended;
/* The handlers set while our handler stayed in front; sa_handler SIG_DFL: none. Written by threads that call
 * sigaction() or signal(), read by handlers, in no particular order: a program that changes a disposition while the
 * signal arrives gets one or the other anyway. */
static struct sigaction behind[SIGNALS];
static _Atomic int own[SIGNALS]; /* the program set it, not MPI_Init */

_Atomic int mv_faults;

static void handle(int sig, siginfo_t *info, void *context);

static int is_managed(int sig)
{
    for (size_t i = 0; i < MANAGED; i++)
        if (managed[i] == sig)
            return 1;
    return 0;
}

#ifdef MV_LINKED

/* A static program has no other name for libc's functions. */
extern sigaction_fn __sigaction;

static plain_fn *bsd_signal_by_sigaction(int sig, plain_fn *h)
{
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    a.sa_handler = h;
    a.sa_flags = SA_RESTART;
    sigaddset(&a.sa_mask, sig);
    return real_sigaction(sig, &a, &old) ? SIG_ERR : old.sa_handler;
}

static int resolve(void)
{
    real_sigaction = libc_sigaction = __sigaction;
    real_signal = bsd_signal_by_sigaction;
    return 1;
}

#else

static int resolve(void)
{
    if (!real_sigaction) {
        void *p = dlsym(RTLD_NEXT, "sigaction");
        memcpy(&real_sigaction, &p, sizeof p);
        p = dlsym(RTLD_NEXT, "__sigaction");
        memcpy(&libc_sigaction, &p, sizeof p);
        if (!libc_sigaction)
            libc_sigaction = real_sigaction;
        p = dlsym(RTLD_NEXT, "signal");
        memcpy(&real_signal, &p, sizeof p);
    }
    return real_sigaction && real_signal;
}

#endif

static void fill_ours(struct sigaction *a)
{
    memset(a, 0, sizeof *a);
    a->sa_sigaction = handle;
    a->sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigfillset(&a->sa_mask);
    /* So that a fault while reading a damaged stack is caught. */
    sigdelset(&a->sa_mask, SIGSEGV);
    sigdelset(&a->sa_mask, SIGBUS);
}

static int is_function(const struct sigaction *a)
{
    return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

static int is_ours(const struct sigaction *a) { return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == handle; }

static int is_fault(int sig) { return sig == SIGSEGV || sig == SIGBUS; }

/* Whether a handler belongs to the runtime library of Fortran. It only prints a message about the fault. */
static int is_fortran(const struct sigaction *a)
{
    Dl_info info;
    void *f;
    memcpy(&f, a->sa_flags & SA_SIGINFO ? (void *)&a->sa_sigaction : (void *)&a->sa_handler, sizeof f);
    return dladdr(f, &info) && info.dli_fname && strstr(info.dli_fname, "libgfortran");
}

/* Whether our handler stays in front of a handler that is set now. */
static int stays(int sig, const struct sigaction *a)
{
    return mv_tls.in_init || (is_fault(sig) && (mv_sums == MV_SUMS_ALL || (mv_sums && is_fortran(a))));
}

/* Finds out whether faults are handled by our handler. */
static void look_in_front(void)
{
    struct sigaction segv, bus;
    const int ours =
        !libc_sigaction(SIGSEGV, NULL, &segv) && !libc_sigaction(SIGBUS, NULL, &bus) && is_ours(&segv) && is_ours(&bus);
    atomic_store_explicit(&mv_faults, ours, memory_order_relaxed);
}

int mv_faults_handled(void)
{
    struct sigaction now;
    if (!active || libc_sigaction(SIGSEGV, NULL, &now))
        return 1;
    const int ours = is_ours(&now);
    if (ours && !own[SIGSEGV])
        return 0;
    if (ours)
        now = behind[SIGSEGV];
    return is_function(&now) && !is_fortran(&now);
}

#if defined(__x86_64__)
#define SP(u) ((u)->uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
#define SP(u) ((u)->uc_mcontext.sp)
#else
#error "the place of the stack pointer in a signal's context"
#endif

/* Records the end. A fault while the stack is unwound leads back here, and then no stack is recorded. */
static void tell(int sig, const siginfo_t *info, ucontext_t *context)
{
    sigjmp_buf back;
    struct sigaction ours, segv, bus;
    if (atomic_exchange(&ended, 1))
        return;
    fill_ours(&ours);
    libc_sigaction(SIGSEGV, &ours, &segv);
    libc_sigaction(SIGBUS, &ours, &bus);
    mv_tls.probe = &back;
    if (!sigsetjmp(back, 1)) {
        tell_end(sig, info, context);
        mv_tls.probe = NULL;
    } else {
        mv_tls.probe = NULL;
        tell_end(sig, info, NULL);
    }
    libc_sigaction(SIGSEGV, &segv, NULL);
    libc_sigaction(SIGBUS, &bus, NULL);
}

/* Takes back the recorded end: the handler behind the library's has handled the signal, and the process lives. */
static void untell(void)
{
    struct mv_process *p = mv_page();
    if (p)
        __atomic_store_n(&p->state, MV_STARTED, __ATOMIC_SEQ_CST);
    atomic_store(&ended, 0);
}

/* Whether the stack is exhausted. Then only a handler with its own stack could have run. */
static int is_overflow(int sig, const siginfo_t *info, const ucontext_t *u)
{
    uintptr_t at = (uintptr_t)info->si_addr, sp = (uintptr_t)SP(u);
    return sig == SIGSEGV && info->si_code > 0 && at < sp + 4096 && sp < at + (1 << 20);
}

/* Lets the process die of the signal. */
static void die(int sig, siginfo_t *info)
{
    struct sigaction d;
    memset(&d, 0, sizeof d);
    d.sa_handler = SIG_DFL;
    libc_sigaction(sig, &d, NULL);
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
    /* It is blocked here, and is delivered on return. */
}

/* Calls a handler of the program as if it were installed in place of ours. */
static void pass_on(int sig, siginfo_t *info, void *context, const struct sigaction *next)
{
    sigset_t mask = ((ucontext_t *)context)->uc_sigmask;
    for (int i = 1; i < SIGNALS; i++)
        if (sigismember(&next->sa_mask, i) == 1 || (i == sig && !(next->sa_flags & SA_NODEFER)))
            sigaddset(&mask, i);
    if (next->sa_flags & (int)SA_RESETHAND)
        memset(&behind[sig], 0, sizeof behind[sig]);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (next->sa_flags & SA_SIGINFO)
        next->sa_sigaction(sig, info, context);
    else
        next->sa_handler(sig);
}

static void handle(int sig, siginfo_t *info, void *context)
{
    int e = errno;
    if (mv_tls.probe && is_fault(sig)) {
        sigjmp_buf *back = mv_tls.probe;
        mv_tls.fault = (uint64_t)(uintptr_t)info->si_addr;
        /* Some jumps do not restore it. */
        pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
        siglongjmp(*back, 1);
    }
    struct sigaction next = behind[sig];
    if (own[sig] && is_function(&next) && !(is_overflow(sig, info, context) && !(next.sa_flags & SA_ONSTACK))) {
        pass_on(sig, info, context, &next);
        errno = e;
        return;
    }
    int fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT;
    int here = mv_at_home(); /* not in a child */
    int chained = is_function(&next) && !(is_overflow(sig, info, context) && !(next.sa_flags & SA_ONSTACK));
    if (here && (!chained || fault))
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
        if (here && fault)
            untell();
    }
    errno = e;
}

/* Gives the main thread a stack for handlers, so that a stack overflow can be recorded. A program that has one, or sets
 * one, uses its own. */
static void make_stack(void)
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

void mv_signals_start(mv_tell_end *tell)
{
    if (!resolve())
        return;
    tell_end = tell;
    make_stack();
    active = 1;
    for (size_t i = 0; i < MANAGED; i++) {
        struct sigaction now, ours;
        if (libc_sigaction(managed[i], NULL, &now) || (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN))
            continue;
        /* A handler that exists before the program runs belongs to another library: that of UCX prints a stack. */
        if (is_function(&now))
            behind[managed[i]] = now;
        fill_ours(&ours);
        libc_sigaction(managed[i], &ours, NULL);
    }
    look_in_front();
}

/* After a change: installs the library's handler again if the disposition is the default now. */
static void changed(int sig)
{
    struct sigaction now, ours;
    if (libc_sigaction(sig, NULL, &now) || is_ours(&now))
        return;
    memset(&behind[sig], 0, sizeof behind[sig]);
    own[sig] = 0;
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL) {
        behind[sig] = now;
        fill_ours(&ours);
        libc_sigaction(sig, &ours, NULL);
    }
    look_in_front();
}

static int change(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction now, wanted;
    if (!resolve()) {
        errno = ENOSYS;
        return -1;
    }
    if (!active || !is_managed(sig) || libc_sigaction(sig, NULL, &now))
        return real_sigaction(sig, act, old);
    struct sigaction shown = is_ours(&now) ? behind[sig] : now;
    if (act) {
        wanted = *act;
        if (is_ours(&now) && is_function(&wanted) && stays(sig, &wanted)) {
            behind[sig] = wanted;
            own[sig] = !mv_tls.in_init;
        } else {
            if (real_sigaction(sig, &wanted, NULL))
                return -1;
            changed(sig);
        }
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
    struct sigaction now;
    if (!resolve()) {
        errno = ENOSYS;
        return SIG_ERR;
    }
    if (!active || !is_managed(sig) || h == SIG_ERR || libc_sigaction(sig, NULL, &now))
        return real_signal(sig, h);
    plain_fn *shown = is_ours(&now) ? behind[sig].sa_handler : now.sa_handler;
    struct sigaction wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = h;
    wanted.sa_flags = SA_RESTART;
    if (is_ours(&now) && is_function(&wanted) && stays(sig, &wanted)) {
        behind[sig] = wanted;
        own[sig] = !mv_tls.in_init;
        return shown;
    }
    if (real_signal(sig, h) == SIG_ERR)
        return SIG_ERR;
    changed(sig);
    return shown;
}

plain_fn *mv_bsd_signal(int sig, plain_fn *h) { return mv_signal(sig, h); }

/* signal() of a program that is compiled with a strict -std=. */
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
