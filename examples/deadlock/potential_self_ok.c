/* A rank sends messages to itself. It posts the receive first, or waits for the send only after the receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int in, out = rank;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
