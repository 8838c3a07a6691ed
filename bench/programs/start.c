/* All ranks start. Rank 0 prints a line when all of them have. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("started\n");
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
