/* The program has its own handlers for SIGSEGV. One leaves by a jump. Another one replaces it, runs with the signals of
 * its mask blocked, and runs only once (SA_RESETHAND). */
/* run: np=2 flags="--checksums" */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile int jumps, runs, blocked, twice;
static char *volatile locked;

static void jump(int sig)
{
    (void)sig;
    jumps++;
    siglongjmp(back, 1);
}

static void unlock(int sig, siginfo_t *info, void *context)
{
    sigset_t now;
    (void)context;
    sigprocmask(SIG_BLOCK, NULL, &now);
    blocked = sigismember(&now, SIGUSR1) && sigismember(&now, sig) && !sigismember(&now, SIGUSR2);
    twice += (char *)info->si_addr != locked;
    runs++;
    mprotect(locked, 4096, PROT_READ | PROT_WRITE);
}

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("%s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int rank;
    sigset_t now;
    struct sigaction a, old;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGSEGV, jump); /* possibly replaces a handler of MPI */
    locked = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        if (!sigsetjmp(back, 1))
            *locked = 1;
    check(jumps == 2, "the first handler");
    sigprocmask(SIG_BLOCK, NULL, &now);
    check(!sigismember(&now, SIGSEGV) && !sigismember(&now, SIGUSR1), "signals are blocked");

    memset(&a, 0, sizeof a);
    a.sa_sigaction = unlock;
    a.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
    sigaddset(&a.sa_mask, SIGUSR1);
    check(!sigaction(SIGSEGV, &a, &old) && old.sa_handler == jump, "the handler that there was");
    *locked = 1;
    check(runs == 1 && blocked && !twice, "the second handler");
    sigaction(SIGSEGV, &a, &old);
    check(old.sa_handler == SIG_DFL, "the handler runs once");

    int value = rank;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
