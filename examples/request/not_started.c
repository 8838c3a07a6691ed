/* The program waits for a persistent send that it never started. The wait returns, but the receiver waits forever. */
/* run: np=2 timeout=20s stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send_init(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* want warning "LOCAL:REQUEST:NOT_STARTED" "never started" ranks=0,1 */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Request_free(&request);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" want warning "LOCAL:REQUEST:NOT_STARTED" */
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
