/* Rank 0 waits for one of several messages, but none comes: the other ranks wait for rank 0. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2], n, indices[2];
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &r[i]);
        MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "rank 1 to send or rank 2 to send, but ranks 1,2 are themselves in MPI_Recv" ranks=0,1,2 */
        for (int i = 1; i < 3; i++)
            MPI_Send(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
