/* The same exchanges, in ways that do not depend on buffering. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = 1 - rank, in, out = rank;
    MPI_Request request[2];
    for (int i = 0; i < 100; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&out, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* one rank sends first */
        if (rank == 0) {
            MPI_Send(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
        /* the receive is posted before the send */
        MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Send(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        /* the send is not yet complete when the rank receives */
        MPI_Isend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        /* all operations at the same time */
        MPI_Isend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
