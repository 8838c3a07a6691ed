/* A persistent receive is needed in two rounds and started in one. The sender of the second round waits forever. */
/* run: np=2 timeout=20s stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv_init(&data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request); /* want warning "LOCAL:REQUEST:NOT_STARTED" "not started again" ranks=0,1 */
        MPI_Start(&request);
        for (int i = 0; i < 2; i++) {
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
            MPI_Recv(&data, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        }
        MPI_Request_free(&request);
    } else {
        for (int i = 0; i < 2; i++) {
            MPI_Ssend(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" want warning "LOCAL:REQUEST:NOT_STARTED" */
            MPI_Send(&data, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
