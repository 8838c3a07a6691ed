/* One partition of a message is never marked ready, so neither side can complete it. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

enum { PARTITIONS = 4 };

int main(int argc, char **argv)
{
    int rank, data[PARTITIONS] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, PARTITIONS, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < PARTITIONS - 1; i++)
            MPI_Pready(i, request);
    } else {
        MPI_Precv_init(data, PARTITIONS, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "rank 0 itself to mark all partitions ready" ranks=0,1 */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
