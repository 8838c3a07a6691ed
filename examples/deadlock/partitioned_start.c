/* Rank 0 starts a partitioned message once less than rank 1, which waits for it. Then rank 0 waits for rank 1. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, 4, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3 - (rank == 0); i++) {
        MPI_Start(&request);
        if (rank == 0)
            MPI_Pready_range(0, 3, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "COLLECTIVE:MISSING" ranks=0,1 */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
