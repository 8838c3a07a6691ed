/* Only rank 0 starts a nonblocking broadcast, and it does not wait for it. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:COLLECTIVE:MISSING" "rank 1 never does: it has called MPI_Finalize" may error "LOCAL:REQUEST:NOT_FREED" */
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
