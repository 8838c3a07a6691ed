/* The same store, to valid memory. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

static void store(int *cell, int value)
{
    *cell = value;
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        store(&value, 42);
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    printf("rank %d has %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
