/* Persistent operations that are started together share a buffer. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(data, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(data + 2, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Start(&r[1]);
    MPI_Start(&r[0]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Start reads memory that MPI_Recv_init.* is still filling" ranks=0,1 */
    MPI_Send(data, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" ranks=0,1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
