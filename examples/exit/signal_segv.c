/* A rank crashes between two MPI calls because of its own bug. The other rank waits for it in vain. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

static void store(int *cell, int value)
{
    *cell = value; /* want "LOCAL:EXIT:SIGNAL" "SIGSEGV" ranks=1 */
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        store(NULL, 42);
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
