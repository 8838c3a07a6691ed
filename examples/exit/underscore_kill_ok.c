/* Rank 0 ends by exit after MPI_Finalize, so no launcher kills rank 1. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0)
        exit(0);
    return 0;
}
