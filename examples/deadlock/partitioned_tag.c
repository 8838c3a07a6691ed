/* The two sides of a partitioned message have different tags. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 4, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_list(4, (int[]){3, 2, 1, 0}, request);
    } else {
        MPI_Precv_init(data, 4, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* want "GLOBAL:DEADLOCK:HARD" "to receive tag 5, but rank 1 receives tag 6" */
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
