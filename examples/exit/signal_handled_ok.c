/* The program may handle signals itself: it probes memory with its own SIGSEGV handler, counts SIGTERM and ignores
 * SIGPIPE. None of these signals ends it. */
/* run: np=2 */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t terms;

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void on_term(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
    terms++;
}

static int readable(volatile const char *p)
{
    if (sigsetjmp(back, 1))
        return 0;
    (void)*p;
    return 1;
}

int main(int argc, char **argv)
{
    int rank, pipes[2];
    char byte = 'x';
    struct sigaction action, old;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    memset(&action, 0, sizeof action);
    action.sa_handler = on_segv;
    sigaction(SIGSEGV, &action, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_term;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);

    printf("rank %d: null %s, own %s\n", rank, readable(NULL) ? "readable" : "not readable",
           readable(&byte) ? "readable" : "not readable");
    raise(SIGTERM);
    kill(getpid(), SIGTERM);
    printf("rank %d: %d SIGTERM\n", rank, (int)terms);

    if (pipe(pipes) == 0) {
        close(pipes[0]);
        printf("rank %d: write to a closed pipe gives %d\n", rank, (int)write(pipes[1], &byte, 1));
        close(pipes[1]);
    }
    /* When the program queries the handler, it gets its own one. */
    sigaction(SIGSEGV, NULL, &old);
    printf("rank %d: SIGSEGV handler is %s\n", rank, old.sa_handler == on_segv ? "mine" : "another");
    sigaction(SIGBUS, NULL, &old);

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
