/* The program's own handler for SIGSEGV makes memory accessible when it is needed. MPI does not notice this, and the
 * handler gets only the faults of the program. */
/* run: np=2 flags="--checksums" */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static char *page;
static volatile int faults;

static void unlock(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    if ((uintptr_t)info->si_addr - (uintptr_t)page < PAGE) {
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        faults++;
    } else {
        signal(SIGSEGV, SIG_DFL);
    }
}

int main(int argc, char **argv)
{
    struct sigaction a = {.sa_sigaction = unlock, .sa_flags = SA_SIGINFO};
    int rank, value = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sigaction(SIGSEGV, &a, NULL);
    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(page, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mprotect(page, PAGE, PROT_NONE);
    if (rank == 1)
        MPI_Send(page, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        printf("%d after %d faults\n", *(int *)page, faults);
    MPI_Finalize();
    return 0;
}
