/* MPI_Waitall waits for two messages. One of them is never sent, because its tag is different. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out = rank, in[2];
    int peer = 1 - rank;
    MPI_Request request[2];
    MPI_Irecv(&in[0], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Send(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Waitall" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
