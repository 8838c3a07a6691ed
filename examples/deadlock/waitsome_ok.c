/* Rank 0 waits for one of several messages and answers its sender. The other message comes much later. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, in[2], n, indices[2];
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &r[i]);
        for (;;) {
            MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
            if (n == MPI_UNDEFINED)
                break;
            for (int i = 0; i < n; i++)
                MPI_Send(&rank, 1, MPI_INT, indices[i] + 1, 0, MPI_COMM_WORLD);
        }
        printf("%d %d\n", in[0], in[1]);
    } else {
        if (rank == 2)
            sleep(2);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
