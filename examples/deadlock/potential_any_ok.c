/* MPI_Waitany completes the send first here. If the send had to wait, it would complete the receive first. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = 1 - rank, out = rank, in, index;
    MPI_Request request[2];
    for (int i = 0; i < 50; i++) {
        MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
