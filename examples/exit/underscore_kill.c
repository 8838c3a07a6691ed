/* Rank 0 ends by _exit after MPI_Finalize. MPICH's launcher, from 4.2 on, may then kill rank 1. Here rank 1 does that
 * itself, so that it happens in every run. */
/* run: np=2 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Reports whether a process has not ended yet. */
static int lives(int pid)
{
    char name[32], state = 'X';
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    FILE *f = fopen(name, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(f);
    return state != 'Z' && state != 'X';
}

int main(int argc, char **argv)
{
    int rank, pid = getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize(); /* want "LOCAL:EXIT:SIGNAL" "without exit\(\), as rank 0 did" ranks=1 */
    if (rank == 0)
        _exit(0);
    while (lives(pid)) /* so that it is known how rank 0 ended */
        usleep(1000);
    raise(SIGKILL);
    return 0;
}
