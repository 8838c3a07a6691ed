/* A library that makes all MPI calls of a program. One of them is wrong. */
#include <mpi.h>
#include <stdio.h>

int work(void)
{
    int rank, i = 1;
    float f = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d worked\n", rank);
    MPI_Finalize();
    return 0;
}
